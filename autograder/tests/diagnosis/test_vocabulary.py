"""The words in code, by which it is seen at once that a pattern cannot be met in some part of it."""

import ast

from autograder.diagnosis.vocabulary import vocabulary, words

CODE = "def f(x):\n    y = x.exp() / 2\n    return y @ x.T"


def test_a_pattern_needs_its_names_attributes_and_operators_but_not_its_letters() -> None:
    assert words(ast.parse("X / Y**0.5 + torch.exp(Z)").body) == {"/", "**", "+", "torch", "exp"}


def test_each_part_of_a_tree_holds_its_own_words_and_those_of_its_parts() -> None:
    tree = ast.parse(CODE)
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    first, last = function.body
    known = vocabulary(tree)
    assert (mask := known.mask({"exp", "/"})) is not None
    assert [known.holds(part, mask) for part in (tree, function, first, last)] == [True, True, True, False]


def test_a_tree_without_one_of_the_words_is_known_at_once() -> None:
    assert vocabulary(ast.parse(CODE)).mask({"exp", "softmax"}) is None


def test_a_part_with_no_words_holds_all_of_none() -> None:
    tree = ast.parse("1")
    assert vocabulary(tree).holds(tree.body[0], 0)
