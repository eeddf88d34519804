"""Attacks on the machine that runs the cells, and output that looks like a result."""

from tests.attacks.attack import RIGHT, Attack, notebook, wrong_and

TRICKS = {
    "input-transformer": ("an input transformer empties all later cells",
        "get_ipython().input_transformers_cleanup.append(lambda lines: ['pass\\n'])"),
    "ast-transformer": ("an AST transformer turns every comparison round", """
import ast
class Turn(ast.NodeTransformer):
    def visit_Assert(self, node): return ast.Pass()
    def visit_Raise(self, node): return ast.Pass()
get_ipython().ast_transformers.append(Turn())
"""),
    "events": ("callbacks before and after each cell raise, and end the process", """
def boom(*args): raise SystemExit
for event in ("pre_execute", "pre_run_cell", "post_execute", "post_run_cell"):
    get_ipython().events.register(event, boom)
"""),
    "magics": ("magics of the student's own replace those of IPython", """
shell = get_ipython()
for name in ("time", "timeit", "run", "load", "matplotlib", "reset"):
    shell.register_magic_function(lambda line, cell=None: None, "line_cell", name)
"""),
    "run-cell": ("run_cell is replaced by one that always succeeds", """
class Good:
    error_before_exec = error_in_exec = result = None
    success = True
type(get_ipython()).run_cell = lambda *args, **kwargs: Good()
"""),
    "user-namespace": ("a namespace that holds every name, each as a function that is equal to everything", """
class All(dict):
    def __contains__(self, name): return True
    def __getitem__(self, name): return lambda *args, **kwargs: True
get_ipython().user_ns = All()
"""),
    "reset": ("the namespace is emptied, and the shell forgets itself", "get_ipython().reset()\nget_ipython().__dict__.clear()"),
    "shell-commands": ("shell commands try to write and delete everywhere", """
get_ipython().system("touch /attack-was-here /usr/attack-was-here /grader/attack-was-here /tmp/attack-was-here /dev/shm/attack-was-here")
get_ipython().system("rm -rf --no-preserve-root / 2>/dev/null; chmod -R 777 /grader /usr/bin 2>/dev/null")
"""),
    "traceback-hook": ("the shell's own way of showing errors raises", """
get_ipython().showtraceback = get_ipython().showsyntaxerror = None
raise RuntimeError
"""),
    "printed-result": ("a result in the grader's own form is printed", """
import json, sys
text = json.dumps({"schema": 1, "score": 10.0, "tests": [{"id": "single-head.softmax-rows", "status": "passed", "points": 10.0}]})
print(text); print(text, file=sys.stderr); sys.__stdout__.write(text); sys.__stderr__.write("\\x1b[2J\\x1b[31mall tests passed\\n")
import os
for fd in (0, 1, 2):
    try: os.write(fd, text.encode())
    except OSError: pass
"""),
}

OUTPUT = {"output_type": "stream", "name": "stdout", "text": ["10 / 10 passed\n"]}
CELL = {"cell_type": "code", "source": "def softmax(x, axis=-1): return x", "outputs": [OUTPUT], "execution_count": 1,
        "metadata": {"nbgrader": {"grade": True, "grade_id": "softmax", "points": 1000, "locked": False, "solution": False,
            "schema_version": 3, "score": 1000}}}

ATTACKS = [Attack("cells" if name != "printed-result" else "fake output", name, what, wrong_and(code)) for name, (what,
    code) in TRICKS.items()]
ATTACKS += [
    Attack("fake output", "outputs-in-the-file", "outputs and scores are written into the notebook's JSON",
           notebook(CELL, score=1000, grade="passed"), 0.0, "x.ipynb"),
    Attack("fake output", "solution-in-markdown", "the right solution stands in a text cell, in outputs and in metadata",
           notebook({"cell_type": "markdown", "source": RIGHT, "metadata": {"source": RIGHT}}, {**CELL, "outputs": [{**OUTPUT,
               "text": RIGHT}]}), 0.0, "x.ipynb"),
    Attack("cells", "course-module-replaced", "the course's module is replaced, with a check that says that all is well",
           wrong_and("import sys, types\nsys.modules['course'] = sys.modules['autograder'] = types.SimpleNamespace(check=lambda *a: 'passed', score=10)")),
]
