"""A wrong answer is repaired by the smallest edit after which all tests pass, and its place is told."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache

import pytest

from autograder.course.exercise import Exercise
from autograder.diagnosis.candidates import Repair
from autograder.diagnosis.code import Code
from autograder.diagnosis.edits import edits
from autograder.diagnosis.fragments import Edit
from autograder.diagnosis.known import known_mistakes
from autograder.diagnosis.repairs import Repairer, sort_of
from autograder.diagnosis.words import Looked
from autograder.diagnosis.wrong import with_joined_statements
from autograder.testing.exchange import Backend, FromMemory, Local, Reply
from autograder.testing.inputs import DISCLOSED, Inputs
from autograder.testing.suite import HiddenTest, Run, Suite
from autograder.tests.classroom import HELD_OUT, real_course
from autograder.worker.namespace import Namespace, run_code
from autograder.worker.protocol import Header, Parts
from autograder.worker.remote_function import Answer

COURSE = real_course()


@dataclass
class OwnBench:
    """Runs candidates in this process: the answers here are ours."""

    exercise: Exercise
    local: Local = field(init=False)

    def define(self, code: str) -> bool:
        variables = dict(run_code(self.exercise.reference).variables)
        try:
            exec(compile(code, "cell 0", "exec"), variables)
        except Exception:
            return False
        self.local = Local(Namespace(variables))
        return True

    def ask(self, header: Header, tensors: Parts, answer: Answer | None = None) -> Reply:
        return self.local.ask(header, tensors, answer)


@cache
def repairer_of(exercise: str) -> Repairer:
    return Repairer(Suite(COURSE.exercises[exercise]))


def tried(
    text: str, kind: type[OwnBench] = OwnBench
) -> tuple[str, Code, Repairer, OwnBench, list[HiddenTest]]:
    """Return the question that some code answers, the code, and which tests it fails; it may be right."""
    question = text.split("(")[0].split()[1]
    name = next(name for name, one in COURSE.exercises.items() if question in one.points)
    repairer, bench, body = repairer_of(name), kind(COURSE.exercises[name]), tuple(ast.parse(text).body)
    assert bench.define(text)
    runs = [repairer.suite.run_one(test, bench) for test in repairer.suite.of(question)]
    failed = [run.test for run in runs if run.error is not None]
    return question, Code(body, (0,) * len(body)), repairer, bench, failed


def looked_at(text: str) -> Looked:
    """Return a student's code as it was, with which the places of edits are shown."""
    body = tuple(ast.parse(text).body)
    return Looked(Code(body, (0,) * len(body)), {0: text}, text)


def repaired(text: str) -> tuple[list[Repair], str | None]:
    """Return an answer's repairs and the name of its misconception."""
    question, code, repairer, bench, failed = tried(text)
    found = [*repairer.search(question, code, failed, bench)]
    named = (repairer.names(question, one) for one in found)
    return found, next((one.name for names in named for one in names), None)


WEIGHTS = "def attention_weights(scores):\n    return torch.softmax(scores, dim=-1)\n"
POWERS = """def attention_weights(scores):
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)
"""
LOOP = """def causal_average_loop(x):
    y = torch.zeros_like(x)
    for b in range(len(x)):
        for t in range(x.shape[1]):
            y[b, t] = x[b, :t + 1].mean(0)
    return y
"""
SCORES = "def attention_scores(inputs, query):\n    return inputs @ query\n"
STEPS = """def simple_self_attention(inputs):
    scores = inputs @ inputs.transpose(-2, -1)
    scores = scores * 1
    weights = torch.softmax(scores, dim=-1)
    return weights @ inputs
"""
PROJECTED = """class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        return torch.softmax(q @ k.mT / k.shape[-1] ** 0.5, dim=-1) @ v
"""


