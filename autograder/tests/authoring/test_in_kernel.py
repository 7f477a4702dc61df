"""A notebook that passes in a worker may still fail or warn in a kernel; verifying says in which cell."""

from pathlib import Path

import pytest

from autograder.authoring import kernel, together
from autograder.authoring.together import prove_together
from autograder.authoring.verify import Proof
from autograder.course.course import Course
from autograder.tests.classroom import small

DRAWN = """
# %% demo
print(open("numbers.txt").read())
get_ipython().run_line_magic("matplotlib", "inline")
"""
WRONG = """
# %% demo
import warnings
warnings.warn("this will be\\ngone")

# %% demo
1 / 0

# %% demo
print("still here")

# %% demo
import os
os._exit(0)

# %% demo
print("never")
"""


def line(path: Path, text: str) -> int:
    """Return the line of a file that begins so."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.startswith(text))


def test_each_cell_that_fails_or_warns_is_found_with_its_line_and_what_jupyter_has_may_be_used(
    course: Course,
) -> None:
    exercise = small(course)
    handout = exercise.folder / "handout"
    handout.mkdir()
    (handout / "numbers.txt").write_text("1 2 3", encoding="utf-8")
    exercise.source.write_text(DRAWN + WRONG, encoding="utf-8")
    warned, failed, ended = kernel.kernel_problems(exercise)  # and nothing in DRAWN
    place = exercise.source
    assert warned.startswith(
        f"{place}:{line(place, 'import warnings')}: in a kernel, this cell writes to stderr"
    )
    assert "UserWarning: this will be gone" in warned
    assert failed.startswith(
        f"{place}:{line(place, '1 / 0')}: in a kernel, this cell fails: ZeroDivisionError"
    )
    assert ended.startswith(f"{place}:{line(place, 'import os')}: in a kernel, this cell ends the kernel; ")


def test_a_cell_without_an_end_is_found_too(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.authoring.kernel.CELL_SECONDS", 1)
    exercise = small(course)
    exercise.source.write_text("# %% demo\nwhile True:\n    pass\n", encoding="utf-8")
    (found,) = kernel.kernel_problems(exercise)
    assert f"{exercise.source}:2: in a kernel, this cell takes longer than 1 s; " in found


def test_what_is_found_in_a_kernel_alone_keeps_an_exercise_from_being_proved(course: Course) -> None:
    with small(course).source.open("a", encoding="utf-8") as file:
        file.write('\n# %% demo\nimport sys\nprint("old", file=sys.stderr)\n')
    (proof,) = prove_together(course, [small(course)], 1)
    assert isinstance(proof, Proof)
    assert ["writes to stderr: old" in found for found in proof.findings] == [True]


def test_a_proof_does_not_depend_on_the_number_of_processes(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "PROGRESS", 0.05)
    lines, exercises = list[str](), [small(course)]
    proofs = [list(prove_together(course, exercises, n, anew=True, notify=lines.append)) for n in (1, 3)]
    assert repr(proofs[0]) == repr(proofs[1])
    assert proofs[0][0].strength is not None
    assert all(line.endswith(" parts of the verification are done") for line in lines)
    assert lines[0].startswith("0 of ")
