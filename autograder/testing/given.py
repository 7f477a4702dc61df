"""Hidden inputs that are functions: a hidden test hands them over, and the student's code calls them.

They cross to the student's side as compiled code: without source, docstrings and comments, and without the
names of variables and functions. Code there can still read them, as it can read a tensor.
"""

import ast
import builtins
import dis
import inspect
import marshal
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from textwrap import dedent
from types import CodeType

from autograder.worker.protocol import MAX_TEXT

GIVEN = "given"  # the name of the function and of its file on the student's side
_KNOWN = ("math", "numpy", "pandas", "torch")  # modules that it may use there
_FORMAT = 2  # of marshal: the last one by which equal code is always written alike


@lru_cache(64)
def anonymous(make: Callable[..., object]) -> str:
    """Return the code of a function as it is sent; a TypeError says what it uses that is not there."""
    (function,) = ast.parse(dedent(inspect.getsource(make))).body
    if not isinstance(function, ast.FunctionDef):
        raise TypeError(f"{make} is no function that was written with def")
    _take_names(function)
    function.name, function.decorator_list = GIVEN, []
    used = {*global_names(bytecode([function]))}
    code = bytecode([*(ast.Import([ast.alias(name)]) for name in _KNOWN if name in used), function])
    if missing := used - {*_KNOWN, *vars(builtins), GIVEN}:
        fix = "hand it over as an argument, or define it inside"
        raise TypeError(f"{make.__name__} uses {min(missing)}, which is not there when it runs; {fix}")
    if len(sent := marshalled(code)) > MAX_TEXT:
        raise TypeError(f"{make.__name__} is too long: its code takes more than {MAX_TEXT:,} characters")
    return sent


def bytecode(statements: list[ast.stmt]) -> CodeType:
    """Compile statements without their docstrings."""
    module = ast.fix_missing_locations(ast.Module(statements, []))
    return compile(module, GIVEN, "exec", dont_inherit=True, optimize=2)


def marshalled(code: CodeType) -> str:
    """Return code as a worker reads it."""
    return b64encode(marshal.dumps(code, _FORMAT)).decode()


def global_names(code: CodeType) -> Iterator[str]:
    """Yield the names that code looks up outside of functions."""
    looked_up = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_CLASSDEREF")
    yield from (step.argval for step in dis.get_instructions(code) if step.opname in looked_up)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from global_names(inner)


def _take_names(function: ast.FunctionDef) -> None:
    """Rename what a function defines, but for arguments of inner functions, classes and nonlocal names."""
    nodes = [node for node in ast.walk(function) if node is not function]
    inner = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.Lambda)]
    kept = [*(node.args for node in inner), *(node for node in nodes if isinstance(node, ast.ClassDef))]
    stay = {name for part in kept for _, _, name in _named(ast.walk(part))}
    stay.update(name for node in nodes if isinstance(node, ast.Nonlocal) for name in node.names)
    bound = (node for node in nodes if not isinstance(getattr(node, "ctx", None), ast.Load))
    defined = dict.fromkeys(name for _, _, name in _named(bound))
    new = {name: f"_{number}" for number, name in enumerate(defined) if name not in stay}
    for node, attribute, name in list(_named(nodes)):
        setattr(node, attribute, new.get(name, name))
    for node in ast.walk(function):  # annotations would be looked up where they are not known
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None


def _named(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.AST, str, str]]:
    """Yield each node that holds a name, the attribute that holds it, and the name."""
    for node in nodes:
        for kind, attribute in ((ast.Name, "id"), (ast.arg, "arg"), (ast.FunctionDef, "name")):
            if isinstance(node, kind):
                yield node, attribute, getattr(node, attribute)
