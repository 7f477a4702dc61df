"""Spares a cell of plain Python the search for magics, which takes IPython as long as running the cell."""

import ast

from IPython.core.inputtransformer2 import TransformerManager


class CellTransformer(TransformerManager):  # type: ignore[misc]
    """IPython's transformer of cells, which looks at tokens only where Python cannot read the lines.

    What Python can read holds no magic, no question mark and no exclamation mark outside of strings and
    comments, so IPython would find nothing. A notebook that adds transformers of its own gets them all.
    """

    def __init__(self) -> None:
        super().__init__()
        self._own = list(self.token_transformers)

    def do_token_transforms(self, lines: list[str]) -> list[str]:
        """Return the lines with each magic as a call."""
        if self.token_transformers == self._own and _is_python("".join(lines)):
            return lines
        transformed: list[str] = super().do_token_transforms(lines)
        return transformed


def _is_python(code: str) -> bool:
    if "\\" in code:  # to read what an escape must not be may give a warning, and the cell's own is enough
        return False
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
