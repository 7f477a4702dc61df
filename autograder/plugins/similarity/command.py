"""The command `similar`: which solutions are alike."""

import click

from autograder.cli import options


@click.command()
@options.exercises
def similar(course: "options.Course", exercises: "list[options.Exercise]") -> None:
    """Write a page on solutions that are alike beyond what is natural, for a person to judge.

    It is no score and no proof: see the page, build/similar.html.
    """
    from autograder.plugins.similarity.page import write_similar
    from autograder.report.text import terminal_line

    path, found = write_similar(course, exercises)
    for cluster in found:
        questions = ", ".join(dict.fromkeys(pair.question for pair in cluster.pairs))
        click.echo(terminal_line(f"{cluster.exercise}: {', '.join(cluster.students)}: {questions}"))
    click.echo(f"wrote {path.relative_to(course.root)}")
