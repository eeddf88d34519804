"""Grading many submissions: in this process, in several on this machine, or on a running Dask cluster."""

import contextlib
import hashlib
import logging
import threading
from dataclasses import dataclass

from autograder import results
from autograder.assignment import load
from autograder.grade import Grader
from autograder.messages import Message, message
from autograder.sandbox.limits import Limits

PATIENCE = 20  # how many workers may be lost under one submission
LOOK_S = 2.0  # how often workers are counted


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
                note = message("The file cannot be read ({reason}). Submit it again.", reason=error.strerror or type(error).__name__)
        yield Task(submission.student, submission.path.name if submission.path else "", data, note)


def grade_all(submissions, settings, out, jobs=1, scheduler=None, progress=None, force=False):
    """Grade the submissions and write each result as soon as it is there.

    A result that is there already, of the same bytes and the same version of the assignment, is kept, unless `force`: a run that was
    stopped goes on where it stopped. progress(done, total, result) is called after each. Returns the results, and the students
    whose result is missing with the reason.
    """
    tasks = list(read_tasks(submissions))
    kept = {} if force else {task: result for task in tasks if (result := current_result(out, task, settings)) is not None}
    done, missing = list(kept.values()), {}
    with contextlib.ExitStack() as stack:
        for task, result in _outcomes([task for task in tasks if task not in kept], settings, jobs, scheduler, stack):
            try:
                if isinstance(result, BaseException):
                    raise result
                results.write(out, result)
            except Exception as error:  # one that cannot be graded or written does not stop the others
                missing[task.student] = f"{type(error).__name__}: {error}"
                continue
            done.append(result)
            if progress:
                progress(len(done), len(tasks), result)
    return done, missing


def current_result(out, task, settings):
    """The result that lies in the folder, where grading again would only repeat it; else None."""
    result = results.read(results.path_of(out, task.student, settings.assignment))
    if result is None or task.data is None:
        return None
    wanted = {
        "submission_sha256": hashlib.sha256(task.data).hexdigest(),
        "assignment_version": load(settings.assignment).version,
        "device": settings.device,
        "seed": settings.seed,
        "language": settings.language,
    }
    same = all(result.get(name) == value for name, value in wanted.items() if value is not None)
    return result if same else None


def _outcomes(tasks, settings, jobs, scheduler, stack):
    """Pairs of a task and its result, or the exception that stands in its place, in the order in which they come."""
    if not tasks:
        return iter(())
    return _here(tasks, settings, stack) if jobs <= 1 and scheduler is None else _on_cluster(tasks, settings, jobs, scheduler, stack)


def _here(tasks, settings, stack):
    """Grade in this process, one after the other."""
    grader = stack.enter_context(make_grader(settings))
    for task in tasks:
        try:
            yield task, grade_task(grader, task, settings)
        except Exception as error:  # the grader's own fault; the others go on
            yield task, error


def _on_cluster(tasks, settings, jobs, scheduler, stack):
    """Grade on Dask workers: those of the scheduler, or `jobs` processes of this machine. What a lost worker had is graded by another."""
    from dask.distributed import Client, KilledWorker, as_completed

    if scheduler is None:
        client = stack.enter_context(Client(_local_cluster(jobs, stack)))
    else:
        client = stack.enter_context(Client(scheduler, timeout="20s"))
    futures = {client.submit(grade_on_worker, task, settings, pure=False): task for task in tasks}
    lost = dict.fromkeys(tasks, 0)
    finished = as_completed(futures)
    for future in finished:
        task, error = futures.pop(future), future.exception()
        if isinstance(error, KilledWorker) and lost[task] < PATIENCE:  # its workers were killed, whether or not it was to blame
            lost[task] += 1
            again = client.submit(grade_on_worker, task, settings, pure=False)
            futures[again] = task
            finished.add(again)
            continue
        yield task, error if error is not None else future.result()


def _local_cluster(jobs, stack):
    """A Dask cluster of processes on this machine, which stays complete while the stack is open.

    Dask starts a lost worker anew, but gives up where it is lost while it starts: the whole cluster at the beginning, that one later.
    """
    import dask
    from dask.distributed import LocalCluster

    stack.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": PATIENCE}))
    for attempt in range(PATIENCE):
        try:
            cluster = LocalCluster(n_workers=jobs, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=logging.CRITICAL)
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


_graders = {}  # of this worker process: a sandbox with its libraries loaded serves many submissions


def grade_on_worker(task, settings):
    """Grade a task in a worker's process, with the grader that the worker keeps."""
    if settings not in _graders:
        _graders[settings] = make_grader(settings).__enter__()  # kept only once it has started
    return grade_task(_graders[settings], task, settings)
