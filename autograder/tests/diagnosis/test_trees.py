"""Syntax trees are walked, copied and written quickly, with the same results as Python's own module."""

import ast

from autograder.diagnosis.trees import altered, children, text_of, walk, without_positions

CODE = """
@decorated
class Head(nn.Module, metaclass=Meta):
    '''Docstrings are left out.'''
    size: int = 3
    def forward(self, x, *rest, scale=1.0, **more) -> Tensor:
        weights = [a * b for a, b in zip(x, rest) if a is not None]
        return {**more, "x": f"{x!r}"} if weights[1:2] else lambda y: y
"""


def test_nodes_have_the_order_of_python() -> None:
    tree = ast.parse(CODE)
    assert walk(tree) == [*ast.walk(tree)]
    assert all(children(node) == [*ast.iter_child_nodes(node)] for node in walk(tree))


def test_a_copy_without_positions_leaves_the_original_as_it_is() -> None:
    tree = ast.parse(CODE)
    before = ast.dump(tree, include_attributes=True)
    lines = {node.lineno for node in walk(without_positions(tree)) if hasattr(node, "lineno")}
    assert lines == {0}
    assert ast.dump(without_positions(tree)) == ast.dump(tree)
    assert ast.dump(tree, include_attributes=True) == before


def test_the_text_of_a_class_follows_its_head_and_its_body() -> None:
    (head,) = ast.parse(CODE).body
    assert isinstance(head, ast.ClassDef)
    first = text_of(head)
    assert first == _without_blank_lines(altered(head, body=head.body[1:]))
    (method,) = (node for node in head.body if isinstance(node, ast.FunctionDef))
    shorter = altered(method, body=method.body[1:])
    renamed = altered(method, args=altered(method.args, kwarg=None), decorator_list=[ast.Name("cached")])
    for changed in (shorter, renamed):
        edited = altered(head, body=[head.body[1], changed])
        assert text_of(edited) == _without_blank_lines(edited) != first


def _without_blank_lines(tree: ast.AST) -> str:
    return ast.unparse(tree).replace("\n\n", "\n")
