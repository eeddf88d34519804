"""All attacks, kind by kind."""

from tests.attacks import cells, ending, errors, files, forging, kernel, libraries, memory
from tests.attacks import notebooks, patching, processes, reading, results, sockets, waiting

MODULES = (reading, patching, cells, forging, ending, processes, memory, files, sockets, notebooks, results, errors, kernel, waiting,
    libraries)
ATTACKS = tuple(attack for module in MODULES for attack in module.ATTACKS)
