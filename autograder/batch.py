"""Grading many submissions: in this process, in several on this machine, or on a running Dask cluster."""

import contextlib
import sys
from dataclasses import dataclass

from autograder import results
from autograder.assignment import load
from autograder.grade import Grader
from autograder.messages import Message
from autograder.sandbox.limits import Limits


@dataclass(frozen=True)
class Settings:
    """What all submissions of a run have in common."""

    assignment: str
    secret: str
    sandbox: str = "bubblewrap"
    device: str = "cpu"
    seed: int | None = None
    language: str | None = None
    limits: Limits = Limits()


@dataclass(frozen=True)
class Task:
    """One submission as it travels to a worker: the file's bytes, or a note."""

    student: str
    name: str
    data: bytes | None
    note: Message | None


def read_tasks(submissions):
    """A Task for each submission; a file that cannot be read becomes a note."""
    for submission in submissions:
        data, note = None, submission.note
        if note is None:
            try:
                data = submission.path.read_bytes()
            except OSError as error:
                note = Message("The file cannot be read ({reason}). Submit it again.", {"reason": error.strerror or type(error).__name__})
        yield Task(submission.student, submission.path.name if submission.path else "", data, note)


def grade_all(submissions, settings, out, jobs=1, scheduler=None, progress=None):
    """Grade the submissions and write each result as soon as it is there.

    progress(done, total, result) is called after each. Returns the results, and the students whose result is missing with the reason.
    """
    tasks = list(read_tasks(submissions))
    done, missing = [], {}
    with contextlib.ExitStack() as stack:
        outcomes = _here(tasks, settings, stack) if jobs <= 1 and scheduler is None else _on_cluster(tasks, settings, jobs, scheduler, stack)
        for task, result in outcomes:
            if isinstance(result, BaseException):
                missing[task.student] = f"{type(result).__name__}: {result}"
                continue
            results.write(out, result)
            done.append(result)
            if progress:
                progress(len(done), len(tasks), result)
    return done, missing


def _here(tasks, settings, stack):
    """Grade in this process, one after the other."""
    grader = stack.enter_context(make_grader(settings))
    for task in tasks:
        try:
            yield task, grade_task(grader, task, settings)
        except Exception as error:  # the grader's own fault; the others go on
            yield task, error


def _on_cluster(tasks, settings, jobs, scheduler, stack):
    """Grade on Dask workers: those of the scheduler, or `jobs` processes of this machine."""
    from dask.distributed import Client, LocalCluster, as_completed

    if scheduler is None:
        cluster = stack.enter_context(LocalCluster(n_workers=jobs, threads_per_worker=1, processes=True, dashboard_address=None))
        client = stack.enter_context(Client(cluster))
    else:
        client = stack.enter_context(Client(scheduler, timeout="20s"))
    futures = {client.submit(grade_on_worker, task, settings, pure=False): task for task in tasks}
    for future in as_completed(futures):
        error = future.exception()
        yield futures[future], error if error is not None else future.result()


def make_grader(settings):
    """The Grader that the settings describe; enter it before use."""
    return Grader(load(settings.assignment), settings.secret, settings.sandbox, settings.device, settings.limits)


def grade_task(grader, task, settings):
    """The result of one task."""
    return grader.grade(task.student, task.data, task.name, settings.seed, settings.language, task.note)


_graders = {}  # of this worker process: a sandbox with its libraries loaded serves many submissions


def grade_on_worker(task, settings):
    """Grade a task in a worker's process, with the grader that the worker keeps."""
    if settings not in _graders:
        _graders[settings] = make_grader(settings)
        _graders[settings].__enter__()
    return grade_task(_graders[settings], task, settings)


def print_progress(done, total, result):
    """One line a submission on the standard error, over the one before it on a terminal."""
    end = "\n" if not sys.stderr.isatty() or done == total else "\r"
    print(f"{done}/{total}  {result['student'][:30]:30}  {result['score']:g}/{result['max_score']:g}", end=end, file=sys.stderr, flush=True)
