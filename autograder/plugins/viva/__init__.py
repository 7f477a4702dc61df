"""The command `viva`: questions about a student's own code, for a talk or a quiz, whose answers were run.

- source: an answer, copies with a small change, and copies that return an inner result.
- calls: small calls on inputs that anybody may see, and what comes of them in the worker.
- sheets: makes questions of what was seen, chooses five, and writes or marks a student's sheet.
"""

import click

from autograder.cli import options


@click.command()
@click.argument("student", required=False)
@click.argument("exercise", required=False)
@click.option("--class", "whole", metavar="EXERCISE", help="Write a page for each student, and the answers.")
@click.option("--quiz", is_flag=True, help="Write the page without the answers.")
@click.option("--mark", metavar="LETTERS", help="Mark the letters that the student chose, such as bcada.")
@click.option("--seed", type=click.IntRange(0), default=0, help="Another number gives other questions.")
@options.unsafe
@options.course
def viva(
    course: "options.Course",
    student: str | None,
    exercise: str | None,
    whole: str | None,
    quiz: bool,
    mark: str | None,
    seed: int,
    unsafe: bool,
) -> None:
    """Ask students about their own code.

    Writes five questions about STUDENT's EXERCISE into build/viva/, with their answers. Each answer was seen
    when this code, or a copy with a small change, ran in the sandbox. The same submission and seed give the
    same questions.
    """
    from autograder.course.guard import skipping
    from autograder.errors import UsageError
    from autograder.plugins.viva import sheets
    from autograder.sandbox.zygote import Zygote
    from autograder.submission.notebook import read_notebook
    from autograder.submission.students import student_names, with_name
    from autograder.submission.submission import Submission, find_submissions, is_student

    if bool(whole) == bool(student and exercise) or (whole and (student or mark)):
        raise click.UsageError("name STUDENT and EXERCISE, or an exercise with --class")
    (chosen,) = course.chosen([whole or exercise or ""])
    one = Submission(course.root, student or "", chosen.name)
    found = find_submissions(course, chosen) if whole else [one]
    found = [one for one in found if is_student(one.student) and one.notebook.is_file()]
    if not found:
        raise UsageError(f"{chosen.name} {student or ''}: nothing lies in submitted/; collect it first")
    made = list[sheets.Sheet]()
    with options.failures() as on_failure:
        with Zygote(course.settings.walls, course.settings.packages, unsafe=unsafe) as zygote:
            examiner = sheets.Examiner(chosen, zygote, seed)
            for one in found:
                with skipping(course, one.exercise, one.student, on_failure):
                    sheet = examiner.sheet(one.student, read_notebook(one.notebook))
                    if sheet.questions and mark is None:
                        path = sheets.write_sheet(course, sheet, answers=not quiz and not whole)
                        options.print_written(course, [path])
                    made.append(sheet)
        if whole:
            options.print_written(course, [sheets.write_examiner_sheet(course, chosen, made, on_failure)])
        names = student_names(course.root)
        said = ((one, words) for one in made for words in (*one.left_out, one.problem) if words)
        options.print_lines(
            (f"{one.exercise} {with_name(one.student, names)}: {words}" for one, words in said), err=True
        )
        if mark is not None and made and made[0].questions:
            marks = made[0].marked(mark)
            told = (f"question {n}: {'right' if right else 'wrong'}" for n, right in enumerate(marks, 1))
            options.print_lines([*told, f"{sum(marks)} of {len(marks)} are right"])
