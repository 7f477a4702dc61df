"""Checks the notebook in this folder from a fresh start: save it, then run `pytest` here.

Your cells run once, from top to bottom. Then the check of each question runs by itself. Ctrl-C ends the cell
that is running, and twice in a row all of them. `pytest --hint QUESTION` gives a hint, then a plainer one.
`pytest --page` writes what the checks found to checks.html.
"""

from __future__ import annotations

import __future__
import _thread
import ast
import builtins
import contextlib
import gc
import hashlib
import io
import json
import os
import pytest
import re
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, NoReturn


# What the kit knows of its exercise; a release fills this in.

class Question(NamedTuple):
    """A question; its check cell is known by its fingerprint, however a notebook was saved."""

    name: str
    points: float
    check: str


EXERCISE = "09_tiny_gpt"
QUESTIONS = (
    Question("Block", points=4, check="ee5c1e88d993"),
    Question("TinyGPT", points=5, check="506f8717ddd2"),
    Question("generate", points=3, check="e28604f29969"),
    Question("train_step", points=3, check="93e1bc61863b"),
)
# The fingerprints of the demo cells: they only draw, so they are not run.
DEMOS = (
    "3d4a283377e0",
    "704444cae24c",
    "3631c698af41",
    "5561d85f7497",
    "ae5ac68a66a9",
    "42d114775b28",
    "4cc2de28795e",
    "92f19f14f714",
    "3893f6bd3764",
    "648dd491ddb7",
    "e836436a9b5a",
    "94880fe33909",
)
# The author's hints, from vague to plain; one with "when" is for a check that fails with these words.
HINTS = {
    "Block": [
        {
            "hint": "Read the two formulas aloud. What does each half read, and to what is its result added?"
        },
        {
            "when": "no gradient reaches",
            "hint": "The message names something that __init__ makes and forward never uses. Where in the formulas does it stand?"
        },
        {
            "when": "pass unchanged",
            "hint": "Where both halves give 0, x must come out as it went in. Find your two plus signs: what stands to the left of each, and is anything normalised after them?"
        },
        {
            "when": "second half read|gives is lost",
            "hint": "The second half takes up what the first one made. Where does your second line still say x?"
        },
        {
            "when": "LayerNorm of its own|normalised tokens",
            "hint": "There are two norms: one just before the attention, one just before the feed-forward network. Neither serves twice."
        },
        {
            "when": "GELU or ReLU|48",
            "hint": "The network is four times as wide in the middle. What stands between its two Linear layers?"
        },
        {
            "when": "divisible|ZeroDivision|unexpected keyword|positional argument",
            "hint": "Compare your arguments with the signature of the given MultiHeadAttention, one by one, or call them by name."
        },
        {
            "when": "last token changed",
            "hint": "The given MultiHeadAttention looks only at the past. Is it the one that you use, and does nothing else mix tokens?"
        },
        {
            "hint": "Every step keeps (B, T, n_embd); only inside the feed-forward network it is 4 * n_embd. The attention has n_embd features in and out."
        },
        {
            "hint": "In __init__: two LayerNorms, the attention, and an nn.Sequential of Linear, GELU, Linear. In forward: one line that makes h out of x, and one that makes the result out of h alone."
        }
    ],
    "TinyGPT": [
        {
            "hint": "Walk down the table of steps. Which steps need a layer of their own, and from how many numbers to how many?"
        },
        {
            "when": "no gradient reaches",
            "hint": "The named layers are made, but the loss does not depend on them. Does each block read what the one before it made, and does the head read the final norm of the last one?"
        },
        {
            "when": "weights of its own",
            "hint": "torch does not look into a plain list, and multiplying a list repeats the same block. How do you make num_layers blocks that the model knows?"
        },
        {
            "when": "starts near",
            "hint": "Is your loss a mean over all guesses? If it is, the logits start too large: which weights make them?"
        },
        {
            "when": "target size|to match input batch_size",
            "hint": "cross_entropy counts guesses in one dimension. Make one of B and T, in the logits and in the targets."
        },
        {
            "when": "probability of the target",
            "hint": "cross_entropy takes the softmax itself, and the mean over all guesses. Does it get the plain logits, every one of them, and the targets just as they came?"
        },
        {
            "when": "change places|must match",
            "hint": "A text of T tokens stands at the places 0 to T - 1, and each place has an embedding of its own. Which places do you look up, and are they added?"
        },
        {
            "when": "keep their shape|must be \\(B, T",
            "hint": "The logits are returned as (B, T, vocab_size) in every case. Only what cross_entropy gets is flattened."
        },
        {
            "when": "must not see",
            "hint": "A later token reaches an earlier guess. Are all your blocks causal, and does nothing else mix tokens?"
        },
        {
            "hint": "Tokens (B, T) are looked up and become (B, T, n_embd); the places 0 to T - 1 become (T, n_embd) and are added. The head makes vocab_size scores of n_embd numbers."
        },
        {
            "hint": "Make each block with make_block and keep them in an nn.ModuleList; hand x on from block to block, then to the norm and the head. For the loss, flatten logits to (B * T, vocab_size) and targets to (B * T,)."
        }
    ],
    "generate": [
        {
            "hint": "After each round the text is one token longer. What goes into the model then, and which of its guesses do you need?"
        },
        {
            "when": "tokens went in",
            "hint": "The model says how much it can take: model.context_length. Cut what goes in, and keep its end."
        },
        {
            "when": "make \\(2, 8\\)|no new tokens",
            "hint": "The text that you return and the piece that goes in are two things. Does the first keep all tokens, and how often does your loop run?"
        },
        {
            "when": "adds up the last four|the last four count",
            "hint": "Do the first row by hand: 1 + 2 + 3 = 6, then 1 + 2 + 3 + 6, then only the last four. Which place's guess do you read, over which dimension is the largest sought, and which tokens go in?"
        },
        {
            "when": "(training|evaluation) mode",
            "hint": "Note what model.training says before you switch. At the end give the mode back that you noted, whichever it was."
        },
        {
            "when": "must stay as they are",
            "hint": "The caller still needs the beginnings. Joining makes a new tensor; writing into a part of the old one does not."
        },
        {
            "hint": "Out come logits (B, T, vocab_size). The last place is (B, vocab_size); its largest entry in each row is the next token, which needs the shape (B, 1) to be joined to the text."
        },
        {
            "hint": "Note the mode, switch to evaluation, and max_new_tokens times: cut the end of the text to fit, call the model, take argmax over the last place's scores with keepdim, and cat it to the whole text. Then give the mode back."
        }
    ],
    "train_step": [
        {
            "hint": "Which four things make up one step of training, and which of them must come before which?"
        },
        {
            "when": "has not moved",
            "hint": "Is there a gradient at the moment of the step? It must have been computed before, and not cleared in between. And does the optimizer step at all?"
        },
        {
            "when": "should move the first row",
            "hint": "Compare the two rows. Less by 9: old gradients counted. More than twice as far: two steps. The other way: it climbs."
        },
        {
            "when": "log\\(4\\)",
            "hint": "The loss from before the step is asked for, as the model gave it. It is a mean already; what happens to it, and when do you ask for it?"
        },
        {
            "when": "Python float",
            "hint": "A tensor holds on to the whole computation behind it. Which method of a 0-d tensor gives the plain number?"
        },
        {
            "when": "optimizer that was given",
            "hint": "An optimizer remembers things from step to step. Use the one that you were handed, and make none."
        },
        {
            "hint": "The model gives logits and a loss of shape (). The loss computes the gradients, the optimizer clears old ones and moves the weights."
        },
        {
            "hint": "Call the model with both arguments; clear, go backward from the loss, take one step, each once and in this order. Return the number of the loss that you had at the beginning."
        }
    ]
}
MEANING = "these checks see the commonest slips; the score comes from further tests"


