"""Makes answers to a question that do almost nothing, which should earn almost nothing."""

import ast
import copy
from collections.abc import Iterator

from autograder.course.exercise import Exercise
from autograder.course.source import Role

_RIGHT = "_right_"  # stands before the name of the right answer, which only lends its result's shape
_FILLED = """
def _filled_(result, value):
    if isinstance(result, torch.Tensor):
        return torch.full_like(result, value)
    if isinstance(result, (tuple, list)):
        return type(result)(_filled_(one, value) for one in result)
    return type(result)(value) if isinstance(result, (bool, int, float)) else None
"""
_Function = ast.FunctionDef


def almost_nothing(exercise: Exercise, question: str) -> Iterator[tuple[str, str]]:
    """Yield what such an answer does, in a few words, and its code.

    It returns nothing, an argument, a mean, the identity, or a constant in the form of the right result. A
    class makes its layers and returns one of these, or one projection, from `forward`; or it makes its layers
    and no more.
    """
    cell = next(cell for cell in exercise.cells if cell.role is Role.SOLUTION and cell.name == question)
    tree = ast.parse(cell.text)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == question:
            yield from _functions(tree, node)
        if isinstance(node, ast.ClassDef) and node.name == question:
            yield from _classes(tree, node)


def _functions(tree: ast.Module, node: _Function) -> Iterator[tuple[str, str]]:
    lent = ast.unparse(ast.Module([_renamed(one) if one is node else one for one in tree.body], []))
    for words, body in _bodies(node, _RIGHT):
        own = f"def {node.name}({ast.unparse(node.args)}):\n    {body}"
        yield words, f"import copy\nimport torch\n{lent}\n{_FILLED}\n{own}\n"


def _classes(tree: ast.Module, node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    forward = next((one for one in methods if one.name == "forward"), None)
    if forward is None:
        return
    layers = [one for one in methods if one is not forward]
    yield "only makes its layers", _rewritten(tree, node, layers, "pass")
    for idle in (one for one in layers if one.name != "__init__"):
        others, start = [one for one in methods if one is not idle], ast.unparse(idle.args)
        yield f"{idle.name} does nothing", _rewritten(tree, node, others, f"def {idle.name}({start}): pass")
    lent = _renamed(forward)
    for words, body in (*_bodies(forward, f"self.{_RIGHT}"), *_projections(node, forward)):
        method = f"def forward({ast.unparse(forward.args)}):\n    {body}"
        yield f"forward {words}", _rewritten(tree, node, [*layers, lent], method)


def _renamed(function: _Function) -> _Function:
    lent = copy.copy(function)
    lent.name = _RIGHT
    return lent


def _rewritten(tree: ast.Module, node: ast.ClassDef, methods: list[_Function], last: str) -> str:
    """Return the answer's code with this class made of these methods and the statement `last`."""
    made = copy.copy(node)
    made.body = [*methods, *ast.parse(last).body]
    body = [made if one is node else one for one in tree.body]
    code = ast.unparse(ast.fix_missing_locations(ast.Module(body, [])))
    return f"import copy\nimport torch\n{_FILLED}\n{code}\n"


def _bodies(function: _Function, right: str) -> Iterator[tuple[str, str]]:
    """Yield what a function's body may do instead of its work, and its code on one line."""
    names = [argument.arg for argument in function.args.args if argument.arg != "self"]
    result = f"{right}(*copy.deepcopy([{', '.join(names)}]))"  # what it changes stays as it was
    yield "returns nothing", "pass"
    for value in (0, 1):
        yield f"returns {'ones' if value else 'zeros'}", f"return _filled_({result}, {value})"
    identity = "torch.eye(*result.shape[-2:], dtype=result.dtype).expand_as(result)"
    yield "returns the identity", f"result = {result}; return {identity}"
    for name in names:
        yield f"returns {name}", f"return {name}"
        yield f"returns a copy of {name}", f"return {name}.clone()"
        yield f"returns the mean of {name}", f"return {name}.mean(dim=-2, keepdim=True).expand_as({result})"
        yield f"returns {name}'s one mean", f"return _filled_({result}, {name}.mean())"


def _projections(node: ast.ClassDef, forward: _Function) -> Iterator[tuple[str, str]]:
    """Yield methods that return one projection of the first argument, where more is asked for."""
    first = forward.args.args[1].arg
    attributes = [one for one in ast.walk(node) if isinstance(one, ast.Attribute)]
    made = [one for one in attributes if isinstance(one.ctx, ast.Store)]
    for layer in dict.fromkeys(one.attr for one in made if ast.unparse(one.value) == "self"):
        call = f"self.{layer}({first})"
        if ast.unparse(forward.body[-1]) != f"return {call}":
            yield (
                f"returns {layer} of {first}",
                f"return {call} if callable(self.{layer}) else {first} @ self.{layer}",
            )