@pytest.mark.parametrize(
    ("right", "was", "written", "kind", "place"),
    [
        (WEIGHTS, "-1", "-2", "dimension", "in line 2, at `-2`"),
        (POWERS, "dim=-1, keepdim=True", "dim=-1", "argument", "in line 3, at `e.sum(dim=-1)`"),
        (LOOP, ":t + 1", ":t", "value", "in line 5, at `t`"),
        (LOOP, "torch.zeros_like(x)", "x", "copy", "in line 2, at `x`"),
        (LOOP, "    return", "        return", "return in the loop", "in line 6, at `return y`"),
        (SCORES, "inputs @ query", "inputs @ inputs[1]", "unread", "in line 2, at `inputs[1]`"),
        # and not in line 4, where the right scores could be computed once more
        (
            STEPS,
            "* 1",
            "/ inputs.shape[-1] ** 0.5",
            "value",
            "in line 3, at `scores / inputs.shape[-1] ** 0.5`",
        ),
    ],
)
def test_one_mistake_is_repaired_where_it_is(
    right: str, was: str, written: str, kind: str, place: str | None
) -> None:
    assert was in right
    text = right.replace(was, written)
    (first, *_), name = repaired(text)
    (edit,) = first.edits
    assert edit.kind == kind
    assert place in (None, looked_at(text).where(edit))
    assert (name == "softmax_over_queries") is (right == WEIGHTS)


@pytest.mark.parametrize(
    ("answer", "kind", "where", "misconception"),
    [
        ("06 Head__scaled_by_input_width", "value", "at `C`", "scaled_by_input_width"),
        ("01 dot_product__keeps_the_last", "value", "at `value * b[idx]`", None),
        ("06 CausalAttention__dropout_before_softmax", "order", "in lines 17 and 18", None),
        ("06 CausalAttention__mask_is_a_plain_tensor", "buffer", "in line 8", None),
        ("08 split_heads__view_only__final_shape_at_once", "value", "at `x.reshape", "view_only"),
    ],
)
def test_strangers_answers_are_repaired_and_named(
    answer: str, kind: str, where: str, misconception: str | None
) -> None:
    number, name = answer.split()
    exercise = next(one for one in COURSE.exercises.values() if one.name.startswith(number))
    held_out = known_mistakes(exercise, HELD_OUT / f"{exercise.name}.py")
    text = next(one.code for one in held_out if f"{one.question}__{one.title}" == name)
    (first, *_), named = repaired(text)
    (edit,) = first.edits
    assert named == misconception
    assert (edit.kind, where in looked_at(text).where(edit)) == (kind, True)


def test_a_number_is_not_tried_as_a_switch() -> None:
    code = Code(tuple(ast.parse(PROJECTED.replace("d_out, q", "d_out, length, q")).body))
    right = repairer_of("05_self_attention").fragments("SelfAttention_v2")
    switches = {id(place.node) for place in code.places if place.slot == ("Linear", "bias")}
    made = [edit.make() for edit in edits(code, right) if id(edit.old) in switches]
    assert len(switches) == 3
    assert {new.id for new in made if isinstance(new, ast.Name)} <= {"qkv_bias"}
    assert made


def written(text: str, exercise: str = "02_simple_self_attention") -> list[tuple[str, str]]:
    """Return the old and the new code of each edit of an answer that replaces an expression."""
    right = repairer_of(exercise).fragments(text.split("(")[0].split()[1])
    made = ((edit.old, edit.make()) for edit in edits(Code(tuple(ast.parse(text).body)), right))
    return [(ast.unparse(old), ast.unparse(new)) for old, new in made if isinstance(new, ast.expr)]


@pytest.mark.parametrize(
    ("text", "is_dimension"),
    [
        ("x.var(correction=0)", False),
        ("x.var(dim=0)", True),
        ("x.sum(0)", True),
        ("torch.sum(x, 0)", True),
        ("x.chunk(2)", False),
        ("x.chunk(2, 0)", True),
        ("torch.split(x, 2)", False),
        ("x.norm(2)", False),
        ("x[:, 0]", False),
    ],
)
def test_a_number_is_a_dimension_only_where_the_function_takes_one(text: str, is_dimension: bool) -> None:
    code = Code(tuple(ast.parse(f"def attention_weights(x):\n    return {text}").body))
    right = repairer_of("02_simple_self_attention").fragments("attention_weights")
    number = [place.node for place in code.places if isinstance(place.node, ast.Constant)][-1]
    kinds = {edit.kind for edit in edits(code, right) if edit.old is number}
    assert ("dimension" in kinds) is is_dimension
    assert kinds


def test_no_transposition_is_tried_that_does_nothing() -> None:
    call = "scores.transpose(0, 1)"
    made = written(f"def attention_weights(scores):\n    return {call}")
    assert (call, "scores.transpose(-2, -1)") in made
    assert [pair for pair in made if pair[0] in ("0", "1")] == []


