"""Checks and limits the cell outputs that a worker sends, before they are kept."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Any

from autograder.report.text import writable

_MEDIA_TYPES = ("text/plain", "text/html", "text/markdown", "text/latex", "image/png")
_STREAMS = ("stdout", "stderr")
_MAX_OUTPUTS = 200  # no honest worker sends more of one cell
_FORM = 100  # characters, about, that an output takes in a notebook beside what it holds


@dataclass(frozen=True, slots=True)
class Output:
    """Either text printed to `stream`, or one shown object in several forms, by media type."""

    text: str = ""
    stream: str = ""
    data: tuple[tuple[str, str], ...] = ()

    @property
    def size(self) -> int:
        """How many characters it takes in a notebook, about."""
        return _FORM + len(self.text) + sum(len(form) for _, form in self.data)

    def as_dict(self) -> dict[str, Any]:
        """Return the output in the notebook format's form."""
        if self.stream:
            return {"output_type": "stream", "name": self.stream, "text": self.text}
        return {"output_type": "display_data", "data": dict(self.data), "metadata": {}}


def checked_outputs(claimed: Any, room: int) -> tuple[Output, ...]:
    """Return the `claimed` outputs of a known form, until one does not fit into `room` characters."""
    outputs = list(islice(_known(claimed), _MAX_OUTPUTS))
    totals = accumulate(output.size for output in outputs)
    return tuple(output for output, total in zip(outputs, totals, strict=True) if total <= room)


def _known(claimed: Any) -> Iterator[Output]:
    for output in claimed if isinstance(claimed, list) else ():
        match output:
            case {"output_type": "stream", "name": str(name), "text": str(text)} if name in _STREAMS:
                yield Output(text=writable(text), stream=name)
            case {"output_type": "display_data", "data": dict(data)}:
                found = ((kind, data.get(kind)) for kind in _MEDIA_TYPES)
                if forms := tuple((kind, writable(form)) for kind, form in found if isinstance(form, str)):
                    yield Output(data=forms)
