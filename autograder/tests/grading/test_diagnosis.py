"""What is wrong in a submission is named by its repair, by an author's wrong answer, or by words of tests."""

from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course.answers import Answer
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.settings import Limits, Repairs, RepairsShown
from autograder.diagnosis.known import known_mistakes
from autograder.grading.diagnosis import Diagnosis, Explanation
from autograder.grading.explanation import RunSubmission
from autograder.grading.looking import look
from autograder.grading.session import Session
from autograder.report.report import AnswerLine
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import NotebookCell
from autograder.testing.exchange import Local
from autograder.testing.inputs import DISCLOSED, Inputs
from autograder.testing.suite import Run, Suite
from autograder.worker.namespace import run_code

CATALOGUE = """
from autograder.diagnosis import Misconception, Place

WRITINGS = "X * Y => torch.mul(X, Y)\\nX + X => torch.mul(X, 2)"
MISCONCEPTIONS = (
    Misconception(
        "tripled",
        "It becomes three times as large.",
        "How often is it added?",
        "torch.mul(X, 2) => torch.mul(X, 3)",
    ),
    Misconception(
        "single", "The dtype changes.", "Why?", says=r"must be float64, but (?P<quoted>it is \\w+)"
    ),
    Misconception("unknown", "A name is not defined.", "Restart the kernel.", crash="NameError: "),
)
PLACES = (
    Place("factor", "The factor is wrong.", "Which one is asked for?", "torch.mul(X, P)"),
    Place("dtype", "The dtype is wrong.", "Which one is asked for?", "X.half()"),
)
"""


@pytest.fixture
def exercise(course: Course) -> Exercise:
    """Return an exercise with a catalogue."""
    exercise = course.exercises["01_small"]
    catalogue = exercise.folder.parent / "misconceptions" / "numbers.py"
    catalogue.parent.mkdir()
    catalogue.write_text(CATALOGUE, encoding="utf-8")
    return exercise


def cells(exercise: Exercise, text: str) -> list[NotebookCell]:
    texts = exercise.variant(text)
    return [NotebookCell(number, "code", one, "") for number, one in enumerate(texts)]


def named(exercise: Exercise, zygote: Zygote, text: str, shown: RepairsShown) -> Explanation | None:
    return named_by(Diagnosis(Suite(exercise), Repairs(shown)), zygote, text)


def named_by(diagnosis: Diagnosis, zygote: Zygote, text: str) -> Explanation | None:
    suite, exercise = diagnosis.suite, diagnosis.suite.exercise
    runs = list(suite.run(Local(run_code(exercise.variant(text))), chosen=suite.of("double")))
    own = cells(exercise, text)
    return diagnosis.explain("double", runs, RunSubmission(exercise, own, Session(zygote, own, Limits())))


TWO_THINGS = (
    "All tests pass after these two changes:\n"
    "1. The dtype is wrong: in line 2, at `x.half()`\n2. another number: in line 2, at `5`"
)
LINES_SHOWN = (RepairsShown.PLACE, RepairsShown.SHOWN)
CHANGE = "ll tests pass after one change in line 2, at"
TRIPLED = f"It becomes three times as large. How often is it added? A{CHANGE} `3`."
SINGLE = "The dtype changes: it is float16. Why?"
FACTOR_ALONE = "The factor is wrong. Which one is asked for?"
FACTOR = f"The factor is wrong: a{CHANGE} `5`. Which one is asked for?"


@pytest.mark.parametrize(
    ("body", "shown", "name", "says"),
    [
        ("y = x * 3\n    return y", RepairsShown.PLACE, "double__tripled", TRIPLED),
        ("return x * 5", RepairsShown.PLACE, "double__factor", FACTOR),
        ("return x * 5", RepairsShown.SHOWN, "double__factor", f"{FACTOR} Write `2` there."),
        ("return x - x", RepairsShown.PLACE, "", f"A{CHANGE} `x - x`: another operator."),
        ("return x * 5", RepairsShown.OFF, None, ""),
        ("return nowhere(elsewhere(x))", RepairsShown.OFF, "double__unknown", ""),
        # what some of the failed tests say is said as it is, with what the entry quotes of it
        ("return (x * 2).half()", RepairsShown.OFF, "double__single", SINGLE),
        ("y = x * 3\n    return y", RepairsShown.NAMED, "double__tripled", TRIPLED.partition(" A")[0]),
        ("return x * 5", RepairsShown.NAMED, "double__factor", FACTOR_ALONE),
        ("return x - x", RepairsShown.NAMED, None, ""),
        # only one of the two edits has a name
        ("return x.half() * 5", RepairsShown.NAMED, "double__single", SINGLE),
        ("return x + x", RepairsShown.PLACE, None, ""),
        ("return x.half() * 5", RepairsShown.PLACE, "double__dtype", TWO_THINGS),
    ],
)
def test_a_repair_or_the_words_of_errors_and_tests_name_what_is_wrong(
    exercise: Exercise, zygote: Zygote, body: str, shown: RepairsShown, name: str | None, says: str
) -> None:
    found = named(exercise, zygote, f"def double(x):\n    {body}", shown)
    assert (found and found.name) == name
    if found:
        assert found.hint.endswith(says)
        assert "at least" not in found.hint
        assert found.place == (AnswerLine("double", 2) if shown in LINES_SHOWN else None)


