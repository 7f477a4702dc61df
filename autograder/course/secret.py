"""Keeps the course's secret, from which all hidden inputs come.

It lies beside the gradebook and is backed up with it: without it, no report can be made again. It is kept out
of git and out of everything that students get.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from autograder.course.course import Course
from autograder.errors import UsageError

FILE = "hidden_inputs.key"
_BYTES = 32


class SecretError(UsageError):
    """The course's secret can neither be read nor made; the message says what to do."""


def course_secret(course: Course) -> bytes:
    """Return the secret of `course`, which is made at the first call."""
    path = course.root / FILE
    try:
        if not path.exists():
            _make(path)
        secret = bytes.fromhex(path.read_text(encoding="ascii"))
    except OSError as error:
        raise SecretError(f"{path}: {error.strerror}; hidden inputs come from this file") from None
    except ValueError:
        secret = b""
    if len(secret) != _BYTES:
        raise SecretError(f"{path}: is damaged; put back your copy, or delete it and grade everything again")
    return secret


def _make(path: Path) -> None:
    """Write a new secret, unless another process has been faster."""
    draft = path.with_name(f".{secrets.token_hex(8)}.part")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{secrets.token_hex(_BYTES)}\n")
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()
