"""python -m autograder: the instructor's commands."""

import argparse
import sys

from autograder import assignment as assignments
from autograder.languages import LANGUAGES
from autograder.messages import clean
from autograder.say import say


def main(arguments=None):
    """Run a command; returns the exit code, 2 where a file of an assignment's own cannot be used."""
    options = parser().parse_args(arguments)
    try:
        return options.run(options)
    except assignments.Unusable as error:
        say(f"autograder: {error}", sys.stderr)
        return 2


def parser():
    """The command line."""
    top = argparse.ArgumentParser(prog="python -m autograder", description="Grade submissions of the course, and make what students get.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    grade = commands.add_parser("grade", help="grade notebooks, .py files, or nbgrader's submitted/ tree",
                                description="Grade submissions against the hidden tests. Writes DIR/<student>/<assignment>.json for each.")
    grade.add_argument("paths", nargs="+", metavar="PATH", help="a notebook, a .py file, or a folder: nbgrader's tree submitted/, Moodle's folders, or files named after students")
    grade.add_argument("--assignment", required=True, choices=assignments.names(), metavar="NAME", help=", ".join(assignments.names()))
    grade.add_argument("--out", required=True, metavar="DIR", help="where the results go")
    grade.add_argument("--student", metavar="NAME", help="whose work it is, where PATH is one submission")
    grade.add_argument("--jobs", type=positive, default=1, metavar="N", help="processes on this machine (1)")
    grade.add_argument("--scheduler", metavar="ADDRESS", help="the address of a running Dask scheduler, tcp://host:8786")
    grade.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="cuda: run the tests of a GPU, too, and fill them in where they were deferred (cpu: they are deferred)")
    grade.add_argument("--seed", type=int, metavar="N", help="repeat the inputs of a run; every result names its seed")
    grade.add_argument("--language", choices=LANGUAGES, help="the language of the feedback, in place of each student's own")
    grade.add_argument("--sandbox", choices=("bubblewrap", "none"), default="bubblewrap", help="none: no isolation, at your own risk")
    grade.add_argument("--passed-only", action="store_true", help="with --device cuda: only submissions that have passed all that needs no GPU")
    grade.add_argument("--force", action="store_true", help="grade again what has a current result already")
    grade.set_defaults(run=run_grade)

    report = commands.add_parser("report", help="a class report and exports, from a folder of results",
                                 description="Report on the results in DIR/<student>/<assignment>.json. Without a format: a table in the terminal.")
    report.add_argument("folder", metavar="DIR", help="the folder that `grade --out` has filled")
    report.add_argument("--assignment", required=True, choices=assignments.names(), metavar="NAME", help=", ".join(assignments.names()))
    report.add_argument("--html", metavar="FILE", help="the class report: one page that needs nothing else")
    report.add_argument("--csv", metavar="FILE", help="scores, with the columns of `nbgrader export`")
    report.add_argument("--junit", metavar="FILE", help="JUnit XML, a suite for each student")
    report.add_argument("--gradescope", metavar="FOLDER", help="FOLDER/<student>/results.json, as Gradescope reads it")
    report.add_argument("--summary", metavar="FILE", help="Markdown for a GitHub job summary; - for the standard output")
    report.set_defaults(run=run_report)

    verify = commands.add_parser("verify", help="check that an assignment is fit to be handed out and graded")
    verify.add_argument("names", nargs="*", metavar="NAME", help="assignments (all)")
    verify.add_argument("--table", action="store_true", help="print the wrong solutions and what catches them, as a Markdown table")
    verify.add_argument("--sandbox", choices=("bubblewrap", "none"), default="bubblewrap", help="none: no isolation")
    verify.set_defaults(run=run_verify)

    release = commands.add_parser("release", help="generate exercises/ from solutions/")
    release.add_argument("names", nargs="*", metavar="NAME", help="assignments (all)")
    release.set_defaults(run=run_release)
    messages = commands.add_parser("messages", help="bring the message catalogues up to date, and list what is to be translated")
    messages.set_defaults(run=run_messages)
    return top


