"""Reads each cell once, where IPython reads it three times.

IPython reads a cell in search of magics, in search of `await`, and then to run it. The first two take longer
than most cells run.
"""

import ast

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
        return super().ast_parse(source, filename, symbol)  # type: ignore[no-any-return]


class CellTransformer(TransformerManager):  # type: ignore[misc]
    """IPython's transformer of cells, which looks at tokens only where Python cannot read the lines.

    What Python can read holds no magic, no question mark and no exclamation mark outside of strings and
    comments, so IPython would find nothing. A notebook that adds transformers of its own gets them all.
    """

    def __init__(self, compiler: Compiler) -> None:
        super().__init__()
        self._compiler = compiler
        self._own = [*self.token_transformers]

    def do_token_transforms(self, lines: list[str]) -> list[str]:
        """Return the lines with each magic as a call."""
        if self.token_transformers == self._own and self._compiler.reads("".join(lines)):
            return lines
        return super().do_token_transforms(lines)  # type: ignore[no-any-return]


def may_wait(code: str) -> bool:
    """Whether a cell can hold an `await`, for which IPython has to compile it as a whole."""
    return "await" in code or "async" in code
