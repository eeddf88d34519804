"""Grading many submissions: in this process, in several on this machine, or on a running Dask cluster.

A class is more than fits into memory. So a file is read when its turn comes, and on a cluster only as far ahead as keeps the workers busy.
"""

import collections
import contextlib
import dataclasses
import hashlib
import logging
import threading
from dataclasses import dataclass

from autograder import results
from autograder.assignment import load
from autograder.gpu.device import NoGpu
from autograder.grade import Grader
from autograder.messages import Message
from autograder.sandbox.limits import Limits
from autograder.submissions import look_again, unreadable

PATIENCE = 20  # how many workers may be lost under one submission
AHEAD = 2  # submissions on their way to each worker: the one that it grades, and the next
GPU = "GPU"  # the resource of Dask workers that have one
LOOK_S = 2.0  # how often workers are counted
NOBODY_ELSE = "127.0.0.1:0"  # Dask's own pages: on any free port, and for this machine alone


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


class Changed(Exception):
    """A file is no longer the one that was graded."""


def read_tasks(submissions):
    """A Task for each submission, read when it is asked for; a file that cannot be read becomes a note."""
    return map(read_task, submissions)


def read_task(submission):
    """The Task of a submission as it lies there now."""
    now = look_again(submission)
    data, note = None, now.note
    if note is None:
        try:
            data = now.path.read_bytes()
        except OSError as error:
            note = unreadable(error)
    return Task(submission.student, submission.path.name if submission.path else "", data, note)


def read_graded(submission, result):
    """The Task that the result is of. Raises Changed where the file has since changed or gone."""
    task = read_task(submission)
    if task.data is None:
        raise Changed(task.note.say())
    if digest(task) != result["submission_sha256"]:
        raise Changed("the file is another than the one that was graded; run this again")
    return task


def digest(task):
    """The SHA-256 of the file's bytes; None where there is no file to grade."""
    return None if task.data is None else hashlib.sha256(task.data).hexdigest()


def grade_all(submissions, settings, out, jobs=1, scheduler=None, progress=None, force=False, passed_only=False, kept=None):
    """Grade the submissions and write each result as soon as it is there; with a GPU, then fill in the tests that wait for one.

    A result that is there already, of the same bytes and the same version of the assignment, is kept, unless `force`: a run that was
    stopped goes on where it stopped. progress(done, total, result) is called after each, and kept(number, total) before the first, where
    results are kept. Returns the results, and the students whose result is missing with the reason. Every submission has a student's
    name of its own, as submissions.find() gives them.
    """
    submissions = list(submissions)
    done, missing = _grade_missing(submissions, settings, out, jobs, scheduler, progress, force, kept)
    if settings.device == "cuda":
        missing |= _fill_waiting(submissions, done, settings, out, scheduler, progress, passed_only)
    return list(done.values()), missing


def _grade_missing(submissions, settings, out, jobs, scheduler, progress, force, kept):
    """Grade what has no current result, on CPUs. Returns {student: result}, and {student: why there is none}."""
    done, missing = {} if force else _kept(submissions, settings, out), {}
    if done and kept:
        kept(len(done), len(submissions))
    on_cpu = dataclasses.replace(settings, device="cpu")
    with contextlib.ExitStack() as stack:
        waiting = [submission for submission in submissions if submission.student not in done]
        for submission, result in _outcomes(waiting, on_cpu, jobs, scheduler, stack):
            try:
                if isinstance(result, BaseException):
                    raise result
                results.write(out, result)
            except Exception as error:  # one that cannot be graded or written does not stop the others
                missing[submission.student] = f"{type(error).__name__}: {error}"
                continue
            done[submission.student] = result
            if progress:
                progress(len(done), len(submissions), result)
    return done, missing


def _kept(submissions, settings, out):
    """{student: the result that is there and current}."""
    found = ((submission.student, current_result(out, read_task(submission), settings)) for submission in submissions)
    return {student: result for student, result in found if result is not None}


