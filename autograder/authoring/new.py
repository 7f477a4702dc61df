"""Starts an exercise: writes a small one that runs, for its author to change."""

import re
from pathlib import Path

from autograder.course.course import Course, CourseError
from autograder.course.names import NAME

_SOURCE = '''\
# %% [markdown]
# # A title
#
# What this exercise teaches, in your own words.

# %%
import torch

# %% [markdown]
# ## Half of it
#
# What the question is about, and what to do.


# %% solution="half"
def half(x: torch.Tensor) -> torch.Tensor:
    """Return half of every element of x.

    x: (...), any shape. Returns: the same shape and dtype.
    """
    ### BEGIN SOLUTION
    return x / 2
    ### END SOLUTION


# %% check="half" points=2
# Check of half
halved = half(torch.tensor([1.0, 3.0]))
assert halved.shape == (2,), f"half keeps the shape: (2,), not {tuple(halved.shape)}"
expected = torch.tensor([0.5, 1.5])
assert torch.allclose(halved, expected, atol=1e-4, rtol=0), "half: not every element is half of what it was"
print("half: this check passes")

# %% [markdown]
# ## In your own words
#
# Which numbers does half leave as they are, and why?

# %% [markdown] manual="fixed_points" points=2
# ### BEGIN SOLUTION
# Only zero and the infinities: x / 2 = x has no other solution.
# ### END SOLUTION
'''
_SUITE = '''\
"""The hidden tests of {name}."""

import torch

from autograder.testing import expect_close, question


@question("half")
def test_halves_every_element(student):
    """Every element is halved."""
    x = torch.randn(3, 5)
    expect_close(student.half(x), x * 0.5, hint="Which operation makes two of them the whole again?")
'''
_ACCEPTED = '''\
"""Multiplies where the reference divides."""


def half(x):
    return 0.5 * x
'''
_MISTAKE = '''\
"""Try your function on a negative number, and on 3. What is lost?"""


def half(x):
    return x // 2
'''


def create(course: Course, name: str) -> list[Path]:
    """Write a new exercise to solutions/<name>/ and return its files; CourseError where that cannot be."""
    folder = course.root / "solutions" / name
    if not re.fullmatch(NAME, name):
        raise CourseError(
            f'"{name}" is no name for an exercise; use letters, digits, _ and -, as in 10_rotary'
        )
    if folder.exists():
        raise CourseError(f"{folder}: is there already; choose another name, or delete the folder first")
    texts = {
        f"{name}.py": _SOURCE,
        "test_hidden.py": _SUITE.format(name=name),
        "accepted/by_multiplying.py": _ACCEPTED,
        "mistakes/half__rounds_down.py": _MISTAKE,
    }
    return [_written(folder / path, text) for path, text in texts.items()]


def entry(name: str) -> str:
    """Return the line by which course.yaml takes in the exercise `name`."""
    return f"  - name: {name}"


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return path
