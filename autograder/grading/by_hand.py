"""Says why an instructor has to look at a question with `by_hand` rules: by what ran, and by what is read.

A find asks a person to look, and proves nothing; a missed trick is no more than that. What torch computes is
recorded while it runs, whatever the code says (worker/operators.py). Beside that, one flat scan of the code
that ran looks for the forbidden names, for modules that compute where nobody records, and for what reaches
into Python itself.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

from autograder.course.code import Piece, pieces, rests_on
from autograder.course.rule import Rule
from autograder.worker.operators import LOST

_LOOK = " An instructor will look at it before it scores."
_UNREAD = "The code of this question cannot be read."
_NOT_RECORDED = "What the code of this question ran could not be recorded."
_OTHER = "The code of this question ran an operation that this question asks you to do without."
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,79}")

_FORBIDDEN_TOO = {  # by a forbidden word
    "@": frozenset({"matmul", "rmatmul", "imatmul"}),
    **dict.fromkeys(("dot", "sum"), frozenset({"dist", "fsum", "hypot", "sumprod"})),
}
# Modules that a question's code may use, and of some of them only a few names.
_MODULES = """
    __future__ abc cmath collections contextlib copy dataclasses enum functools itertools jaxtyping logging
    math numbers operator random time torch tqdm typing typing_extensions warnings
"""
_OF_NUMPY = "e exp finfo float16 float32 float64 inf int32 int64 log log2 nan newaxis pi power sqrt"
_USEFUL: dict[str, frozenset[str] | None] = {
    **dict.fromkeys(_MODULES.split()),
    "IPython": frozenset({"display", "get_ipython"}),
    "numpy": frozenset(_OF_NUMPY.split()),
    "sys": frozenset({"float_info", "maxsize", "stderr", "stdout", "version_info"}),
}
# By which a module leads to others that it has imported for itself.
_OTHERS = sys.stdlib_module_names - {"abc"}
# Parts of torch by which code runs unseen, or is made or changed as it runs.
_TORCH_INSIDES = "classes distributed fx hub jit library multiprocessing ops overrides package profiler utils"
_EXITS = frozenset({"__array__", "__dlpack__", "data_ptr", "numpy", "storage", "untyped_storage"})
# What runs, finds or fetches other code than is written there.
_REACHING_WORDS = """
    ForwardRef __builtins__ __closure__ __dict__ __globals__ __import__ __loader__ __self__ __spec__
    __subclasses__ __torch_dispatch__ __torch_function__ __traceback__ _ctypes _thread ag_frame
    ast_transformers attrgetter autograder builtins codeop compile concurrent copyreg cr_frame ctypes dill
    eval ex exec f_back f_builtins f_code f_globals f_locals get_type_hints gi_frame globals importlib inspect
    locals marshal methodcaller mmap pickle pkgutil push register_magic_function run_cell run_cell_magic
    run_code run_line_magic runpy safe_execfile tb_frame tb_next threading user_ns vars
