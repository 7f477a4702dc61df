"""Keeps in build/ what went wrong on our side, for whoever runs the course; no screen shows it."""

import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager

from autograder.course.course import Course


@contextmanager
def log_of(course: Course, name: str) -> Iterator[logging.Logger]:
    """Yield a logger that appends warnings and errors to build/<name>.log."""
    course.build.mkdir(exist_ok=True)
    log = logging.Logger(name, logging.WARNING)
    with closing(logging.FileHandler(course.build / f"{name}.log", encoding="utf-8", delay=True)) as handler:
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        log.addHandler(handler)
        yield log
