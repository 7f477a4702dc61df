"""Tests of the course's content: documented facts, banks, stubs, figures and pictures."""

import ast
import base64
import math
import re
import runpy
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
import yaml

from autograder.course.course import load_course
from autograder.course.source import Role
from autograder.diagnosis.known import known_mistakes
from autograder.diagnosis.misconceptions import load_catalogue
from autograder.grading.diagnosis import Diagnosis
from autograder.testing import Local, Suite
from autograder.worker.namespace import run_code

SOLUTIONS = Path(__file__).parent
COURSE = load_course(SOLUTIONS.parent)
EXERCISES = COURSE.exercises
QUESTIONS = [
    (name, question)
    for name, exercise in EXERCISES.items()
    for question in exercise.points
]
MISTAKES = [
    (name, mistake)
    for name, exercise in EXERCISES.items()
    for mistake in known_mistakes(exercise)
]
DRAWN = runpy.run_path(str(SOLUTIONS / "figures.py"))
SENTENCE = re.compile(r"\S+( \S+){4,}[.?!]")
SHAPE = re.compile(r"\((\w+,|[\w.+*/ -]+(, *[\w.+*/ -]+)+,?)\)|\b0-d\b")


@dataclass(frozen=True)
class Fact:
    """A documented value, in one of the checks that must hold it."""

    id: str
    exercise: str
    question: str
    value: Any


def facts() -> Iterator[Fact]:
    """Every fact with every question that teaches it; the shapes of one case are facts of their own."""
    for case in documented():
        for place in case["exercise"].split(","):
            exercise, question = place.strip().split("/")
            for key in ("value", "shape", "weights_shape"):
                if key in case:
                    yield Fact(case["id"], exercise, question, case[key])


@cache
def documented() -> tuple[dict[str, Any], ...]:
    text = (SOLUTIONS / "documented_tensors.yaml").read_text(encoding="utf-8")
    return tuple(yaml.safe_load(text)["cases"])


FACTS = [
    pytest.param(fact, id=f"{fact.id}-{fact.exercise}-{fact.question}")
    for fact in facts()
]


def check_of(name: str, question: str) -> str:
    """The text of a question's visible check."""
    cells = [
        c for c in EXERCISES[name].cells if c.role is Role.CHECK and c.name == question
    ]
    assert cells, f"{name}: there is no question {question} with a check"
    return cells[0].text


def literal(node: ast.expr, names: dict[str, ast.expr]) -> Any:
    """Return the number or nested list that `node` spells out, or raise ValueError."""
    match node:
        case ast.Constant(value=bool() | int() | float()):
            return node.value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -literal(operand, names)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [literal(item, names) for item in items]
        case ast.Attribute(value=ast.Name(id="torch" | "math"), attr="inf"):
            return math.inf
        case ast.Call(
            func=ast.Name(id="float"), args=[ast.Constant(value=str(number))]
        ):
            return float(number)
        case ast.Name(id=name) if name in names:
            return literal(names[name], {})
    raise ValueError


def literals(tree: ast.Module) -> Iterator[tuple[ast.expr, Any]]:
    """Yield what `tree` spells out, each with its node; a name such as `inf` may stand inside a list."""
    names = {
        statement.targets[0].id: statement.value
        for statement in ast.walk(tree)
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.UnaryOp | ast.List | ast.Tuple):
            try:
                yield node, literal(node, names)
            except ValueError:
                continue


def same(one: Any, other: Any) -> bool:
    """Whether two nested lists have the same shape and the same numbers."""
    if isinstance(one, list) or isinstance(other, list):
        return (
            isinstance(one, list)
            and isinstance(other, list)
            and len(one) == len(other)
            and all(same(a, b) for a, b in zip(one, other, strict=True))
        )
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    return one == other or abs(one - other) < 1e-6


def spoil(node: ast.expr) -> None:
    """Change the last number in `node` so far that no tolerance hides it."""
    numbers = [
        n
        for n in ast.walk(node)
        if isinstance(n, ast.Constant) and isinstance(n.value, bool | int | float)
    ]
    last = numbers[-1]
    last.value = (
        not last.value
        if isinstance(last.value, bool)
        else last.value + (1 if last.value == int(last.value) else 0.01)
    )


