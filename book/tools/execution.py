"""Builds of several languages share one cache of executed notebooks without getting in each other's way.

MyST-NB looks into the cache, executes and stores, and nothing keeps two builds from doing so side by side. Two things go wrong then. Pages may
have the same code in two languages, if only because they have none: both would execute, and the one that comes to store second would find
the place taken. And with each notebook that is stored the cache deletes what is more than it may hold: it asks for the newest and then for
all others, and takes what another build has stored in between for old.
"""

from filelock import FileLock
from jupyter_cache import get_cache
from jupyter_cache.cache.main import JupyterCacheBase
from myst_nb.core.execute.cache import NotebookClientCache

from book.tools import runtime

execute, store = NotebookClientCache.start_client, JupyterCacheBase.cache_notebook_bundle


def alone(name: str) -> FileLock:
    """A lock that one process at a time can hold."""
    return FileLock(runtime.EXECUTING / f"{name}.lock")


def execute_once(client: NotebookClientCache) -> None:
    """In place of the client's `start_client`: wait for whoever executes the same code, then look into the cache."""
    _, key = get_cache(client.nb_config.execution_cache_path).create_hashed_notebook(client.notebook)
    with alone(key):
        execute(client)


def store_alone(cache: JupyterCacheBase, *arguments, **keywords):
    """In place of the cache's `cache_notebook_bundle`."""
    with alone("storing"):
        return store(cache, *arguments, **keywords)


def prepare() -> None:
    """For every notebook of this process. To be called before MyST-NB executes any."""
    NotebookClientCache.start_client = execute_once
    JupyterCacheBase.cache_notebook_bundle = store_alone
