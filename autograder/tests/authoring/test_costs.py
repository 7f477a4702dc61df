"""What wrong answers cost by hidden tests alone, and which of them cost too much or too little."""

import pytest
import torch

from autograder.authoring.costs import Cost, Costs, check_error, measure, trivial_answers, wrong_answers
from autograder.authoring.trials import OutOfTimeError, Trial
from autograder.course.answers import MISTAKES, Answer
from autograder.course.course import Course, load_course
from autograder.course.source import Role
from autograder.diagnosis.known import known_mistakes
from autograder.diagnosis.misconceptions import load_catalogue
from autograder.diagnosis.wrong import Answers
from autograder.testing.suite import Run, Suite
from autograder.tests.classroom import small, write_answer
from autograder.worker.namespace import run_code

CELLS = ("import torch\nx = torch.rand(2)",)
CATALOGUE = """
from autograder.diagnosis.known import known_mistakes
from autograder.diagnosis.misconceptions import Misconception

MISCONCEPTIONS = [
    Misconception("other_rows", "It is wrong.", "Why?", "X.sum(dim=D) => X.summed(D) || X.sum(dim=0)"),
    Misconception("only_broken", "It is wrong.", "Why?", "X.sum(dim=D) => X.summed(D)"),
    Misconception("detour", "It goes round.", "Why?", "X.sum(dim=D) => X.double().sum(dim=D).float()"),
]
"""
A_CLASS = """

# %% solution="Scale"
class Scale(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.layer = torch.nn.Linear(3, 3)
        ### END SOLUTION

    def reset(self):
        ### BEGIN SOLUTION
        self.layer.reset_parameters()
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        return 2 * self.layer(x)
        ### END SOLUTION


# %% check="Scale" points=1
# Check of Scale
assert Scale()
"""


def suite_and_checks(course: Course) -> tuple[Suite, dict[str, str]]:
    exercise = small(load_course(course.root))
    return Suite(exercise), {cell.name: cell.text for cell in exercise.cells if cell.role is Role.CHECK}


def failed(suite: Suite) -> dict[Answer, list[Run]]:
    """Return what each mistake fails, as `verify` finds it before it measures costs."""
    variant, mistakes = suite.exercise.variant, known_mistakes(suite.exercise)
    return {one: [*Trial(suite, one.question).failing(variant(one.code))] for one in mistakes}


def measured(course: Course, sets: int = 1, share: float = 0.5) -> Costs:
    suite, checks = suite_and_checks(course)
    return measure(suite, checks, sets, share, failed(suite))


def costs(course: Course) -> dict[tuple[str, str], Cost]:
    suite, checks = suite_and_checks(course)
    catalogue = load_catalogue(suite.exercise.catalogue)
    made = {name: Answers(suite.exercise, catalogue, name) for name in suite.exercise.points}
    return {(one.question, one.mistake): one for one in wrong_answers(suite, checks, 1, made, failed(suite))}


def rewrite(course: Course, old: str, new: str) -> None:
    source = small(course).source
    text = source.read_text(encoding="utf-8")
    assert old in text
    source.write_text(text.replace(old, new), encoding="utf-8")


def declare(course: Course, question: str, text: str) -> str:
    """Declare an exception, and return its place."""
    place = write_answer(small(course), f'exception="{question}"', f'"""There is a reason."""\n{text}')
    path, _, line = place.rpartition(":")
    return f"{path}:{int(line) + 2}"


def list_misconceptions(course: Course) -> None:
    folder = small(course).folder.parent / "misconceptions"
    folder.mkdir()
    (folder / "sums.py").write_text(CATALOGUE, encoding="utf-8")


def test_wrong_results_cost_half_and_each_other_test_its_part_of_the_other_half(course: Course) -> None:
    found = costs(course)
    in_place = found["double", "in_place"]
    assert (in_place.kept, in_place.fails) == (0.75, ("test_leaves_its_input_alone",))
    assert in_place.place.endswith("mistakes.py:1")
    assert (in_place.group, found["double", "squares"].group) == ("corner", "results wrong")
    assert found["double", "squares"].kept == 0.25


