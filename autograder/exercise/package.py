"""The `course` package that lies beside a student's notebook: the engine of check(), the public checks and what was recorded."""

import shutil
from pathlib import Path

from autograder import catalogue, learner
from autograder.exercise.recording import dumps
from autograder.sandbox.bubblewrap import CHILD

ENGINE = Path(learner.__file__).parent
KERNELS = CHILD / "kernels.py"  # how Triton kernels are run under observation, by the grader and by check() alike


def write(assignment, language, recorded, folder):
    """Write the package into a folder, which is made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in sorted(ENGINE.glob("*.py")):
        if path.name != KERNELS.name:
            shutil.copyfile(path, folder / path.name)
    if assignment.framework == "triton":
        shutil.copyfile(KERNELS, folder / KERNELS.name)
    shutil.copyfile(assignment.public_checks, folder / "public.py")
    (folder / "data.json").write_text(dumps({"language": language, **recorded}), encoding="utf-8")
    compiled = catalogue.compiled(language, _texts(assignment, recorded))
    if compiled:
        (folder / "messages.mo").write_bytes(compiled)


def _texts(assignment, recorded):
    """The English texts that this package can say: no others go out, lest they tell of the hidden tests."""
    return catalogue.engine_texts() | catalogue.public_texts(assignment.public_checks) | set(recorded["explanations"].values())
