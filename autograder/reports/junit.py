"""Results as JUnit XML: a test suite for each student, a test case for each hidden test. CI servers show it."""

import xml.etree.ElementTree as ElementTree

from autograder.reports.text import cut


def render(class_results):
    """The XML document as text."""
    results = class_results.results
    root = ElementTree.Element("testsuites", name=class_results.assignment, time=f"{sum(result.duration_s for result in results):.3f}")
    for result in results:
        root.append(_suite(result))
    for kind in ("tests", "failures", "errors"):
        root.set(kind, str(sum(int(suite.get(kind)) for suite in root)))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _suite(result):
    statuses = [test.status for test in result.tests]
    suite = ElementTree.Element("testsuite", {
        "name": result.name,
        "tests": str(len(statuses)),
        "failures": str(statuses.count("failed")),
        "errors": str(statuses.count("error") + statuses.count("timeout")),
        "skipped": str(statuses.count("deferred")),
        "time": f"{result.duration_s:.3f}",
    })
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in _properties(result):
        ElementTree.SubElement(properties, "property", name=name, value=value)
    for test in result.tests:
        suite.append(_case(result, test))
    return suite


def _properties(result):
    yield "score", f"{result.score:g}"
    yield "max_score", f"{result.max_score:g}"
    yield "language", result.language
    yield "device", result.device
    yield "seed", result.seed
    yield "submission_sha256", result.sha256
    if result.note:
        yield "note", result.note
    for kind, evidence in result.flags:
        yield f"flag.{kind}", evidence


def _case(result, test):
    case = ElementTree.Element("testcase", name=test.id, classname=result.name)
    if test.status == "passed":
        return case
    if test.status == "deferred":
        ElementTree.SubElement(case, "skipped", message=_headline(test))
        return case
    element = ElementTree.SubElement(case, "failure" if test.status == "failed" else "error", message=_headline(test),
                                     type=test.misconception or test.status)
    element.text = test.message
    return case


def _headline(test):
    """What a list of failures shows: the last sentence says the most, the first is the test's own."""
    lines = test.message.split("\n")
    return cut(lines[-1] if test.misconception else lines[min(1, len(lines) - 1)], 300)
