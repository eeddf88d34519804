"""Grading many submissions: in this process, in several on this machine, or on a running Dask cluster."""

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
from autograder.messages import Message, message
from autograder.sandbox.limits import Limits

PATIENCE = 20  # how many workers may be lost under one submission
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


def grade_all(submissions, settings, out, jobs=1, scheduler=None, progress=None, force=False, passed_only=False):
    """Grade the submissions and write each result as soon as it is there; with a GPU, then fill in the tests that wait for one.

    A result that is there already, of the same bytes and the same version of the assignment, is kept, unless `force`: a run that was
    stopped goes on where it stopped. progress(done, total, result) is called after each. Returns the results, and the students
    whose result is missing with the reason.
    """
    tasks = list(read_tasks(submissions))
    done, missing = _grade_tasks(tasks, settings, out, jobs, scheduler, progress, force)
    if settings.device == "cuda":
        missing |= _fill_tasks(tasks, done, settings, out, scheduler, progress, passed_only)
    return list(done.values()), missing


def _grade_tasks(tasks, settings, out, jobs, scheduler, progress, force):
    """Grade what has no current result, on CPUs. Returns {student: result}, and {student: why there is none}."""
    kept = {} if force else {task: result for task in tasks if (result := current_result(out, task, settings)) is not None}
    done, missing = {task.student: result for task, result in kept.items()}, {}
    on_cpu = dataclasses.replace(settings, device="cpu")
    with contextlib.ExitStack() as stack:
        for task, result in _outcomes([task for task in tasks if task not in kept], on_cpu, jobs, scheduler, stack):
            try:
                if isinstance(result, BaseException):
                    raise result
                results.write(out, result)
            except Exception as error:  # one that cannot be graded or written does not stop the others
                missing[task.student] = f"{type(error).__name__}: {error}"
                continue
            done[task.student] = result
            if progress:
                progress(len(done), len(tasks), result)
    return done, missing


def _fill_tasks(tasks, done, settings, out, scheduler, progress, passed_only):
    """Fill in the tests that wait for a GPU, one submission after the other, here or on workers that have one. Returns {student: why some still wait}.

    The results in `done` are replaced. passed_only: those of submissions alone that have passed all tests that need no GPU.
    """
    waiting = [(task, done[task.student]) for task in tasks if task.student in done and waits(done[task.student], passed_only)]
    missing = {}
    with contextlib.ExitStack() as stack:
        for n, (task, filled) in enumerate(_filled(waiting, settings, scheduler, stack), start=1):
            try:
                if isinstance(filled, BaseException):
                    raise filled
                result, lost = filled
                if result != done[task.student]:
                    done[task.student] = result
                    results.write(out, result)
                if lost:
                    missing[task.student] = f"its tests of a GPU still wait: {lost}"
            except Exception as error:
                missing[task.student] = f"its tests of a GPU still wait: {type(error).__name__}: {error}"
                continue
            if progress:
                progress(n, len(waiting), result)
    return missing


def waits(result, passed_only):
    """Whether a result has tests that wait for a GPU and are to run."""
    statuses = {test["status"] for test in result["tests"]}
    return "deferred" in statuses and not result["note"] and (not passed_only or statuses <= {"passed", "deferred"})


def _filled(waiting, settings, scheduler, stack):
    """Pairs of a task and (its result, why some tests still wait or None), or the exception that stands in its place."""
    if not waiting:
        return
    if scheduler is None:
        grader = stack.enter_context(make_grader(settings))
        for task, result in waiting:
            if grader.lost:
                yield task, (result, grader.lost)  # it was waited for once
                continue
            try:
                yield task, fill_task(grader, task, result)
            except Exception as error:
                yield task, error
        return
    from dask.distributed import Client, as_completed

    client = stack.enter_context(Client(scheduler, timeout="20s"))
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    if not any(worker["resources"].get(GPU) for worker in workers):
        raise NoGpu(f"no worker of {scheduler} has a resource {GPU}; start one on each GPU: dask worker {scheduler} --nthreads 1 --resources {GPU}=1")
    futures = {client.submit(fill_on_worker, task, result, settings, pure=False, resources={GPU: 1}): task for task, result in waiting}
    for future in as_completed(futures):
        error = future.exception()
        yield futures[future], error if error is not None else future.result()


def current_result(out, task, settings):
    """The result that lies in the folder, where grading again would only repeat it; else None."""
    result = results.read(results.path_of(out, task.student, settings.assignment))
    if result is None or task.data is None:
        return None
    wanted = {
        "submission_sha256": hashlib.sha256(task.data).hexdigest(),
        "assignment_version": load(settings.assignment).version,
        "seed": settings.seed,
        "language": settings.language,
    }
    same = all(result.get(name) == value for name, value in wanted.items() if value is not None)
    return result if same else None  # on whatever device it was graded: what still waits for a GPU is filled in


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