# Leaves out of a cell what cannot work here: packages, files, the network, a GPU.

LEFT_OUT = "which was left out"
NO_INPUT = "a graded cell cannot ask for input"
_MAX_QUOTE = 80  # characters of a statement that a message quotes
_DISPLAYS = ("matplotlib", "gui", "config")  # magics that only say how things are shown
_NO_GPU = (AssertionError, RuntimeError)
_IMPORTS = (ast.Import, ast.ImportFrom)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)


@dataclass(frozen=True)
class Rest:
    """What to run in the place of a statement that failed, and what to say about the parts left out."""

    statements: Sequence[ast.stmt]
    note: str = ""


class Omissions:
    """What was left out of a notebook's cells so far, and the names that are missing because of it.

    `here` says in which place it does not work. `no_magic` are the errors of magics that are not there.
    """

    def __init__(self, here: str, no_magic: tuple[type[BaseException], ...] = ()) -> None:
        self._here = here
        self._no_magic = no_magic
        # By missing name: the statement that should have made it, and why it was left out. "*" is the last
        # import of all names from something that is not there.
        self._origins: dict[str, tuple[str, str]] = {}
        self._unmade: dict[str, BaseException] = {}  # by name: why the running cell did not make it

    def start_cell(self) -> None:
        """Forget why the cell before this one lacks names."""
        self._unmade = {}

    def rest(self, statement: ast.stmt, error: BaseException | None) -> Rest | None:
        """Return what is left of a statement that failed, or None where it would fail everywhere."""
        if error is None or _magic(statement)[:1] == ("run_cell_magic",):  # whose body is a cell of its own
            return None
        if type(error) is NameError and self.origin(unknown_name(error)):
            return self._without_name(statement, error, unknown_name(error))
        why = self._reason(statement, error)
        if not why or isinstance(statement, _DEFINITIONS):
            return None
        if isinstance(statement, _IMPORTS) and len(statement.names) > 1:
            return Rest(tuple(_one_by_one(statement)))
        return self._left_out(statement, error, why)

    def unmade(self, names: Collection[str]) -> BaseException | None:
        """Return why the cell that ran lacks a name which a statement left out of it should have made."""
        return next((error for name, error in self._unmade.items() if name not in names), None)

    def origin(self, name: str) -> str:
        """Return where a missing name should come from, or nothing for a name that was never to be made."""
        statement, _ = self._origin(name)
        return f"from {statement}, {LEFT_OUT}" if statement else ""

    def cause(self, name: str) -> str:
        """Return what `origin` does, and why it was left out."""
        _, why = self._origin(name)
        return f"{self.origin(name)}: {why}" if why else ""

    def _origin(self, name: str) -> tuple[str, str]:
        known = name in self._origins or not name or hasattr(builtins, name)
        return self._origins.get(name if known else "*", ("", ""))

    def _without_name(self, statement: ast.stmt, error: NameError, name: str) -> Rest | None:
        """Return a statement without its uses of a missing name, so far as it can do without them."""
        why = f"`{name}` should come {self.origin(name)}"
        if not isinstance(statement, _DEFINITIONS):
            return self._left_out(statement, error, why)
        kept = [decorator for decorator in statement.decorator_list if not _mentions(decorator, name)]
        if len(kept) < len(statement.decorator_list):
            statement.decorator_list = kept
            return Rest((statement,), f"A decorator of {statement.name} was left out: {why}.")
        if [node for node in ast.walk(statement) if _write_out(node, name)]:
            return Rest((statement,), f"Annotations of {statement.name} were not read: {why}.")
        return None

    def _left_out(self, statement: ast.stmt, error: BaseException, why: str) -> Rest:
        names, quoted = list(_bound(statement)), _quoted(statement)
        self._origins.update(dict.fromkeys(names, (quoted, why)))
        if not isinstance(statement, _IMPORTS):
            self._unmade.update(dict.fromkeys(names, error))
        return Rest((), f"Line {statement.lineno}, {quoted}, was left out: {why}.")

    def _reason(self, statement: ast.stmt, error: BaseException) -> str:
        """Return why a statement cannot work here, or nothing where it fails everywhere."""
        if isinstance(error, ImportError):
            return f"what it imports is not there {self._here}"
        _, *magic = _magic(statement) or ("",)
        if magic and (isinstance(error, self._no_magic) or magic[0] in _DISPLAYS):
            return f"this magic is not there {self._here}"
        if isinstance(error, EOFError):  # nobody answers input()
            return NO_INPUT
        if isinstance(error, OSError):
            kind = type(error).__name__
            return f"{kind}: it needs a file, a program or the network, which is not there {self._here}"
        if isinstance(error, _NO_GPU) and isinstance(statement, (ast.Expr, ast.Assert)):
            return f"there is no GPU {self._here}" if "cuda" in ast.unparse(statement).lower() else ""
        return ""


def unknown_name(error: NameError) -> str:
    """Return the name that an error is about; Python 3.9 tells it in the message alone."""
    return getattr(error, "name", None) or str(error).partition("'")[2].partition("'")[0]


def _magic(statement: ast.stmt) -> tuple[str, ...]:
    """Return what IPython makes of a line that begins with %: the shell's method and its arguments."""
    call = getattr(statement, "value", None)
    method = getattr(call, "func", None)
    if not isinstance(call, ast.Call) or not isinstance(method, ast.Attribute):
        return ()
    arguments = (str(each.value) for each in call.args if isinstance(each, ast.Constant))
    return (method.attr, *arguments) if ast.unparse(method.value) == "get_ipython()" else ()