def _fill_waiting(submissions, done, settings, out, scheduler, progress, passed_only):
    """Fill in the tests that wait for a GPU, one submission after the other, here or on workers that have one. Returns {student: why some still wait}.

    The results in `done` are replaced. passed_only: those of submissions alone that have passed all tests that need no GPU.
    """
    waiting = [(one, done[one.student]) for one in submissions if one.student in done and waits(done[one.student], passed_only)]
    missing = {}
    with contextlib.ExitStack() as stack:
        for n, (submission, filled) in enumerate(_filled(waiting, settings, scheduler, stack), start=1):
            try:
                if isinstance(filled, BaseException):
                    raise filled
                result, lost = filled
                if result != done[submission.student]:
                    done[submission.student] = result
                    results.write(out, result)
                if lost:
                    missing[submission.student] = f"its tests of a GPU still wait: {lost}"
            except Exception as error:
                missing[submission.student] = f"its tests of a GPU still wait: {type(error).__name__}: {error}"
                continue
            if progress:
                progress(n, len(waiting), result)
    return missing


def waits(result, passed_only):
    """Whether a result has tests that wait for a GPU and are to run."""
    statuses = {test["status"] for test in result["tests"]}
    return "deferred" in statuses and not result["note"] and (not passed_only or statuses <= {"passed", "deferred"})


def _filled(waiting, settings, scheduler, stack):
    """Pairs of a submission and (its result, why some tests still wait or None), or the exception that stands in its place."""
    if not waiting:
        return
    if scheduler is None:
        grader = stack.enter_context(make_grader(settings))
        for submission, result in waiting:
            if grader.lost:
                yield submission, (result, grader.lost)  # it was waited for once
                continue
            try:
                yield submission, fill_task(grader, read_graded(submission, result), result)
            except Exception as error:
                yield submission, error
        return
    from dask.distributed import Client

    client = stack.enter_context(Client(scheduler, timeout="20s"))

    def gpus():
        return sum(worker["resources"].get(GPU, 0) for worker in client.scheduler_info(n_workers=-1)["workers"].values())

    def submit(submission, result):
        return client.submit(fill_on_worker, read_graded(submission, result), result, settings, pure=False, resources={GPU: 1})

    if not gpus():
        raise NoGpu(f"no worker of {scheduler} has a resource {GPU}; start one on each GPU: dask worker {scheduler} --nthreads 1 --resources {GPU}=1")
    for (submission, _), filled in _a_few_ahead(waiting, submit, gpus):
        yield submission, filled


def of_other_seeds(submissions, settings, out):
    """The students who have a result of another seed than the settings' in the folder."""
    there = ((one.student, results.read(results.path_of(out, one.student, settings.assignment))) for one in submissions)
    return [student for student, result in there if result is not None and result.get("seed") != settings.seed]


def current_result(out, task, settings):
    """The result that lies in the folder, where grading again would only repeat it; else None."""
    result = results.read(results.path_of(out, task.student, settings.assignment))
    if result is None or task.data is None:
        return None
    wanted = {
        "submission_sha256": digest(task),
        "assignment_version": load(settings.assignment).version,
        "seed": settings.seed,
        "language": settings.language,
    }
    same = all(result.get(name) == value for name, value in wanted.items() if value is not None)
    return result if same else None  # on whatever device it was graded: what still waits for a GPU is filled in


def _outcomes(submissions, settings, jobs, scheduler, stack):
    """Pairs of a submission and its result, or the exception that stands in its place, in the order in which they come."""
    if not submissions:
        return iter(())
    return _here(submissions, settings, stack) if jobs <= 1 and scheduler is None else _on_cluster(submissions, settings, jobs, scheduler, stack)


def _here(submissions, settings, stack):
    """Grade in this process, one after the other."""
    grader = stack.enter_context(make_grader(settings))
    for submission in submissions:
        try:
            yield submission, grade_task(grader, read_task(submission), settings)
        except Exception as error:  # the grader's own fault; the others go on
            yield submission, error


