"""Reads each cell once, where IPython reads it three times, and cells of every notebook in advance.

IPython reads a cell in search of magics, in search of `await`, and then to run it. The first two take longer
than most cells run.
"""

import ast
from collections.abc import Sequence
from contextlib import suppress
from types import CodeType
from typing import Any

from IPython.core.compilerop import CachingCompiler
from IPython.core.inputtransformer2 import TransformerManager

from autograder.worker.description import CELL

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)


class Compiler(CachingCompiler):  # type: ignore[misc]
    """Compiles each cell under a file name that contains the cell's number."""

    number = 0

    def __init__(self) -> None:
        super().__init__()
        self._read: tuple[str, int, ast.Module] | None = None  # the last text, by which flags, and its tree
        self._known: dict[tuple[str, int], ast.Module] = {}  # by text and flags
        self._code: dict[tuple[int, str, int], CodeType] = {}  # by a known statement's id, mode and flags

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:  # noqa: ARG002
        """Return the file name that tracebacks show for the cell."""
        return f"{CELL}{Compiler.number}"

    def reads(self, code: str) -> bool:
        """Whether Python can read `code`; if so, `ast_parse` will not read it again."""
        try:
            self._read = code, self.flags, self.ast_parse(code, self.get_code_name(code, code, 0))
        except _UNREADABLE:
            return False
        return True

    def ast_parse(self, source: str, filename: str = "<unknown>", symbol: str = "exec") -> ast.Module:
        """Return the tree of `source`."""
        read, self._read = self._read, None
        if read is not None and read[:2] == (source, self.flags):
            return read[2]
        return self._known.get((source, self.flags)) or super().ast_parse(source, filename, symbol)

    def learn(self, cells: Sequence[str]) -> None:
        """Read and compile cells that are the same in many notebooks."""
        for code in (f"{cell}\n" for cell in cells):
            if _is_plain(code) and self.reads(code):
                tree = self._known[code, self.flags] = self.ast_parse(code)
                with suppress(*_UNREADABLE):  # a `return` outside of functions can be read and not compiled
                    self._compile(tree.body)

    def knows(self, code: str) -> bool:
        """Whether `code` was learnt, by the flags that are set now."""
        return (code, self.flags) in self._known

    def _compile(self, statements: Sequence[ast.stmt]) -> None:
        """Compile statements as IPython will ask for them: one by one, the last one to show its value."""
        with self.extra_flags(ast.PyCF_ALLOW_TOP_LEVEL_AWAIT):
            for statement in statements:
                shown = statement is statements[-1] and isinstance(statement, ast.Expr)
                module = ast.Interactive([statement]) if shown else ast.Module([statement], [])
                mode = "single" if shown else "exec"
                self._code[id(statement), mode, self.flags] = self(module, CELL, mode)

    def __call__(self, source: Any, filename: str, symbol: str, **kwargs: Any) -> CodeType:
        """Return the code of a module; that of a statement that was learnt, under this file name."""
        first = next(iter(getattr(source, "body", ())), None)
        if (known := self._code.get((id(first), symbol, self.flags))) is not None:
            return _named(known, filename)
        return super().__call__(source, filename, symbol, **kwargs)  # type: ignore[no-any-return]


class CellTransformer(TransformerManager):  # type: ignore[misc]
    """IPython's transformer of cells, which looks at tokens only where Python cannot read the lines.

    What Python can read holds no magic, no question mark and no exclamation mark outside of strings and
    comments, so IPython would find nothing. A notebook that adds transformers of its own gets them all.
    """

    def __init__(self, compiler: Compiler) -> None:
        super().__init__()
        self._compiler = compiler
        self._own = self._all()

    def transform_cell(self, cell: str) -> str:
        """Return a cell as Python is to read it; one that was learnt stays as it is."""
        if self._compiler.knows(code := f"{cell}\n") and self._own == self._all():
            return code
        return super().transform_cell(cell)  # type: ignore[no-any-return]

    def do_token_transforms(self, lines: list[str]) -> list[str]:
        """Return the lines with each magic as a call."""
        if self.token_transformers == self._own[-1] and self._compiler.reads("".join(lines)):
            return lines
        return super().do_token_transforms(lines)  # type: ignore[no-any-return]

    def _all(self) -> list[list[Any]]:
        return [[*self.cleanup_transforms], [*self.line_transforms], [*self.token_transformers]]


def may_wait(code: str) -> bool:
    """Whether a cell can hold an `await`, for which IPython has to compile it as a whole."""
    return "await" in code or "async" in code


def _is_plain(code: str) -> bool:
    """Whether IPython would leave a cell as it is, and the cell all others."""
    return "__future__" not in code and TransformerManager().transform_cell(code) == code


def _named(code: CodeType, name: str) -> CodeType:
    """Return the same code under another file name."""
    parts = (_named(part, name) if isinstance(part, CodeType) else part for part in code.co_consts)
    return code.replace(co_filename=name, co_consts=tuple(parts))
