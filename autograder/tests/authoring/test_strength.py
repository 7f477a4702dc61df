"""Mutants, what authors declare of them, and the strength of hidden tests: the share of mutants that fail."""

import signal
from pathlib import Path

import pytest

from autograder.authoring import trials
from autograder.authoring.strength import Mutant, Strength, measure, mutants, read_declared, surviving
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.course.source import SourceError
from autograder.testing.suite import Suite
from autograder.tests.classroom import write_answer

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


REASON = '"""Both are the same."""'


@pytest.mark.parametrize(
    ("question", "code", "problem"),
    [
        ("triple", 'edits = ["X => Y"]', '0: "triple" is not a question; use one of double, row_sums'),
        (
            "double",
            'edits = "X => Y"',
            "2: cannot be read; write a list of texts, as in edits = [...]; the valid",
        ),
        ("double", 'edits = ["X => Y", 1]', "2: cannot be read; write a list of texts"),
        ("double", 'shares = ["squares"]\nreasons = ["none"]', "3: cannot be read; write a list of texts"),
    ],
)
def test_a_declaration_that_cannot_be_read_is_refused_with_its_place_and_fix(
    course: Course, question: str, code: str, problem: str
) -> None:
    exercise = course.exercises["01_small"]
    place = write_answer(exercise, f'exception="{question}"', f"{REASON}\n{code}")
    with pytest.raises(SourceError) as refused:
        read_declared(exercise)
    path, _, line = place.rpartition(":")
    down, _, said = problem.partition(":")
    assert str(refused.value).startswith(f"{path}:{int(line) + int(down)}:{said}")


def test_each_text_of_a_declaration_has_its_line(course: Course) -> None:
    exercise = course.exercises["01_small"]
    code = f'{REASON}\nedits = ["X => Y",\n    "Y => X"]\nshares = ["squares"]'
    place, _, line = write_answer(exercise, 'exception="double"', code).rpartition(":")
    assert [(one.place, one.kind, one.text) for one in read_declared(exercise)] == [
        (f"{place}:{int(line) + 2}", "edits", "X => Y"),
        (f"{place}:{int(line) + 3}", "edits", "Y => X"),
        (f"{place}:{int(line) + 4}", "shares", "squares"),
    ]


def test_an_exercise_may_declare_nothing(course: Course) -> None:
    assert read_declared(course.exercises["01_small"]) == ()


def measured(exercise: Exercise, share: float = 0.8) -> Strength:
    return measure(Suite(exercise), share)


def declare(course: Course, instead: int) -> Exercise:
    exercise = load_course(course.root).exercises["01_small"]
    write_answer(exercise, 'exception="row_sums"', f'{REASON}\nedits = ["A = -1 => A = {instead}"]')
    return exercise


def rewrite(exercise: Exercise, old: str, new: str) -> None:
    text = exercise.source.read_text(encoding="utf-8")
    assert old in text
    exercise.source.write_text(text.replace(old, new), encoding="utf-8")


def test_mutants_that_pass_every_test_survive_and_what_is_declared_does_not_count(course: Course) -> None:
    before = measured(course.exercises["01_small"])
    after = measured(declare(course, 1))
    assert (before.equivalent, after.equivalent) == (0, 1)
    assert (after.mutants, after.killed) == (before.mutants - 1, before.killed)
    (gone,) = set(before.survivors) - set(after.survivors)
    change = '"along_each_row = -1" can become "along_each_row = 1"'
    source = course.exercises["01_small"].source
    number = source.read_text(encoding="utf-8").split("\n").index("    along_each_row = -1") + 1
    assert gone == f"{source}:{number}: {change}, and no test of row_sums fails"
    assert before.findings == after.findings == ()
    share = 100 * before.killed // before.mutants
    assert str(before) == f"the tests catch {before.killed} of {before.mutants} mutants, {share} %"
    assert measured(load_course(course.root).exercises["01_small"]) == after


def test_parts_of_the_mutants_survive_as_all_together_do(course: Course) -> None:
    suite = Suite(course.exercises["01_small"])
    found = [number for part in range(3) for number in surviving(suite, part, 3)]
    assert sorted(found) == surviving(suite)
    assert found != sorted(found), "each part holds every third mutant"


def test_a_weak_suite_is_found_with_each_survivor_and_what_to_do(course: Course) -> None:
    found = measured(course.exercises["01_small"], 0.97)
    assert len(found.findings) == len(found.survivors) > 0
    change = (
        '"along_each_row = -1" can become "along_each_row = 1", and no test of row_sums fails; add a test, '
    )
    assert any(change in finding for finding in found.findings)


@pytest.mark.parametrize(
    ("instead", "problem"),
    [
        (
            7,
            "mistakes.py:26: this edit makes none of the mutants of row_sums that `verify` tests; "
            "correct or delete the edit",
        ),
        (0, "mistakes.py:26: with this edit, the solution fails a hidden test; delete the edit"),
    ],
)
def test_a_declaration_that_does_not_hold_any_more_is_found(
    course: Course, instead: int, problem: str
) -> None:
    (finding,) = measured(declare(course, instead)).findings
    assert problem in finding


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # where it meets a finalizer
def test_a_mutant_without_an_end_is_stopped(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = course.exercises["01_small"]
    loop = "count = 2\n    while count > 0:\n        count -= 1\n    return torch.mul(x, 2)"
    rewrite(exercise, "return torch.mul(x, 2)", loop)
    monkeypatch.setattr(trials, "LEAST", 0.05)  # so that 20 times the reference's own time is the limit
    before = signal.getsignal(signal.SIGVTALRM)
    found = measured(exercise)
    assert not any("while True" in line for line in found.survivors)
    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
