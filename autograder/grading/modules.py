"""Knows by which names a notebook's code can reach modules, and which of them work by hand has a use for.

What torch computes is recorded while it runs. Other modules compute where nobody records, or reach into
Python itself and so into the recorder.
"""

import ast
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType

import torch

from autograder.worker.stand_in import CUSTOMARY

# Modules that a question's code may use, and of some of them only a few names.
_MODULES = """
    __future__ abc cmath collections contextlib copy dataclasses enum functools itertools jaxtyping
    math numbers operator random time torch tqdm typing typing_extensions warnings
"""
_OF_LOGGING = """
    CRITICAL DEBUG ERROR Formatter INFO Logger StreamHandler WARNING basicConfig critical debug error
    exception getLogger info warning
"""
_OF_SYS = "float_info maxsize stderr stdout version_info"
_OF_NUMPY = (
    "array e exp finfo float16 float32 float64 inf int32 int64 log log2 nan ndarray newaxis pi power sqrt"
)
_USEFUL: dict[str, frozenset[str] | None] = {
    **dict.fromkeys(_MODULES.split()),
    "IPython": frozenset({"display"}),
    "logging": frozenset(_OF_LOGGING.split()),
    "numpy": frozenset(_OF_NUMPY.split()),
    "sys": frozenset(_OF_SYS.split()),
}
# Parts of torch by which code runs unseen, or is made or changed as it runs.
_TORCH_INSIDES = "classes distributed fx hub jit library multiprocessing ops overrides package profiler utils"
_PYTHON_SUMS = {  # of plain numbers
    "collections": frozenset({"Counter"}),
    "math": frozenset({"dist", "fsum", "hypot", "prod", "sumprod"}),
}
# What adds up or multiplies in numpy's arrays, which numpy's other functions make of lists.
_ARRAY_SUMS = frozenset({"cumprod", "cumsum", "mean", "prod", "std", "trace", "var"})
_SUMS = frozenset({"dot", "sum"})  # a question that forbids one of these means them all
# Modules by which code anywhere in a notebook can change what other code does, but for a few harmless names.
_REACHERS = """
    __main__ _ctypes _thread autograder code codeop copyreg ctypes dill marshal mmap pickle pkgutil runpy
"""
_OF_GC = "collect disable enable freeze get_count isenabled"
_OF_INSPECT = "Parameter getdoc getsource isclass isfunction signature"
_REACHING: dict[str, frozenset[str]] = {
    **dict.fromkeys(_REACHERS.split(), frozenset[str]()),
    "gc": frozenset(_OF_GC.split()),
    "importlib": frozenset({"metadata", "reload", "util"}),
    "inspect": frozenset(_OF_INSPECT.split()),
}
# Star imports of these are looked through.
_KNOWN = frozenset({"IPython", "math", "numpy", "operator", "torch", "typing"})
_SHORT = {"np": "numpy"}  # how libraries call what they import
_PACKAGES = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
_SYS_INSIDES = frozenset({"_getframe", "meta_path", "modules", "path_hooks", "setprofile", "settrace"})


class Modules:
    """The names that a notebook's imports give to modules, and to what is in them."""

    def __init__(self, trees: Iterable[ast.AST]) -> None:
        self.aliases: dict[str, str] = {}  # by name in the notebook: the module
        for tree in trees:
            match tree:
                case ast.Import(aliases):
                    for alias in aliases:
                        root = alias.name.partition(".")[0]
                        self.aliases[alias.asname or root] = alias.name if alias.asname else root
                case ast.ImportFrom(str(module), aliases, 0):
                    for alias in aliases:
                        full = f"{module}.{alias.name}"
                        if (real := ".".join(_resolved(full.split(".")))) != full or _is_part_of_torch(full):
                            self.aliases[alias.asname or alias.name] = real

    def path(self, node: ast.AST) -> list[str] | None:
        """Return the dotted path of an attribute that begins at a module, or None: `F.softmax` of torch."""
        names: list[str] = []
        while isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name) and (module := self.aliases.get(node.id)):
            return [*module.split("."), *reversed(names)]
        return None