def _one_by_one(statement: ast.Import | ast.ImportFrom) -> Iterator[ast.stmt]:
    """Yield an import of several names as one import a name, so that one that fails loses no other."""
    for alias in statement.names:
        single = copy(statement)
        single.names = [alias]
        yield single


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Yield every name that a statement could have bound."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]


def _mentions(tree: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))


def _write_out(node: ast.AST, name: str) -> bool:
    """Turn a node's annotation into text if it uses `name`, as `from __future__ import annotations` would."""
    part = "returns" if isinstance(node, _FUNCTIONS) else "annotation"
    annotation = getattr(node, part, None)
    if annotation is None or not _mentions(annotation, name):
        return False
    setattr(node, part, ast.copy_location(ast.Constant(ast.unparse(annotation)), annotation))
    return True


def _quoted(statement: ast.stmt) -> str:
    """Return a statement's first line, in quotes, and a magic as it is typed."""
    _, *magic = _magic(statement) or ("",)
    text = f"%{' '.join(magic)}".rstrip() if magic else ast.unparse(statement).partition("\n")[0]
    return f"`{' '.join(text.split())[:_MAX_QUOTE]}`"


# Keeps a running cell in hand: its time, Ctrl-C, what it prints, and what would end or stop pytest.

MAX_SECONDS = 60  # for a cell; grading allows less
MAX_PRINTED = 20_000  # characters of what the cells of one question print


class Watch:
    """Ends a cell that runs for too long, and makes Ctrl-C end that cell alone.

    Meanwhile os._exit ends the cell and not pytest, and nobody answers input().
    """

    last_stop = 0.0

    def __enter__(self) -> Watch:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background has it ignored
        self._done, self._late = threading.Event(), False
        threading.Thread(target=self._wait, daemon=True).start()
        self._process, self._replaced = os.getpid(), (os._exit, builtins.input)
        os._exit, builtins.input = self._exit, self._input
        return self

    def __exit__(self, *_: object) -> None:
        os._exit, builtins.input = self._replaced
        self._done.set()

    def _exit(self, status: int) -> NoReturn:
        if os.getpid() != self._process:  # a process that the cell has started
            self._replaced[0](status)
        raise SystemExit(status)

    @staticmethod
    def _input(*_: object) -> str:
        raise EOFError(NO_INPUT)

    def _wait(self) -> None:
        while not self._done.wait(MAX_SECONDS):  # more than once, since a bare `except` may catch it
            self._late = True
            _thread.interrupt_main()

    def stopped(self, error: KeyboardInterrupt) -> TimeoutError:
        """Return the error of a cell that was stopped; a second Ctrl-C in a row ends everything."""
        if not self._late and time.monotonic() - Watch.last_stop < 2:
            raise error
        Watch.last_stop = time.monotonic()
        why = f"ran longer than {MAX_SECONDS} s" if self._late else "still ran when you pressed Ctrl-C"
        return TimeoutError(f"{why}. Can its loop end?").with_traceback(error.__traceback__)


class Printed(io.StringIO):
    """What cells print, as far as anybody would read it; a loop may print for ever."""

    def write(self, text: str) -> int:
        """Keep the beginning."""
        room = max(0, MAX_PRINTED - self.tell())
        super().write(text[:room])
        return len(text)


# A code cell: what it is for, what stands in it, and how it runs.

class Cell:
    """A code cell; its `number` counts code cells from 1, and tracebacks call it `file`."""

    is_joined = False  # whether whole checks stand in it beside other code

    def __init__(self, path: Path, number: int, saved: dict[str, Any], part: str = "") -> None:
        self.file = f"{path}, code cell {number}{part}"
        self.number = number
        self.code = "".join(saved["source"])
        self.metadata = saved.get("metadata", {})
        self.notes: list[str] = []  # what was left out when it ran
        self.reads: list[str] = []  # the files beside the notebook that it read then

    @cached_property
    def fingerprint(self) -> str:
        """A short name for the code, which comments and blank lines do not change."""
        lines = (line.rstrip() for line in self.code.splitlines())
        kept = "\n".join(line for line in lines if line and not line.lstrip().startswith("#"))
        return hashlib.sha256(kept.encode("utf-8", "replace")).hexdigest()[:12]

    @cached_property
    def checks(self) -> str:
        """The question that the cell checks, or "": its first line tells, or its id, or its code."""
        if self.is_joined:
            return ""
        heading = re.match(r"\s*# Check of (\w+)", self.code)
        grade_id = self.metadata.get("nbgrader", {}).get("grade_id")
        for name, check in ((question.name, question.check) for question in QUESTIONS):
            if (heading and heading[1] == name) or grade_id == f"check-{name}" or self.fingerprint == check:
                return name
        return ""

    @cached_property
    def is_yours(self) -> bool:
        """Whether the cell is neither a check nor a demo."""
        return not (self.checks or "demo" in self.metadata.get("tags", ()) or self.fingerprint in DEMOS)

    @property
    def answers(self) -> str:
        """The question whose answer seems to stand in the cell, the first of several, or ""."""
        return "" if self.checks else next((one.name for one in QUESTIONS if self.makes(one.name)), "")

    @property
    def names(self) -> set[str]:
        """The names in the code, as far as it is Python."""
        with contextlib.suppress(SyntaxError):
            return {node.id for node in ast.walk(ast.parse(plain(self.code))) if isinstance(node, ast.Name)}
        return set()

    @property
    def label(self) -> str:
        """How messages call the cell."""
        if self.checks:
            return f"the check of {self.checks}"
        named = self.answers and not self.is_joined
        return f"the cell of {self.answers}" if named else f"code cell {self.number}"

    def makes(self, name: str) -> bool:
        """Whether the cell seems to define, assign or import `name`, judged by its text."""
        name = re.escape(name)
        defined, imported = rf"(async +)?(def|class) +{name}\b", rf"(from|import) .*\b{name}\b"
        assigned = rf"(\w+ *, *)*{name}\b[^=(\n]*=(?!=)"
        return bool(re.search(rf"(?m)^({defined}|{imported}|{assigned})", self.code))

    def line(self, number: int) -> str:
        """Return a line of the cell, or "" where it has no such line."""
        lines = self.code.splitlines()
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""

    def local_advice(self, name: str, number: int) -> str:
        """Say what to do about a name that only another function of the cell knows, or "" where none does."""
        if re.search(rf"\bself\.{re.escape(name)}\b", self.code):
            return f"Your class keeps it as `self.{name}`; read it so."
        for function in ast.walk(ast.parse(plain(self.code))):
            if not isinstance(function, ast.FunctionDef):
                continue
            if function.lineno <= number <= (function.end_lineno or 0):
                continue
            known = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
            stored = (node for node in ast.walk(function) if isinstance(node, ast.Name))
            known |= {node.id for node in stored if isinstance(node.ctx, ast.Store)}
            if name in known and "self" in known:
                keep = f"Keep it there, `self.{name} = {name}`, and read `self.{name}`."
                return f"Only `{function.name}` knows `{name}`. {keep}"
            if name in known:
                return f"Only `{function.name}` knows `{name}`. Pass it on as an argument, or return it."
        return ""

    def claim(self, number: int) -> str:
        """Return the assert around a line, without its message; where there is none, the line itself."""
        code = plain(self.code)
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Assert) and node.lineno <= number <= (node.end_lineno or 0):
                return "assert " + " ".join((ast.get_source_segment(code, node.test) or "").split())
        return self.line(number)

    def run(self, variables: dict[str, Any], omissions: Omissions | None) -> BaseException | None:
        """Run the cell with the notebook's variables; return the error that it raises, or None.

        What cannot work on this machine goes to `omissions` and is left out, as in grading; `notes` say so.
        """
        if omissions:
            omissions.start_cell()
        with warnings.catch_warnings(), Watch() as watch:
            warnings.simplefilter("ignore")
            try:
                tree = ast.parse(plain(self.code), self.file)
                flags = 0
                for statement in tree.body:
                    flags |= _future_flags(statement)
                    self._run_statement(statement, flags, variables, omissions)
            except KeyboardInterrupt as error:
                return watch.stopped(error)
            except (Exception, SystemExit) as error:
                return error
        return omissions.unmade(variables) if omissions else None

    def _run_statement(
        self, statement: ast.stmt, flags: int, variables: dict[str, Any], omissions: Omissions | None
    ) -> None:
        code = compile(ast.Module([statement], []), self.file, "exec", flags, dont_inherit=True)
        try:
            exec(code, variables)  # noqa: S102 - your own code
        except Exception as error:
            rest = omissions.rest(statement, error) if omissions else None
            if rest is None:
                raise
        else:
            return
        if rest.note:
            self.notes.append(rest.note)
        for part in rest.statements:
            self._run_statement(part, flags, variables, omissions)


