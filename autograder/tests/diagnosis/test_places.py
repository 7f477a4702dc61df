"""A repair names its place only if the change lies where a pattern of the catalogue says."""

import ast

import pytest

from autograder.diagnosis.patterns import PatternError
from autograder.diagnosis.places import Place, places_of

SCALING = Place("scaling", "The scaling is wrong.", "Why?", "X / Y**0.5\nX / P**0.5")
PLACES = (
    Place("in_place", "A tensor is changed in place.", "Who needs it?", kinds="in place"),
    SCALING,
    Place("dimension", "The dimension of the softmax is wrong.", "Which?", "softmax(X, dim=P)"),
    Place("detached", "A result is cut off.", "Where?", "X.detach()", kinds="too much,value"),
    Place("input", "The input of a layer is wrong.", "Which?", "self.A(P)"),
    Place("condition", "A condition is wrong.", "When?", "if P: ..."),
    Place("reduced", "The dimension of the mean is wrong.", "Which?", "X.mean(P)\ntorch.mean(X, P)"),
    Place("product", "A product is wrong.", "Which?", "Y @ Z"),
    Place("error", "The condition for the error is wrong.", "When?", "if P: raise X"),
)


def names(wrong: str, right: str, kind: str = "value") -> list[str]:
    return [one.name for one in places_of(ast.parse(wrong), ast.parse(right), kind, PLACES)]


@pytest.mark.parametrize(
    ("wrong", "right", "found"),
    [
        ("s = q @ k / d**0.05", "s = q @ k / d**0.5", ["scaling"]),
        ("s = q @ k / d", "s = q @ k / d**0.5", ["scaling"]),
        ("s = q @ k", "s = q @ k / d**0.5", ["scaling"]),
        ("s = q @ k * d**0.5", "s = q @ k / d**0.5", ["scaling"]),
        ("s = q @ k / n**0.5 / n**0.5", "s = q @ k / n**0.5", ["scaling"]),
        ("s = q @ k / k.shape[0]**0.5", "s = q @ k / k.shape[-1]**0.5", ["scaling"]),
        ("s = q @ q / d**0.5", "s = q @ k / d**0.5", []),  # the scores are no part of the scaling
        ("s = v", "s = q @ k / d**0.5", []),  # all of it is new
        ("s = q @ k / size(1)**0.5", "s = q @ k / size(2)**0.5", []),  # a call has places of its own
        ("w = softmax(s, dim=0)", "w = softmax(s, dim=1)", ["dimension"]),
        ("w = softmax(s)", "w = softmax(s, dim=1)", ["dimension"]),  # the argument that is missing
        ("w = softmax(s, 2, dim=0)", "w = softmax(t, 1, dim=1)", []),  # more than one change
        ("w = s.detach() / d**0.5", "w = s / d**0.5", ["detached"]),  # what was too much names the place
        ("v = self.W_k(x)", "v = self.W_k(y)", ["input"]),
        ("v = self.W_k(x)", "v = self.W_v(x)", []),
        ("v = self.W_k(f(x, 1))", "v = self.W_k(f(y, 2))", []),  # both mistakes are in the call of f
        ("y = torch.mean(x[:t])", "y = torch.mean(x[:t + 1])", []),  # a module is no tensor
        ("y = torch.mean(x, 0)", "y = torch.mean(x, 1)", ["reduced"]),
        ("y = x.mean(0)", "y = x.mean(1)", ["reduced"]),
        ("s = q @ k", "s = k @ q", ["product"]),
        ("s = dot(q, k)", "s = q @ k", ["product"]),
        ("s = dot(a, b)", "s = q @ k", []),  # nothing of the product was there
        ("if h % g: raise ValueError(h)", "if g % h: raise ValueError(h)", ["condition", "error"]),
        ("if h: pass\nelse: x = 1", "if g: pass\nelse: x = 1", ["condition"]),
        ("if h: raise ValueError(h)", "if h: raise ValueError(g)", []),
    ],
)
def test_the_change_lies_where_the_pattern_says(wrong: str, right: str, found: list[str]) -> None:
    assert names(wrong, right) == found


def test_what_an_edit_does_may_be_enough() -> None:
    assert names("x += y", "x = x + y", "in place") == ["in_place"]


def test_a_step_that_has_moved_need_not_act_on_the_same() -> None:
    right = "w = softmax(drop(s)) / d**0.5"
    assert names("w = softmax(drop(t))", right, "missing") == []
    assert names("w = softmax(drop(t))", right, "order") == ["scaling"]


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        (Place("a", "It is wrong.", "Why?", "X /"), "X /"),
        (Place("a", "It is wrong.", "Why?", "x; y"), "x; y"),
        (Place("a", "It is wrong.", "Why?", "X", where="("), r"\( is not a regular expression"),
    ],
)
def test_a_pattern_that_is_none_is_said(place: Place, problem: str) -> None:
    with pytest.raises(PatternError, match=problem):
        place.check()


def test_a_place_is_said_only_of_questions_whose_right_answers_fit() -> None:
    place = Place("a", "The mask is wrong.", "Why?", "X", where="mask")
    assert (place.fits(["s.masked_fill(mask, 0)"]), place.fits(["s"])) == (True, False)
