"""One language at a time executes a notebook, and where others have the same code they take its results.

Languages are built at once over one execution cache. MyST-NB looks there, executes and stores, and nothing keeps two builds from doing so side
by side: both would execute, and the one that comes to store second would find the place taken, and fail. It happens to pages that differ
in their prose alone, and to those without any code, which have none to differ in.
"""

from filelock import FileLock
from jupyter_cache import get_cache
from myst_nb.core.execute.cache import NotebookClientCache

from book.tools import runtime

execute = NotebookClientCache.start_client


def execute_once(client: NotebookClientCache) -> None:
    """In place of the client's `start_client`: wait for whoever executes the same code, then look into the cache."""
    _, key = get_cache(client.nb_config.execution_cache_path).create_hashed_notebook(client.notebook)
    runtime.EXECUTING.mkdir(parents=True, exist_ok=True)
    with FileLock(runtime.EXECUTING / f"{key}.lock"):
        execute(client)


def prepare() -> None:
    """For every notebook of this process. To be called before MyST-NB executes any."""
    NotebookClientCache.start_client = execute_once
