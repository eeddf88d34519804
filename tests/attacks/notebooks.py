"""Notebooks that are hostile as files: before any of their code runs, the grader has to read them."""

import json

from tests.attacks.attack import RIGHT, Attack, notebook, right_and

MB = 1 << 20


def text_cell(**fields):
    return {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": RIGHT} | fields


def raw(body):
    """A notebook whose JSON is written by hand: `body` stands between the braces."""
    return ('{"nbformat": 4, "nbformat_minor": 5, ' + body + "}").encode()


CELLS = json.dumps([text_cell()])
FILES = {
    "many-cells": (notebook(*["x = 1"] * 20_000), 0.0, "twenty thousand cells"),
    "long-line": (notebook("x = '" + "a" * (4 * MB) + "'", RIGHT), 10.0, "a line of four megabytes"),
    "much-code": (notebook(*["x = '" + "a" * MB + "'"] * 12), 0.0, "more code than is taken"),
    "outputs": (notebook(text_cell(outputs=[{"output_type": "stream", "name": "stdout", "text": "x" * (30 * MB)}])), 10.0,
        "thirty megabytes of outputs"),
    "empty-dictionaries": (raw('"metadata": {"x": [' + "{}," * (5 * MB) + '{}]}, "cells": ' + CELLS), 10.0,
        "five million empty dictionaries"),
    "deep-json": (raw('"x": ' + "[" * 200_000 + "]" * 200_000 + ', "cells": ' + CELLS), 0.0, "JSON that is deeper than any stack"),
    "deep-code": (notebook("(" * 100_000 + ")" * 100_000, "x = " + "-" * 100_000 + "1", "x = " + "[" * 90 + "]" * 90, RIGHT), 10.0,
        "code that is deeper than any stack"),
    "long-number": (raw('"x": ' + "9" * 100_000 + ', "cells": ' + CELLS), 0.0, "a number of a hundred thousand digits"),
    "nan": (raw('"x": [NaN, Infinity, -Infinity, 1e999], "cells": ' + CELLS), 10.0, "numbers that JSON does not have"),
    "duplicate-cells": (raw('"cells": [], "cells": 3, "cells": ' + CELLS), 10.0, "keys that stand twice"),
    "null-bytes": (notebook("x = '\0'", RIGHT.replace("import", "\0import", 1)), 0.0, "bytes of zero in the code"),
    "surrogates": (raw('"cells": [{"cell_type": "code", "source": "x = \'\\ud800\'"}, ' + CELLS[1:]), 10.0, "half characters in the code"),
    "odd-metadata": (notebook(RIGHT, metadata={"course": {"language": {"x": []}}, "kernelspec": 3, "language_info": [None]}), 10.0,
        "metadata of other types"),
    "odd-language": (notebook(RIGHT, metadata={"course": {"language": "../../etc/passwd\x1b[31m"}}), 10.0, "a language that is a path"),
    "odd-cells": (notebook({"cell_type": ["code"]}, {"cell_type": "code", "source": {"x": 1}}, {"cell_type": "code", "source": [1, None,
        ["x"]]}, {"source": 3}, RIGHT), 10.0,
                  "cells and sources of other types"),
    "binary": (bytes(range(256)) * 1000, 0.0, "bytes that are no text"),
    "utf-16": (notebook(RIGHT).decode().encode("utf-16"), 10.0, "another encoding, with its mark"),
    "html-outputs": (notebook(text_cell(outputs=[{"output_type": "display_data", "metadata": {},
        "data": {"text/html": "<script>alert(1)</script>", "application/javascript": "alert(1)"}}])), 10.0,
                     "scripts in the outputs"),
}

ATTACKS = [Attack("notebook", name, what, data, most, "x.ipynb") for name, (data, most, what) in FILES.items()]
ATTACKS += [
    Attack("notebook", "python-file-of-comments", "a .py file of fifteen megabytes of comments",
           b"# " + b"x" * (15 * MB) + b"\n" + RIGHT.encode(), 10.0),
    Attack("notebook", "encoding-declared", "a .py file that declares another encoding",
           b"# -*- coding: utf-7 -*-\n" + RIGHT.encode(), 10.0),
    Attack("notebook", "separators", "line and direction separators in the code", right_and("x = '\u2028\u202e\u2066\x0c'"), 10.0),
]