def _on_cluster(submissions, settings, jobs, scheduler, stack):
    """Grade on Dask workers: those of the scheduler, or `jobs` processes of this machine. What a lost worker had is graded by another."""
    from dask.distributed import Client

    if scheduler is None:
        client = stack.enter_context(Client(_local_cluster(jobs, stack)))
    else:
        client = stack.enter_context(Client(scheduler, timeout="20s"))

    def submit(submission):
        return client.submit(grade_on_worker, read_task(submission), settings, pure=False)

    def workers():
        return max(jobs, sum(client.nthreads().values()))

    for (submission,), result in _a_few_ahead([(one,) for one in submissions], submit, workers, PATIENCE):
        yield submission, result


def _a_few_ahead(waiting, submit, workers, patience=0):
    """Pairs of what waits, and what its future gave or the exception that stands in its place, in the order in which they come.

    submit(*one) gives a future, which holds a whole file in this process's memory: there are never more than AHEAD for each of `workers()`.
    A worker that is killed costs a submission nothing, `patience` times: it is submitted anew, whether or not it was to blame.
    """
    from dask.distributed import KilledWorker, as_completed

    waiting, finished, ahead = collections.deque((one, 0) for one in waiting), as_completed(), {}
    while waiting or ahead:
        room = max(1, AHEAD * int(workers()))  # they come and go
        while waiting and len(ahead) < room:
            one, lost = waiting.popleft()
            try:
                future = submit(*one)
            except Exception as error:
                yield one, error
                continue
            ahead[future] = one, lost
            finished.add(future)
        if not ahead:
            continue
        future = next(finished)
        (one, lost), error = ahead.pop(future), future.exception()
        if isinstance(error, KilledWorker) and lost < patience:
            waiting.appendleft((one, lost + 1))
            continue
        yield one, error if error is not None else future.result()


def _local_cluster(jobs, stack):
    """A Dask cluster of processes on this machine, which stays complete while the stack is open.

    Dask starts a lost worker anew, but gives up where it is lost while it starts: the whole cluster at the beginning, that one later.
    """
    import dask
    from dask.distributed import LocalCluster

    stack.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": PATIENCE}))
    for attempt in range(PATIENCE):
        try:
            cluster = LocalCluster(
                n_workers=jobs, threads_per_worker=1, processes=True, silence_logs=logging.CRITICAL,
                dashboard_address=NOBODY_ELSE, worker_dashboard_address=NOBODY_ELSE,
            )
            break
        except RuntimeError:
            if attempt == PATIENCE - 1:
                raise
    stack.enter_context(cluster)
    stopped = threading.Event()
    stack.callback(stopped.set)
    threading.Thread(target=_keep_complete, args=(cluster, jobs, stopped), daemon=True).start()
    return cluster


def _keep_complete(cluster, jobs, stopped):
    """Put new workers in the place of those that Dask has given up."""
    from dask.distributed import Status

    while not stopped.wait(LOOK_S):
        for name, nanny in tuple(cluster.workers.items()):
            if nanny.status in (Status.closed, Status.failed):
                cluster.workers.pop(name, None)
        cluster.scale(jobs)


def make_grader(settings):
    """The Grader that the settings describe; enter it before use."""
    return Grader(load(settings.assignment), settings.secret, settings.sandbox, settings.device, settings.limits)


def grade_task(grader, task, settings):
    """The result of one task."""
    return grader.grade(task.student, task.data, task.name, settings.seed, settings.language, task.note)


def fill_task(grader, task, result):
    """(The result of one task with its tests of a GPU, why some of them still wait or None)."""
    return grader.fill_in(result, task.data, task.name), grader.lost


_graders = {}  # of this worker process: a sandbox with its libraries loaded serves many submissions


def grade_on_worker(task, settings):
    """Grade a task in a worker's process, with the grader that the worker keeps."""
    if settings not in _graders:
        _graders[settings] = make_grader(settings).__enter__()  # kept only once it has started
    return grade_task(_graders[settings], task, settings)


def fill_on_worker(task, result, settings):
    """Fill in a task's result in a worker's process. One that has lost its GPU begins with a new grader the next time."""
    if settings not in _graders:
        _graders[settings] = make_grader(settings).__enter__()
    filled, lost = fill_task(_graders[settings], task, result)
    if lost:
        _graders.pop(settings).__exit__(None, None, None)
    return filled, lost
