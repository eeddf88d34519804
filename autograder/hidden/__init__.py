"""Hidden tests: pytest tests that reach the student's functions through a fixture, and say what is wrong and why.

What a file of hidden tests imports:
    points(1.0, part="softmax")   how much a test is worth, and to which part of the exercise it belongs
    catches("no-scale", …)        the misconceptions that the test is there to find
    memory(400 << 20)             the most that the student's process may take on top of its libraries
    compiled                      the test is about kernels in Triton's compiler, not in its interpreter
    cuda                          the test runs on a GPU: through the fixture `gpu`, see hidden/gpu.py; where there is none it is deferred
    expect, fails                 judging a result against a reference, and an error that has to come
"""

from autograder.hidden.judge import Wrong, expect, expect_names, expect_small, expect_unchanged, fails
from autograder.hidden.marks import catches, compiled, cuda, memory, points

__all__ = ["Wrong", "catches", "compiled", "cuda", "expect", "expect_names", "expect_small", "expect_unchanged", "fails", "memory", "points"]
