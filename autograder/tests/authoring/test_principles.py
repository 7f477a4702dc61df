"""What wrong answers cost by hidden tests alone, and which of them cost too much or too little."""

import pytest
import torch

from autograder.authoring.almost_nothing import almost_nothing
from autograder.authoring.principles import (
    ALMOST_NOTHING,
    CATALOGUE,
    MISTAKES,
    Cost,
    broken,
    check_error,
    keep,
    measure,
    spread,
    summary,
)
from autograder.authoring.proof import Proof
from autograder.authoring.verify import prove
from autograder.course.course import Course, load_course
from autograder.course.source import Role
from autograder.sandbox.zygote import Zygote
from autograder.testing.suite import Suite
from autograder.tests.classroom import small
from autograder.worker.namespace import run_code

CELLS = ("import torch\nx = torch.rand(2)",)
SAYS = "print('hello')\nassert False, x.tolist()"
CATALOGUE_OF_TWO = """
from autograder.grading.misconceptions import Misconception

MISCONCEPTIONS = [
    Misconception("other_rows", "It is wrong.", "Why?", "X.sum(dim=D) => X.summed(D) || X.sum(dim=0)"),
    Misconception("only_broken", "It is wrong.", "Why?", "X.sum(dim=D) => X.summed(D)"),
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

    def forward(self, x):
        ### BEGIN SOLUTION
        return 2 * self.layer(x)
        ### END SOLUTION


# %% check="Scale" points=1
# Check of Scale
assert Scale()
"""


def proof_of(course: Course, zygote: Zygote) -> Proof:
    (proof,) = prove(course, course.chosen([]), zygote)
    return proof


def rewrite(course: Course, old: str, new: str) -> None:
    source = course.exercises["01_small"].source
    text = source.read_text(encoding="utf-8")
    assert old in text
    source.write_text(text.replace(old, new), encoding="utf-8")


def costs(course: Course) -> dict[tuple[str, str], Cost]:
    exercise = small(course)
    checks = {cell.name: cell.text for cell in exercise.cells if cell.role is Role.CHECK}
    return {(one.question, one.name): one for one in measure(Suite(exercise), checks)}


def test_a_wrong_answer_costs_the_weight_of_the_tests_that_it_fails(course: Course) -> None:
    found, tests = costs(course), Suite(small(course)).of("double")
    in_place = found["double", "in_place"]
    failed = [test.weight for test in tests if test.function in in_place.failed]
    assert in_place.share == sum(failed) / sum(test.weight for test in tests)
    assert {name for (_, name), one in found.items() if one.kind == MISTAKES} == {
        mistake.path.stem.partition("__")[2] for mistake in small(course).mistakes
    }


def test_of_the_ways_to_make_a_misconception_the_first_counts_that_costs_something_and_does_not_break(
    course: Course,
) -> None:
    folder = small(course).folder.parent / "misconceptions"
    folder.mkdir()
    (folder / "sums.py").write_text(CATALOGUE_OF_TWO, encoding="utf-8")
    found = costs(load_course(course.root))
    assert found["row_sums", "other_rows"].share == 1
    assert ("row_sums", "only_broken") not in found


def test_answers_that_do_almost_nothing_are_made_for_each_question(course: Course) -> None:
    found = {key: one for key, one in costs(course).items() if one.kind == ALMOST_NOTHING}
    assert found["row_sums", "does nothing"].share == found["row_sums", "returns x"].share == 1
    assert found["row_sums", "returns zeros"].failed == ("test_adds_along_the_row",)
    assert found["double", "returns a clone of x"].share == 0.75


def test_what_does_almost_nothing_and_keeps_more_than_a_quarter_is_found(course: Course) -> None:
    found = costs(course)
    zeros, clone = found["row_sums", "returns zeros"], found["double", "returns a clone of x"]
    (finding,) = broken(Suite(small(course)), [zeros, clone])
    assert finding == (
        f"{small(course).suite}: an answer to row_sums that returns zeros keeps 50 %; "
        "let these tests ask for more or weigh less: test_one_number_a_row"
    )


