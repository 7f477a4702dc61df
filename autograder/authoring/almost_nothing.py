"""Makes answers that do almost nothing: they return an argument, a constant or one projection, or nothing.

They are made from the reference's code, so every question has them. Those that return a constant ask the
reference for the form of a right result, which is more than a student who writes such an answer would know.
"""

import ast
import copy
from collections.abc import Iterator

from autograder.course.exercise import Exercise

_FORMED = '''
import copy


def _formed(change, right, *arguments):
    """Return a right result with other numbers, or None where there is none."""
    try:
        return _changed(right(*copy.deepcopy(arguments)), change)
    except Exception:
        return None


def _changed(value, change):
    if isinstance(value, tuple | list):
        return type(value)(_changed(one, change) for one in value)
    if value is None or isinstance(value, torch.Tensor):
        return value if value is None else change(value)
    return change(torch.tensor(value)).item()
'''
_CONSTANTS = {  # by what is returned: how it is made of a right result
    "zeros": "torch.zeros_like",
    "ones": "torch.ones_like",
    "the mean of a right result": "lambda right: torch.full_like(right, right.mean() if right.dim() else 0)",
}
_MEANS = {  # the same, of each argument
    "the mean of {}": "lambda right: torch.full_like(right, {}.mean())",
    "the mean of the rows of {}": "lambda right: {}.mean(dim=-2, keepdim=True).expand_as(right).clone()",
}


def almost_nothing(exercise: Exercise, question: str) -> dict[str, str]:
    """Return the code of such answers to a question, by what they do."""
    cell = next(cell.text for cell in exercise.cells if cell.is_reference and cell.name == question)
    tree = ast.parse(cell)
    definitions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    right = next(node for node in definitions if node.name == question)
    others = [node for node in tree.body if node is not right]
    made = _of_class(right) if isinstance(right, ast.ClassDef) else _of_function(right)
    return {what: ast.unparse(ast.Module([*others, *body], [])) for what, body in made}


def _of_function(right: ast.FunctionDef) -> Iterator[tuple[str, list[ast.stmt]]]:
    yield "does nothing", [_with_body(right, "pass")]
    for what, value in _arguments(right):
        yield f"returns {what}", [_with_body(right, f"return {value}")]
    reference = _named(right, "_right")
    for what, value in _constants(right, "_right"):
        yield f"returns {what}", [*ast.parse(_FORMED).body, reference, _with_body(right, f"return {value}")]


def _of_class(right: ast.ClassDef) -> Iterator[tuple[str, list[ast.stmt]]]:
    methods = {node.name: node for node in right.body if isinstance(node, ast.FunctionDef)}
    start = methods.pop("__init__", None)
    yield "only makes its layers", [_with_methods(right, [start] if start else [ast.Pass()])]
    for name, method in methods.items():
        rest = [node for node in right.body if node is not method]
        yield f"{name} does nothing", [_with_methods(right, [*rest, _with_body(method, "pass")])]
        if name != "forward":
            continue
        for what, value in (*_arguments(method), *_projections(start, method)):
            body = [*rest, _with_body(method, f"return {value}")]
            yield f"returns {what}", [_with_methods(right, body)]
        for what, value in _constants(method, "self._right"):
            body = [*rest, _named(method, "_right"), _with_body(method, f"return {value}")]
            yield f"returns {what}", [*ast.parse(_FORMED).body, _with_methods(right, body)]


def _arguments(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    for name in _names(function):
        yield name, name
        yield f"a clone of {name}", f"{name}.clone()"


def _projections(start: ast.FunctionDef | None, forward: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Yield what each layer, or each matrix, makes of each argument."""
    nodes = ast.walk(start) if start else ()
    kept = (node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
    for layer in dict.fromkeys(node.attr for node in kept):
        for name in _names(forward):
            yield f"{layer}({name})", f"self.{layer}({name})"
            yield f"{name} @ {layer}", f"{name} @ self.{layer}"


def _constants(function: ast.FunctionDef, right: str) -> Iterator[tuple[str, str]]:
    names = _names(function)
    means = {what.format(name): made.format(name) for name in names for what, made in _MEANS.items()}
    for what, change in (_CONSTANTS | means).items():
        yield what, f"_formed({', '.join((change, right, *names))})"


def _names(function: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in function.args.args if argument.arg != "self"]


def _named(function: ast.FunctionDef, name: str) -> ast.FunctionDef:
    changed = copy.copy(function)
    changed.name = name
    return changed


def _with_body(function: ast.FunctionDef, body: str) -> ast.FunctionDef:
    changed = copy.copy(function)
    changed.body = ast.parse(body).body
    return changed


def _with_methods(right: ast.ClassDef, body: list[ast.stmt]) -> ast.ClassDef:
    changed = copy.copy(right)
    changed.body = body
    return changed