"""
_REACHING = frozenset(_REACHING_WORDS.split())
_BY_NAME = frozenset({"getattr", "setattr", "__getattribute__"})


def broken_rule(
    question: str,
    rule: Rule,
    codes: Sequence[str],
    ran: Sequence[frozenset[str]] = (),
    shown: Sequence[frozenset[str]] = (),
) -> str | None:
    """Return in a student's words why an instructor has to look at `question`, or None.

    `codes` are the code cells that ran. `ran` is what the worker says of the question's calls on hidden
    inputs: it decides. `shown` is what a worker says of its calls on inputs that may be shown: names come
    from there alone, since no hidden input can have shaped them.
    """
    if not rule.forbid and rule.operators is None:
        return None
    found = pieces(codes)
    reached = rests_on(question, found)[0] + [piece for piece in found if "*" in piece.bound]
    if not reached or any(piece.tree is None for piece in reached):
        return _UNREAD + _LOOK
    if used := next(_uses(reached, found, rule.forbid), None):
        return f'This question asks you to do without "{used}".' + _LOOK
    if rule.operators is not None and (needless := _needless(ran, rule.operators)):
        told = _needless(shown, rule.operators)
        return (_NOT_RECORDED if LOST in (told or needless) else _named(told)) + _LOOK
    return None


def _needless(ran: Sequence[frozenset[str]], allowed: frozenset[str]) -> frozenset[str]:
    """Return what ran and is not allowed; where nothing at all was recorded, that it was lost."""
    operators = frozenset[str]().union(*ran) or frozenset({LOST} if ran else ())
    return frozenset(name for name in operators if not {name, name.rstrip("_")} & allowed)


def _named(operators: Iterable[str]) -> str:
    """Return a sentence that names one of some operators, if torch knows any of them."""
    import torch  # which has recorded them

    names = [name for name in operators if _NAME.fullmatch(name) and hasattr(torch.ops.aten, name)]
    if not names:
        return _OTHER
    name = min(names, key=lambda name: (name.startswith("_"), name))
    return f"The code of this question called {name}, which this question asks you to do without."


def _uses(reached: Sequence[Piece], found: Sequence[Piece], forbidden: Sequence[str]) -> Iterator[str]:
    """Yield what the code behind a question uses of some words, and what the notebook hides such a use by."""
    words = frozenset(forbidden).union(*(_FORBIDDEN_TOO.get(word, ()) for word in forbidden))
    trees = [piece.tree for piece in reached if piece.tree is not None]
    modules = {name: root for piece in found for name, root in _modules(piece.tree)}
    own = {tree.name for tree in trees if isinstance(tree, ast.FunctionDef | ast.ClassDef)}
    for tree in trees:
        yield from _in_statement(list(ast.walk(tree)), words, modules, own)
    for piece in found:
        nodes = list(ast.walk(piece.tree or ast.Pass()))
        yield from (name for node in nodes for name in _reaching(node))
        called = {node.func for node in nodes if isinstance(node, ast.Call)}
        yield from (n.id for n in nodes if isinstance(n, ast.Name) and n.id in _BY_NAME and n not in called)


def _modules(tree: ast.AST | None) -> Iterator[tuple[str, str]]:
    """Yield the names that a statement gives to modules, and the module that each stands for."""
    for node in ast.walk(tree or ast.Pass()):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                yield alias.asname or root, root


def _in_statement(
    nodes: Sequence[ast.AST], words: frozenset[str], modules: Mapping[str, str], own: set[str]
) -> Iterator[str]:
    """Yield what a statement uses of some words, and of modules that work by hand has no use for.

    Its local names are no use, nor are those of the notebook's `own` functions, which are looked at, too.
    """
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    local = own | stored | {node.arg for node in nodes if isinstance(node, ast.arg)}
    owners = {node.value for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        for root, *names in _paths(node, modules):
            useful = _USEFUL.get(root, frozenset())
            if "*" in names or (useful is not None and not useful.issuperset(names[:1])):
                yield ".".join((root, *names))
            if root != "torch":
                yield from (name for name in names if name in _OTHERS)
            else:
                yield from (name for name in names if name in _TORCH_INSIDES.split() or name.startswith("_"))
        if isinstance(node, ast.Name) and node.id in local:
            continue
        yield from (name for name in _spelt(node) if name.strip("_") in words or name in _EXITS)
        if isinstance(node, ast.Name) and node.id in modules and node not in owners:
            yield f"the module {node.id} itself"


def _spelt(node: ast.AST) -> Sequence[str]:
    """Return the names that a node spells."""
    match node:
        case ast.Name(name) | ast.Attribute(attr=name):
            return [name]
        case ast.MatMult():
            return ["@"]
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


def _reaching(node: ast.AST) -> Iterator[str]:
    """Yield what can change any name, attribute or module without spelling it."""
    match node:
        case ast.Attribute(attr="eval"):
            pass  # modules have a method of this name
        case ast.Name(name) | ast.Attribute(attr=name) | ast.FunctionDef(name) if name in _REACHING:
            yield name
        case ast.Constant(str(text)) if "autograder" in text:
            yield "autograder"
        case ast.Import(aliases) | ast.ImportFrom(names=aliases):
            yield from (alias.name for alias in aliases if _REACHING.intersection(alias.name.split(".")))
        case ast.Call(ast.Name(name) | ast.Attribute(attr=name), [_, fetched, *_]) if name in _BY_NAME:
            if not isinstance(fetched, ast.Constant) or str(fetched.value) in _REACHING:
                yield name
