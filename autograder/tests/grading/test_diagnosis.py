"""A mistake is called by its name where a submission fails as it does."""

import fcntl
import shutil
import signal
from pathlib import Path
from typing import IO

import pytest

from autograder.course.copy import copy_course
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.grading.diagnosis import Diagnosis, Named
from autograder.grading.table import FOLDER, prune, share_tables
from autograder.grading.wrong_answers import WrongAnswers
from autograder.testing.exchange import Local
from autograder.testing.suite import Suite
from autograder.worker.namespace import run_code


def test_a_mistake_that_warns_is_named_without_a_word(course: Course) -> None:
    exercise = course.exercises["01_small"]
    code = (exercise.folder / "mistakes/double__squares.py").read_text(encoding="utf-8")
    warning = code.replace(
        "    return", '    import warnings; warnings.warn("odd", stacklevel=1)\n    return'
    )
    (exercise.folder / "mistakes/double__squares.py").write_text(warning, encoding="utf-8")
    suite = Suite(exercise)
    runs = list(suite.run(Local(run_code(exercise.variant(code))), chosen=suite.of("double")))
    mistake = Diagnosis(suite).name("double", runs)
    assert "warnings.warn" in warning
    assert mistake is not None
    assert mistake.name == "double__squares"


FIXED = "x * torch.full((3, 5), 3.0)"  # wrong numbers where the shape fits, a clash elsewhere
CLASH = "x @ torch.ones(9, 9)"


@pytest.mark.parametrize(
    ("known", "seen", "named"),
    [
        (FIXED, 'torch.einsum("ij,ij->ij", x, torch.full((3, 5), 3.0))', True),
        (FIXED, 'torch.einsum("ij,ij->ij", x, torch.full((3, 5), 4.0))', False),
        (CLASH, "torch.matmul(x, torch.ones(9, 9))", True),
        (CLASH, 'torch.einsum("ij,jk->ik", x, torch.ones(9, 9))', False),
    ],
)
def test_a_clash_of_shapes_is_known_by_its_words_or_by_a_value_beside_it(
    course: Course, known: str, seen: str, named: bool
) -> None:
    """Shapes clash in as many words as there are products, but a clash alone tells too little."""
    exercise = course.exercises["01_small"]
    text = '"""Does every shape fit?"""\n\n\ndef double(x):\n    return {}\n'
    (exercise.folder / "mistakes/double__fixed.py").write_text(text.format(known), encoding="utf-8")
    suite = Suite(exercise)
    runs = list(suite.run(Local(run_code(exercise.variant(text.format(seen)))), chosen=suite.of("double")))
    mistake = Diagnosis(suite).name("double", runs)
    assert (mistake is not None and mistake.name == "double__fixed") is named


WRONG = "def double(x):\n    return x * 3"


@pytest.mark.parametrize(
    ("bank", "named"),
    [
        (["double__by_three.py"], "double__by_three"),
        (["double__by_three.py", "double__by_three__again.py"], "double__by_three"),
        (["double__by_three.py", "double__tripled.py"], None),
        ([], None),
    ],
    ids=["one", "one in two writings", "two", "none"],
)
def test_a_mistake_is_named_only_if_it_is_the_only_one_that_fits(
    course: Course, bank: list[str], named: str | None
) -> None:
    exercise = course.exercises["01_small"]
    for name in bank:
        text = f'"""How often is it added?"""\n\n\n{WRONG}\n'
        (exercise.folder / "mistakes" / name).write_text(text, encoding="utf-8")
    suite = Suite(exercise)
    runs = list(suite.run(Local(run_code(exercise.variant(WRONG))), chosen=suite.of("double")))
    mistake = Diagnosis(suite).name("double", runs)
    assert (mistake and mistake.name) == named


def test_a_question_that_passes_has_no_mistake(course: Course) -> None:
    suite = Suite(course.exercises["01_small"])
    runs = [run for run in suite.reference_runs if run.test.question == "double"]
    assert Diagnosis(suite).name("double", runs) is None


