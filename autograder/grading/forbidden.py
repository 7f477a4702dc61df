"""Finds what a question forbids, by one flat scan of the names in the code that it rests on.

A find asks a person to look, and proves nothing; a missed trick is no more than that. What torch computes is
recorded while it runs, whatever the code says (worker/operators.py). So the scan looks for the forbidden
names themselves, for modules that compute where nobody records, and for what reaches into Python and so into
the recorder.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec

from autograder.grading.pieces import Piece, pieces, rests_on
from autograder.worker.stand_in import CUSTOMARY

UNSEEN = "a definition that cannot be read"
_MATMUL = frozenset({"matmul", "rmatmul", "imatmul"})  # the methods behind the operator @
_SUMS = frozenset({"dot", "sum"})  # a question that forbids one of these means sums of plain numbers, too
# Modules that a question's code may use, and of some of them only a few names.
_MODULES = """
    __future__ abc cmath collections contextlib copy dataclasses enum functools IPython itertools jaxtyping
    logging math numbers operator random time torch tqdm typing typing_extensions warnings
"""
_OF_NUMPY = (
    "array e exp finfo float16 float32 float64 inf int32 int64 log log2 nan ndarray newaxis pi power sqrt"
)
_OF_SYS = "float_info maxsize stderr stdout version_info"
_USEFUL: dict[str, frozenset[str] | None] = {
    **dict.fromkeys(_MODULES.split()),
    "numpy": frozenset(_OF_NUMPY.split()),
    "sys": frozenset(_OF_SYS.split()),
}
_ARRAY_SUMS = frozenset({"cumprod", "cumsum", "mean", "prod", "std", "trace", "var"})
_NUMBER_SUMS = frozenset({"Counter", "dist", "fsum", "hypot", "prod", "sumprod"})
# Parts of torch by which code runs unseen, or is made or changed as it runs.
_TORCH_INSIDES = "classes distributed fx hub jit library multiprocessing ops overrides package profiler utils"
# What runs, finds or fetches other code than is spelt.
_REACHING_WORDS = """
    __builtins__ __closure__ __globals__ __import__ __loader__ __self__ __spec__ __subclasses__
    __torch_dispatch__ __torch_function__ __traceback__ _ctypes ag_frame ast_transformers attrgetter
    autograder builtins codeop compile copyreg cr_frame ctypes dill eval ex exec f_back f_builtins f_code
    f_globals f_locals gi_frame globals importlib inspect locals marshal methodcaller mmap pickle pkgutil push
    register_magic_function run_cell run_cell_magic run_code run_line_magic runpy safe_execfile tb_frame
    tb_next user_ns vars
"""
_REACHING = frozenset(_REACHING_WORDS.split())
_EXITS = frozenset({"__array__", "__dlpack__", "data_ptr", "numpy", "storage", "untyped_storage"})
_BY_NAME = frozenset({"getattr", "setattr", "__getattribute__"})


def first_use(question: str, forbidden: Sequence[str], codes: Iterable[str]) -> str | None:
    """Return what the code behind `question` uses of `forbidden`, or of what hides such a use; or None.

    Each definition of a name counts, whether it ran or not: which one ran is hard to say.
    """
    found = pieces(codes)
    reached, _ = rests_on(question, found)
    reached += [piece for piece in found if "*" in piece.bound]  # which may bind any name
    if not reached or any(piece.tree is None for piece in reached):
        return UNSEEN
    words, modules = frozenset(forbidden), _modules(found)
    if _SUMS & words and any(modules.get(name) == "numpy" for piece in reached for name in piece.named):
        words |= _ARRAY_SUMS
    definitions = ast.FunctionDef | ast.ClassDef
    own = frozenset(piece.tree.name for piece in reached if isinstance(piece.tree, definitions))
    uses = (use for piece in reached for use in _uses(piece, words, modules, own))
    return next(uses, None) or next((name for piece in found for name in _reaching(piece)), None)


def _modules(found: Sequence[Piece]) -> dict[str, str]:
    """Return the notebook's names for modules, and the module that each stands for."""
    names = dict[str, str]()
    for node in (node for piece in found if piece.tree for node in ast.walk(piece.tree)):
        match node:
            case ast.Import(aliases):
                for alias in aliases:
                    names[alias.asname or alias.name.partition(".")[0]] = alias.name.partition(".")[0]
    return names