def needless(path: list[str], forbidden: Iterable[str]) -> str | None:
    """Return what of a dotted path work by hand has no use for, in words for a person, or None."""
    root, *names = _resolved(path)
    if root not in _USEFUL:
        return root
    useful = _USEFUL[root]
    if useful is not None and names and names[0] not in useful:
        return f"{root}.{names[0]}"
    if root in _PYTHON_SUMS and names and names[0] in _PYTHON_SUMS[root] and _SUMS.intersection(forbidden):
        return f"{root}.{names[0]}"
    if root == "torch":
        return next((name for name in names if name in _TORCH_INSIDES.split() or _is_private(name)), None)
    return None


def array_sum(nodes: Sequence[ast.AST], modules: Modules, forbidden: Iterable[str]) -> str | None:
    """Return what adds up numpy's arrays, in code that works with numpy and must do without sums, or None."""
    if not _SUMS.intersection(forbidden):
        return None
    paths = [modules.path(node) or [""] for node in nodes if isinstance(node, ast.Attribute)]
    paths += [str(node.module).split(".") for node in nodes if isinstance(node, ast.ImportFrom)]
    if all(_resolved(path)[0] != "numpy" for path in paths):
        return None
    used = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return min(used & _ARRAY_SUMS, default=None)


def imports(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the imports among the nodes of a tree."""
    return (node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))


def reaching(path: list[str]) -> str | None:
    """Return what of a dotted path can change what other code does, or None."""
    root, *names = _resolved(path)
    if path[:2] == ["logging", "config"]:
        return "logging.config"
    if root in _REACHING and (not names or names[0] not in _REACHING[root]):
        return root
    if root == "sys" and names and names[0] in _SYS_INSIDES:
        return f"sys.{names[0]}"
    if root == "torch" and {"_C", "_dynamo"} & set(names):
        return "_C"
    return "__dict__" if "__dict__" in names else None


def star_binds(tree: ast.stmt, name: str) -> bool:
    """Whether a star import may bind `name`; a module that is loaded here is looked through."""
    match tree:
        case ast.ImportFrom(str(module), [ast.alias(name="*")], 0) if module.partition(".")[0] in _KNOWN:
            known = vars(sys.modules[module]) if module in sys.modules else {name: None}
            return name in known and not _is_private(name)
        case ast.ImportFrom(names=[ast.alias(name="*")]):
            return True
    return False


def own_module(tree: ast.stmt) -> str | None:
    """Return the module that an import names, where it is no module of this machine, but the submission's."""
    match tree:
        case ast.Import([ast.alias(name)]) | ast.ImportFrom(str(name), _, 0):
            root = name.partition(".")[0]
            known = root in sys.stdlib_module_names | CUSTOMARY or PathFinder.find_spec(root, _PACKAGES)
            return None if known else root
    return None


def _resolved(path: list[str]) -> list[str]:
    """Return a path from the module that it really leads to: `warnings.sys.modules` is sys.modules.

    Of a module that is not loaded here, an attribute that is called like a module counts as that module.
    """
    for _ in range(len(path)):
        for place in range(1, len(path)):
            if (real := _real_name(".".join(path[:place]), path[place])) is not None:
                path = [*real.split("."), *path[place + 1 :]]
                break
        else:
            break
    return path


def _real_name(module: str, name: str) -> str | None:
    """Return the name of a module that is called `name` inside another, unless it is a part of that one."""
    if module not in sys.modules:
        return _SHORT.get(name, name) if name in (*sys.stdlib_module_names, *_SHORT) else None
    found = vars(sys.modules[module]).get(name)
    real = found.__name__ if isinstance(found, ModuleType) else None
    return None if real == f"{module}.{name}" else real


def _is_part_of_torch(path: str) -> bool:
    """Whether a dotted path names a module of torch, and not something in one."""
    root, *names = path.split(".")
    place = Path(torch.__file__).parent.joinpath(*names)
    return root == "torch" and (place.is_dir() or place.with_suffix(".py").is_file())


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")
