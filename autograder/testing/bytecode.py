"""Compiles code for a worker. The result contains no source, docstrings or comments."""

import ast
import dis
import marshal
from base64 import b64encode
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType

_FILE = "given"  # the file name of the code in the worker
_FORMAT = 2  # version of marshal's format; with later versions, equal code may give different bytes


@lru_cache(64)
def compile_for_worker(source: str) -> str:
    """Compile the source of functions for a worker, and return the bytecode in base64."""
    return marshalled(bytecode(ast.parse(source).body))


def bytecode(statements: list[ast.stmt]) -> CodeType:
    """Compile statements without their docstrings."""
    module = ast.fix_missing_locations(ast.Module(statements, []))
    return compile(module, _FILE, "exec", dont_inherit=True, optimize=2)


def marshalled(code: CodeType) -> str:
    """Return bytecode in base64."""
    return b64encode(marshal.dumps(code, _FORMAT)).decode()


def global_names(code: CodeType) -> Iterator[str]:
    """Yield the global names that `code` and the functions inside it look up."""
    looked_up = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_CLASSDEREF")
    yield from (step.argval for step in dis.get_instructions(code) if step.opname in looked_up)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from global_names(inner)
