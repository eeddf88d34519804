"""The gradebook: several writers at once, a lock that somebody holds, late submissions, manual grades, runs that were stopped, and PostgreSQL."""

import contextlib
import csv
import importlib.util
import os
import pwd
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
from glob import glob

import pytest

from autograder import results
from autograder.gradebook import one_writer
from tests.nbgrader import course as courses
from tests.nbgrader.malformed import ALL, FILE, good, text
from tests.sample_class.make import ASSIGNMENT

STUDENTS = [f"s{number:02}" for number in range(4)]


def submit(course, student, notebook=None, timestamp=None):
    folder = course / "submitted" / student / ASSIGNMENT
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_text(text(notebook or good()), encoding="utf-8")
    if timestamp:
        (folder / "timestamp.txt").write_text(timestamp, encoding="utf-8")


def start(course, *arguments):
    return subprocess.Popen([sys.executable, "-m", "nbgrader", *arguments], cwd=course, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=courses.environment())


@pytest.fixture(scope="module")
def course(needs_sandbox, tmp_path_factory):
    course = courses.make(tmp_path_factory)
    for student in STUDENTS:
        submit(course, student)
    return course


@contextlib.contextmanager
def locked(database, seconds):
    """Hold SQLite's lock for a while, as another program would."""
    connection = sqlite3.connect(database, isolation_level=None, check_same_thread=False, timeout=60)
    connection.execute("BEGIN EXCLUSIVE")
    end = threading.Timer(seconds, lambda: connection.execute("ROLLBACK"))
    end.start()
    yield
    end.join()
    connection.close()


def test_several_at_once_and_a_long_lock(course):
    """Three batches over the same students, and the gradebook locked for longer than nbgrader waits: nobody is lost, and no batch ends early."""
    with locked(course / "gradebook.db", 25):
        runs = [start(course, "autograde", ASSIGNMENT, "--force") for _ in range(3)]
    for run in runs:
        said, _ = run.communicate(timeout=300)
        assert run.returncode == 0, said
    for student in STUDENTS:
        assert courses.points(course, student) == (ALL, False)
        assert (course / "autograded" / student / ASSIGNMENT / FILE).exists()


def test_every_connection_waits_for_a_lock(course):
    """The pages of formgrader too, which know no lock file: for longer than the five seconds after which SQLite gives up by itself."""
    from nbgrader.api import Gradebook

    one_writer.be_patient()
    with locked(course / "gradebook.db", 7), Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        gradebook.update_or_create_student(STUDENTS[0], first_name="Anna")


def test_a_stopped_run_goes_on(course):
    for student in STUDENTS[:2]:
        (course / "autograded" / student / ASSIGNMENT / FILE).unlink()  # the notebook is what is written last
    said = courses.nbgrader(course, "autograde", ASSIGNMENT)
    assert said.count("Skipping") == len(STUDENTS) - 2
    assert all((course / "autograded" / student / ASSIGNMENT / FILE).exists() for student in STUDENTS)


