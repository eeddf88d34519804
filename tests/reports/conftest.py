"""A class on the disk, made by hand: records in the grader's published form."""

import json

import pytest

from autograder.assignment import load
from autograder.names import safe_name
from autograder.reports import reading
from autograder.reports.figures import sentences

NAME = "single-head"
HOSTILE = (
    "<script>document.title='owned'</script>",
    "\"><img src=x onerror=\"document.title='owned'\">",
    "</style></title></bdi><h1>owned",
    "=HYPERLINK(\"http://198.51.100.1\",\"click\")",
    "+1+1", "-2+3", "@SUM(A1:A9)", "\t=1+1", "＝1+1", "|calc", "a,b\"c\nd",
    "a|b|c `x` *y* _z_ [l](http://198.51.100.1) ![i](http://198.51.100.1/x.png)",
    "@everyone www.example.com https://example.com :tada: #1",
    "\u202egnp.exe", "\u2066אבג\u2069 דהו", "محمد علی", "A\u0301\u0301\u0301\u0301" * 20, "x" * 1000,
    "\x1b[31mred\x07", "\x00nul", "\ufffe\uffff", "\ud800lone",
    "{{ 7*7 }}{% raw %}", "]]>", "<!-- -->", "..", "a/../b", "' onmouseover='x", "&lt;b&gt;&amp;", "li\u200bke", "like",
)
PAYLOAD = "<script>document.title='owned'</script>\n<img src=//198.51.100.1/x onerror=alert(1)> | `code` =1+1 \u202e ]]> &amp;"


@pytest.fixture(scope="session")
def assignment():
    return load(NAME)


def record(student="anna", failing=(), **fields):
    """A result; failing is {test: (status, misconception)} by the tests' short names."""
    failing = dict(failing)
    tests = []
    for n, (test_id, sentence) in enumerate(sentences(load(NAME)).items()):
        status, misconception = failing.get(test_id.removeprefix(f"{NAME}."), ("passed", None))
        points = 0.5 if n else 1.0
        passed = status == "passed"
        tests.append({
            "id": test_id, "part": test_id.split(".")[1].split("-")[0], "status": status, "points": points if passed else 0.0,
            "max_points": points, "misconception": misconception, "message": sentence if passed else f"{sentence}\nNo.\nBecause.",
        })
    return {
        "schema": 1, "assignment": NAME, "student": student, "submission_sha256": "ab" * 32, "language": "en", "device": "cpu", "seed": 5,
        "score": sum(test["points"] for test in tests), "max_score": sum(test["max_points"] for test in tests), "duration_s": 0.5,
        "peak_memory_bytes": 60 << 20, "note": None, "flags": [], "tests": tests,
    } | fields


def put(folder, result, name=None):
    """Write a record, or a text or bytes in its place, where a result lies."""
    path = folder / (name or safe_name(result["student"])) / f"{NAME}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(result, dict):
        result = json.dumps(result)
    path.write_bytes(result if isinstance(result, bytes) else result.encode("utf-8"))
    return path


@pytest.fixture
def small(tmp_path):
    """Four students: all right; two faults and a flag; everything deferred that is about masks; unreadable."""
    put(tmp_path, record("anna"))
    bjorn = {"attention-scale": ("failed", "no-scale"), "attention-batch": ("failed", None), "causal-square": ("timeout", None)}
    flag = {"kind": "library-attention", "evidence": "F.scaled_dot_product_attention in cell 4"}
    put(tmp_path, record("Björn", bjorn, language="sv", flags=[flag], duration_s=7.25))
    put(tmp_path, record("李雷", {"causal-square": ("deferred", None), "attention-scale": ("failed", "no-scale")}, peak_memory_bytes=3 << 30))
    errors = {test.split(".")[1]: ("error", None) for test in sentences(load(NAME))}
    put(tmp_path, record("zoe", errors, note="It is no valid JSON.", score=0.0, duration_s=0.0, peak_memory_bytes=0))
    return tmp_path


@pytest.fixture
def hostile(tmp_path):
    """A student for each hostile name, with hostile texts wherever a result holds one."""
    for n, name in enumerate(HOSTILE):
        result = record(name, {"attention-scale": ("failed", "no-scale" if n % 2 else PAYLOAD[:60])}, note=PAYLOAD if n % 3 == 0 else None,
                        submission_sha256=PAYLOAD, device=PAYLOAD, language=PAYLOAD, seed=PAYLOAD)
        result["flags"] = [{"kind": PAYLOAD, "evidence": PAYLOAD * 9}]
        for test in result["tests"]:
            test["message"] = PAYLOAD * 20
            test["part"] = test["part"] if n else PAYLOAD
        result["tests"][-1]["id"] = PAYLOAD
        put(tmp_path, result, f"h{n:02}")
    return tmp_path


def flags(number, longest=300, text="<"):
    """Flags as a hostile submission may bring them about."""
    return [{"kind": "library-attention", "evidence": f"{n} ".ljust(longest, text)} for n in range(number)]


def flagged_class(folder, floods, each=450, number=600):
    """A class in which everybody has a failure, the first `floods` students `each` long flags, and the last but one two of the usual kind."""
    for n in range(number):
        put(folder, record(f"s{n:03}", {"attention-scale": ("failed", "no-scale")}, flags=flags(each) if n < floods else []))
    put(folder, record(f"s{number - 2:03}", flags=[{"kind": "library-attention", "evidence": f"the {which} was called"} for which in ("one", "other")]))


def read(folder):
    return reading.read(folder, NAME)
