"""What is said between a marking process and the one that started it, which need not load torch for it."""

import json

from autograder.submission.notebook import Notebook

READY, GRADED, WALLS, MEMORY_GONE, END = b"r", b"g", b"w", b"m", b"e"


def order(exercise: str, notebook: Notebook) -> bytes:
    """Return the message that has a notebook graded."""
    return json.dumps([exercise, notebook.problem]).encode() + b"\n" + notebook.content


def read_order(message: bytes) -> tuple[str, Notebook]:
    """Return the exercise and the notebook of such a message."""
    head, _, content = message.partition(b"\n")
    exercise, problem = json.loads(head)
    return exercise, Notebook(content, problem)