def test_late_penalties_and_manual_grades_are_nbgraders(course):
    """A penalty of the instructor's, a grade by hand and a comment stay through another autograde; the deduction is on the feedback page."""
    from nbgrader.api import Gradebook

    (course / "late.py").write_text("from nbgrader.plugins import BasePlugin\n\n\nclass OneADay(BasePlugin):\n"
                                    "    def late_submission_penalty(self, student_id, score, total_seconds_late):\n        return total_seconds_late // 86400\n", encoding="utf-8")
    config = course / "nbgrader_config.py"
    config.write_text(config.read_text(encoding="utf-8") + "c = get_config()\nc.AssignLatePenalties.plugin_class = 'late.OneADay'\n", encoding="utf-8")
    submit(course, "tardy", timestamp="2030-01-03 12:00:00 UTC")
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        gradebook.update_or_create_assignment(ASSIGNMENT, duedate="2030-01-01 12:00:00 UTC")
    courses.nbgrader(course, "autograde", ASSIGNMENT, "--student=tardy")
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        grade = gradebook.find_grade("causal_mask", ASSIGNMENT, ASSIGNMENT, "tardy")
        grade.manual_score, grade.extra_credit = 0.75, 0.1
        gradebook.find_comment("causal_mask-solution", ASSIGNMENT, ASSIGNMENT, "tardy").manual_comment = "Nearly <b>there</b>."
        gradebook.db.commit()
    courses.nbgrader(course, "autograde", ASSIGNMENT, "--student=tardy", "--force")
    courses.nbgrader(course, "generate_feedback", ASSIGNMENT, "--student=tardy")
    courses.nbgrader(course, "export")
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        grade = gradebook.find_grade("causal_mask", ASSIGNMENT, ASSIGNMENT, "tardy")
        assert (grade.auto_score, grade.manual_score, grade.score, grade.needs_manual_grade) == (0.5, 0.75, 0.85, True)
    with (course / "grades.csv").open(encoding="utf-8") as file:
        row = next(row for row in csv.DictReader(file) if row["student_id"] == "tardy")
    assert (float(row["raw_score"]), float(row["late_submission_penalty"]), float(row["score"])) == (9.85, 2.0, 7.85)
    page = (course / "feedback" / "tardy" / ASSIGNMENT / FILE.replace("ipynb", "html")).read_text(encoding="utf-8")
    assert "7.85 of 10 points" in page and "Deducted for being late: 2" in page and "Nearly &lt;b&gt;there&lt;/b&gt;." in page


def test_a_new_submission_is_graded_again(course):
    submit(course, "tardy", good(work="reference"), "2030-01-03 12:00:01 UTC")
    courses.nbgrader(course, "autograde", ASSIGNMENT)
    assert courses.points(course, "tardy")[0]["causal_mask"] == 1.0


def test_what_has_changed_is_graded_again_without_a_timestamp_or_force(course):
    """Another notebook, and another result in the folder of results, reach the gradebook and the page; what is the same is skipped."""
    def autograde():
        return courses.nbgrader(course, "autograde", ASSIGNMENT, "--student=again")

    def feedback():
        courses.nbgrader(course, "generate_feedback", ASSIGNMENT, "--student=again")
        folder = course / "feedback" / "again" / ASSIGNMENT
        assert [path.name for path in folder.iterdir()] == [f"{ASSIGNMENT}.html"]  # and none of the exercise's modules
        return (folder / f"{ASSIGNMENT}.html").read_text(encoding="utf-8")

    submit(course, "again")
    assert "SAWarning" not in autograde()
    assert "9.5 of 10 points" in feedback()
    submit(course, "again", good(work="reference"))
    assert "again: the submission has changed since it was graded" in autograde()
    assert courses.points(course, "again")[0] == ALL | {"causal_mask": 1.0} and "10 of 10 points" in feedback()
    assert "Skipping" in autograde()
    result = results.read(results.path_of(course / "grades", "again", ASSIGNMENT))
    test = result["tests"][-1]
    test |= {"points": 0.0, "status": "failed", "message": "Filled in later."}
    results.write(course / "grades", result)
    assert "again: there is a newer result" in autograde()
    assert sum(courses.points(course, "again")[0].values()) == 10 - test["max_points"] and "Filled in later." in feedback()
    (course / "grades" / "again" / f"{ASSIGNMENT}.json").unlink()
    assert "Skipping" in autograde()


def test_without_a_file_there_is_nothing_to_grade_again(course):
    folder = course / "submitted" / "empty" / ASSIGNMENT
    folder.mkdir(parents=True)
    assert "Skipping" not in courses.nbgrader(course, "autograde", ASSIGNMENT, "--student=empty")
    assert "Skipping" in courses.nbgrader(course, "autograde", ASSIGNMENT, "--student=empty")
    submit(course, "empty")
    courses.nbgrader(course, "autograde", ASSIGNMENT, "--student=empty")
    assert courses.points(course, "empty") == (ALL, False)


