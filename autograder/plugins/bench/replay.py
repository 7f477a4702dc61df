"""Our hidden tests as other graders run them: recorded calls, whose answers must be the reference's.

Tests that compare with a formula do not compute it again: what it gave on the reference is recorded. The
other graders' processes import this module to repeat the calls, so it imports nothing but the worker's side.
"""

import json
from base64 import b64decode
from io import BytesIO
from pathlib import Path
from typing import Any

import torch

from autograder.worker.namespace import Namespace
from autograder.worker.protocol import Header, Parts, read_frame
from autograder.worker.values import Decoder

Recorded = dict[str, list[list[tuple[str, str]]]]  # by question and test: requests and answers, as frames


def replay(path: str | Path, question: str, variables: dict[str, Any]) -> None:
    """Repeat the calls of a question's tests; an AssertionError tells of the first answer that differs."""
    recorded: Recorded = json.loads(Path(path).read_text(encoding="utf-8"))
    for test in recorded[question]:
        namespace = Namespace(variables)
        for request, reply in test:
            found, right = namespace.handle(*_message(request)), _message(reply)
            assert alike(_answer(*found), _answer(*right)), "this call gives another result"


def alike(found: Any, right: Any) -> bool:
    """Whether a value is the right one; numbers may differ by a little."""
    match right:
        case torch.Tensor():
            if not isinstance(found, torch.Tensor) or found.dtype != right.dtype:
                return False
            close = 1e-9 if right.dtype == torch.float64 else 1e-4
            here, there = found.detach().double(), right.detach().double()
            return here.shape == there.shape and torch.allclose(here, there, 1e-5, close, equal_nan=True)
        case dict():
            same = isinstance(found, dict) and found.keys() == right.keys()
            return same and all(alike(found[key], right[key]) for key in right)
        case list() | tuple():
            same = isinstance(found, type(right)) and len(found) == len(right)
            return same and all(map(alike, found, right))
        case float() if isinstance(found, float | int) and abs(found - right) < 1e-4:
            return True
    return bool(found == right) or repr(found) == repr(right)  # the latter for nan


def _message(frame: str) -> tuple[Header, Parts]:
    return read_frame(BytesIO(b64decode(frame)).read)


def _answer(header: Header, parts: Parts) -> dict[str, Any]:
    """Return what an answer says: values, gradients and arguments, or the type of an error."""
    if "error" in header:
        return {"error": header["error"]["type"]}
    decoder = Decoder(parts, lambda _: "an object")
    return {key: decoder.decode(code) for key, code in header.items()}
