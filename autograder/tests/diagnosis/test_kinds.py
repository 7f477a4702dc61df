"""No edit puts a value of another kind in a place: a layer is not divided, a number is not transposed."""

import ast

import pytest

from autograder.diagnosis.code import Code
from autograder.diagnosis.kinds import kind_of, kinds_in, may_replace

CODE = ast.parse("""
class Attention(nn.Module):
    def __init__(self, d_in: int, d_out: int, width, bias: bool = False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=bias)
        self.scale = d_out ** 0.5
        self.width = width
        self.W = nn.Parameter(torch.rand(d_in, d_out))
        self.register_buffer("mask", causal_mask(8))

    def forward(self, x: Tensor):
        B, T, _ = x.shape
        q, k = (layer(x).view(B, T, -1) for layer in (self.W_query, self.W_query))
        scores = q @ k.transpose(1, 2)
        size = scores
        size = T
        for i in range(T):
            half = T // 2
        return scores
""")


def test_the_kinds_of_names_follow_from_annotations_and_from_what_they_are_assigned() -> None:
    places = Code(tuple(CODE.body)).places
    kinds = next(site.scope.kinds for site in places if site.scope.function == "forward")
    assert dict(kinds) == {
        "self.W_query": "layer",
        "self.scale": "number",
        "self.W": "tensor",
        "self.mask": "tensor",
        "x": "tensor",
        "B": "number",
        "T": "number",
        "_": "number",
        "q": "tensor",
        "k": "tensor",
        "layer": "layer",
        "scores": "tensor",
        "i": "number",
        "half": "number",
    }


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("-torch.inf", "number"),
        ("x.shape[-1]", "number"),
        ("x.size(1)", "number"),
        ("x.size()", None),
        ("x / 2", "tensor"),
        ("2 * 3", "number"),
        ("unclear * 2", None),
        ("unclear // 2", "number"),
        ("nn.Linear(2, 3)", "layer"),
        ("self.layer(unclear)", "tensor"),
        ("causal_mask(3)", None),
        ("True", "switch"),
        ("x.mT", "tensor"),
        ("unclear.softmax(-1)", "tensor"),
    ],
)
def test_the_kind_of_an_expression(text: str, kind: str | None) -> None:
    given = frozenset((("x", "tensor"), ("self.layer", "layer")))
    assert kind_of(ast.parse(text, mode="eval").body, given) == kind


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        ("_hole_.triu(1)", "tensor"),
        ("_hole_ @ keys.mT", "tensor"),
        ("_hole_ // heads", "number"),
        ("torch.softmax(_hole_, dim=-1)", "tensor"),
        ("self.W_query(_hole_)", "tensor"),
        ("torch.ones(_hole_, 3)", "number"),
        ("_hole_ / 2", None),
        ("_hole_.mT // _hole_", None),  # two uses that do not fit
    ],
)
def test_a_step_shows_the_kind_of_its_input(step: str, kind: str | None) -> None:
    assert dict(kinds_in(ast.parse(step))).get("_hole_") == kind


def test_a_value_replaces_one_of_its_own_kind_or_of_an_unclear_kind() -> None:
    assert may_replace("number", "number")
    assert may_replace(None, "layer")
    assert not may_replace("number", "tensor")
