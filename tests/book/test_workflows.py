"""The workflows of GitHub: they parse, what they call is there, their actions are pinned, and no pull request comes near a right to write."""

import importlib.util
import re

import pytest
import yaml

from book.tools.paths import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"[\w.-]+/[\w./-]+@(v\d+(\.\d+)*|[0-9a-f]{40})")
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def read(path) -> dict:
    """A workflow. YAML takes the key `on` for a truth."""
    loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {("on" if key is True else key): value for key, value in loaded.items()}


def steps(workflow: dict) -> list[dict]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@pytest.fixture(params=WORKFLOWS, ids=lambda path: path.stem)
def workflow(request):
    return read(request.param)


def test_it_begins_with_the_right_to_read_and_ends_some_time(workflow):
    assert workflow["on"] and workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert re.fullmatch(r"ubuntu-\d\d\.\d\d", str(job["runs-on"])) or "self-hosted" in str(job["runs-on"]), name
        assert set(job.get("needs", []) if isinstance(job.get("needs"), list) else [job.get("needs", name)]) <= set(workflow["jobs"])


def test_actions_are_pinned(workflow):
    used = [step["uses"] for step in steps(workflow) if "uses" in step]
    assert used and [each for each in used if not PINNED.fullmatch(each)] == []


def test_commands_are_there(workflow):
    said = "\n".join(step["run"] for step in steps(workflow) if "run" in step)
    for module in re.findall(r"python -m ([\w.]+)", said):
        assert importlib.util.find_spec(module), module
    for target in re.findall(r"^make (?:-C \w+ )?([a-z]+)", said, re.MULTILINE):
        assert target in TARGETS, target
    for path in re.findall(r"(?:tests|book)/[\w/]+\.py", said):
        assert (ROOT / path).is_file(), path


def test_checkouts_keep_no_credentials(workflow):
    for step in steps(workflow):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


def test_nothing_that_others_write_is_pasted_into_a_command(workflow):
    for step in steps(workflow):
        assert not re.search(r"\$\{\{\s*github\.(event|head_ref|ref_name)", step.get("run", "")), step


@pytest.mark.parametrize(("stem", "graded"), [("grade", 1), ("grade-gpu", 2)])
def test_students_texts_reach_the_runs_summary_through_the_report_alone(stem, graded):
    """It escapes them; the grader's own output does not, for it is no Markdown."""
    commands = [line.strip() for step in steps(read(ROOT / ".github" / "workflows" / f"{stem}.yml")) for line in step.get("run", "").splitlines()]
    summaries = [line for line in commands if "GITHUB_STEP_SUMMARY" in line]
    assert len(summaries) == len([line for line in commands if "autograder grade" in line]) == graded
    assert all(re.search(r'-m autograder report \.\./grades --assignment "\$\{BRANCH#[a-z-]+/\}" --summary "\$GITHUB_STEP_SUMMARY"$', line) for line in summaries)


def test_pull_requests_get_a_preview_and_no_rights():
    publish = read(ROOT / ".github" / "workflows" / "publish.yml")
    assert "pull_request" in publish["on"] and "pull_request_target" not in publish["on"]
    assert "secrets." not in (ROOT / ".github" / "workflows" / "publish.yml").read_text(encoding="utf-8")
    assert any(step.get("with", {}).get("name", "").startswith("preview-") for step in publish["jobs"]["build"]["steps"])
    for name, job in publish["jobs"].items():
        if "write" in job.get("permissions", {}).values():
            assert job["needs"] == "build" and job["if"] == "needs.build.outputs.published == 'true'", name
    assert "pull_request" in publish["jobs"]["build"]["env"]["PUBLISHED"]


def test_the_job_that_asks_for_the_sites_address_may():
    """A private repository tells it only to whoever may read its pages."""
    build = read(ROOT / ".github" / "workflows" / "publish.yml")["jobs"]["build"]
    assert any(step.get("uses", "").startswith("actions/configure-pages@") for step in build["steps"])
    assert build["permissions"] == {"contents": "read", "pages": "read"}


def test_a_push_stops_no_deployment():
    """Only the runs of a pull request give way to newer ones."""
    assert read(ROOT / ".github" / "workflows" / "publish.yml")["concurrency"]["cancel-in-progress"] == "${{ github.event_name == 'pull_request' }}"


def test_what_was_executed_is_saved_by_each_run(workflow):
    """Under a key that there is already, nothing is; and what was kept under it may have been thrown away, for another Python."""
    for step in steps(workflow):
        if step.get("uses", "").startswith("actions/cache@") and "_build/.jupyter_cache" in step["with"]["path"]:
            key, *others = step["with"]["key"], *step["with"]["restore-keys"].split("\n")
            assert key.endswith("-${{ github.run_id }}")
            assert all(key.startswith(each) for each in others)


def test_the_site_is_built_tested_checked_and_published_in_that_order():
    said = (ROOT / ".github" / "workflows" / "publish.yml").read_text(encoding="utf-8")
    order = ["make book", "pytest", "book.tools.links", "--base-url", "book.tools.notebook_branch", "upload-pages-artifact", "deploy-pages"]
    assert sorted(order, key=said.index) == order


def test_other_sites_block_nothing():
    links = read(ROOT / ".github" / "workflows" / "links.yml")
    assert set(links["on"]) == {"schedule", "workflow_dispatch"}
