"""The course's nbgrader configuration. A course folder, which holds submissions and gradebook, has an nbgrader_config.py of one line:

    load_subconfig("nbgrader_config.py", path="/path/to/this/repository/autograder")

COURSE_LANGUAGE in the environment chooses the language of the release versions (en, sv, zh-CN, ru).

What comes after that line overrides it. A gradebook in PostgreSQL (after pip install "psycopg[binary]"):

    c = get_config()
    c.CourseDirectory.db_url = "postgresql://user:password@host/gradebook"
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

# Whatever is wrong in here ends the command: after an exception nbgrader would go on without this configuration, and execute notebooks itself.
try:
    from autograder.exercise.nbgrader_course import configure
    from autograder.gradebook import settings
except ImportError as error:
    sys.exit(f"nbgrader: {error}; activate the environment of the course's repository first")

# nbgrader calls alembic, which lies beside its own interpreter, by its bare name.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])

c = get_config()  # noqa: F821  (nbgrader defines it)
try:
    configure(c, os.environ.get("COURSE_LANGUAGE", "en"))
except ValueError as error:
    sys.exit(f"nbgrader: {error}")
c.CourseDirectory.course_id = "attention-head-by-head"  # PostgreSQL takes no assignment of a course without a name
c.CourseDirectory.release_directory = "release"  # the course folder's own; exercises/ here belongs to the repository
settings.configure(c)