@pytest.mark.parametrize("cast", ["seen.float()", "seen.to(torch.float32)"])
def test_code_that_casts_gets_no_further_cast(cast: str) -> None:
    text = (
        "def causal_average_weights(length):\n    position = torch.arange(length)\n"
        "    seen = position[None, :] <= position[:, None]\n    return {} / (position[:, None] + 1)"
    )
    assert ("seen", "seen.float()") in written(text.format("seen"), "03_causal_averaging")
    made = written(text.format(cast), "03_causal_averaging")
    assert (cast, "seen") in made
    assert [pair for pair in made if pair[1] == f"{pair[0]}.float()"] == []


def test_an_edit_that_leaves_a_cast_in_the_code_names_no_place() -> None:
    text = (
        "def attention_weights(scores):\n    s = scores.float()\n"
        "    e = (s - s.amax(-1, keepdim=True)).exp()\n"
        "    return e / e.sum(-1, keepdim=True)"
    )
    code, repairer = Code(tuple(ast.parse(text).body)), repairer_of("02_simple_self_attention")
    nodes = {ast.unparse(one.node): one.node for one in code.places}  # of equal ones, the last
    scores = ast.Name("scores", ast.Load())
    named = [
        repairer.place("attention_weights", Edit(nodes[text], lambda: scores, kind, 1.0, within=code))
        for text, kind in (("scores.float()", "too much"), ("s", "name"))
    ]
    assert [one.name if one else None for one in named] == ["dtype", None]


def test_a_rule_of_the_catalogue_that_repairs_an_answer_names_it() -> None:
    text = "def attention_weights(scores):\n    return torch.softmax(scores, dim=-1).detach()"
    question, code, repairer, bench, failed = tried(text)
    first = next(repairer.search(question, code, failed, bench))
    (edit,) = first.edits
    edit = replace(edit, misconception="softmax_twice")  # as if its rule had made the repair
    assert next(one.name for one in repairer.names(question, Repair((edit,), first.code))) == "softmax_twice"


def test_two_mistakes_are_told_with_both_places() -> None:
    text = (
        "def causal_average_loop(x):\n    y = torch.zeros(x.shape)\n    for b in range(len(x)):\n"
        "        for t in range(x.shape[1]):\n            y[b, t] = x[b, :t + 1].sum(0)\n    return y"
    )
    (first, *_), _ = repaired(text)
    places = [looked_at(text).where(edit) for edit in first.edits]
    assert sorted(places) == ["in line 2, at `torch.zeros(x.shape)`", "in line 5, at `x[b, :t + 1].sum(0)`"]


@pytest.mark.parametrize(
    ("wrong", "right", "quoted"),
    [
        ("torch.softmax(s, -2)", "torch.softmax(s, dim=-1)", "-2"),
        ("nn.Linear(d, d, bias=False)", "nn.Linear(d, d, bias=qkv_bias)", "False"),
        ("f(a, a)", "f(a, b)", "a"),
        ("f(a, b)", "f(b, a)", "f(a, b)"),
        ("e.sum(dim=-1)", "e.sum(dim=-1, keepdim=True)", "e.sum(dim=-1)"),
        ("zeros(q.shape)", "zeros(x.shape[1], dtype=x.dtype)", "zeros(q.shape)"),
        ("zeros(3, device=d)", "zeros(3)", "d"),
    ],
)
def test_the_smallest_part_that_differs_is_quoted(wrong: str, right: str, quoted: str) -> None:
    old, new = (ast.parse(text, mode="eval").body for text in (wrong, right))
    edit = Edit(old, lambda: new, "value", 1.0, cell=0)
    code = Code((ast.Expr(old),), (0,))
    assert Looked(code, {0: wrong}, wrong).where(edit) == f"in line 1, at `{quoted}`"


JOINED = """def f(x):
    y = drop(x @ x)
    y = fill(y, m)
    return softmax(y) @ x"""


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("softmax(fill(drop(x @ x), m))", "drop(softmax(fill(x @ x, m)))", "lines 2 and 4"),
        ("softmax(fill(drop(x @ x), m))", "sigmoid(fill(drop(x @ x), m))", "line 4"),
        ("softmax(fill(drop(x @ x), m))", "softmax(fill(drop(x @ x), n))", "line 3"),
        ("softmax(fill(drop(x @ x), m))", "softmax(fill(x @ x, m))", "line 2"),
    ],
)
def test_an_edit_of_joined_statements_is_placed_in_each_line_that_it_changes(
    old: str, new: str, lines: str
) -> None:
    joined = with_joined_statements(ast.parse(JOINED))
    node = next(one for one in ast.walk(joined) if isinstance(one, ast.expr) and ast.unparse(one) == old)
    edit = Edit(node, lambda: ast.parse(new, mode="eval").body, "value", 1.0, cell=0)
    assert looked_at(JOINED).where(edit).startswith(f"in {lines}")