def run_check(name: str, check: ast.Module, answered: str | None = None) -> None:
    """Run a check after the reference, or after the release with the question `answered` alone."""
    cells = tuple(
        cell.text
        if cell.role is Role.CODE or answered in (None, cell.name)
        else cell.released()
        for cell in EXERCISES[name].cells
        if cell.role in (Role.CODE, Role.SOLUTION)
    )
    exec(compile(check, f"check in {name}", "exec"), run_code(cells).variables)


def test_all_41_documented_facts_are_here() -> None:
    ids = [case["id"] for case in documented()]
    assert len(ids) == len(set(ids)) == 41


@pytest.mark.parametrize("fact", FACTS)
def test_a_check_holds_the_documented_fact_and_the_reference_reproduces_it(
    fact: Fact,
) -> None:
    """The value stands in the check, the reference passes it, and with another value it would not."""
    place = f"{fact.id}: the check of {fact.question} in {fact.exercise}"
    tree = ast.parse(check_of(fact.exercise, fact.question))
    found = [node for node, value in literals(tree) if same(value, fact.value)]
    assert found, f"{place} does not hold {fact.value} as a literal"
    run_check(fact.exercise, tree)
    for node in found:
        spoil(node)
    with pytest.raises(AssertionError):
        run_check(fact.exercise, tree)
        pytest.fail(
            f"{place} holds the value but does not compare with it", pytrace=False
        )


@pytest.mark.parametrize(("name", "question"), QUESTIONS)
def test_a_check_needs_only_its_own_question(name: str, question: str) -> None:
    """A check passes when every other question is still a stub."""
    run_check(name, ast.parse(check_of(name, question)), answered=question)


@pytest.mark.parametrize("name", EXERCISES)
def test_checks_run_in_a_function_and_leave_no_variables_behind(name: str) -> None:
    """An answer that reads a check's variables by accident would be right only until it is graded."""
    for question in EXERCISES[name].points:
        tree = ast.parse(check_of(name, question))
        assert not any(isinstance(node, ast.Global) for node in ast.walk(tree))
        if isinstance(tree.body[0], ast.FunctionDef) and tree.body[0].decorator_list:
            (function,) = tree.body
            assert ast.unparse(function).startswith(
                f"@check('{question}')\ndef check_{question}():\n"
            )
            assert ast.get_docstring(function), question
            continue
        checks = [f"check_{question}"]
        assert [ast.unparse(node).partition(":")[0] for node in tree.body] == [
            text for check in checks for text in (f"def {check}()", f"{check}()")
        ]


@pytest.mark.parametrize("name", EXERCISES)
def test_no_check_holds_the_librarys_attention_or_ends_without_saying_what_is_wrong(
    name: str,
) -> None:
    """Pasted from the check into the stub it would score, and nothing would have been learnt."""
    for question in EXERCISES[name].points:
        nodes = list(ast.walk(ast.parse(check_of(name, question))))
        used = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        assert used.isdisjoint(
            {"scaled_dot_product_attention", "multi_head_attention_forward"}
        ), question
        silent = [
            ast.unparse(node)
            for node in nodes
            if isinstance(node, ast.Assert) and node.msg is None
        ]
        assert silent == [], question


@pytest.mark.parametrize("name", EXERCISES)
def test_an_exercise_banks_right_answers_and_mistakes(name: str) -> None:
    exercise = EXERCISES[name]
    assert len(exercise.accepted) >= (3 if name.startswith(("01", "02")) else 4)
    assert len(known_mistakes(exercise)) >= 5  # beside those that the catalogue makes


def test_the_course_banks_a_hundred_mistakes() -> None:
    assert len(MISTAKES) >= 100


@pytest.mark.parametrize(
    ("name", "mistake"), [pytest.param(n, m, id=f"{n}-{m.name}") for n, m in MISTAKES]
)
def test_a_mistake_hints_in_whole_sentences(name: str, mistake: Any) -> None:
    assert SENTENCE.fullmatch(mistake.hint), (
        f"{mistake.place}: the hint is not a whole sentence: {mistake.hint}"
    )


