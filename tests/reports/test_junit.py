"""JUnit XML as the Jenkins schema (junit-10.xsd) has it, whatever the characters."""

import xml.etree.ElementTree as ElementTree

from autograder.reports import junit
from tests.reports.conftest import HOSTILE, PAYLOAD, put, read, record

# element: (required attributes, optional attributes, children in their order)
SCHEMA = {
    "testsuites": ({"name"}, {"time", "tests", "failures", "errors"}, ["testsuite"]),
    "testsuite": ({"name", "tests"}, {"failures", "errors", "time", "skipped", "timestamp", "hostname", "id", "package"},
                  ["properties", "testcase"]),
    "properties": (set(), set(), ["property"]),
    "property": ({"name", "value"}, set(), []),
    "testcase": ({"name"}, {"classname", "time", "assertions", "status"}, ["skipped", "error", "failure"]),
    "skipped": (set(), {"message", "type"}, []),
    "failure": (set(), {"message", "type"}, []),
    "error": (set(), {"message", "type"}, []),
}


def check(element):
    required, optional, children = SCHEMA[element.tag]
    assert required <= set(element.attrib) <= required | optional, element.attrib
    order = [children.index(child.tag) for child in element]
    assert order == sorted(order)
    for child in element:
        check(child)


def parsed(folder):
    root = ElementTree.fromstring(junit.render(read(folder)).encode("utf-8"))
    check(root)
    return root


def test_a_small_class(small):
    root = parsed(small)
    assert root.attrib == {"name": "single-head", "time": "8.250", "tests": "76", "failures": "3", "errors": "20"}
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == ["anna", "Björn", "zoe", "李雷"]
    assert suites["Björn"].attrib == {"name": "Björn", "tests": "19", "failures": "2", "errors": "1", "skipped": "0", "time": "7.250"}
    assert suites["李雷"].get("skipped") == "1" and suites["zoe"].get("errors") == "19"
    properties = {p.get("name"): p.get("value") for p in suites["Björn"].iter("property")}
    assert properties["score"] == "8.5" and properties["flag.library-attention"].startswith("F.scaled_dot")
    assert properties["language"] == "sv"
    assert {p.get("name"): p.get("value") for p in suites["zoe"].iter("property")}["note"] == "It is no valid JSON."


def test_a_failure(tmp_path):
    failing = {"attention-scale": ("failed", "no-scale"), "softmax-rows": ("timeout", None), "softmax-axis": ("deferred", None)}
    put(tmp_path, record("a", failing))
    cases = {case.get("name"): case for case in parsed(tmp_path).iter("testcase")}
    assert len(cases) == 19 and {case.get("classname") for case in cases.values()} == {"a"}
    [failure] = cases["single-head.attention-scale"]
    assert failure.tag == "failure" and failure.attrib == {"message": "Because.", "type": "no-scale"}
    assert failure.text == "The scores are divided by √d_head, before the softmax.\nNo.\nBecause."
    [late], [waits] = cases["single-head.softmax-rows"], cases["single-head.softmax-axis"]
    assert (late.tag, late.get("type"), late.get("message"), waits.tag) == ("error", "timeout", "No.", "skipped")
    assert len(cases["single-head.softmax-input"]) == 0


def test_hostile(hostile):
    root = parsed(hostile)
    assert len({suite.get("name") for suite in root}) == len(HOSTILE)
    text = next(root.iter("failure")).text
    assert text.startswith(PAYLOAD.replace("\u202e", "")) and not any(ord(c) < 32 and c != "\n" for c in "".join(root.itertext()))
