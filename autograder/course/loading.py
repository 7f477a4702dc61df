"""Loads modules without looking for garbage among them."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Collect no garbage in a `with` block that imports much, and never look through what is then there.

    Torch alone makes half a million objects, and nbgrader as many again. All of them stay, but a collection
    that comes in between looks through them: a tenth of the time that such an import takes.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()
