"""Mutants differ from a solution in one small place of it, each of them once, and say which."""

from pathlib import Path

import pytest

from autograder.authoring.strength import Mutant, mutants
from autograder.course.course import Course
from autograder.course.exercise import Exercise

CELL = """
# %% solution="{name}"
{head}
    ### BEGIN SOLUTION
{body}
    ### END SOLUTION

# %% check="{name}" points=1
pass
"""
FUNCTION = "def f(x: Tensor, y: Tensor, n: int = 1):"


def made(folder: Path, body: str, head: str = FUNCTION) -> list[Mutant]:
    """Return the mutants of a function `f` with these lines."""
    name = "A" if head.startswith("class") else "f"
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    source = folder / "one" / "one.py"
    source.parent.mkdir()
    source.write_text(CELL.format(name=name, head=head, body=lines), encoding="utf-8")
    return list(mutants(Exercise(source.parent)))


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("z = x @ y", {"z = y @ x", "z = x * y", "z = x", "z = y", "z = (x @ y).detach()", "pass"}),
        ("z = x[:-1, 0]", {"z = x[:-2, 0]", "z = x[:0, 0]", "z = x[:1, 0]", "z = x[:, 0]", "z = x[:-1, 1]"}),
        ("z = x.sum(dim=-1)", {"z = x.mean(dim=-1)", "z = x.sum()", "z = x.sum(dim=0)", "z = x.sum(dim=-2)"}),
        ("z = x.flatten(1).cos()", {"z = x.flatten(1).sin()", "z = x.flatten().cos()", "z = x.cos()"}),
        ("z = torch.where(x, y, 0)", {"z = torch.where(y, x, 0)", "z = torch.where(x, 0, y)"}),
        ("z = n if n < 2 else 0", {"z = n if n <= 2 else 0", "z = n if n >= 2 else 0", "z = n", "z = 0"}),
        ("z = x is None or n", {"z = x is not None or n", "z = x is None and n", "z = x is None", "z = n"}),
        ("if n: z = x", {"if True: z = x", "if False: z = x", "if n: z = y", "if n: pass"}),
        ("for i in range(n): z = i", {"for i in (): z = i", "for i in range(1, n): z = i"}),
        ("z += 0.5", {"z += 1.5", "z += -0.5", "z += 1.0", "z = 0.5", "pass"}),
        ("raise ValueError(n + 1)", {"pass"}),
    ],
)
def test_each_kind_of_code_has_its_slips(tmp_path: Path, line: str, some: set[str]) -> None:
    found = made(tmp_path, line)
    instead = {mutant.instead for mutant in found}
    assert some <= instead
    assert all(mutant.line == line for mutant in found)
    assert len({mutant.code for mutant in found}) == len(found)
    if line.startswith("raise"):
        assert instead == some  # the words of an error are nobody's business


def test_what_changes_nothing_is_left_out(tmp_path: Path) -> None:
    body = "z = torch.ones(n, n, device=x.device).transpose(0, 1)\nreturn z"
    instead = " ".join(mutant.instead for mutant in made(tmp_path, body))
    for equal in ("transpose(1, 0)", "device=y", ".ones(n, n).", "ones(n, n, device=x.device).detach"):
        assert equal not in instead


def test_results_lose_what_they_should_keep_where_a_function_is_given_tensors(tmp_path: Path) -> None:
    instead = {mutant.instead for mutant in made(tmp_path, "return x, n")}
    assert {"return x.detach(), n", "return x.float(), n", "return x.squeeze(), n", "pass"} <= instead


def test_a_function_without_tensors_has_nothing_to_lose(tmp_path: Path) -> None:
    instead = {mutant.instead for mutant in made(tmp_path, "return n", "def f(n: int):")}
    assert instead == {"pass"}


def test_stubs_stay_as_students_get_them_and_methods_may_set_a_seed(tmp_path: Path) -> None:
    head = "class A(nn.Module):\n  def forward(self, x=0):\n    '''Return 7.'''\n    y = 3"
    found = made(tmp_path, "return y", head)
    assert all(part in mutant.code for mutant in found for part in ("y = 3", "x=0", "Return 7"))
    assert ("", "torch.manual_seed(0)") in {(mutant.line, mutant.instead) for mutant in found}


def test_layers_are_taken_for_one_another(tmp_path: Path) -> None:
    head = "class A(nn.Module):\n  def forward(self, x):"
    body = "self.key = x\nself.query = x\nreturn self.key"
    assert "return self.query" in {mutant.instead for mutant in made(tmp_path, body, head)}


def test_mutants_are_the_same_each_time(course: Course) -> None:
    exercise = course.exercises["01_small"]
    assert list(mutants(exercise)) == list(mutants(exercise))
