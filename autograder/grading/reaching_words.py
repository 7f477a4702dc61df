"""The words by which code reaches further than it shows, and how a name may be spelt."""

import ast
from collections.abc import Collection, Iterable

from autograder.grading.magics import MAGICS

_MATMUL = frozenset({"matmul", "rmatmul", "imatmul"})  # the methods behind the operator @
DYNAMIC = {"exec", "eval", "compile", "globals", "locals", "vars", "__import__", "builtins", "__builtins__"}
# What leads from a generator, a coroutine or a traceback to whoever called it, and so to the recorder.
_FRAMES = """
    ag_frame cr_frame f_back f_builtins f_code f_globals f_locals gi_frame tb_frame tb_next
"""
# What leads from any function or class to all modules.
_OUTWARD = """
    __builtins__ __closure__ __globals__ __import__ __loader__ __self__ __spec__ __subclasses__ __traceback__
"""
SHELL = MAGICS | {
    *("run_cell", "user_ns", "ast_transformers", "input_transformers_post", "input_transformers_cleanup"),
    *("register_magic_function", "run_code", "ex", "push", "safe_execfile"),
    *_FRAMES.split(),
}
REACHING = SHELL | frozenset(_OUTWARD.split())
BY_NAME = frozenset({"getattr", "attrgetter", "methodcaller", "__getattribute__"})
# What leads out of torch: its numbers, as others can compute with them.
_EXITS = frozenset({"__array__", "__dlpack__", "data_ptr", "numpy", "storage", "untyped_storage"})
# The methods with underscores around them that work by hand has a use for; the others lead inside Python.
_METHODS = """
    __abs__ __add__ __call__ __class__ __contains__ __doc__ __enter__ __eq__ __exit__ __float__ __ge__
    __getitem__ __gt__ __iadd__ __imul__ __init__ __int__ __isub__ __iter__ __itruediv__ __le__ __len__
    __lt__ __mul__ __name__ __ne__ __neg__ __next__ __pow__ __radd__ __repr__ __rmul__ __rpow__ __rsub__
    __rtruediv__ __setitem__ __str__ __sub__ __truediv__
"""


def leads_inside(name: str) -> bool:
    """Whether an attribute leads inside Python, or out of torch."""
    method = name.startswith("__") and name.endswith("__")
    return name in _EXITS or (method and name not in _METHODS.split() and name.strip("_") not in _MATMUL)


def by_name(call: ast.Call, words: Collection[str]) -> str | None:
    """Return the word that getattr and its like fetch; where it is computed, the name of that function."""
    match call.func:
        case ast.Name(function) | ast.Attribute(attr=function) if function in BY_NAME:
            arguments = call.args[1:2] if function == "getattr" else call.args
        case _:
            return None
    for argument in arguments:
        if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
            return function
        names = argument.value.split(".")
        if found := first_word(names, words) or next(filter(leads_inside, names), None):
            return found
    return None


def first_word(names: Iterable[str], words: Collection[str]) -> str | None:
    """Return the first name that is forbidden in any of its spellings: `dot`, `dot_`, `__matmul__`."""
    bare = ((name, name.strip("_")) for name in names)
    return next((name for name, word in bare if word in words or ("@" in words and word in _MATMUL)), None)