CATALOGUE = """
from autograder.grading import Misconception

MISCONCEPTIONS = (
    Misconception(
        "tripled", "It becomes three times as large.", "How often is it added?", "mul(X, 2) => mul(X, 3)",
        common=True,
    ),
    Misconception("rounded", "It becomes float32.", "Which type?", "return X => return X.float()", "", True),
    Misconception("unknown", "A name is not defined.", "Restart the kernel.", crash="NameError: "),
    Misconception("divided", "A number is divided by 0.", "By what?", crash="ZeroDivisionError: "),
)
""".replace("mul(", "torch.mul(")


@pytest.fixture
def misconceptions(course: Course) -> Diagnosis:
    """Return the diagnosis of a course with a catalogue, and no mistakes that are written by hand."""
    exercise = course.exercises["01_small"]
    catalogue = exercise.folder.parent / "misconceptions" / "numbers.py"
    catalogue.parent.mkdir()
    catalogue.write_text(CATALOGUE, encoding="utf-8")
    for path in exercise.folder.glob("mistakes/double__*.py"):
        path.unlink()
    return Diagnosis(Suite(exercise))


def named(diagnosis: Diagnosis, code: str, *, failed_only: bool = False) -> Named | None:
    suite = diagnosis.suite
    backend = Local(run_code(suite.exercise.variant(f"def double(x):\n    return {code}")))
    runs = [run for run in suite.run(backend, chosen=suite.of("double")) if run.error or not failed_only]
    return diagnosis.name("double", runs)


def test_misconceptions_are_named_in_any_writing_alone_in_pairs_and_in_part(
    misconceptions: Diagnosis,
) -> None:
    one = named(misconceptions, "x + x + x")
    assert one == Named(("double__tripled",), "It becomes three times as large. How often is it added?")
    assert named(misconceptions, "x + x + x", failed_only=True) == one
    two = named(misconceptions, "(x * 3).float()")
    assert two is not None
    assert two.name == "double__tripled+rounded"
    assert two.hint.startswith("Two things are wrong:\n1. It becomes three times as large. How often")
    part = named(misconceptions, "(x * 3).unsqueeze(0) if x.dim() == 3 else x * 3")
    assert part is not None
    assert (part.name, part.hint[:22]) == ("double__tripled", "This at least is wrong")
    assert (one.whole, two.whole, part.whole) == (True, True, False)
    crash = named(misconceptions, "y")
    assert crash is not None
    assert crash.name == "double__unknown"
    crashes = named(misconceptions, "y if x.dim() == 2 else 1 / 0")
    assert crashes is not None
    assert crashes.name == "double__divided+unknown"
    assert crashes.hint.startswith("Two things are wrong:\n1. A number is divided by 0.")
    for other in ("x * 3 if x.dim() == 2 else x * 2", "x * 2.5", "x[:1] * 3"):
        assert named(misconceptions, other) is None, other


def test_a_line_that_was_left_out_explains_an_unknown_name_better_than_a_misconception(
    misconceptions: Diagnosis,
) -> None:
    message = "name 'h' is not defined. It should come from `import h`, which was left out: it is not there."
    assert named(misconceptions, f'(_ for _ in ()).throw(NameError("{message}"))') is None