def _future_flags(statement: ast.stmt) -> int:
    """Return how the compiler calls what a statement imports from __future__, if it does."""
    flags = 0
    if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
        for alias in statement.names:
            flags |= getattr(__future__, alias.name).compiler_flag
    return flags


def plain(code: str) -> str:
    """Return a cell as plain Python with the same lines; IPython's magics and shell lines do nothing here."""
    with contextlib.suppress(SyntaxError):
        ast.parse(code)
        return code
    if code.startswith("%%") and not re.match(r"%%(time|capture)\b", code):
        return ""
    return re.sub(r"(?m)^([ \t]*)(([\w, ]+=)?[ \t]*[%!?].*|[\w.]+\?+[ \t]*$)", r"\1pass", code)


# Finds the checks that stand inside a larger cell, as where somebody has joined the cells of a notebook.

JOINED = (
    "has checks inside code cell {}, with other code: where one of them fails, what stands below it does not"
    " run, neither here nor in grading; give each check a cell of its own"
)


def cells_of(path: Path, number: int, saved: dict[str, Any]) -> list[Cell]:
    """Return a code cell, and behind it each check that stands whole inside it, as a cell of its own.

    The larger cell stays as it is: it runs with its checks, as in grading.
    """
    cell = Cell(path, number, saved)
    if cell.fingerprint in {question.check for question in QUESTIONS}:
        return [cell]
    inside = [_inside(path, cell, question) for question in QUESTIONS]
    checks = [check for check in inside if check]
    cell.is_joined = bool(checks)
    return [cell, *checks]


def mentions_check(cell: Cell, name: str) -> bool:
    """Whether a line of a cell says that the check of `name` begins there."""
    return bool(_heading(name).search(cell.code))


def _inside(path: Path, cell: Cell, question: Question) -> Cell | None:
    """Return the check of `question` that begins at a line of the cell, on the same lines, if it does."""
    heading = _heading(question.name).search(cell.code)
    if not heading:
        return None
    above, lines = cell.code[: heading.start()].count("\n"), cell.code[heading.start() :].split("\n")
    for end in range(1, len(lines) + 1):
        code = "\n" * above + "\n".join(lines[:end])
        found = Cell(path, cell.number, {"source": code}, f", check of {question.name}")
        if found.fingerprint == question.check:
            return found
    return None


def _heading(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?m)^# Check of {re.escape(name)}\b")


# Knows which files beside the notebook its cells read, and which of these hide a module that is needed.

NEEDED = {*sys.stdlib_module_names, "torch", "numpy", "matplotlib", "sympy", "networkx", "jinja2"}
ALONE = "reads {} in {}, but no file lies beside a graded notebook: write what you need into the notebook"


class Reads:
    """Notes which files in the notebook's folder are opened for reading while it is entered."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._listens = False
        self._read: set[Path] = set()
        self._written: set[Path] = set()
        sys.addaudithook(self._hear)  # which is for good

    def __enter__(self) -> Reads:
        self._read.clear()
        self._listens = True
        return self

    def __exit__(self, *_: object) -> None:
        self._listens = False

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._listens and event == "open" and isinstance(arguments[0], (str, bytes)):
            written = str(arguments[1] or "r")[0] in "wax"
            path = Path(os.fsdecode(arguments[0])).absolute()
            (self._written if written else self._read).add(path)

    def names(self) -> list[str]:
        """Return the files that were there before, by their names; a module goes by its source."""
        found = {self._name(path) for path in self._read - self._written}
        return sorted(found - {"", "conftest.py"})

    def _name(self, path: Path) -> str:
        if path.parent.name == "__pycache__":
            path = path.parent.parent / f"{path.name.partition('.')[0]}.py"
        path = path.resolve()
        if self._folder not in path.parents or Path(sys.prefix).resolve() in path.parents:
            return ""
        name = path.relative_to(self._folder)
        return "" if name.parts[0].startswith(".") or not path.is_file() else name.as_posix()


def hiding(folder: Path, read: set[str]) -> list[str]:
    """Return the files in `folder` that were imported, or `read`, in the place of what is needed."""
    found = sorted(path for path in folder.glob("*.py") if path.name != "conftest.py")
    return [path.name for path in found if path.stem in NEEDED and (path.name in read or _is_loaded(path))]


def _is_loaded(path: Path) -> bool:
    file = getattr(sys.modules.get(path.stem), "__file__", None)
    return file is not None and Path(file).resolve() == path.resolve()


# Finds the part of the lesson that a question belongs to: the nearest larger heading above its answer.

HEADING = re.compile(r"(?m)^(#{1,2})[ \t]+(.+?)[ \t#]*$")
FENCED = re.compile(r"(?ms)^(```|~~~).*?^\1")


class Part(NamedTuple):
    """A part of the lesson: its heading, by which Jupyter can be sent there, and its text."""

    heading: str
    text: str

    @property
    def anchor(self) -> str:
        """What Jupyter calls the heading's place: its words, with a hyphen for each space.

        What it makes of a formula differs from one Jupyter to the next, so there it is nothing.
        """
        if "$" in self.heading:
            return ""
        return re.sub(r"[`*]", "", self.heading).replace(" ", "-")


def part_above(texts: Sequence[str]) -> Part | None:
    """Return the last part that begins in these text cells, which stand above a question's answer."""
    found = None
    for number, text in enumerate(texts):
        for heading, start in headings(text):
            found = Part(heading, "\n\n".join([text[start:], *texts[number + 1 :]]))
    return found