def test_of_the_ways_to_make_a_misconception_the_first_counts_that_fails_a_test_and_does_not_just_break(
    course: Course,
) -> None:
    list_misconceptions(course)
    found = costs(course)
    other_rows = found["row_sums", "other_rows"]  # its check fails, so the first failed test is enough
    assert (other_rows.kept, len(other_rows.fails), other_rows.is_green) == (0, 1, False)
    said = 'the misconception "other_rows" (with "return x.sum(dim=0)") gets 0 % of the points'
    assert said in str(other_rows)
    assert found["row_sums", "detour"].kept == 1
    assert ("row_sums", "only_broken") not in found
    assert str(measured(course)) == "the tests catch 1 of 2 misconceptions"
    assert measured(course).harmless == ("row_sums__detour",)


def test_a_misconception_that_no_test_sees_is_found_until_its_author_declares_it(course: Course) -> None:
    list_misconceptions(course)
    assert measured(course, share=0.5).findings == ()
    (finding,) = measured(course, share=0.6).findings
    assert finding == (
        f"{small(course).suite}: a right answer to row_sums, changed by the misconception detour, passes "
        "all tests; add a test, or declare an exception in mistakes.py"
    )
    declare(course, "row_sums", 'misconceptions = ["detour"]')
    assert measured(course, share=1).findings == ()
    place = declare(course, "row_sums", 'misconceptions = ["other_rows"]')
    (needless,) = measured(course, share=0.5).findings
    problem = "a test catches other_rows, or its rules change no right answer"
    assert needless == f"{place}: {problem}; delete this exception, which is not needed"


def test_a_green_answer_that_costs_more_than_a_quarter_is_found_unless_its_author_says_why(
    course: Course,
) -> None:
    assert measured(course).findings == ()
    rewrite(course, "expected = torch.tensor([6.0, 15.0])", "expected = sums")
    rewrite(course, "assert sums.shape == (2,),", "assert sums.dim() == 1,")
    columns = f"{small(course).folder / MISTAKES}:17"
    declaration = '`shares = ["columns"]`, with the reason, below `# %% exception="row_sums"`'
    fix = f"make the check fail on this answer, or write {declaration} in mistakes.py"
    fails = "fails test_one_number_a_row, test_adds_along_the_row, but passes the visible check"
    assert (
        f'{columns}: row_sums: the mistake "columns" gets 0 % of the points and {fails}; {fix}'
        in measured(course).findings
    )
    declare(course, "row_sums", 'shares = ["columns"]')
    place = declare(course, "double", 'shares = ["squares"]')
    told = [finding for finding in measured(course).findings if "columns" in finding or "squares" in finding]
    problem = "its share of the points is allowed, or no wrong answer to double has this name"
    assert told == [f'{place}: "squares" needs no exception: {problem}; delete the exception']


def test_a_test_that_sees_a_mistake_with_some_inputs_only_is_found(course: Course) -> None:
    code = '"""Look at the signs."""\n\n\ndef double(x):\n    return x * (3 if x.flatten()[0] > 0 else 2)\n'
    place = write_answer(small(course), 'mistake="double" name="sometimes"', code)
    assert measured(course).findings == ()
    (finding, *_) = measured(course, sets=16).findings
    assert finding.startswith(f'{place}: fails "Every element becomes twice as large." (test_doubles_every_')
    assert finding.endswith(
        " of 16 sets of inputs; change the test so that its result is the same with every set of inputs"
    )


def test_trivial_answers_are_made_for_each_question(course: Course) -> None:
    found = {key: one for key, one in costs(course).items() if one.kind == "trivial"}
    assert found["row_sums", "returns a copy of x"].kept <= 0.25
    zeros = found["row_sums", "returns zeros"]  # its shape is right, which counts once the results are
    assert (zeros.fails, zeros.kept) == (("test_adds_along_the_row",), 0)
    assert found["double", "returns a copy of x"].kept == 0.25