def test_a_class_that_makes_its_layers_and_no_more_is_an_answer_that_does_almost_nothing(
    course: Course,
) -> None:
    source = small(course).source
    source.write_text(source.read_text(encoding="utf-8") + A_CLASS, encoding="utf-8")
    codes = almost_nothing(small(course), "Scale")
    assert {"only makes its layers", "forward does nothing", "returns x", "returns zeros"} < codes.keys()
    assert "return self.layer(x)" in codes["returns layer(x)"]
    namespace = run_code(("import torch\nfrom torch import nn", codes["returns ones"]))
    made = namespace.variables["Scale"]()
    assert made(torch.zeros(2, 3)).tolist() == torch.ones(2, 3).tolist()
    assert len(list(made.parameters())) == 2


def test_a_green_answer_that_costs_more_than_a_quarter_is_found_unless_its_author_says_why(
    course: Course, zygote: Zygote
) -> None:
    rewrite(course, "expected = torch.tensor([6.0, 15.0])", "expected = sums")
    rewrite(course, "assert sums.shape == (2,),", "assert sums.dim() == 1,")
    folder = small(course).folder
    (told,) = (note for note in proof_of(course, zygote).notes if "columns" in note)
    assert told.startswith(f"{folder}: columns (mistakes) passes the check of row_sums and costs 100 %; let")
    reason = "- {question: row_sums, green: columns, because: the table is square}\n"
    needless = "- {question: double, green: squares, because: it is not seen}\n"
    (folder / "equivalent.yaml").write_text(reason + needless, encoding="utf-8")
    (told,) = (note for note in proof_of(course, zygote).notes if "take it out" in note)
    assert told == (
        f"{folder / 'equivalent.yaml'}:2: squares fails the check of double or costs less; take it out"
    )


def test_a_check_that_fails_on_another_right_answer_is_found(course: Course, zygote: Zygote) -> None:
    rewrite(
        course, "# Check of double\n", '# Check of double\nassert "mul" in double.__code__.co_names, "oh"\n'
    )
    (finding,) = proof_of(course, zygote).findings
    assert "by_addition.py: is right, but the check of double fails: AssertionError: oh; mend" in finding


def cost(question: str, name: str, share: float) -> Cost:
    return Cost("01_small", question, CATALOGUE, name, share, is_green=False)


FOUND = (
    cost("double", "cheap", 0.02),
    cost("double", "dear", 0.9),
    cost("double", "fair", 0.1),
    cost("row_sums", "cheap", 0.6),
    cost("row_sums", "dear", 0.95),
    Cost("01_small", "row_sums", ALMOST_NOTHING, "returns x", 1.0, is_green=False),
)


def test_the_summary_counts_the_catalogue_s_mistakes_that_cost_what_one_mistake_should() -> None:
    first = (
        "2 of 5 (40 %) of the catalogue's mistakes cost 10 % to 60 % of their question; see build/costs.csv"
    )
    assert [*summary(FOUND)] == [first]
    assert [*summary(FOUND, whole=True)] == [
        first,
        "  double: 1 of 3 (33 %); 1 cost less, 1 more",
        "  row_sums: 1 of 2 (50 %); 0 cost less, 1 more",
    ]
    assert not [*summary(())]


def test_misconceptions_that_cost_other_shares_in_other_questions_are_told_the_farthest_first() -> None:
    first, second = spread(FOUND)
    assert first == ("cheap costs 2 % in double and 60 % in row_sums, 60 % in the middle of 2 questions")
    assert second.startswith("dear costs 90 % in double and 95 % in row_sums")


def test_the_table_keeps_what_was_measured_of_other_exercises(course: Course) -> None:
    other = Cost("02_other", "double", MISTAKES, "squares", 0.26, is_green=True, failed=("one", "two"))
    keep(course.root, [other, *FOUND], ("01_small", "02_other"))
    keep(course.root, FOUND[:1], ("01_small", "02_other"))
    assert (course.root / "build" / "costs.csv").read_text(encoding="utf-8").splitlines() == [
        "exercise,question,kind,mistake,percent,green,failed",
        "01_small,double,catalogue,cheap,2,,",
        "02_other,double,mistakes,squares,26,green,one two",
    ]


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
    assert isinstance(check_error(check, lambda: run_code(CELLS)), error)


def test_a_check_is_run_quietly_and_with_the_same_numbers_each_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = [str(check_error(SAYS, lambda: run_code(CELLS))) for _ in range(2)]
    assert said[0] == said[1]
    assert capsys.readouterr().out == ""
