"""Writes the page of solutions that are more alike than their task explains, for an instructor to judge."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from autograder.cli import options
from autograder.course.course import Course
from autograder.course.exercise import Exercise
from autograder.course.source import Role
from autograder.files import write_whole
from autograder.gradebook.pages import read_gradebook
from autograder.plugins.similarity.similarity import Likeness, clusters, likenesses
from autograder.publishing.graded_work import autograded_notebook
from autograder.report.safe_html import load_template
from autograder.report.text import clean_text
from autograder.submission.submission import Submission

SECTION = "People"
_TEMPLATE = Path(__file__).with_name("similar.html")


@dataclass(frozen=True, slots=True)
class Cluster:
    """Students whose solutions of an exercise are alike, with what is alike and what they wrote."""

    exercise: str
    pairs: tuple[Likeness, ...]
    answers: Mapping[str, Mapping[str, str]]  # code by question and student, of these pairs alone

    @property
    def students(self) -> list[str]:
        """Who they are."""
        return sorted({student for pair in self.pairs for student in (pair.first, pair.second)})


def write_similar(course: Course, exercises: Sequence[Exercise]) -> tuple[Path, list[Cluster]]:
    """Write build/similar.html and return it, with what is on it."""
    found = [cluster for exercise in exercises for cluster in find_clusters(course, exercise)]
    page = load_template(_TEMPLATE).render(course_title=course.settings.title, clusters=found)
    return write_whole(course.build / "similar.html", page), found


def find_clusters(course: Course, exercise: Exercise) -> Iterator[Cluster]:
    """Yield the clusters among the graded submissions of an exercise."""
    answers = _answers(course, exercise)
    pairs = [
        pair
        for question in exercise.points
        for pair in likenesses(question, answers[question], _own(exercise, question))
    ]
    for group in clusters(pairs):
        shown: dict[str, dict[str, str]] = defaultdict(dict)
        for pair in group:
            for student in (pair.first, pair.second):
                shown[pair.question][student] = clean_text(answers[pair.question][student])
        yield Cluster(exercise.name, group, shown)


def _answers(course: Course, exercise: Exercise) -> Mapping[str, dict[str, str]]:
    """Return what each student has in the cells of the questions, by question."""
    answers: dict[str, dict[str, str]] = defaultdict(dict)
    for graded in read_gradebook(course, exercise):
        notebook = autograded_notebook(Submission(course.root, graded.student, exercise.name))
        for cell in notebook.get("cells", ()):
            name = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
            if name in exercise.points:
                answers[name][graded.student] = "".join(cell["source"])
    return answers


def _own(exercise: Exercise, question: str) -> Iterator[str]:
    """Yield the stub, and the ways to write it that the course knows, right and wrong."""
    for cell in exercise.cells:
        if cell.role is Role.SOLUTION and cell.name == question:
            yield from (cell.released(), cell.text)
    for variant in (*exercise.accepted, *exercise.mistakes):
        yield variant.code


@click.command()
@options.exercises
def similar(course: Course, exercises: list[Exercise]) -> None:
    """Write a page of suspiciously similar answers.

    Judge the pairs on the page, build/similar.html, yourself: similarity proves nothing.
    """
    path, found = write_similar(course, exercises)
    for cluster in found:
        questions = ", ".join(dict.fromkeys(pair.question for pair in cluster.pairs))
        options.print_lines([f"{cluster.exercise}: {', '.join(cluster.students)}: {questions}"])
    click.echo(f"wrote {path.relative_to(course.root)}")