def headings(text: str) -> Iterator[tuple[str, int]]:
    """Yield the larger headings of a text cell, each with its place."""
    code = [match.span() for match in FENCED.finditer(text)]
    for match in HEADING.finditer(text):
        if not any(start <= match.start() < end for start, end in code):
            yield match[2], match.start()


# Runs the notebook's cells once, then the check of each question, and says why one does not pass.

class UnsolvedError(Exception):
    """Why a question does not pass, in words for you; `cause` is the error behind it, if there is one."""

    def __init__(self, message: str, cause: BaseException | None = None) -> None:
        super().__init__(message)
        self.cause = cause


class WholeFileError(UnsolvedError):
    """Why no question of the notebook can be checked."""


class Notebook:
    """The notebook: runs its cells once, then the check of each question, and says why one does not pass."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.errors: dict[Cell, BaseException] = {}  # what each failing cell raised
        self.notes: list[str] = []  # what you should know, even where all checks pass
        self.printed: dict[str, str] = {}  # by question: what its check has printed
        self.failure: WholeFileError | None = None  # once it has been told
        self.omissions = Omissions("on this machine")

    @cached_property
    def saved(self) -> list[dict[str, Any]]:
        """The cells as they are saved, texts among them."""
        try:
            cells = json.loads(self.path.read_text(encoding="utf-8-sig"))["cells"]
            return [{**cell, "source": "".join(cell["source"])} for cell in cells if cell["cell_type"]]
        except ValueError as error:
            raise WholeFileError(f"{self.path.name} is not JSON: {error}. Save it from Jupyter.") from None
        except (KeyError, TypeError, AttributeError):
            raise WholeFileError(f"{self.path.name} is JSON, but no notebook of today's format.") from None

    @cached_property
    def cells(self) -> list[Cell]:
        """The code cells, in order, and behind each the checks that are joined to it."""
        codes = [cell for cell in self.saved if cell["cell_type"] == "code"]
        return [cell for number, code in enumerate(codes, 1) for cell in cells_of(self.path, number, code)]

    @cached_property
    def reads(self) -> Reads:
        """What listens to the cells as they read files."""
        return Reads(self.path.parent)

    @cached_property
    def variables(self) -> dict[str, Any]:
        """The variables after all your cells have run; a cell that fails does not stop the others."""
        variables = {"__name__": "__main__", "display": print}
        with contextlib.redirect_stdout(Printed()), contextlib.redirect_stderr(Printed()):
            for cell in self.cells:
                if cell.is_yours and (error := self._run(cell, variables)):
                    self.errors[cell] = error
                    if not cell.answers:
                        self.notes.append(f"does not run from top to bottom. {self._described(error)}")
        used = set().union(*(cell.names for cell in self.cells if cell.answers))
        for cell in self.cells:
            self.notes += [f"in {cell.label}: {note[0].lower()}{note[1:]}" for note in cell.notes]
            if cell.is_joined:
                self.notes.append(JOINED.format(cell.number))
            if cell.reads and (cell.answers or any(map(cell.makes, used))):
                self._note_reading(cell.reads, cell.label)
        return variables

    def _run(self, cell: Cell, variables: dict[str, Any]) -> BaseException | None:
        with self.reads:
            error = cell.run(variables, self.omissions)
        cell.reads = self.reads.names()
        return error

    def ask(self, question: Question) -> None:
        """Run the check of `question`; raise UnsolvedError where it does not pass."""
        try:
            self._ask(question)
        except UnsolvedError:
            read = {name for cell in self.cells for name in cell.reads}
            if not (files := hiding(self.path.parent, read)):
                raise
            self.notes.clear()  # all that follows from it
            hides = f"{files[0]} beside {self.path.name} hides the real {files[0].removesuffix('.py')}"
            raise WholeFileError(f"{hides}: rename that file.") from None

    def _ask(self, question: Question) -> None:
        check = self._check(question)
        if question.name not in self.variables:
            raise self._absence(question.name)
        self._note_twins(question.name)
        with contextlib.redirect_stdout(Printed()) as printed, self.reads:
            error = check.run(dict(self.variables), None)
        self._note_reading(self.reads.names(), f"the cell of {question.name}")
        self.printed[question.name] = printed.getvalue()
        print(printed.getvalue(), end="")  # noqa: T201 - pytest shows it where the question does not pass
        if error:
            raise UnsolvedError(self._failure(question.name, error), error)

    def answer(self, name: str) -> Cell | None:
        """Return the cell that answers a question, the last of several."""
        return next((cell for cell in reversed(self.cells) if cell.is_yours and cell.makes(name)), None)

    def part(self, name: str) -> Part | None:
        """Return the part of the lesson that a question belongs to, if the notebook still has it."""
        texts, number = list[str](), 0
        places = {cell.number for cell in self.cells if cell.checks == name}
        for saved in self.saved:
            number += saved["cell_type"] == "code"
            if saved["cell_type"] == "markdown":
                texts.append(saved["source"])
            elif number in places:
                return part_above(texts)
        return None

    def _check(self, question: Question) -> Cell:
        """Return the check cell of `question`: the original one if it is there, else a changed one."""
        name = question.name
        found = [cell for cell in self.cells if cell.checks == name]
        if not found:
            lost, more = f"its check cell, which begins with `# Check of {name}`, is missing", ""
            if within := [cell for cell in self.cells if mentions_check(cell, name)]:
                lost = f"its check stands in {within[0].label} with other code, and is not the original"
                more = "; grading does without it"
            raise UnsolvedError(f"{name}: {lost}. Copy it back from a fresh notebook of this exercise{more}.")
        original = [cell for cell in found if cell.fingerprint == question.check]
        if not original:
            self.notes.append(f"has a changed check of {name}; a fresh notebook has the original")
        return (original or found)[0]

    def _note_twins(self, name: str) -> None:
        """Note where the cell of a question, or its check, is there more than once."""
        for label in (f"the cell of {name}", f"the check of {name}"):
            twins = " and ".join(str(cell.number) for cell in self.cells if cell.label == label)
            if "and" in twins:
                self.notes.append(f"has {label} more than once, as code cells {twins}; keep one")

    def _note_reading(self, files: list[str], where: str) -> None:
        """Note what a graded answer could not read, once."""
        note = ALONE.format(" and ".join(files), where)
        if files and note not in self.notes:
            self.notes.append(note)

    def _absence(self, name: str) -> UnsolvedError:
        """Return the error that says why nothing is called `name` after all cells have run."""
        for cell, error in self.errors.items():
            if cell.makes(name):
                return UnsolvedError(f"{name}: its cell does not run. {self._described(error)}", error)
        for cell in self.cells:
            magic = re.match(r"%%\w+", cell.code)
            if magic and cell.makes(name):
                lost = f"below {magic[0]} its cell defines nothing for others. Delete that line."
                return UnsolvedError(f"{name}: {lost}")
        why = "no cell defines it. Is it spelt as in the exercise, and is its cell still there?"
        return UnsolvedError(f"{name}: {why}")

    def _failure(self, name: str, error: BaseException) -> str:
        """Say why the check of `name` does not pass."""
        cell, number = self.place(error)
        line = cell.line(number) if cell else ""
        if line == "raise NotImplementedError()":
            return f"{name}: not filled in yet"
        if isinstance(error, AssertionError) and cell and cell.checks:
            claim = cell.claim(number)
            message = str(error) or "This must hold:"
            if "\n" in message:  # pytest's summary shows the first line alone
                values = re.search(r"\b(allclose|equal|assert_close)\(", claim)
                message = f"{name}: {'other values than expected' if values else 'this must hold'}\n{message}"
            return f"{message}\n    {claim}"
        nudge = f"\nDoes {name} return its result?" if "'NoneType' object" in str(error) else ""
        return f"{name}: {self._described(error)}{nudge}"

    def _described(self, error: BaseException) -> str:
        """Return what an error says, the line that raised it and, for an unknown name, where to look."""
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        if isinstance(error, SystemExit) and not isinstance(error.code, str):
            text = "this ends the program"
        cell, number = self.place(error)
        place = f"\n    {cell.label}, line {number}: {cell.line(number)}" if cell else ""
        if type(error) is NameError and cell:
            place += f"\n{self._lost(unknown_name(error), cell, number)}"
        return f"{type(error).__name__}{': ' if text else ''}{text}{place}"

    def _lost(self, name: str, user: Cell, number: int) -> str:
        """Say why `name` is unknown when the cell `user` runs this line."""
        if cause := self.omissions.cause(name):
            return f"`{name}` should come {cause}."
        if advice := user.local_advice(name, number):
            return advice
        for cell in self.cells:
            if cell is not user and cell.makes(name):
                if cell in self.errors:
                    return f"`{name}` should come from {cell.label}, which fails itself."
                if not cell.is_yours:
                    return f"`{name}` is made only in {cell.label}. Did you mean one of your own variables?"
                if cell.number > user.number:
                    return f"`{name}` is used before it is made: {cell.label} stands further down."
        return f"No cell makes `{name}`. Your kernel may remember it from a cell that is gone: restart it."

    def place(self, error: BaseException) -> tuple[Cell | None, int]:
        """Return the cell and line where an error arose: the innermost ones in its traceback."""
        cells = {cell.file: cell for cell in self.cells}
        if isinstance(error, SyntaxError) and error.filename in cells:
            return cells[error.filename], error.lineno or 0
        for frame, number in reversed(list(traceback.walk_tb(error.__traceback__))):
            if frame.f_code.co_filename in cells:
                return cells[frame.f_code.co_filename], number
        return None, 0


# Finds the exercise's notebook in a folder, and says what to do where pytest has nothing to check.

def in_order(folder: Path) -> list[Path]:
    """Return a folder's notebooks of this exercise, or all if none is of it, the one saved last first."""
    found = sorted(folder.glob("*.ipynb"), key=lambda path: (path.stat().st_mtime, path.stem == EXERCISE))
    return [path for path in found[::-1] if is_exercise(path)] or found[::-1]