def test_the_same_change_at_another_sort_of_place_is_another_sort_of_edit() -> None:
    text = "def f(q, k):\n    return q.sum(dim=0) @ k.T + q.mean(dim=0)"
    code = Code((ast.parse(text).body[0],))
    zeros = [one.node for one in code.places if isinstance(one.node, ast.Constant)]
    sorts = [sort_of(Edit(node, lambda: ast.Constant(1), "dimension", 1.0), code) for node in zeros]
    assert sorts == [("dimension", "f", ("sum", "dim")), ("dimension", "f", ("mean", "dim"))]
    missing = [Edit(node, lambda: ast.parse("k.mT").body[0].value, "missing", 1.0) for node in zeros]  # type: ignore[attr-defined]
    assert {sort_of(edit, code) for edit in missing} == {("missing", "f", "transpose")}


@pytest.mark.parametrize(
    ("body", "unused"),
    [
        ("a = f(x)\n    a = a + 1\n    return x", {"a"}),
        ("q, k = f(x), g(x)\n    return q", {"k"}),
        ("b, t, c = x.shape\n    return t", set()),
        ("for i in range(3):\n        x = x + 1\n    return x", set()),
        ("w = f(x)\n    x = x / 2\n    return w", {"x"}),
        ("d = x.shape[-1]\n    scale = d ** 0.5\n    return x", set()),
        ("if f(x):\n        a = 1\n    else:\n        a = 2\n    return a", set()),
    ],
)
def test_what_nothing_reads_was_computed_for_nothing_but_for_a_shape(body: str, unused: set[str]) -> None:
    code = Code(tuple(ast.parse(f"def h(x):\n    {body}").body))
    assert {name for _, name in code.unused} == unused


def test_what_is_assigned_on_one_line_stands_where_it_stands_on_several() -> None:
    texts = "q, k = x.a(), x.b()", "q = x.a()\n    k = x.b()"
    codes = [Code(tuple(ast.parse(f"def f(x):\n    {text}").body)) for text in texts]
    slots = [[one.slot for one in code.places if isinstance(one.node, ast.Call)] for code in codes]
    assert slots == [[("=", "")] * 2] * 2


def test_what_is_no_small_mistake_is_not_repaired_and_equal_answers_are_tested_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried, run, ask, run_one = list[object](), list[object](), OwnBench.ask, Suite.run_one

    def asked(bench: OwnBench, header: Header, tensors: Parts) -> Reply:
        tried.extend(header.get("codes", []) * len(header.get("tests", [])))
        return ask(bench, header, tensors)

    def counted(suite: Suite, test: HiddenTest, backend: Backend, inputs: Inputs = DISCLOSED) -> Run:
        run.extend([test] if isinstance(backend, FromMemory) else [])
        return run_one(suite, test, backend, inputs)

    monkeypatch.setattr(OwnBench, "ask", asked)
    monkeypatch.setattr(Suite, "run_one", counted)
    text = """def attention_weights(scores):
    powers = scores.exp()
    whole = powers.mean(dim=0).sum()
    return [whole, scores.numel(), len(scores)]"""
    assert not repaired(text)[0]
    assert 0 < len(run) < len(tried) / 2


@dataclass
class NotingBench(OwnBench):
    """Keeps how many tests each candidate was asked for that was tried alone."""

    asked: list[int] = field(default_factory=list)

    def ask(self, header: Header, tensors: Parts, answer: Answer | None = None) -> Reply:
        if len(header.get("codes", ())) == 1:
            self.asked.append(len(header["tests"]))
        return super().ask(header, tensors, answer)


def test_a_candidate_is_asked_for_few_tests_first_and_only_the_best_repair_for_all_of_them() -> None:
    text = "def attention_weights(scores):\n    return torch.softmax(scores, dim=0)"
    question, code, repairer, bench, failed = tried(text, NotingBench)
    assert isinstance(bench, NotingBench)
    bench.asked.clear()
    repairs = repairer.search(question, code, failed, bench)
    assert next(repairs, None) is not None
    assert bench.asked.count(1) > 1
    before, others = len(bench.asked), [*repairs]
    assert others
    assert len(bench.asked) > before