def test_a_trivial_answer_that_keeps_more_than_a_quarter_is_a_finding(course: Course) -> None:
    suite = small(course).suite
    text = suite.read_text(encoding="utf-8")
    suite.write_text(text.replace('"row_sums", needs_results=True', '"row_sums"'), encoding="utf-8")
    found = measured(course).findings
    told = "it passes test_one_number_a_row; make these tests stricter, or mark them with needs_results=True"
    assert f"{suite}: row_sums: an answer that returns zeros gets 50 % of the points, because {told}" in found
    assert all("row_sums" in finding for finding in found)


def test_a_corner_that_costs_more_than_a_quarter_or_next_to_nothing_is_found(course: Course) -> None:
    suite = small(course).suite
    text = suite.read_text(encoding="utf-8")
    for weight, kept in ((9, "55"), (0.02, "99")):
        mark = f'@question("double", weight={weight})\ndef test_leaves_its_input_alone'
        changed = text.replace('@question("double")\ndef test_leaves_its_input_alone', mark)
        suite.write_text(changed, encoding="utf-8")
        (finding,) = (one for one in measured(course).findings if "in_place" in one)
        assert f'double: the mistake "in_place" gets {kept} % of the points' in finding


def test_shares_are_counted_by_class_and_the_furthest_from_the_rules_are_listed(course: Course) -> None:
    results, corner, trivial = measured(course).shares()
    assert results.startswith("results wrong")
    assert (
        " ".join(corner.split())
        == "corner 1 answers; how many get 0 %, up to 10 %, ... 100 % of the points: 0 0 0 0 0 0 0 0 1 0 0"
    )
    assert trivial.startswith("trivial")


def test_a_class_gives_trivial_answers_by_its_forward(
    course: Course,
) -> None:
    source = small(course).source
    source.write_text(source.read_text(encoding="utf-8") + A_CLASS, encoding="utf-8")
    codes = dict(trivial_answers(small(course), "Scale"))
    assert codes.keys() == {
        "forward returns zeros",
        "forward returns a copy of x",
        "forward returns the mean of x",
        "forward returns layer of x",
    }
    assert "self.layer(x)" in codes["forward returns layer of x"]
    made = run_code(("import torch", codes["forward returns zeros"])).variables["Scale"]()
    assert made(torch.ones(2, 3)).tolist() == torch.zeros(2, 3).tolist()
    assert len(list(made.parameters())) == 2


PRINTING = """

# %% solution="tell"
def tell(x):
    ### BEGIN SOLUTION
    print(x)
    return x
    ### END SOLUTION


# %% check="tell" points=1
tell(torch.ones(1))
"""


def test_a_trivial_answer_prints_nothing_though_it_calls_the_right_answer(
    course: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    source = small(course).source
    source.write_text(source.read_text(encoding="utf-8") + PRINTING, encoding="utf-8")
    code = dict(trivial_answers(small(course), "tell"))["returns zeros"]
    assert run_code(("import torch", code)).variables["tell"](torch.ones(2)).tolist() == [0, 0]
    assert capsys.readouterr().out == ""


def test_a_layer_alone_is_not_trivial_where_that_is_what_is_asked_for(course: Course) -> None:
    source = small(course).source
    asked = A_CLASS.replace("return 2 * self.layer(x)", "return self.layer(x)")
    source.write_text(source.read_text(encoding="utf-8") + asked, encoding="utf-8")
    assert "forward returns layer of x" not in dict(trivial_answers(small(course), "Scale"))


@pytest.mark.parametrize(
    ("check", "error"),
    [
        ("assert x.sum() > 0", type(None)),
        ("assert x.sum() < 0", AssertionError),
        ("y.sum()", NameError),
        ("raise SystemExit", SystemExit),
    ],
)
def test_a_check_fails_by_whatever_it_raises(check: str, error: type) -> None:
    assert isinstance(check_error(check, CELLS), error)


def test_a_check_that_never_ends_fails_after_its_limit() -> None:
    assert isinstance(check_error("while True:\n    pass", CELLS, 0.05), OutOfTimeError)


def test_a_pause_of_the_machine_ends_no_check() -> None:
    pause = "import signal\nsignal.raise_signal(signal.SIGVTALRM)"
    assert check_error(pause, CELLS) is None