def test_two_things_wrong_are_named_where_only_one_pair_explains_them(misconceptions: Diagnosis) -> None:
    """What no test tells apart counts as one; a form that only one mistake gives is told beside others."""
    (catalogue,) = misconceptions.suite.exercise.catalogue
    text = catalogue.read_text(encoding="utf-8")
    more = """
    Misconception("again", "It is tripled.", "How often?", "return X => return torch.add(X, x)"),
    Misconception("turned", "The sign is lost.", "Which sign?", "return X => return -X"),
    Misconception("less", "One is subtracted.", "Why?", "return X => return X - 1"),
)
"""
    catalogue.write_text(text.rstrip().removesuffix(")") + more.lstrip("\n"), encoding="utf-8")
    diagnosis = Diagnosis(misconceptions.suite)
    for code, name, whole in [
        ("-(x * 3)", "double__tripled+turned", True),  # no test tells "again" from "tripled"
        ("-(x * 2) - 1", "double__turned+less", True),
        ("(x * 2.5).float()", "double__rounded", False),
    ]:
        found = named(diagnosis, code)
        assert found is not None, code
        assert (found.name, found.whole) == (name, whole), code


def test_what_a_test_says_by_itself_is_named_where_no_known_answer_explains_it(
    misconceptions: Diagnosis,
) -> None:
    (catalogue,) = misconceptions.suite.exercise.catalogue
    text = catalogue.read_text(encoding="utf-8")
    more = """
    Misconception("single", "float16 comes out.", "Why?", says="must be float64"),
    Misconception("elsewhere", "No.", "No.", "torch.nowhere(X) => X", says="must be float64"),
    Misconception("larger", "All is too large.", "By how much?", says="15 values are wrong", whole=True),
)
"""
    catalogue.write_text(text.rstrip().removesuffix(")") + more.lstrip("\n"), encoding="utf-8")
    diagnosis = Diagnosis(misconceptions.suite)
    for code, name, whole in [
        ("(x * 2).half() if x.dim() == 3 else x * 2.5", "double__single", False),
        ("x * 2.25 if x.dim() == 2 else x * 2", "double__larger", True),
        ("x * 2.25", None, None),
    ]:
        found = named(diagnosis, code)
        assert (found and found.name, found and found.whole) == (name, whole), code


def test_a_rule_counts_only_where_results_show_what_it_is_about(misconceptions: Diagnosis) -> None:
    (catalogue,) = misconceptions.suite.exercise.catalogue
    text = catalogue.read_text(encoding="utf-8")
    in_place = 'Misconception("in_place", "x is changed.", "Where?", "{}", shows="is changed"),\n)'
    for rule, named_so in [
        ("torch.mul(X, 2) => X.data.mul_(2)", "double__in_place"),
        ("return X => return X + 1", None),
    ]:
        entry = in_place.format(rule)
        catalogue.write_text(f"{text.rstrip().removesuffix(')')}    {entry}\n", encoding="utf-8")
        right, _, wrong = rule.partition(" => ")
        code = wrong.removeprefix("return ").replace("X", "x" if right[0] == "t" else "x * 2")
        found = named(Diagnosis(misconceptions.suite), code)
        assert (found and found.name) == named_so


