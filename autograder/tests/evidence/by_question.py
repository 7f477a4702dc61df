"""Measures grading by question beside grading by submission, in nbgrader's formgrader and a real browser.

Run it with `.venv/bin/python -m autograder.tests.evidence.by_question`. A made-up class has handed in one
exercise. Each figure is a median, in seconds, from a key until the page has saved or shows the next answer.
"""

import json
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import click
from playwright.sync_api import BrowserContext, Page

from autograder.authoring.answers import right_answers
from autograder.course.course import KEY_FILE, Course, load_course
from autograder.course.exercise import Exercise
from autograder.gradebook.book import ExerciseGradebook
from autograder.submission.submission import Submission
from autograder.tests.authoring.jupyter import answering, environment
from autograder.tests.browser import Listener, opened, show, until
from autograder.tests.classroom import CONFIG, SECRET, answered
from autograder.tests.gradebook.rows import full_marks, take_in
from autograder.tests.gradebook.test_formgrader_browser import LOADED, ROOT, command
from autograder.tests.gradebook.test_question_browser import wait

EXERCISE = "02_simple_self_attention"
WORDS = (
    "the a each row column token weights scores softmax sums denominator numerator divides by its own matrix "
    "symmetric no longer mirrored entries differ because normalisation happens per context vector *output* "
    "depends on order $w_{ij}$ $e^{s}$ so query key value of to in we get one"
)
SHORT = ("It is the softmax.", "it is the softmax", "Because of the rows.", "I do not know.")
# What is pressed for one answer, and when the page is ready for the next one.
BY_QUESTION, SAVED = ("1", "Enter"), "unsaved === 0 && current.shown.waits"
TIMED_SAVE = """(async () => {
    const start = performance.now();
    toggle("2");
    await waiting;
    return (performance.now() - start) / 1000;
})()"""
STOCK_SAVE = """new Promise(done => {
    const box = $(`#${name}`), start = performance.now();
    $(document).one("finished_saving", () => done((performance.now() - start) / 1000));
    box.val(box.val() === "1" ? "0.5" : "1").change();
})"""


def write_answer(luck: random.Random, model: str) -> str:
    """Return an answer of some length; every seventh is short or almost the model answer, as others are."""
    if luck.random() < 0.1:
        return luck.choice(SHORT)
    if luck.random() < 0.1:
        return model + luck.choice(["", " Really.", "\n\nThat is all."])
    return " ".join(luck.choices(WORDS.split(), k=luck.randint(25, 120))).capitalize() + "."


def open_class(root: Path, students: int) -> tuple[Course, Exercise, str]:
    """Return a course, an exercise that a class has handed in, and the name of its first written question."""
    root.mkdir(parents=True)
    shutil.copytree(CONFIG.parent / "solutions", root / "solutions")
    for name in ("course.yaml", CONFIG.name):
        shutil.copy(CONFIG.parent / name, root)
    (root / KEY_FILE).write_text(SECRET.hex(), encoding="ascii")
    course, luck = load_course(root), random.Random(1)
    exercise = course.exercises[EXERCISE]
    models = {cell.name: cell.model for cell in exercise.cells if cell.name in exercise.written}
    right, question = right_answers(exercise), next(iter(models))
    with ExerciseGradebook(course, exercise) as book:
        for number in range(students):
            submission = Submission(course.root, f"s{number:03}", exercise.name)
            submission.folder.mkdir(parents=True)
            own = {name: write_answer(luck, model) for name, model in models.items()}
            made = answered(exercise, **(right | own))
            submission.notebook.write_text(json.dumps(made), encoding="utf-8")
            take_in(book, submission, full_marks(exercise))
    return course, exercise, question


@contextmanager
def serving(course: Course, home: Path) -> Iterator[str]:
    """Start a server with the formgrader and yield its address."""
    own = environment(home) | {"PYTHONPATH": str(ROOT)}
    with (home / "server.log").open("wb") as log:
        server = subprocess.Popen(command(course.root), cwd=course.root, env=own, stdout=log, stderr=log)
    try:
        yield answering(home / "runtime", server)
    finally:
        server.terminate()
        server.wait(timeout=30)


def by_question(browser: BrowserContext, address: str, answers: int) -> Iterator[tuple[str, float]]:
    """Yield figures of the page of one question."""
    start = time.monotonic()
    page = show(browser, address, width=1300)
    wait(page, "document.activeElement.matches('.card')")
    yield "by question: the page opens, first time", time.monotonic() - start
    times = []
    for _ in range(5):
        start = time.monotonic()
        page.goto(address)
        wait(page, "document.activeElement.matches('.card')")
        times.append(time.monotonic() - start)
    yield "by question: the page opens again", median(times)
    yield "by question: a key saves", median(page.evaluate(TIMED_SAVE) for _ in range(30))
    page.keyboard.press("Enter")
    times = []
    for _ in range(answers):
        start = time.monotonic()
        for key in BY_QUESTION:
            page.keyboard.press(key)
        wait(page, SAVED)
        times.append(time.monotonic() - start)
    yield f"by question: from one answer to the next ({answers} answers)", median(times)


def by_submission(page: Page, address: str, name: str, answers: int) -> Iterator[tuple[str, float]]:
    """Yield figures of nbgrader's own pages, as this course sets them up."""
    page.goto(address)
    until(page, "window.models && models.loaded")
    last = page.evaluate("[...document.querySelectorAll('#main-table a')].at(-1).href")
    start = time.monotonic()
    page.goto(last)
    until(page, LOADED)
    yield "by submission: a page opens", time.monotonic() - start
    saves = [page.evaluate(f"(() => {{ const name = '{name}'; return {STOCK_SAVE}; }})()") for _ in range(10)]
    yield "by submission: a score is saved", median(saves)
    times = []
    for _ in range(answers):
        start, here = time.monotonic(), page.evaluate("submission_id")
        page.evaluate(f"document.getElementById('{name}').focus()")
        page.keyboard.insert_text("1")
        page.keyboard.press("Control+Enter")
        until(page, f"{LOADED} && submission_id !== '{here}'")
        times.append(time.monotonic() - start)
    yield f"by submission: from one answer to the next ({answers} answers)", median(times)


@click.command()
@click.option("--students", default=300, show_default=True)
@click.option("--answers", default=30, show_default=True, help="How many are graded each way.")
def main(students: int, answers: int) -> None:
    """Measure both ways in the same run."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        course, exercise, name = open_class(home / "course", students)
        with serving(course, home) as server, opened(home / "profile", Listener()) as browser:
            place = f"{server}formgrader/question/{exercise.name}/{name}"
            figures = [*by_question(browser, place, answers)]
            page = browser.new_page()
            place = f"{server}formgrader/gradebook/{exercise.name}/{exercise.name}"
            figures += by_submission(page, place, name, answers)
    for title, seconds in figures:
        click.echo(f"{title}: {seconds:.3f} s")


if __name__ == "__main__":
    main()