@pytest.mark.parametrize(
    ("seen", "named"),
    [("nothing", "no_error"), ("IndexError", "other_error")],
)
def test_another_error_is_named_only_where_there_is_one(seen: str, named: str) -> None:
    catalogue = load_catalogue(EXERCISES["01_dot_products"].catalogue)
    words = f"ValueError was expected, but {seen} was raised. The lengths are (5, 3)."
    said = [
        m.name for m in catalogue.misconceptions if m.says and re.search(m.says, words)
    ]
    assert said == [named]


@pytest.mark.parametrize(
    ("file", "misconception"),
    [
        ("05_self_attention/test_hidden.py", "paired_by_order"),
        ("06_causal_attention/test_hidden.py", "hidden_tokens_have_weight"),
        ("06_causal_attention/test_hidden.py", "dropped_numbers"),
        ("09_tiny_gpt/test_hidden.py", "last_norm_otherwise"),
        ("shared_tests.py", "seed_in_constructor"),
        ("shared_tests.py", "frozen"),
    ],
)
def test_a_misconception_recognises_the_message_of_a_test(
    file: str, misconception: str
) -> None:
    """The pattern `says` changes with the message."""
    catalogue = load_catalogue(EXERCISES["01_dot_products"].catalogue)
    says = next(m.says for m in catalogue.misconceptions if m.name == misconception)
    strings = [
        node.value
        for node in ast.walk(ast.parse((SOLUTIONS / file).read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert any(re.search(says, string) for string in strings)


@pytest.mark.parametrize(("name", "question"), QUESTIONS)
def test_a_stub_tells_the_shapes(name: str, question: str) -> None:
    """The docstrings that students get name shapes such as (B, T, C)."""
    cell = next(
        c
        for c in EXERCISES[name].cells
        if c.role is Role.SOLUTION and c.name == question
    )
    kinds = ast.FunctionDef | ast.ClassDef
    nodes = [
        node for node in ast.walk(ast.parse(cell.released())) if isinstance(node, kinds)
    ]
    text = " ".join(ast.get_docstring(node) or "" for node in nodes)
    assert SHAPE.search(text), f"{name}: the docstring of {question} names no shape"


@pytest.mark.parametrize("name", EXERCISES)
def test_each_notebook_links_to_the_table_of_notation(name: str) -> None:
    texts = [cell.text for cell in EXERCISES[name].cells if cell.role is Role.TEXT]
    links = {link for text in texts for link in re.findall(r"\]\((\w+\.md)\)", text)}
    assert links == {"notation.md"}
    assert (SOLUTIONS / "notation.md").is_file()


@pytest.mark.parametrize("name", EXERCISES)
def test_each_notebook_shows_its_figure_as_it_is_drawn_now(name: str) -> None:
    """`python -m solutions.figures` draws them, a few kilobytes each, and words tell what they show.

    Notebooks show the PNG, since Colab shows no SVG from within a notebook.
    """
    drawing = SOLUTIONS / name / "flow.svg"
    assert drawing.read_text(encoding="utf-8") == DRAWN["FIGURES"][name]().svg()
    figure = drawing.with_suffix(".png").read_bytes()
    assert DRAWN["source_of"](drawing.with_suffix(".png")) == DRAWN["digest_of"](
        drawing
    )
    assert len(figure) < 40_000
    assert b"tRNS" not in figure  # dark letters need their light page in a dark theme
    texts = "".join(
        cell.text for cell in EXERCISES[name].cells if cell.role is Role.TEXT
    )
    shown = re.findall(
        r'<img alt="([^"]+)" width="700" src="data:image/png;base64,([^"]+)">', texts
    )
    assert [base64.b64decode(data) for _, data in shown] == [figure]
    assert len(shown[0][0].split()) > 30


@pytest.mark.parametrize("name", EXERCISES)
def test_each_question_says_how_long_and_how_hard_it_is_and_links_to_its_source(
    name: str,
) -> None:
    """All questions together take no longer than the notebook says at its beginning."""
    cells = EXERCISES[name].cells
    asked = [cell for cell in cells if cell.role in (Role.SOLUTION, Role.MANUAL)]
    texts = "\n\n".join(cell.text for cell in cells if cell.role is Role.TEXT)
    parts = re.split(r"^### Question (\d+): .*$", texts, flags=re.MULTILINE)
    numbers, prompts = parts[1::2], parts[2::2]
    assert numbers == [str(number) for number in range(1, len(asked) + 1)]
    minutes = 0
    for cell, prompt in zip(asked, prompts, strict=True):
        line = " ".join(prompt.strip().partition("\n\n")[0].split())
        effort = re.fullmatch(
            r"About (\d+) minutes, (?:easy|medium|hard)\.(?: Source: (.+)\.)?", line
        )
        assert effort, f"{cell.name}: {line}"
        minutes += int(effort[1])
        linked = re.findall(r"\]\(https://\S+\)", effort[2] or "")
        assert bool(linked) == ("Source: " in cell.text), f"{cell.name}: {line}"
    plan = re.search(
        r"Plan for (?:about an |60 to |75 to )?(hour|\d+)", " ".join(texts.split())
    )
    assert plan
    assert minutes <= (60 if plan[1] == "hour" else int(plan[1]))


@pytest.mark.parametrize("name", EXERCISES)
def test_the_untouched_release_defines_every_question(name: str) -> None:
    exercise = EXERCISES[name]
    cells = tuple(
        cell.released() if cell.role is Role.SOLUTION else cell.text
        for cell in exercise.cells
        if cell.role in (Role.CODE, Role.SOLUTION)
    )
    assert set(exercise.points) <= set(run_code(cells).variables)


# What the customary examples cannot see: a mistake that shows it, the hidden test that sees it, and whether
# that test alone does.
BLIND_SPOTS = {
    "a head of width 1 is the same with every scale": (
        "08_multi_head_attention",
        "MultiHeadAttention__not_scaled",
        "test_heads_values",
        False,
    ),
    "and so is the model's width in the place of the head's": (
        "08_multi_head_attention",
        "MultiHeadAttention__scaled_by_all_heads",
        "test_heads_values",
        False,
    ),
    "the lesson's own size is the right scale by chance": (
        "05_self_attention",
        "SelfAttention__scaled_by_a_fixed_number",
        "test_values",
        False,
    ),
    "another order of layers is right, but for the seeded numbers": (
        "05_self_attention",
        "SelfAttention__other_order",
        "test_seeded_start",
        True,
    ),
    "and so in causal attention": (
        "06_causal_attention",
        "CausalAttention__other_order",
        "test_seeded_start",
        True,
    ),
    "two equal sequences cannot be mixed": (
        "02_simple_self_attention",
        "simple_self_attention__mixes_sentences",
        "test_attention_of_batches",
        False,
    ),
    "nor can their averages": (
        "03_causal_averaging",
        "causal_average__mixes_the_batch",
        "test_each_row_is_averaged_with_all_before_it",
        False,
    ),
    "in two dimensions, dimension 1 is the last": (
        "06_causal_attention",
        "masked_attention_weights__softmax_over_dim_1",
        "test_weights_values",
        False,
    ),
    "symmetric scores have the same rows and columns": (
        "02_simple_self_attention",
        "attention_weights__softmax_over_queries",
        "test_weights_of_one_sentence",
        False,
    ),
    "a text of full length needs no cut mask": (
        "06_causal_attention",
        "CausalAttention__mask_not_cut",
        "test_values",
        False,
    ),
    "without dropout, nobody sees it in evaluation": (
        "06_causal_attention",
        "CausalAttention__dropout_in_evaluation",
        "test_nothing_dropped_in_evaluation",
        False,
    ),
    "a square matrix turns without an error": (
        "05_self_attention",
        "copy_weights__square_not_transposed",
        "test_copies_square_matrices",
        True,
    ),
    "a mask that is a plain tensor stays behind": (
        "06_causal_attention",
        "Head__mask_is_a_plain_tensor",
        "test_mask_moves_along",
        True,
    ),
}


@cache
def diagnosis(name: str) -> Diagnosis:
    return Diagnosis(Suite(EXERCISES[name]))


def ways(name: str, question: str, mistake: str) -> Iterator[frozenset[int]]:
    """The tests that wrong answers of this name fail, the authors' and those of the catalogue."""
    for known in known_mistakes(EXERCISES[name]):
        if known.name == mistake:
            runs = diagnosis(name).runs(known)
            yield frozenset(run.test.number for run in runs if run.error is not None)
    for misconception in diagnosis(name).repairer.catalogue.misconceptions:
        if f"{question}__{misconception.name}" == mistake:
            for runs in diagnosis(name).repairer.failed(question, misconception):
                yield frozenset(run.test.number for run in runs)


@pytest.mark.parametrize("spot", BLIND_SPOTS)
def test_a_blind_spot_of_the_customary_examples_is_seen(spot: str) -> None:
    name, mistake, sees, alone = BLIND_SPOTS[spot]
    question = mistake.partition("__")[0]
    suite = diagnosis(name).suite
    functions = {test.number: test.function for test in suite.of(question)}
    failures = [
        {functions[number] for number in failed}
        for failed in ways(name, question, mistake)
    ]
    assert any(failed == {sees} if alone else sees in failed for failed in failures)


def test_the_trained_model_is_a_tiny_gpt_that_guesses_a_chapter_it_has_not_seen() -> (
    None
):
    """It is what `python -m solutions.train_alice` writes, less its 2,500 steps."""
    making = runpy.run_path(str(SOLUTIONS / "train_alice.py"))
    model, held_out, notes = making["train"](steps=0)
    shipped = making["MODEL"].read_bytes()
    fresh = making["safetensors"](model.state_dict(), notes)
    begin = 8 + int.from_bytes(shipped[:8], "little")
    assert fresh[:begin] == shipped[:begin]  # the same names, shapes, places and notes
    assert len(fresh) == len(shipped) < 400_000
    model.load_state_dict(
        {
            name: tensor.float()
            for name, tensor in safetensors.torch.load(shipped).items()
        }
    )
    assert (
        making["measured"](model, held_out)
        < 1.7
        < math.log(len(notes["characters"])) / 2
    )


TINY_GPT = EXERCISES["09_tiny_gpt"]


def test_experiments_say_so_where_their_files_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As where a submission is graded: a student's changed experiment runs there, and must not fail."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(
        "import math\nimport torch\nfrom torch import nn\n"
        "from torch.nn import functional as F\nplt = None",
        names,
    )
    experiments = [
        cell
        for cell in TINY_GPT.cells
        if cell.role is Role.DEMO and "weights:" in cell.text
    ]
    first = next(cell for cell in TINY_GPT.cells if "def read_safetensors" in cell.text)
    assert len(experiments) == 9
    for cell in (first, *experiments):
        exec(compile(cell.text, f"line {cell.line}", "exec"), names)
    assert (
        capsys.readouterr()
        .out.strip()
        .endswith("so the experiments below show nothing.")
    )


RENAMED = {"attention_norm": "ln1", "self.norm": "self.last", "feed_forward": "ffn"}
OTHER_CLASSES = {
    "the suggested names": ({}, "Your TinyGPT is the trained model"),
    "other names": (RENAMED, "Your TinyGPT is the trained model"),
    "another activation": ({"nn.GELU()": "nn.ReLU()"}, "goes on: it guesses like"),
    "one layer more": (
        {"self.norm = ": "self.more = nn.Linear(3, 3)\n        self.norm = "},
        "goes on: the trained model has nothing for more.weight",
    ),
}


@pytest.mark.parametrize("change", OTHER_CLASSES)
def test_the_trained_model_runs_in_the_students_class_or_says_why_not(
    change: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It goes on in any case, and writes with the student's own `generate`."""
    monkeypatch.chdir(TINY_GPT.folder / "handout")
    changes, says = OTHER_CLASSES[change]
    code = "\n".join(TINY_GPT.reference)
    for old, new in changes.items():
        assert old in code
        code = code.replace(old, new)
    names = dict(run_code((code,)).variables)
    for part in ("def read_safetensors", "def alice(", "def load_into_yours"):
        exec(next(cell for cell in TINY_GPT.cells if part in cell.text).text, names)
    said = capsys.readouterr().out
    assert says in said
    assert len(said.rpartition("Alice was ")[2]) > 140


def test_a_tiny_gpt_that_reads_repeated_nonsense_gets_an_induction_head() -> None:
    """In the second round a head of block 1 looks at what came after the same letter before."""
    names = dict(run_code(TINY_GPT.reference).variables) | {"weights": {}}
    for part in ("def attention_maps", "def nonsense_twice", "def rounds"):
        cell = next(cell for cell in TINY_GPT.cells if part in cell.text)
        undrawn = re.split(r"\n(?:line = |    figure, )", cell.text)[0]
        exec(undrawn.replace("steps = 400", "steps = 250"), names)
    assert names["scores"][0].max() < 0.4 < 0.5 < names["scores"][1].max()
    assert names["copier_losses"][50] > 3 > 2 > names["copier_losses"][-1]


BLOCKS = {
    mistake.name: mistake.code
    for mistake in known_mistakes(TINY_GPT)
    if mistake.question == "Block"
}
BLOCKS["stub"] = next(
    cell for cell in TINY_GPT.cells if cell.name == "Block"
).released()


@pytest.fixture(scope="module")
def tiny_gpt_suite() -> Suite:
    return Suite(TINY_GPT)


@pytest.mark.parametrize("block", BLOCKS)
def test_a_wrong_block_costs_nothing_in_the_model_made_of_it(
    block: str, tiny_gpt_suite: Suite
) -> None:
    """Even a TinyGPT that names Block itself is judged with a right one."""
    cells = tuple(
        cell.replace("(make_block(", "(Block(")
        for cell in TINY_GPT.variant(BLOCKS[block])
    )
    assert any("(Block(n_embd" in cell for cell in cells)
    runs = list(
        tiny_gpt_suite.run(Local(run_code(cells)), chosen=tiny_gpt_suite.of("TinyGPT"))
    )
    assert runs
    assert [run.test.title for run in runs if run.error is not None] == []


PROBE_BY_CODE = """
seen = {{}}


def {probe}(attend):
    code = attend.__code__
    same = code.co_code, code.co_names, code.co_consts
    return seen.setdefault(same, len(seen) % 2 == {first})
"""


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(
    "probe", ["sees_the_future", "scales_wrongly", "mixes_the_batch"]
)
def test_a_probe_that_reads_the_code_of_modules_tells_right_from_wrong_in_no_test(
    probe: str, first: int
) -> None:
    suite = diagnosis("11_find_the_bug").suite
    code = PROBE_BY_CODE.format(probe=probe, first=first)
    backend = Local(run_code(suite.exercise.variant(code)))
    runs = list(suite.run(backend, chosen=suite.of(probe)))
    assert [run.test.title for run in runs if run.error is None] == []


@pytest.mark.parametrize("name", EXERCISES)
def test_a_notebook_shows_pictures(name: str) -> None:
    """Some cell that is not graded ends by showing what it drew; `verify` runs them all in a kernel."""
    drawn = [cell for cell in EXERCISES[name].cells if cell.role is Role.DEMO]
    assert any(cell.text.rstrip().endswith("plt.show()") for cell in drawn)


def test_the_viewer_of_heads_is_one_page_that_loads_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown: list[Any] = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    show_heads = runpy.run_path(str(SOLUTIONS / "show_heads.py"))["show_heads"]
    weights = torch.tensor([[[1.0, 0.0], [0.25, 0.75]]])
    show_heads(weights, ["<b>", " "])
    show_heads(weights, ["a", "b"], keys=["c", "d"], names=["<i>"])
    first, second = (page.data for page in shown)
    assert "const heads = [[[100, 0], [25, 75]]]" in first
    assert first.count("&lt;b&gt;") == 2
    assert "http" not in first and "<b>head 0</b>" in first
    assert "<b>&lt;i&gt;</b>" in second
    assert re.findall(r'data-i="\d">(\w)', second) == ["a", "b"]