def test_what_was_computed_is_kept_and_a_broken_file_is_made_anew(
    misconceptions: Diagnosis, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = misconceptions.suite.exercise.folder.parents[1] / "build" / "diagnosis"
    folder.mkdir(parents=True)
    (folder / "01_small-double-0123456789abcdef.table").write_bytes(b"of yesterday")
    (folder / "01_small-row_sums-0123456789abcdef.table").write_bytes(b"of another question")
    first = named(misconceptions, "x + x + x")
    assert len(list(folder.glob("01_small-double-*.table"))) == 1
    assert len(list(folder.glob("*.table"))) == 2
    (kept,) = folder.glob("01_small-double-*.table")
    content = kept.read_bytes()
    with monkeypatch.context() as patch:
        patch.delattr(Suite, "run_one")  # no test is run any more
        assert named(Diagnosis(misconceptions.suite), "x + x + x") == first
    for broken in (b"no such thing", content[:-1], content.replace(b"double__", b"double_-")):
        kept.write_bytes(broken)
        assert named(Diagnosis(misconceptions.suite), "x + x + x") == first
        assert kept.read_bytes() == content


def test_pairs_are_made_for_the_first_answer_that_one_thing_does_not_explain_and_are_kept(
    misconceptions: Diagnosis, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = misconceptions.suite.exercise.folder.parents[1] / FOLDER
    named(misconceptions, "x + x + x")
    assert list(folder.glob("*.pairs-*")) == []
    later = Diagnosis(misconceptions.suite)  # which reads from disk what pairs are made of
    found = named(later, "(x * 3).float()")
    assert found is not None
    assert found.name == "double__tripled+rounded"
    (kept,) = folder.glob("01_small-double.pairs-*")
    with monkeypatch.context() as patch:
        patch.delattr(WrongAnswers, "composed")
        assert named(Diagnosis(misconceptions.suite), "(x * 3).float()") == found
    prune(folder, [misconceptions.suite.exercise])
    assert kept.is_file()


def test_what_no_exercise_reads_any_more_is_deleted(misconceptions: Diagnosis) -> None:
    exercise = misconceptions.suite.exercise
    named(misconceptions, "x * 3")
    folder = exercise.folder.parents[1] / FOLDER
    present = {path.name for path in folder.iterdir()}
    for name in ("01_small-double-0123456789abcdef.table", "01_small-gone.lock", "02_gone.lock", "a.json"):
        (folder / name).write_bytes(b"old")
    prune(folder, [exercise])
    assert {path.name for path in folder.iterdir()} == present
    exercise.suite.write_text(exercise.suite.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    prune(folder, [exercise])
    assert [path.name for path in folder.iterdir()] == ["01_small-double.lock"]
    exercise.source.unlink()
    prune(folder, [Exercise(exercise.folder)])  # nobody knows what it needs
    assert [path.name for path in folder.iterdir()] == ["01_small-double.lock"]


def test_a_copy_uses_the_course_s_tables_and_leaves_them_there(
    misconceptions: Diagnosis, course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = named(misconceptions, "x + x + x")
    tables = {path.name for path in (course.root / FOLDER).glob("*.table")}
    copy = copy_course(course, list(course.exercises.values()), tmp_path / "copy")
    share_tables(course.root, copy.root)
    (exercise,) = copy.exercises.values()
    with monkeypatch.context() as patch:
        patch.delattr(Suite, "run_one")  # no test is run any more
        assert named(Diagnosis(Suite(exercise)), "x + x + x") == first
    exercise.suite.write_text(exercise.suite.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert named(Diagnosis(Suite(exercise)), "x + x + x") == first
    assert len(tables) == 1
    assert tables < {path.name for path in (course.root / FOLDER).glob("*.table")}


def test_one_process_computes_a_table_while_another_waits_for_it(
    misconceptions: Diagnosis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second reads what the first has written; a clock that runs for one submission stands meanwhile."""
    code = "x + x + x"
    first = named(misconceptions, code)
    folder = misconceptions.suite.exercise.folder.parents[1] / "build" / "diagnosis"
    (kept,) = folder.glob("*.table")
    content = kept.read_bytes()
    kept.unlink()
    locked = fcntl.flock

    def lock(file: IO[bytes], operation: int) -> None:
        locked(file, operation)
        kept.write_bytes(content)  # by the process that held the lock

    monkeypatch.setattr(fcntl, "flock", lock)
    monkeypatch.delattr(Suite, "run_one")
    signal.setitimer(signal.ITIMER_PROF, 1000)
    try:
        assert named(Diagnosis(misconceptions.suite), code) == first
        assert 0 < signal.getitimer(signal.ITIMER_PROF)[0] <= 1001
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def test_a_report_is_the_same_where_nothing_can_be_kept(misconceptions: Diagnosis) -> None:
    first = named(misconceptions, "(x * 3).float()")
    build = misconceptions.suite.exercise.folder.parents[1] / "build"
    shutil.rmtree(build)
    build.write_text("no folder", encoding="utf-8")
    assert named(Diagnosis(misconceptions.suite), "(x * 3).float()") == first
