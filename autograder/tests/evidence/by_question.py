"""Measures the page of one question beside nbgrader's own pages, with a made-up class, in a real browser.

Run it with `.venv/bin/python -m autograder.tests.evidence.by_question --students 300`.
"""

import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import click
from nbgrader.api import Gradebook
from playwright.sync_api import BrowserContext, Page

from autograder.authoring.answers import right_answers
from autograder.course.course import KEY_FILE, Course, load_course
from autograder.course.exercise import Exercise
from autograder.gradebook.book import ExerciseGradebook
from autograder.gradebook.config import database
from autograder.submission.submission import Submission
from autograder.tests.authoring.jupyter import answering, environment
from autograder.tests.browser import Listener, opened, show, until
from autograder.tests.classroom import CONFIG, SECRET, answered
from autograder.tests.gradebook.rows import full_marks, take_in
from autograder.tests.gradebook.test_formgrader_browser import LOADED, ROOT, command

EXERCISE, QUESTION = "02_simple_self_attention", "why_asymmetric"
WORDS = """the a each row column token weights scores softmax sums denominator numerator divides by its own
matrix symmetric no longer mirrored entries differ because normalisation happens per context vector *output*
depends on order $w_{ij}$ $e^{s}$ so query key value of to in we get one""".split()


def written_answer(luck: random.Random, model: str) -> str:
    """Return an answer: sometimes one that many others give, too, almost always one of some length."""
    if luck.random() < 0.15:
        return luck.choice(["It is the softmax.", "it is the softmax", "Because of the rows.", "I do not know."])
    if luck.random() < 0.1:
        return model + luck.choice(["", " Really.", "\n\nThat is all."])
    return " ".join(luck.choices(WORDS, k=luck.randint(25, 120))).capitalize() + "."


def open_class(root: Path, students: int) -> tuple[Course, Exercise, str]:
    """Return a course whose class has handed in one exercise and is graded, but for the written answers."""
    root.mkdir()
    shutil.copytree(CONFIG.parent / "solutions", root / "solutions")
    for name in ("course.yaml", CONFIG.name):
        shutil.copy(CONFIG.parent / name, root)
    (root / KEY_FILE).write_text(SECRET.hex(), encoding="ascii")
    course, luck = load_course(root), random.Random(1)  # noqa: S311 - no secret
    exercise = course.exercises[EXERCISE]
    question = next(iter(exercise.written))
    model = next(cell.model for cell in exercise.cells if cell.name == question)
    right = right_answers(exercise)
    import json

    with ExerciseGradebook(course, exercise) as book:
        for number in range(students):
            submission = Submission(course.root, f"s{number:03}", exercise.name)
            submission.folder.mkdir(parents=True)
            others = {name: written_answer(luck, name) for name in exercise.written}
            made = answered(exercise, **{**right, **others, question: written_answer(luck, model)})
            submission.notebook.write_text(json.dumps(made), encoding="utf-8")
            take_in(book, submission, full_marks(exercise))
    return course, exercise, question
