"""Exceptions that are hostile to the one who describes them."""

from tests.attacks.attack import Attack, each_call, right_and, wrong_and

RAISED = {
    "long-message": ("a message of 100 MB", "raise ValueError('x' * 10**8)"),
    "message-control": ("control, ANSI, direction and HTML characters in the message",
        r"raise ValueError('\x1b[2J\x1b]0;title\x07\u202e\u2066\x9b31m\x00\r<script>alert(1)</script><img src=x onerror=alert(1)>{name}{0}%s%n' * 50)"),
    "message-surrogates": ("half characters in the message", r"raise ValueError('\ud800\udfff' * 1000)"),
    "name-control": ("a class whose name holds such characters",
        r"raise type('\x1b[31mBoom\u202e<script>{error}', (ValueError,), {})('x')"),
    "long-name": ("a class whose name is a million letters", "raise type('B' * 10**6, (ValueError,), {})('x')"),
    "name-no-text": ("a class whose name is no text",
        "class M(type):\n    __name__ = property(lambda c: 3)\nclass E(Exception, metaclass=M): pass\nraise E"),
    "str-raises": ("a message that raises",
        "class E(Exception):\n    def __str__(self): raise SystemExit\n    __repr__ = __str__\nraise E"),
    "str-recurses": ("a message that calls itself", "class E(Exception):\n    def __str__(self): return str(self)\nraise E"),
    "str-hangs": ("a message that does not end", "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E"),
    "str-exits": ("a message that ends the process", "class E(Exception):\n    def __str__(self): os._exit(0)\nraise E"),
    "str-no-text": ("a message that is a class of text that lies",
        "class S(str):\n    def __getitem__(self, i): return S('y' * 10**6)\n    def __str__(self): return self\nclass E(Exception):\n    def __str__(self): return S('x')\nraise E"),
    "cause-cycle": ("an exception that is its own cause",
        "e = ValueError('x')\nf = TypeError('y')\ne.__cause__ = f\nf.__cause__ = e\ne.__context__ = f\nraise e"),
    "recursion": ("recursion without end", "def f(n): return f(n + 1)\nf(0)"),
    "deep-traceback": ("a traceback of a hundred thousand frames",
        "sys.setrecursionlimit(10**6)\ndef f(n): return f(n - 1) if n else 1 / 0\nf(20_000)"),
    "group": ("exception groups, a thousand deep", "e = ValueError('x')\nfor _ in range(1000): e = ExceptionGroup('g', [e])\nraise e"),
    "syntax-error": ("a syntax error with a made-up place", r"raise SyntaxError('\x1b[31m', ('/etc/passwd', 10**9, -5, 'x' * 10**6))"),
    "bases": ("a class with a hundred bases, all of hostile names",
        r"raise type('E', tuple(type('\u202eB%d' % i, (Exception,), {}) for i in range(100)), {})('x')"),
    "mro": ("a class that makes up what it descends from",
        "class M(type):\n    __mro__ = property(lambda c: [c] * 10**6)\nclass E(Exception, metaclass=M): pass\nraise E"),
    "not-implemented": ("the error of a stub, with a message", "raise NotImplementedError('\\x1b[31mpassed')"),
    "line-control": ("a hostile line of code is quoted", "x = 3; raise ValueError(x)  # \u202e\u2066\x9b31m<b>"),
    "warnings": ("a flood of warnings",
        "import warnings\nwarnings.simplefilter('always')\nfor n in range(3000): warnings.warn('\\x1b[31m' + 'x' * 1000)\nraise ValueError"),
    "not-an-exception": ("something is raised that cannot be", "raise 'passed'"),
    "generator-exit": ("an exception that is no Exception", "raise GeneratorExit('passed')"),
    "hook": ("hooks for errors that end the process",
        "sys.excepthook = sys.unraisablehook = lambda *a: os._exit(0)\nsys.tracebacklimit = -1\nraise ValueError"),
}

ATTACKS = [Attack("errors", f"{name}-in-a-call", what, each_call(code, "")) for name, (what, code) in RAISED.items()]
ATTACKS += [Attack("errors", f"{name}-in-a-cell", RAISED[name][0], ("import os, sys\n" + RAISED[name][1]).encode()) for name in
            ("message-control", "name-control", "name-no-text", "str-recurses", "str-no-text", "cause-cycle", "group", "syntax-error",
                "mro")]
ATTACKS += [
    Attack("errors", "finaliser", "objects that raise and hang when they are cleared away", right_and("""
class Stuck:
    def __del__(self): 1 / 0
for _ in range(1000): Stuck()
stuck = Stuck()"""), 10.0),
    Attack("errors", "missing-names", "nothing is defined, and the first cell raises a hostile error",
           "raise ValueError('\\x1b[31m\\u202e' * 1000)".encode()),
    Attack("errors", "names-are-values", "the names hold values that are no functions",
           wrong_and("softmax = np.zeros(3)\nattention = 'x' * 1000\ncausal_mask = None\npadding_mask = ...")),
]
