"""The command `viva`: questions about a student's own code, for a conversation or a quiz.

The right answers come from running this code in the sandbox.

- source: reads an answer, and makes copies that have a small change or return an intermediate result.
- calls: calls answers and their copies in the worker, with small inputs that students may see.
- sheets: asks about the outcomes of the calls, writes a student's sheet, and checks the chosen options.
"""

import click

from autograder.cli import options


@click.command()
@click.argument("student", required=False)
@click.argument("exercise", required=False)
@click.option(
    "--class", "whole", metavar="EXERCISE", help="Write a page for each student, and a page of answers."
)
@click.option("--quiz", is_flag=True, help="Write the page without the answers.")
@click.option("--mark", metavar="LETTERS", help="Check the letters that the student chose, such as bcada.")
@click.option("--seed", type=click.IntRange(0), default=0, help="Another number gives different questions.")
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

    The command writes up to five questions, with the right answers, to build/viva/. They are about the code
    that STUDENT submitted for EXERCISE. The same submission and seed give the same questions.
    """
    from autograder.course.guard import skipping
    from autograder.errors import UsageError
    from autograder.plugins.viva import sheets
    from autograder.sandbox.zygote import Zygote
    from autograder.submission.notebook import read_notebook
    from autograder.submission.students import student_names, with_name
    from autograder.submission.submission import Submission, find_submissions, is_student

    if bool(whole) == bool(student and exercise) or (whole and (student or mark)):
        raise click.UsageError("give STUDENT and EXERCISE, or only an exercise with --class")
    (chosen,) = course.chosen([whole or exercise or ""])
    named = [Submission(course.root, student or "", chosen.name)]
    candidates = find_submissions(course, chosen) if whole else named
    submissions = [each for each in candidates if is_student(each.student) and each.notebook.is_file()]
    if not submissions:
        raise UsageError(f"{chosen.name} {student or ''}: not in submitted/; collect it first")
    class_sheets = list[sheets.Sheet]()
    with options.failures(course) as on_failure:
        with Zygote(course.settings.walls, course.settings.packages, unsafe=unsafe) as zygote:
            examiner = sheets.Examiner(chosen, zygote, seed)
            for submission in submissions:
                with skipping(course, submission.exercise, submission.student, on_failure):
                    sheet = examiner.sheet(submission.student, read_notebook(submission.notebook))
                    if sheet.questions and mark is None:
                        path = sheets.write_sheet(course, sheet, answers=not quiz and not whole)
                        options.print_written(course, [path])
                    class_sheets.append(sheet)
        if whole:
            options.print_written(
                course, [sheets.write_examiner_sheet(course, chosen, class_sheets, on_failure)]
            )
        names = student_names(course.root)
        problems = (
            f"{sheet.exercise} {with_name(sheet.student, names)}: {problem}"
            for sheet in class_sheets
            for problem in (*sheet.left_out, sheet.problem)
            if problem
        )
        options.print_lines(problems, err=True)
        if mark is not None and class_sheets and class_sheets[0].questions:
            marks = class_sheets[0].marked(mark)
            lines = (f"question {n}: {'right' if right else 'wrong'}" for n, right in enumerate(marks, 1))
            options.print_lines([*lines, f"{sum(marks)} of {len(marks)} are right"])