def test_a_repair_is_the_same_each_time() -> None:
    text = "def attention_weights(scores):\n    return torch.softmax(scores, dim=0)"
    one, other = (repaired(text)[0] for _ in range(2))
    assert [repair.code.text for repair in one] == [repair.code.text for repair in other]


def test_an_edit_puts_nothing_in_that_claims_to_stand_in_the_students_text() -> None:
    exercise = COURSE.exercises["06_causal_attention"]
    mistake = next(one for one in known_mistakes(exercise) if one.question == "CausalAttention")
    code = Code(tuple(ast.parse(mistake.code).body))
    own = set(map(_stands, _nodes(*code.statements)))
    right = repairer_of("06_causal_attention").fragments("CausalAttention")
    made = [edit.make() for edit in edits(code, right)]
    assert len(made) > 500
    for new in made:
        for node in _nodes(*(new if isinstance(new, list) else [new])):
            assert _stands(node)[1] == 0 or _stands(node) in own, ast.unparse(node)


def _stands(node: ast.AST) -> tuple[type, int, int]:
    return type(node), getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _nodes(*trees: ast.AST) -> Iterator[ast.AST]:
    return (node for tree in trees for node in ast.walk(tree))


MASKED = "def masked_attention_weights(scores, mask):\n    weights = torch.softmax(scores, dim=-1)\n"
HEADS = """class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim, self.col_dim = row_dim, col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        q = self.W_k(encodings_for_q)
        k = self.W_q(encodings_for_k)
        v = self.W_v(encodings_for_v)
        scores = q @ k.transpose(self.row_dim, self.col_dim) / k.size(self.col_dim) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask, -torch.inf)
        return torch.softmax(scores, dim=self.col_dim) @ v
"""


@pytest.mark.parametrize(
    ("text", "kinds", "name"),
    [
        # A rule of the catalogue, which knows the code in one writing and without the names of steps.
        (f"{MASKED}    return weights.masked_fill(mask, 0.0)", ["value"], "masked_after_softmax"),
        # A statement that is missing.
        (
            "def train_step(model, optimizer, tokens, targets):\n    _, loss = model(tokens, targets)\n"
            "    loss.backward()\n    optimizer.step()\n    return loss.item()",
            ["statement"],
            "clearing_of_the_gradients",
        ),
        # An argument that is overwritten before it is read.
        (
            "def attention_scores(inputs, query):\n    query = inputs[1]\n    return inputs @ query",
            ["overwritten"],
            "argument_overwritten",
        ),
        # Two layers in each other's place.
        (HEADS, ["swapped"], "layers_of_queries_and_keys_swapped"),
        # Two mistakes, of which each alone hides whether the other is repaired.
        (
            "def simple_self_attention(inputs):\n    d = inputs.shape[-1]\n"
            "    scores = inputs @ inputs.transpose(-1, -2) / d**0.5\n"
            "    return torch.softmax(scores, dim=-2) @ inputs",
            ["dimension", "too much"],
            "softmax_dimension+divided",
        ),
    ],
    ids=["rule", "statement", "overwritten", "swapped", "pair"],
)
def test_an_answer_is_repaired_and_named_by(text: str, kinds: list[str], name: str) -> None:
    (first, *_), misconception = repaired(text)
    question, _, repairer, *_ = tried(text)
    places = [repairer.place(question, edit) for edit in first.edits]
    assert [edit.kind for edit in first.edits] == kinds
    assert (misconception or "+".join(place.name for place in places if place)) == name


@pytest.mark.parametrize(
    ("written", "is_same"),
    [
        (
            "def f(x: int, k: float = 1.5) -> int:\n    w = k * x\n    low = x - w\n    return low > w",
            True,
        ),
        ("def f(x, k=1.5):\n    d = k * x\n    q = x - d\n    return q > d", True),
        ("def f(x, k=1.5):\n    width = k * x\n    return x - width > width", True),
        ("def f(x, k=1.5):\n    width = k * x\n    low = x - width\n    return width > low", False),
        ("def f(x, k=2.5):\n    width = k * x\n    low = x - width\n    return low > width", False),
    ],
)
def test_annotations_and_local_names_make_no_other_code(written: str, is_same: bool) -> None:
    text = "def f(x, k=1.5):\n    width = k * x\n    low = x - width\n    return low > width"
    codes = [Code(tuple(ast.parse(part).body)) for part in (text, written)]
    assert repairer_of("02_simple_self_attention").same_code(*codes) is is_same
