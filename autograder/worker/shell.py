"""Runs a notebook's code cells in IPython's shell, and keeps a bounded amount of their output."""

import ast
import io
import re
import sys
from binascii import b2a_base64
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.history import HistoryManager
from IPython.core.interactiveshell import InteractiveShell

from autograder.worker.description import CELL, describe
from autograder.worker.omission import HERE, NO_INPUT, Omissions
from autograder.worker.protocol import Header
from autograder.worker.stand_in import idle_checks, stand_in

MAX_TEXT = 20_000  # largest number of printed characters that are kept from a cell
MAX_WRITTEN = 50_000_000  # largest number of characters that a cell may print; only endless loops print more
MAX_DISPLAYS = 20  # largest number of pictures and tables that are kept from a cell
MAX_SHOWN = 2 << 20  # largest size of a cell's pictures and tables together, in characters
_LEAST = 16  # each write counts as at least this many characters
# Each change between stdout and stderr begins a new output, unless the cell already has this many outputs.
MAX_CHANGES = 150
_PROGRAMS = """
    ! sx system script bash sh perl ruby python python2 python3 pypy pip uv conda mamba micromamba
"""
_NO_PROGRAM = "Other programs cannot be started here. Leave out lines that begin with !, %pip or %%bash."
_ALONE = "Your own files are not available in grading: write what you need into the notebook."
# Finds the cells that IPython has to translate: cells with a magic, a pasted prompt or a question mark for
# help, and cells whose first line is indented. Translating the other cells would take longer than running
# most of them.
SPECIAL = re.compile(r"\A\s|^\s*([%!?,;/]|>>>|In \[)|=\s*[%!]|\?\s*$", re.MULTILINE)
_SHOWN = ("text/plain", "image/png", "text/html", "text/markdown", "text/latex")


class FloodError(RuntimeError):
    """A cell printed more than MAX_WRITTEN characters."""

    def __init__(self) -> None:
        size = f"{MAX_WRITTEN >> 20} MB"
        super().__init__(f"this cell printed {size} and was stopped. Does it contain a loop that never ends?")


class Outputs:
    """The outputs of one cell so far, as a notebook stores them, up to the limits."""

    def __init__(self) -> None:
        self.items: list[Header] = []
        self._room = MAX_TEXT
        self._written = 0
        self._displays = MAX_DISPLAYS
        self._shown = MAX_SHOWN

    def text(self, stream: str, text: str) -> None:
        """Add printed text. Drop text beyond the limit, with a note; raise FloodError at MAX_WRITTEN."""
        self._written += max(len(text), _LEAST)
        if self._written > MAX_WRITTEN:
            raise FloodError
        if self._room <= 0 or not text:
            return
        kept = text[: self._room]
        self._room -= len(kept)
        if self._room <= 0:
            kept += "\n[output cut here]\n"
        last = self.items[-1] if self.items else {}
        if last.get("output_type") == "stream" and last["name"] == stream:
            last["text"] += kept
        elif len(self.items) < MAX_CHANGES:
            self.items.append({"output_type": "stream", "name": stream, "text": kept})

    def display(self, data: dict[str, Any]) -> None:
        """Add a displayed object. Drop MIME types that pages do not show, and data that are too large."""
        texts = {kind: _text(data.get(kind)) for kind in _SHOWN}
        small = {kind: text for kind, text in texts.items() if text is not None and len(text) <= self._shown}
        if small and self._displays > 0:
            self._displays -= 1
            self._shown -= sum(map(len, small.values()))
            self.items.append({"output_type": "display_data", "data": small, "metadata": {}})


class Stream(io.TextIOBase):
    """A sys.stdout or sys.stderr that writes to the outputs of the running cell."""

    def __init__(self, shell: "Shell", name: str) -> None:
        self._shell = shell
        self._name = name

    def write(self, text: str) -> int:
        """Add `text` to the outputs of the running cell, and return its length."""
        self._shell.outputs.text(self._name, str(text))
        return len(text)

    def writable(self) -> bool:
        """Return True, unlike the base class."""
        return True


class _Hook(DisplayHook):  # type: ignore[misc]
    """Adds the value of a cell's last line to the cell's outputs."""

    def __call__(self, result: object = None) -> None:
        if result is not None and not self.quiet():
            self.shell.owner.outputs.display(self.compute_format_data(result)[0])


class _Publisher(DisplayPublisher):  # type: ignore[misc]
    """Adds each object that a cell passes to display() to the cell's outputs."""

    def publish(self, data: dict[str, Any], *args: object, **kwargs: object) -> None:  # noqa: ARG002
        self.shell.owner.outputs.display(data)


class _Compiler(CachingCompiler):  # type: ignore[misc]
    """Compiles each cell under a file name that contains the cell's number."""

    number = 0

    def get_code_name(self, *_: object) -> str:
        return f"{CELL}{_Compiler.number}"