def test_the_api_grades_one_student(course):
    """NbGraderAPI, which formgrader calls, in a process that has loaded the configuration."""
    submit(course, "by-api")
    script = ("from nbgrader.apps import NbGrader\nfrom nbgrader.apps.api import NbGraderAPI\napp = NbGrader()\napp.initialize([])\n"
              f"answer = NbGraderAPI(app.coursedir, parent=app).autograde({ASSIGNMENT!r}, 'by-api')\nassert answer['success'], answer\n"
              f"answer = NbGraderAPI(app.coursedir, parent=app).autograde({ASSIGNMENT!r}, 'nobody')\nassert not answer['success']\n")
    run = subprocess.run([sys.executable, "-c", script], cwd=course, capture_output=True, text=True, env=courses.environment())
    assert run.returncode == 0, run.stdout + run.stderr
    assert courses.points(course, "by-api") == (ALL, False)


def test_an_assignment_without_hidden_tests_is_refused(course):
    folder = course / "submitted" / "x" / "essay"
    folder.mkdir(parents=True)
    (folder / "essay.ipynb").write_text(text(good()), encoding="utf-8")
    assert "nothing is executed" in courses.nbgrader(course, "autograde", "essay", returncode=1)
    assert not (course / "autograded" / "x").exists()


@pytest.fixture(scope="module")
def postgresql():
    """The URL of an empty database on a PostgreSQL server of its own. It is an instructor's choice, not needed by the course: skipped without."""
    bin = next(iter(sorted(glob("/usr/lib/postgresql/*/bin"), reverse=True)), None) or os.path.dirname(shutil.which("initdb") or "")
    if not bin:
        pytest.skip("no PostgreSQL: on Debian and Ubuntu, apt install postgresql")
    if importlib.util.find_spec("psycopg") is None:
        pytest.skip("no driver for PostgreSQL: pip install 'psycopg[binary]'")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        user = {}
        if os.getuid() == 0:  # the server refuses to run as root
            account = pwd.getpwnam("postgres")
            user = {"user": account.pw_uid, "group": account.pw_gid}
            os.chown(folder, account.pw_uid, account.pw_gid)

        def run(*command):
            subprocess.run([os.path.join(bin, command[0]), *command[1:]], check=True, cwd=folder, stdout=subprocess.DEVNULL, **user)

        data = os.path.join(folder, "data")
        run("initdb", "-D", data, "-A", "trust", "-U", "course", "-E", "UTF8", "--locale=C.UTF-8")
        run("pg_ctl", "-D", data, "-w", "-l", os.path.join(folder, "log"), "-o", f"-p {port} -k {folder} -c listen_addresses=127.0.0.1", "start")
        try:
            run("createdb", "-h", "127.0.0.1", "-p", str(port), "-U", "course", "gradebook")
            yield f"postgresql://course@127.0.0.1:{port}/gradebook"
        finally:
            run("pg_ctl", "-D", data, "-m", "fast", "-w", "stop")


def test_postgresql_by_db_url(needs_sandbox, postgresql, tmp_path_factory):
    """Two batches at once over one PostgreSQL gradebook; names of all kinds; nothing goes into a file."""
    course = courses.make(tmp_path_factory, f"c = get_config()\nc.CourseDirectory.db_url = {postgresql!r}\n")
    students = ["anna", "Мария", "李雷", "o'brien; drop table grade"]
    for student in students:
        submit(course, student)
    runs = [start(course, "autograde", ASSIGNMENT, "--force") for _ in range(2)]
    for run in runs:
        said, _ = run.communicate(timeout=300)
        assert run.returncode == 0, said
    courses.nbgrader(course, "generate_feedback", ASSIGNMENT)
    courses.nbgrader(course, "export")
    for student in students:
        assert courses.points(course, student, postgresql) == (ALL, False)
    with (course / "grades.csv").open(encoding="utf-8") as file:
        assert {row["student_id"]: row["score"] for row in csv.DictReader(file)} == dict.fromkeys(students, "9.5")
    assert not (course / "gradebook.db").exists()
