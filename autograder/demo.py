"""Grades a made-up class with right, wrong, late and broken submissions. Writes only to build/demo/."""

import json
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from zlib import crc32

from autograder.authoring.answers import fill, released, right_answers
from autograder.authoring.release import release_notebooks
from autograder.batch.explain import explain, unexplained_in
from autograder.batch.grade import Summary, grade_submissions
from autograder.batch.pool import ProcessPool
from autograder.course.answers import Answer
from autograder.course.course import Course, copy_course
from autograder.course.exercise import Exercise
from autograder.course.notebook import NotebookJson
from autograder.course.source import Cell, Role
from autograder.diagnosis.known import known_mistakes
from autograder.gradebook.ledger import SubmissionLine
from autograder.publishing.dashboard import write_dashboard
from autograder.publishing.export import write_tables
from autograder.publishing.graded_work import read_graded_work
from autograder.publishing.overview import write_overview, write_pages
from autograder.submission.submission import Submission

DUE, IN_TIME, LATE = "2026-03-02T23:59:00+00:00", "2026-03-02 18:00:00 UTC", "2026-03-03 08:00:00 UTC"
_LIMITS = {"cell_seconds": 3, "call_seconds": 2}  # short, because the endless loop uses all of this time
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")
_ALL_HAND_IN = 2  # exercises that every student hands in
Answers = Mapping[str, str]
Answering = Callable[[Exercise, str], Answers]


def right(exercise: Exercise, _: str) -> Answers:
    """Return the right answers to all questions."""
    return right_answers(exercise)


def _with_one_of(
    answers_of: Callable[[Exercise], Sequence[Answer]], exercise: Exercise, student: str
) -> Answers:
    """Return the right answers, but replace one by an answer from `answers_of(exercise)`.

    The exercise and the student determine which answer is taken.
    """
    answers = answers_of(exercise)
    number = crc32(f"{exercise.name} {student}".encode()) % max(len(answers), 1)
    chosen = [exercise.replaced(answer.code) for answer in answers[number : number + 1]]
    return {**right_answers(exercise), **(chosen[0] if chosen else {})}


otherwise: Answering = partial(_with_one_of, attrgetter("accepted"))
mistaken: Answering = partial(_with_one_of, known_mistakes)


def written_answer(cell: Cell, student: str) -> str:
    """Return one to three sentences of the model answer. The question and the student determine which."""
    sentences = _SENTENCE.split(" ".join(cell.model.split()))
    number = crc32(f"{cell.name} {student}".encode())
    first = number % len(sentences)
    return " ".join(sentences[first : first + 1 + number % 3])


def endless(exercise: Exercise, _: str) -> Answers:
    """Return right answers, but an endless loop as the answer to the first question."""
    first = next(iter(exercise.points))
    loop = f"def {first}(*arguments):\n    while True:\n        pass"
    return {**right_answers(exercise), first: loop}


def saved(notebook: NotebookJson) -> str:
    """Return the text of the notebook as Jupyter saves it."""
    return json.dumps(notebook, indent=1)


def broken_off(notebook: NotebookJson) -> str:
    """Return only the first half of a notebook's text."""
    text = saved(notebook)
    return text[: len(text) // 2]


def stripped(notebook: NotebookJson) -> str:
    """Return the text of the notebook, without the metadata and cell ids, which some editors do not save."""
    without_ids = [{key: cell[key] for key in cell if key != "id"} for cell in notebook["cells"]]
    cells = [{**cell, "metadata": {}} for cell in without_ids]
    return saved({**notebook, "cells": cells, "metadata": {}, "nbformat_minor": 4})


@dataclass(frozen=True, slots=True)
class Student:
    """A made-up student, who hands in `_ALL_HAND_IN` exercises. An `eager` student hands in all exercises."""

    name: str
    about: str
    answer: Answering = right
    save: Callable[[NotebookJson], str] = saved
    handed_in: str = IN_TIME
    eager: bool = False

    def hand_in(self, course: Course, exercise: Exercise) -> None:
        """Write a notebook and its time of arrival to submitted/."""
        answers = self.answer(exercise, self.name)
        written = {
            cell.name: written_answer(cell, self.name)
            for cell in exercise.cells
            if cell.role is Role.MANUAL and cell.name in answers
        }
        notebook = fill(released(course.assignments, exercise), {**answers, **written})
        submission = Submission(course.root, self.name, exercise.name)
        submission.folder.mkdir(parents=True)
        submission.notebook.write_text(self.save(notebook), encoding="utf-8")
        (submission.folder / "timestamp.txt").write_text(self.handed_in, encoding="utf-8")


CLASS = (
    Student("ada", "gives the right answers", eager=True),
    Student("alan", "writes an endless loop", endless),  # early, because grading this takes longest
    Student("blaise", "gives right answers, one written differently", otherwise, eager=True),
    Student("carl", "makes a known mistake", mistaken, eager=True),
    Student("dorothy", "makes a known mistake", mistaken),
    Student("emmy", "makes a known mistake", mistaken),
    Student("felix", "makes a known mistake", mistaken),
    Student("isaac", "answers nothing", lambda *_: {}),
    Student("kurt", "sends half a file", save=broken_off),
    Student("maryam", "sends a file without metadata", save=stripped, eager=True),
    Student("niels", "is late", handed_in=LATE),
)


def make_class(course: Course, exercises: Sequence[Exercise]) -> tuple[Course, int]:
    """Create a course in build/demo/ with submissions; return the course and the number of submissions.

    An earlier demo and its gradebook are deleted.
    """
    root = course.build / "demo"
    shutil.rmtree(root, ignore_errors=True)
    graded = [exercise for exercise in exercises if exercise.points]
    demo = copy_course(course, graded, root, limits=_LIMITS, due=DUE)
    chosen = list(demo.exercises.values())
    release_notebooks(demo, chosen)
    submissions = [
        (student, exercise)
        for number, exercise in enumerate(chosen)
        for student in CLASS
        if student.eager or number < _ALL_HAND_IN
    ]
    for student, exercise in submissions:
        student.hand_in(demo, exercise)
    return demo, len(submissions)


def grade_class(demo: Course, notify: Callable[[SubmissionLine], None] = lambda _: None) -> Summary:
    """Grade a made-up class, and write its feedback, tables, overview and dashboard.

    `notify` is called with each graded submission.
    """
    exercises = list(demo.exercises.values())
    # No student wrote these submissions, so the sandbox may be weaker than the course demands.
    with ProcessPool(demo, os.cpu_count() or 1, unsafe=True) as pool:
        summary = grade_submissions(demo, exercises, executor=pool, unsafe=True, notify=notify)
        for _ in explain(demo, unexplained_in(demo, exercises, summary), pool, unsafe=True):
            pass
    write_pages(demo, exercises)
    write_tables(demo, exercises)
    write_overview(demo, exercises)
    write_dashboard(demo, exercises)
    return summary


def named_mistake(demo: Course) -> tuple[str, str, str]:
    """Return the student, the question and the feedback page's address of an answer with a known mistake.

    The report on this answer names the line of the mistake. If there is no such answer, return the first one.
    """
    questions = [
        (work.student, question, f"{page.as_uri()}#question-{number}")
        for work in read_graded_work(demo, list(demo.exercises.values()))
        for number, question in enumerate(work.questions.values(), 1)
        if (page := Submission(demo.root, work.student, work.exercise).feedback).is_file()
    ]
    named = (each for each in questions if each[1].mistake and each[1].place)
    student, question, address = next(named, questions[0])
    return student, question.name, address