def is_exercise(path: Path) -> bool:
    """Whether a notebook seems to be one of this exercise, by its name or by its checks."""
    with contextlib.suppress(UnsolvedError):
        return EXERCISE in path.stem or any(cell.checks for cell in Notebook(path).cells)
    return False


def missing(folder: Path) -> str:
    """Say what to do where pytest was given nothing in `folder` that it could check."""
    place = folder / f"{EXERCISE}.ipynb"
    if notebooks := in_order(folder):
        names = ", ".join(question.name for question in QUESTIONS)
        return f"nothing here goes by that name: {notebooks[0].name} has the questions {names}"
    for export in exports(folder):
        which = f"{export.name} is an export, which grading reads and pytest does not"
        return f"{which}: save the notebook itself as {place}"
    return f"no notebook here: save yours as {place} and run pytest in that folder"


def exports(folder: Path) -> Iterator[Path]:
    """Yield the Python files in a folder that seem to have been made of this exercise's notebook."""
    for path in sorted(folder.glob("*.py")):
        if path.name != "conftest.py":
            text = path.read_text(encoding="utf-8", errors="replace")
            if EXERCISE in path.stem or any(f"# Check of {question.name}" in text for question in QUESTIONS):
                yield path


# Remembers which questions of an exercise passed, as long as its notebook and its kit are the same.

KEPT = Path(".pytest_cache", "passed.json")
NAMED = re.compile(r'(?m)^EXERCISE = "(.+)"$')


def state_of(folder: Path) -> str:
    """Return a digest of the kit and of the code of all notebooks in an exercise's folder."""
    digest = hashlib.sha256((folder / "conftest.py").read_bytes())
    for path in sorted(folder.glob("*.ipynb")):
        content = path.read_bytes()
        with contextlib.suppress(ValueError, KeyError, TypeError):
            cells = json.loads(content.decode("utf-8-sig"))["cells"]
            codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
            content = json.dumps(codes).encode()
        digest.update(path.name.encode() + hashlib.sha256(content).digest())
    return digest.hexdigest()


def keep(folder: Path, state: str, passed: int, total: int) -> None:
    """Keep how many questions passed, if the folder can be written to."""
    with contextlib.suppress(OSError):
        (folder / KEPT).parent.mkdir(exist_ok=True)
        kept = {"state": state, "passed": passed, "total": total}
        (folder / KEPT).write_text(json.dumps(kept), encoding="utf-8")