def positive(text):
    """A whole number from 1 on."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than 1")
    return number


def run_grade(options):
    """Grade; 0 when every submission has a result, 1 where one is missing, 2 where the sandbox or the paths are no good."""
    from autograder import batch, results, submissions
    from autograder.gpu.device import NoGpu, find
    from autograder.progress import Progress
    from autograder.sandbox import bubblewrap
    from autograder.sandbox.sandbox import SandboxFailed
    from autograder.secret import course_secret

    _ = assignments.load(options.assignment).wrong  # it is Unusable once, and not for each student
    try:
        if options.sandbox == "bubblewrap":
            bubblewrap.require()
        if options.device == "cuda" and options.scheduler is None:
            find()
        found = submissions.find(options.paths, options.assignment, options.student)
        results.prepare(options.out)
    except (NoGpu, bubblewrap.SandboxUnavailable, submissions.NothingFound, results.NotWritable) as error:
        say(f"autograder: {error}", sys.stderr)
        return 2
    for path in submissions.passed_over(options.paths, options.assignment):
        say(f"autograder: passed over, no submission to {options.assignment}: {path}", sys.stderr)
    for submission in found:
        if submission.shared:
            say(f"autograder: {submission.path or 'a submission'}: {clean(submission.shared)} has a submission already; this one is graded as "
                f"{clean(submission.student)}", sys.stderr)
    settings = batch.Settings(options.assignment, course_secret(), options.sandbox, options.device, options.seed, options.language)
    others = [] if options.seed is None or options.force else batch.of_other_seeds(found, settings, options.out)
    if others:
        say(f"autograder: {options.out} holds results of other seeds, of {clean(others[0])} for one, which --seed {options.seed} would replace: "
            "choose another folder with --out, or replace them with --force", sys.stderr)
        return 2
    try:
        done, missing = batch.grade_all(found, settings, options.out, options.jobs, options.scheduler, Progress(), options.force, options.passed_only, say_kept)
    except (NoGpu, SandboxFailed) as error:
        say(f"autograder: {error}", sys.stderr)
        return 2
    print_summary(done)
    for student, reason in missing.items():
        say(f"autograder: no result for {clean(student)}: {clean(reason)}", sys.stderr)
    return 1 if missing else 0


def say_kept(number, total):
    """Say what is not graded."""
    what = "1 result is" if number == 1 else f"{number} results are"
    say(f"autograder: {what} current, {total - number} to grade (--force grades all anew)", sys.stderr)


def print_summary(done):
    """A line a student, and the mean score."""
    if not done:
        return
    for result in sorted(done, key=lambda result: result["student"]):
        say(f"{clean(result['student'])[:40]:40} {result['score']:5g} / {result['max_score']:g}  {remark(result)}".rstrip())
    waiting = sum(test["status"] == "deferred" for result in done for test in result["tests"])
    if waiting:
        say(f"{waiting} {'test waits' if waiting == 1 else 'tests wait'} for a GPU; where there is one, --device cuda fills in what is deferred")
    if len(done) > 1:
        say(f"{'mean of ' + str(len(done)):40} {sum(result['score'] for result in done) / len(done):5.3g}")
        return
    for test in done[0]["tests"]:
        if test["status"] not in ("passed", "deferred"):
            say(f"\n✗ {test['id']}  0 / {test['max_points']:g}\n{test['message']}")
        if test.get("measured"):
            say(f"\n✓ {test['id']}\n{test['message']}")


def remark(result):
    """What a line of the summary ends with."""
    from autograder.remark import words

    found = [(test["status"], test["misconception"]) for test in result["tests"]]
    open_points = sum(test["max_points"] for test in result["tests"] if test["status"] == "deferred")
    return ", ".join(words(result["note"], found, [flag["kind"] for flag in result["flags"]], open_points))


def run_report(options):
    """Report on a class; 0, or 1 where a file was passed over, or 2 where nothing can be read or a file not be written."""
    from autograder.reports import command

    return command.run(options.folder, options.assignment, options.html, options.csv, options.junit, options.gradescope, options.summary)


def run_verify(options):
    """Check assignments; 1 where something is wrong, 2 where one is unknown or no sandbox can be made."""
    from autograder import verify
    from autograder.sandbox.bubblewrap import SandboxUnavailable

    wrong = False
    for name in options.names or assignments.names():
        try:
            found, table = verify.verify(name, options.sandbox)
        except (assignments.UnknownAssignment, SandboxUnavailable) as error:
            say(f"autograder: {error}", sys.stderr)
            return 2
        say(name)
        for what, problems in found.items():
            say("\n".join([f"  {'✗' if problems else '✓'} {what}", *(f"      {problem}" for problem in problems)]))
        if options.table:
            say(verify.table_of(table))
        wrong = wrong or any(found.values())
    return 1 if wrong else 0


def run_release(options):
    """Generate the release versions in every language that has the prose; 2 where there is no such assignment, or its parts don't fit together."""
    from autograder.exercise.bodies import Mismatch
    from autograder.release import release

    try:
        release(options.names)
    except (assignments.UnknownAssignment, Mismatch) as error:
        say(f"autograder: {error}", sys.stderr)
        return 2
    return 0


def run_messages(options):
    """Update the catalogues; 1 where messages are untranslated that have to be: those of an exercise once the language has it."""
    from autograder import catalogue

    catalogue.update()
    untranslated = {language: catalogue.missing(language) for language in LANGUAGES if language != "en"}
    for language, texts in untranslated.items():
        for text in texts:
            say(f"{language}: {text}")
        if texts:
            say(f"{language}: to be translated in {assignments.shown(catalogue.po(language))}")
        for name, texts in catalogue.waiting(language).items():
            say(f"{language}: solutions/{language}/{name}.md is not written yet; {len(texts)} messages of {name} wait with it")
    return 1 if any(untranslated.values()) else 0
