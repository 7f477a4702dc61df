"""Writes code with fewer names: a value stands where its name did."""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from autograder.diagnosis.trees import altered, names_in, rewritten, with_values

_SMALL = 8  # nodes of a value that is written wherever its name stands


def spelt_out(tree: ast.Module) -> ast.Module:
    """Return code in which small values that have a name, such as sizes, stand wherever the name did."""

    def change(_: ast.AST, made: ast.AST) -> ast.AST:
        if not isinstance(made, ast.FunctionDef):
            return made
        times = Counter(names_in(made, ast.Store))
        named = (pair for statement in made.body for pair in _named(statement))
        known = {name: value for name, value in named if times[name] == 1 and _is_small(value)}
        return with_values(with_values(made, known), known)  # one value may hold the name of another

    return rewritten(tree, change)  # type: ignore[no-any-return]


def _is_small(value: ast.expr) -> bool:
    size = sum(isinstance(one, ast.expr) for one in ast.walk(value))
    return size <= _SMALL and not isinstance(value, ast.Call)


def _named(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a statement gives to values; those of `b, t, c = x.shape` too."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            pairs = zip(names, values, strict=False)
            yield from ((name.id, value) for name, value in pairs if isinstance(name, ast.Name))
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Attribute(attr="shape") as value):
            for at, part in enumerate(names):
                if isinstance(part, ast.Name):
                    yield part.id, ast.Subscript(value, ast.Constant(at), ast.Load())


def inlined(tree: ast.Module) -> ast.Module:
    """Return code of the same meaning, in which one expression holds what several statements did."""

    def change(_: ast.AST, made: ast.AST) -> ast.AST:
        return altered(made, body=_shortened(made.body)) if isinstance(made, ast.FunctionDef) else made

    return rewritten(tree, change)  # type: ignore[no-any-return]


def _shortened(statements: list[ast.stmt]) -> list[ast.stmt]:
    at = 0
    while at + 1 < len(statements):
        joined = _joined(statements[at], statements[at + 1], statements[at + 2 :])
        if joined is None:
            at += 1
        else:
            statements = [*statements[:at], joined, *statements[at + 2 :]]
            at = max(at - 1, 0)
    return statements


def _joined(first: ast.stmt, second: ast.stmt, rest: Sequence[ast.stmt]) -> ast.stmt | None:
    """Return two statements as one, or None where the value of the first is needed elsewhere too."""
    match first, second:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value),
            ast.Assign(value=ast.expr() as used) | ast.Return(value=ast.expr() as used),
        ):
            again = isinstance(second, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == name for target in second.targets
            )
            if _uses([second], name) == 1 and (again or not _uses(rest, name)):
                return altered(second, value=with_values(used, {name: value}))
    return None


def _uses(statements: Sequence[ast.stmt], name: str) -> int:
    return sum(one == name for statement in statements for one in names_in(statement, ast.Load))