def progress(folder: Path) -> str:
    """Return a line on all exercises that lie beside an exercise's folder, or nothing where it is alone."""
    found = dict(
        sorted(_exercises(folder.parent), key=lambda pair: (pair[1] == folder, pair[1].name == pair[0]))
    )
    if len(found) < 2:
        return ""
    numbers = {name: match[0] for name in found if (match := re.match(r"\d+", name))}
    short = numbers if len(set(numbers.values())) == len(found) else {name: name for name in found}
    states = {short[name]: _state(place) for name, place in sorted(found.items())}
    legend = {"?": "changed since pytest last ran there", "-": "not run yet"}
    used = ", ".join(f"{sign} {meaning}" for sign, meaning in legend.items() if sign in states.values())
    line = ", ".join(f"{name} {state}" for name, state in states.items())
    return f"exercises so far: {line}{f' ({used})' if used else ''}"


def _exercises(around: Path) -> Iterator[tuple[str, Path]]:
    """Yield the exercises whose folders lie here, as their kits call them."""
    for path in sorted(around.glob("*/conftest.py")):
        with contextlib.suppress(OSError, ValueError):
            if match := NAMED.search(path.read_text(encoding="utf-8")):
                yield match[1], path.parent


def _state(folder: Path) -> str:
    """Return how many questions passed, `?` where the notebook is another one by now, `-` where none ran."""
    try:
        kept = json.loads((folder / KEPT).read_text(encoding="utf-8"))
        stands = f"{kept['passed']:d}/{kept['total']:d}"
        return stands if kept["state"] == state_of(folder) else "?"
    except (OSError, ValueError, KeyError, TypeError):
        return "-"


# Writes what the checks found in your notebook as a page, checks.html, beside it.

class Finding(NamedTuple):
    """What the check of one question found."""

    name: str
    passed: bool
    seen: str  # why it does not pass
    printed: str
    part: Part | None
    place: str = ""  # where your answer stands
    code: Sequence[str] = ()
    marked: int = 0  # the line of it that the check complains of


