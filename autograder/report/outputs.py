"""What a notebook's cells have shown, as the worker claims it: checked and bounded before it is kept."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

_PICTURES = ("image/png",)
_TEXTS = ("text/plain", "text/html", "text/markdown", "text/latex")
_STREAMS = ("stdout", "stderr")
_MAX_OUTPUTS = 200  # of one cell: no honest worker sends more


@dataclass(frozen=True, slots=True)
class Output:
    """One printed text (`stream` says where) or one shown object in several forms (by media type)."""

    text: str = ""
    stream: str = ""
    data: tuple[tuple[str, str], ...] = ()

    @property
    def size(self) -> int:
        """How many characters it holds."""
        return len(self.text) + sum(len(form) for _, form in self.data)

    def as_dict(self) -> dict[str, Any]:
        """Return the output in the notebook format's form."""
        if self.stream:
            return {"output_type": "stream", "name": self.stream, "text": self.text}
        return {"output_type": "display_data", "data": dict(self.data), "metadata": {}}


def checked_outputs(claimed: Any, room: int) -> tuple[Output, ...]:
    """Return those of the `claimed` outputs that have a known form, as far as `room` characters go."""
    kept = []
    for output in islice(_known(claimed), _MAX_OUTPUTS):
        room -= output.size
        if room < 0:
            break
        kept.append(output)
    return tuple(kept)


def _known(claimed: Any) -> Iterator[Output]:
    for output in claimed if isinstance(claimed, list) else ():
        match output:
            case {"output_type": "stream", "name": str(name), "text": str(text)} if name in _STREAMS:
                yield Output(text=_writable(text), stream=name)
            case {"output_type": "display_data", "data": dict(data)}:
                forms = tuple(
                    (kind, _writable(data[kind]))
                    for kind in _TEXTS + _PICTURES
                    if isinstance(data.get(kind), str)
                )
                if forms:
                    yield Output(data=forms)


def _writable(text: str) -> str:
    """Return text that can be written to a file: lone surrogates become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
