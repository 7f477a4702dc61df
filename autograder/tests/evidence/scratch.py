"""Grades right answers with each scratch cell below them, and prints which cells cost points."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from autograder.authoring.answers import right_answers, solved_cells
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.grading.grader import Grader
from autograder.report.report import Verdict
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import NotebookCell
from autograder.tests.grading.scratch_cells import scratch_cells

SECRET = bytes(range(32))  # it chooses the hidden inputs


def right_notebooks(exercise: Exercise) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the names and code of right answers for few notebooks, which together contain all of them.

    The first notebook has the reference's answers. Each of the others combines accepted variants that
    answer different questions.
    """
    yield "reference", right_answers(exercise)
    combined: list[tuple[list[str], dict[str, str]]] = []
    for variant in exercise.accepted:
        answers = exercise.replaced(variant.code)
        free = (one for one in combined if one[1].keys().isdisjoint(answers))
        names, others = next(free, ([], {}))
        if not names:
            combined.append((names, others))
        names.append(variant.title)
        others.update(answers)
    for names, others in combined:
        yield " + ".join(names), {**right_answers(exercise), **others}


def lost_points(grader: Grader, cells: tuple[NotebookCell, ...], scratch: str) -> tuple[float, str]:
    """Return the points that a notebook loses with this cell at its end, and in which questions."""
    below = NotebookCell(cells[-1].number + 1, "code", scratch)
    report = grader.grade_cells((*cells, below)).report
    tested = [question for question in report.questions if question.verdict is not Verdict.UNGRADED]
    less = [question for question in tested if question.score != question.max_score]
    said = "; ".join(f"{question.name} {question.verdict}: {question.hint}" for question in less)
    return sum(question.max_score - (question.score or 0.0) for question in less), said


def judge(course: Course, exercise: Exercise, zygote: Zygote, *, all_answers: bool) -> Iterator[str]:
    """Yield a line for each notebook and cell that lose points, and a line of totals."""
    grader = Grader.of_course(course, exercise, zygote, SECRET)
    grader.marks_only = True
    scratch = scratch_cells([*exercise.points])
    notebooks = list(right_notebooks(exercise))[: None if all_answers else 1]
    losses = []
    for name, answers in notebooks:
        cells = solved_cells(exercise, answers)
        for title, code in {"no cell": "", **scratch}.items():
            lost, said = lost_points(grader, cells, code)
            if lost:
                yield f"{exercise.name}, {name}, {title}: loses {lost:g} points. {said}"
            if title != "no cell":
                losses.append(lost)
    possible, less = sum(exercise.points.values()) * len(losses), sum(map(bool, losses))
    yield (
        f"{exercise.name}: {len(notebooks)} notebooks with each of {len(scratch)} cells, "
        f"{possible - sum(losses):g} of {possible:g} points, {less} of {len(losses)} lose some"
    )


def main() -> None:
    """Judge all exercises of the course in the current folder, or those named.

    With `--reference`, only the reference's answers are judged.
    """
    course, words = load_course(Path.cwd()), sys.argv[1:]
    names = [word for word in words if word != "--reference"] or [*course.exercises]
    with Zygote(packages=course.settings.packages) as zygote:
        for name in names:
            for line in judge(course, course.exercises[name], zygote, all_answers="--reference" not in words):
                click.echo(line)


if __name__ == "__main__":
    main()