PAGE = Path("checks.html")
NO_JINJA = "pytest --page needs jinja2, which Jupyter brings along; SETUP.md says what to install"
TEMPLATE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ exercise }}: checks</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 54rem; margin: 0 auto; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; }
section { margin: 1rem 0; padding: 0.5rem 1rem; border: 1px solid #888; border-radius: 4px; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.1rem; margin: 0.25rem 0; }
pre { font: 0.9rem/1.4 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
.text { font: inherit; }
mark { display: block; }
summary { cursor: pointer; }
</style>
</head>
<body>
<h1>{{ exercise }}</h1>
<p><strong>Questions passed: {{ passed }} of {{ questions | length }}.</strong>
In {{ notebook }}, from a fresh start: {{ meaning }}.</p>
{% if progress %}<p>{{ progress }}</p>{% endif %}
{% for note in notes %}<p>Note: {{ note }}</p>
{% endfor %}
{% for question in questions %}
<section id="{{ question.name }}">
<h2><code>{{ question.name }}</code>: {{ "passes" if question.passed else "does not pass yet" }}</h2>
{% if not question.passed %}
<pre>{{ question.seen }}</pre>
<p>A hint: <code>pytest --hint {{ question.name }}</code></p>
{% endif %}
{% if question.printed and not question.passed %}
<pre>{{ question.printed }}</pre>
{% endif %}
{% if question.code %}
<details{% if question.marked %} open{% endif %}><summary>Your answer, {{ question.place }}</summary>
<pre><code>{% for line in question.code %}
{% if loop.index == question.marked %}<mark>{{ line }}</mark>{% else %}{{ line }}
{% endif %}
{% endfor %}</code></pre></details>
{% endif %}
{% if question.part %}
<details id="lesson-{{ question.name }}"><summary>In the lesson: {{ question.part.heading }}</summary>
<pre class=text>{{ question.part.text }}</pre></details>
{% endif %}
</section>
{% endfor %}
</body>
</html>
"""


def write_page(folder: Path, facts: Mapping[str, object], findings: Sequence[Finding]) -> Path:
    """Write the page, on which whatever stands in a notebook is shown and nothing can run."""
    from jinja2 import Environment, StrictUndefined  # here, since it is needed for this alone

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.trim_blocks = environment.lstrip_blocks = True
    passed = sum(finding.passed for finding in findings)
    text = environment.from_string(TEMPLATE).render(**facts, questions=findings, passed=passed)
    (folder / PAGE).write_text(text, encoding="utf-8", errors="replace")
    return folder / PAGE


# The notebook and its questions as pytest sees them.

HOME = Path(__file__).parent


class NotebookFile(pytest.File):
    """The notebook as pytest sees it."""

    others: Sequence[Path] = ()  # further notebooks of the exercise, which are not checked
    stands_for_all = False  # whether it is the one that pytest checks where none is named

    def collect(self) -> Iterator[QuestionTest]:
        """Return a test for each question."""
        notebook = Notebook(self.path)
        state = state_of(HOME) if self.stands_for_all and self.path.parent == HOME else ""
        notebook.notes += [
            f"was saved last, so it is checked and {other.name} is not" for other in self.others
        ]
        for question in QUESTIONS:
            test: QuestionTest = QuestionTest.from_parent(self, name=question.name)
            test.question, test.notebook, test.state = question, notebook, state
            yield test


class QuestionTest(pytest.Item):
    """The check of one question."""

    question: Question
    notebook: Notebook
    state = ""  # of the exercise's folder when its notebook was found
    home = HOME
    total = len(QUESTIONS)
    failure: UnsolvedError | None = None

    def runtest(self) -> None:
        """Run the check."""
        try:
            self.notebook.ask(self.question)
        except WholeFileError as failure:
            if self.notebook.failure:
                self.failure = UnsolvedError("not checked, for the same reason as the question above")
                pytest.skip(str(self.failure))
            self.failure = self.notebook.failure = failure
            raise
        except UnsolvedError as failure:
            self.failure = failure
            raise
        finally:
            notes = [f"{self.path.name} {note}" for note in self.notebook.notes]
            self.user_properties.append(("question", notes))

    def hint(self) -> str:
        """Return a hint that was not given yet; those for what the check has seen come first."""
        try:
            self.notebook.ask(self.question)
        except UnsolvedError as failure:
            seen = str(failure)
        else:
            return f"{self.name}: its check passes. {MEANING.capitalize()}."
        hints = HINTS.get(self.name, [])
        fitting = [hint["hint"] for hint in hints if "when" in hint and re.search(hint["when"], seen)]
        texts = fitting + [hint["hint"] for hint in hints if "when" not in hint]
        if not texts:
            return f"{seen}\nThere are no hints for {self.name}."
        cache, key = getattr(self.config, "cache", None), f"given_hints/{EXERCISE}/{self.name}"
        given = cache.get(key, []) if cache else []
        number = next((number for number, hint in enumerate(texts, 1) if hint not in given), len(texts))
        if cache:
            cache.set(key, [*given, texts[number - 1]])
        further = f"\nA plainer one: pytest --hint {self.name}" if number < len(texts) else ""
        return f"{seen}\n\nhint {number} of {len(texts)} for {self.name}: {texts[number - 1]}{further}"

    def part(self) -> Part | None:
        """Return the part of the lesson that the question belongs to."""
        with contextlib.suppress(UnsolvedError):
            return self.notebook.part(self.name)
        return None

    def finding(self) -> Finding:
        """Return what the page says of the question."""
        seen, printed = str(self.failure or ""), self.notebook.printed.get(self.name, "")
        finding = Finding(self.name, not self.failure, seen, printed, self.part())
        with contextlib.suppress(UnsolvedError):
            if cell := self.notebook.answer(self.name):
                cause = self.failure and self.failure.cause
                place, line = self.notebook.place(cause) if cause else (None, 0)
                marked = line if place is cell else 0
                return finding._replace(
                    place=f"code cell {cell.number}", code=cell.code.split("\n"), marked=marked
                )
        return finding

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show only why the question does not pass, without a traceback, and where the lesson tells of it."""
        if not isinstance(excinfo.value, UnsolvedError):
            return super().repr_failure(excinfo, style)
        part = None if isinstance(excinfo.value, WholeFileError) else self.part()
        if part is None:
            return str(excinfo.value)
        place = f"{self.path.name}#{part.anchor}" if part.anchor else f"{self.path.name}, {part.heading}"
        return f"{excinfo.value}\n    lesson: {place}"

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return the heading of the question's report."""
        worth = f"{self.question.points:g} point{'' if self.question.points == 1 else 's'}"
        return self.path, None, f"{self.name} ({worth})"


# Counts the questions that pass, gives hints, writes the page, and tells pytest of all this.

HERE = Path(__file__).parent


class Tally:
    """Counts the questions that pass, in all notebooks of a run, gives hints and writes pages."""

    def __init__(self) -> None:
        self.passed: dict[str, bool] = {}  # by pytest's name of the question
        self.notes: list[str] = []
        self.missing: list[Callable[[], str]] = []  # by folder: what to do where nothing was checked

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a question when its check has run."""
        notes: Any = dict(report.user_properties).get("question")
        if report.when == "call" and notes is not None:
            self.passed[report.nodeid] = report.passed
            self.notes += [note for note in notes if note not in self.notes]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Give a hint instead of running the checks, where one is asked for."""
        asked = session.config.getoption("--hint", None)
        if not asked or session.testsfailed:
            return None
        known: dict[str, Any] = {test.name: test for test in session.items if hasattr(test, "question")}
        unknown = f"no question `{asked}`; use one of {', '.join(known)}"
        hint = known[asked].hint() if asked in known else unknown
        session.config.get_terminal_writer().line(f"\n{hint}")
        return True

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, Any, Any]:
        """Print the notes, the count and what it means at the end."""
        result = yield
        gc.freeze()  # torch's many objects need not be searched for garbage when pytest ends
        terminal = session.config.pluginmanager.get_plugin("terminalreporter")
        if terminal:
            for line in self._lines(session):
                terminal.write_line(line)
        return result

    def _lines(self, session: pytest.Session) -> Iterator[str]:
        """Yield what is said at the end."""
        yield from (f"note: {note}" for note in self.notes)
        tests = [test for test in getattr(session, "items", ()) if hasattr(test, "question")]
        if self.passed:
            unasked = len(tests) - len(self.passed)
            rest = f" ({unasked} not checked)" if unasked else ""
            yield f"questions passed: {sum(self.passed.values())} of {len(tests)}{rest}"
            yield MEANING
            yield from self._kept(session, tests)
        elif not session.testscollected and not session.testsfailed:
            yield from (advice() for advice in self.missing)

    def _kept(self, session: pytest.Session, tests: list[Any]) -> Iterator[str]:
        """Keep how each exercise stands, write its page where one is asked for, and say both."""
        line = ""
        for path in dict.fromkeys(test.path for test in tests):
            own = [test for test in tests if test.path == path]
            results = [self.passed[test.nodeid] for test in own if test.nodeid in self.passed]
            if len(results) == own[0].total and own[0].state and hasattr(session.config, "cache"):
                keep(own[0].home, own[0].state, sum(results), len(own))
            line = progress(own[0].home)
            if results and session.config.getoption("--page", False):
                yield _page([test for test in own if test.nodeid in self.passed], line)
        if line:
            yield line


def _page(tests: list[Any], line: str) -> str:
    """Write the page on one notebook; return where it is, or why there is none."""
    notebook = tests[0].notebook
    facts = {"exercise": notebook.path.stem, "notebook": notebook.path.name, "notes": notebook.notes}
    facts |= {"meaning": MEANING, "progress": line}
    try:
        path = write_page(notebook.path.parent, facts, [test.finding() for test in tests])
    except ImportError:
        return NO_JINJA
    except OSError as error:
        return f"the page could not be written: {error}"
    return f"page: {path}"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, once for several such folders."""
    with contextlib.suppress(ValueError):
        parser.addoption("--hint", metavar="QUESTION", help="give a hint for a question, then a plainer one")
        parser.addoption("--page", action="store_true", help="write what the checks find as checks.html")


def pytest_configure(config: pytest.Config) -> None:
    """Register one tally, even if several such folders are run together."""
    os.environ.setdefault("MPLBACKEND", "agg")  # matplotlib must open no windows
    if not config.pluginmanager.has_plugin("tally"):
        config.pluginmanager.register(Tally(), "tally")
    tally: Any = config.pluginmanager.get_plugin("tally")
    tally.missing.append(lambda: missing(HERE))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> NotebookFile | None:
    """Collect the exercise's notebook that was saved last, or one that was asked for by name."""
    if file_path.suffix != ".ipynb":
        return None
    config = parent.config
    asked = [config.invocation_params.dir / argument.partition("::")[0] for argument in config.args]
    chosen, *others = in_order(file_path.parent)
    if file_path != chosen and file_path not in asked:
        return None
    notebook: NotebookFile = NotebookFile.from_parent(parent, path=file_path)
    if file_path == chosen:
        notebook.others, notebook.stands_for_all = others, True
    return notebook