def test_an_answer_that_behaves_as_an_author_s_mistake_gets_its_hint_and_its_place(
    exercise: Exercise, zygote: Zygote
) -> None:
    (mistake,) = (one for one in known_mistakes(exercise) if one.name == "double__squares")
    place = "All tests pass after one change in line 2, at `x**2`."
    found = named(exercise, zygote, mistake.code, RepairsShown.PLACE)
    assert found == Explanation(mistake.name, f"{mistake.hint} {place}", AnswerLine("double", 2))


@pytest.mark.parametrize(
    ("shown", "instead", "is_named"),
    [
        (RepairsShown.OFF, "x**2  # the same code", True),
        (RepairsShown.OFF, "x * x", False),  # equal results, and nothing shows that the cause is equal
        (RepairsShown.PLACE, "x * x", True),  # the same sort of edit repairs it
        (RepairsShown.PLACE, "torch.sin(1.37 * x) ** 3", False),  # other results
    ],
)
def test_a_known_mistake_names_an_answer_of_the_same_cause_with_equal_results(
    exercise: Exercise, zygote: Zygote, shown: RepairsShown, instead: str, is_named: bool
) -> None:
    (mistake,) = (one for one in known_mistakes(exercise) if one.name == "double__squares")
    found = named(exercise, zygote, mistake.code.replace("x**2", instead), shown)
    assert (found is not None and found.name == mistake.name) is is_named


def test_results_that_are_equal_on_one_set_of_inputs_only_name_nothing(
    exercise: Exercise, zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    (mistake,) = (one for one in known_mistakes(exercise) if one.name == "double__squares")
    diagnosis = Diagnosis(Suite(exercise), Repairs(RepairsShown.OFF))
    known, cubed = diagnosis.runs, replace(mistake, code=mistake.code.replace("x**2", "x**3"))

    def runs(one: Answer, inputs: Inputs = DISCLOSED) -> tuple[Run, ...]:
        return known(one if inputs == DISCLOSED else cubed, inputs)

    monkeypatch.setattr(diagnosis, "runs", runs)
    assert named_by(diagnosis, zygote, mistake.code) is None


class Unneeded(Diagnosis):
    """A diagnosis that must not search."""

    def _explain_new(self, *_: object) -> Explanation | None:
        raise AssertionError("an equal answer was explained before")


def test_equal_trees_are_explained_once_in_all_processes_each_with_lines_of_its_own(
    exercise: Exercise, zygote: Zygote, tmp_path: Path
) -> None:
    first, other = Diagnosis(Suite(exercise)), Unneeded(Suite(exercise))
    first.shared = other.shared = tmp_path
    here = named_by(first, zygote, "def double(x):\n    return x * 3")
    there = named_by(
        other, zygote, "def double(x):\n    # twice\n\n    return (x *\n        (3))  # see above"
    )
    assert here == Explanation("double__tripled", TRIPLED, AnswerLine("double", 2))
    assert there == Explanation(
        "double__tripled", TRIPLED.replace("line 2", "line 5"), AnswerLine("double", 5)
    )
    with pytest.raises(AssertionError, match="was explained before"):
        named_by(other, zygote, "def double(x):\n    return x * 5")


def test_definitions_of_other_questions_and_what_computes_are_not_edited(exercise: Exercise) -> None:
    text = "LARGE = 2\nbig = sum([1])\ndef by(x):\n    return x * LARGE\ndef double(x):\n    return by(x)"
    looked = look("double", cells(exercise, text), exercise)
    assert looked is not None
    assert "big" not in looked.code.text
    assert "LARGE = 2" in looked.code.text
    assert looked.main == text