def _uses(
    piece: Piece, words: frozenset[str], modules: Mapping[str, str], own: frozenset[str]
) -> Iterator[str]:
    """Yield what a statement spells of the forbidden words, and of modules that it has no use for.

    `own` are functions and classes of the notebook; whatever else binds their names spells them itself.
    """
    nodes = list(ast.walk(piece.tree)) if piece.tree else []
    local = own | {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    local |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    owners = {node.value for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        yield from (use for path in _paths(node, modules) for use in _of_module(path, words))
        if not (isinstance(node, ast.Name) and node.id in local):
            yield from (use for name in _spelt(node) for use in _word(name, words))
            if isinstance(node, ast.Name) and node.id in modules and node not in owners:
                yield f"the module {node.id} itself"
        if isinstance(node, ast.MatMult) and "@" in words:
            yield "@"


def _spelt(node: ast.AST) -> Sequence[str]:
    """Return the names that a node spells."""
    match node:
        case ast.Name(name) | ast.Attribute(attr=name):
            return [name]
        case ast.ImportFrom(names=aliases):
            return [alias.name for alias in aliases]
        case ast.MatchClass(kwd_attrs=names):
            return names
        case ast.Call(ast.Name("getattr"), [_, ast.Constant(str(text)), *_]):
            return text.split(".")
    return []


def _paths(node: ast.AST, modules: Mapping[str, str]) -> Iterator[list[str]]:
    """Yield the dotted paths, from a module on, that a node leads along."""
    match node:
        case ast.Attribute(ast.Name(owner), name) if owner in modules:
            yield [modules[owner], name]
        case ast.Import(aliases):
            yield from (alias.name.split(".") for alias in aliases)
        case ast.ImportFrom(module, aliases):
            yield from ([*(module or ".").split("."), alias.name] for alias in aliases)


def _word(name: str, words: frozenset[str]) -> Iterator[str]:
    """Yield a name that leads out of torch, or is forbidden in any of its spellings: `dot_`, `__matmul__`."""
    bare = name.strip("_")
    if bare in words or ("@" in words and bare in _MATMUL) or name in _EXITS:
        yield name


def _of_module(path: Sequence[str], words: frozenset[str]) -> Iterator[str]:
    """Yield what of a module's dotted path work by hand has no use for."""
    root, *names = path
    useful = _USEFUL.get(root, frozenset())
    if "*" in names or (useful is not None and not useful.issuperset(names[:1])):
        yield ".".join(path)
    if root == "torch":
        yield from (name for name in names if name in _TORCH_INSIDES.split() or name.startswith("_"))
    if _SUMS.intersection(words) and _NUMBER_SUMS.intersection(names) and root != "torch":
        yield ".".join(path)


def _reaching(piece: Piece) -> Iterator[str]:
    """Yield what a statement uses that can change any name, attribute or module without spelling it."""
    for node in ast.walk(piece.tree) if piece.tree else ():
        match node:
            case ast.Name(name) | ast.Attribute(attr=name) if name in _REACHING:
                yield name
            case ast.FunctionDef(name) if name in _REACHING:
                yield name
            case ast.Import(aliases) | ast.ImportFrom(names=aliases):
                yield from (alias.name for alias in aliases if _REACHING.intersection(alias.name.split(".")))
                yield from (
                    alias.name for alias in aliases if isinstance(node, ast.Import) and _is_own(alias.name)
                )
            case ast.Call(ast.Name(name) | ast.Attribute(attr=name), [_, fetched, *_]) if name in _BY_NAME:
                if not isinstance(fetched, ast.Constant) or str(fetched.value) in _REACHING:
                    yield name


def _is_own(module: str) -> bool:
    """Whether a module is none that is installed here, and so one that the notebook has written itself."""
    root = module.partition(".")[0]
    return root not in CUSTOMARY and find_spec(root) is None
