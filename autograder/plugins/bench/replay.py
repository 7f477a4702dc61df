"""Repeats our hidden tests' calls in another grader, and compares the results with those of the solution.

This grader records the calls and the solution's results in a file. The other graders' processes import this
module, so it imports only the sub-package `worker`.
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

# By question, a list of tests. A test is a list of pairs: an encoded request, and the encoded reply.
Recorded = dict[str, list[list[tuple[str, str]]]]


def replay(path: str | Path, question: str, variables: dict[str, Any]) -> None:
    """Repeat the calls of a question's tests. Raise AssertionError at the first wrong result."""
    recorded: Recorded = json.loads(Path(path).read_text(encoding="utf-8"))
    for test in recorded[question]:
        namespace = Namespace(variables)
        for request, reply in test:
            actual, right = namespace.handle(*_message(request)), _message(reply)
            assert is_right(_decoded(*actual), _decoded(*right)), "this call gives a wrong result"


def is_right(value: Any, right: Any) -> bool:
    """Whether a value equals the right one, except for rounding."""
    match right:
        case torch.Tensor():
            if not isinstance(value, torch.Tensor) or value.dtype != right.dtype:
                return False
            close = 1e-9 if right.dtype == torch.float64 else 1e-4
            actual, expected = value.detach().double(), right.detach().double()
            same_shape = actual.shape == expected.shape
            return same_shape and torch.allclose(actual, expected, 1e-5, close, equal_nan=True)
        case dict():
            same = isinstance(value, dict) and value.keys() == right.keys()
            return same and all(is_right(value[key], right[key]) for key in right)
        case list() | tuple():
            same = isinstance(value, type(right)) and len(value) == len(right)
            return same and all(map(is_right, value, right))
        case float() if isinstance(value, float | int) and abs(value - right) < 1e-4:
            return True
    return bool(value == right) or repr(value) == repr(right)  # nan does not equal itself


def _message(frame: str) -> tuple[Header, Parts]:
    return read_frame(BytesIO(b64decode(frame)).read)


def _decoded(header: Header, parts: Parts) -> dict[str, Any]:
    """Return the decoded values of a reply (result, gradients, arguments), or the type of its error."""
    if "error" in header:
        return {"error": header["error"]["type"]}
    decoder = Decoder(parts, lambda _: "an object")
    return {key: decoder.decode(code) for key, code in header.items()}
