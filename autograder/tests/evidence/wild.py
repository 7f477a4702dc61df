"""Repeats rows of docs/evidence.csv: fetches each definition again and grades it as it stands there."""

import ast
import csv
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from autograder.authoring.answers import fill, released, right_answers
from autograder.batch.run import run_notebooks
from autograder.course.course import Course, load_course
from autograder.errors import UsageError
from autograder.report.report import Report
from autograder.submission.notebook import parse_notebook

LIST = "autograder/docs/evidence.csv"  # in the course's folder
Row = Mapping[str, str]
_KEPT = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


def repeat(course: Course, folder: Path, site: str) -> Iterator[str]:
    """Yield a line for each row of the list: its score there, and that of the definition without an adapter.

    Files and notebooks go to `folder`, which must lie outside the course, since they belong to others.
    """
    if folder.resolve().is_relative_to(course.root.resolve()):
        raise UsageError(f"{folder}: is inside the course; name one outside, since the code is not yours")
    with (course.root / LIST).open(encoding="utf-8", newline="") as file:
        rows = list(enumerate(csv.DictReader(file), 2))  # as a spreadsheet counts them
    notebooks = {}
    for (repository, commit), group in groupby(rows, lambda row: (row[1]["repository"], row[1]["commit"])):
        listed = list(group)
        files = fetch(f"{site}/{repository}", commit, {row["path"] for _, row in listed})
        for number, row in listed:
            home = folder / row["exercise"]
            home.mkdir(parents=True, exist_ok=True)
            if (text := files.get(row["path"])) is None:
                yield f"{number} {repository} {row['definition']}: not fetched"
                continue
            (home / f"{number}_{Path(row['path']).name}").write_text(text, encoding="utf-8")
            path = home / f"{number}_{row['question']}.notebook.ipynb"
            path.write_text(_notebook(course, row, text), encoding="utf-8")
            notebooks[str(path)] = (number, row)
    same = 0
    for made, graded in run_notebooks(course, list(notebooks)):
        number, row = notebooks[made]
        score = _share(graded.report, row["question"])
        same += score == row["score"]
        place = f"{number} {row['repository']} {row['definition']}"
        yield f"{place}: {row['score']} in the list, {score} here: {made}"
    yield f"{same} of {len(notebooks)} have the list's score without an adapter; the others need one"


def fetch(url: str, commit: str, paths: set[str]) -> dict[str, str]:
    """Return the text of files at a commit of a Git repository; those that cannot be had are left out."""
    with TemporaryDirectory() as folder:
        git = ["git", "-C", folder]
        bare = ["fetch", "-q", "--depth", "1", "--filter=blob:none", "far", commit]  # files come when shown
        for words in (["init", "-q"], ["remote", "add", "far", url], bare):
            if subprocess.run([*git, *words], stderr=subprocess.DEVNULL).returncode:
                return {}
        found = {}
        for path in paths:
            shown = subprocess.run([*git, "show", f"{commit}:{path}"], capture_output=True)
            if not shown.returncode:
                found[path] = shown.stdout.decode(errors="replace")
        return found


def code_of(path: str, text: str) -> str:
    """Return a file's imports, functions and classes: what a definition needs to stand in a notebook."""
    cells = [text]
    if path.endswith(".ipynb"):
        found = parse_notebook(text.encode())["cells"]
        cells = ["".join(cell["source"]) for cell in found if cell["cell_type"] == "code"]
    kept = []
    for cell in cells:
        with suppress(SyntaxError):
            kept += [one for one in ast.parse(cell).body if isinstance(one, _KEPT)]
    return "\n\n".join(map(ast.unparse, kept))


def _notebook(course: Course, row: Row, text: str) -> str:
    """Return the released notebook with the right answers, but for the question that the row is about."""
    exercise = course.exercises[row["exercise"]]
    code, question = code_of(row["path"], text), row["question"]
    answer = f"{code}\n\n{question} = {row['definition']}" if question != row["definition"] else code
    answers = {**right_answers(exercise), question: answer}
    return json.dumps(fill(released(course.assignments, exercise), answers), indent=1)


def _share(report: Report, question: str) -> str:
    """Return the share of a question's points, as the list writes it."""
    one = next((one for one in report.questions if one.name == question), None)
    return f"{one.score / one.max_score:.2f}" if one and one.score is not None else "no score"


def main() -> None:
    """Repeat the list of the course in the current folder; the first argument is where the code goes."""
    for line in repeat(load_course(Path.cwd()), Path(sys.argv[1]), "https://github.com"):
        click.echo(line)


if __name__ == "__main__":
    main()