class _CellShell(InteractiveShell):  # type: ignore[misc]
    """Runs a cell one statement at a time, as IPython does, and drops statements that cannot work here."""

    compiler_class, displayhook_class, display_pub_class = _Compiler, _Hook, _Publisher
    owner: "Shell"

    def transform_cell(self, raw_cell: str) -> str:
        """Return the cell with each magic translated to a call."""
        return super().transform_cell(raw_cell) if SPECIAL.search(raw_cell) else raw_cell

    def should_run_async(self, raw_cell: str, **more: Any) -> bool:
        """Whether a cell uses top-level `await`."""
        may = "await" in raw_cell or "async" in raw_cell
        return may and super().should_run_async(raw_cell, **more)

    async def run_ast_nodes(
        self, nodelist: Sequence[ast.stmt], cell_name: str, interactivity: str = "last_expr",
        compiler: Any = compile, result: Any = None,
    ) -> bool:  # fmt: skip
        """Run statements. Return True if a statement failed for a reason other than a limit of the worker."""
        for statement in nodelist:
            shown = interactivity if statement is nodelist[-1] or interactivity == "all" else "none"
            if not await super().run_ast_nodes([statement], cell_name, shown, compiler, result):
                continue
            rest = self.owner.omissions.rest(statement, result.error_in_exec)
            if rest is None:
                return True
            statements, note = rest
            if note:
                self.owner.outputs.text("stderr", f"{note}\n")
            result.error_in_exec = None
            if await self.run_ast_nodes(statements, cell_name, shown, compiler, result):
                return True
        return False


class Shell:
    """IPython's shell without terminal, history file or display. The zygote makes it before it forks."""

    def __init__(self) -> None:
        HistoryManager.enabled = False
        self.outputs = Outputs()
        self.omissions = Omissions()
        self._shell = _CellShell.instance()
        self._shell.owner = self
        self._shell.enable_gui = _do_nothing  # so that %matplotlib does not start an event loop
        self._shell.system = self._shell.getoutput = self._refuse_program
        for magic in _PROGRAMS.split():
            for kind in ("line", "cell"):
                self._shell.register_magic_function(self._refuse_program, kind, magic)
        self._shell.register_magic_function(self._run_timed, "cell", "time")
        stand_in()
        self.variables: dict[str, Any] = self._shell.user_ns
        self.variables.update(idle_checks())

    def run(self, number: int, code: str) -> Header:
        """Run cell `number`; return its outputs, and its error or None."""
        self.outputs = Outputs()
        _Compiler.number = number
        self._shell.showtraceback = self._shell.showsyntaxerror = _do_nothing  # `run` returns the error
        with redirect_stdout(Stream(self, "stdout")), redirect_stderr(Stream(self, "stderr")):
            try:
                result = self._shell.run_cell(code, store_history=False)
                error = result.error_before_exec or result.error_in_exec
            except BaseException as raised:
                error = raised
        unbound = self.omissions.first_unbound(self.variables)
        error = unbound if error is None else error
        described = self.explained(describe(error)) if error is not None else None
        return {"outputs": self.outputs.items, "error": described}

    def explained(self, described: Header) -> Header:
        """Return an error's description, with a note if a limit of the worker caused the error."""
        match described:
            case {"type": "NameError", "message": str(message)}:
                cause = self.omissions.cause(message.removeprefix("name '").partition("'")[0])
                more = f". It should come from {cause}. {_ALONE}" if cause else ""
                return {**described, "message": f"{message}{more}"}
            case {"type": "FileNotFoundError", "message": str(message)}:
                return {**described, "message": f"{message}. {_ALONE}"}
            case {"type": "EOFError"}:
                return {**described, "message": NO_INPUT}
            case {"type": "ModuleNotFoundError", "message": str(message)}:
                name = message.removeprefix("import of ").partition(" halted; None in sys.modules")
                message = f"No module named '{name[0]}'" if name[1] else message
                return {**described, "message": f"{message} {HERE}"}
        return described

    def _run_timed(self, _: str, cell: str) -> None:
        """Run the cell below %%time without printing times, which differ from run to run."""
        above = "" if cell.startswith("%%") else "# %%time\n"  # so that line numbers stay the same
        self._shell.run_cell(above + cell).raise_error()

    def _refuse_program(self, *args: object, **kwargs: object) -> None:  # noqa: ARG002
        """Print a note instead of starting a program. During a hidden test, raise PermissionError instead."""
        if not isinstance(sys.stderr, Stream):
            raise PermissionError(_NO_PROGRAM)
        sys.stderr.write(f"{_NO_PROGRAM}\n")


def _text(value: object) -> str | None:
    """Return displayed data as a notebook stores them: a text unchanged, and bytes in base64."""
    if isinstance(value, bytes):
        return b2a_base64(value, newline=False).decode()
    return value if isinstance(value, str) else None


def _do_nothing(*args: object, **kwargs: object) -> None:
    """Do nothing, in place of functions of IPython that a worker does not need."""
