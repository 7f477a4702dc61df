"""The commands of a term: collect, students, extend, feedback, export, dashboard, backup and restore."""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import click

from autograder.cli import options
from autograder.errors import SOME_REFUSED

if TYPE_CHECKING:
    from autograder.collecting.collect import Attendance, CollectedLine
    from autograder.submission.students import Student


@click.command()
@click.argument(
    "archives", nargs=-1, required=True, metavar="ARCHIVE...", type=click.Path(path_type=Path, exists=True)
)
@click.option("--exercise", help="Treat all notebooks as this exercise, regardless of their names.")
@click.option(
    "--times",
    "lists",
    metavar="FILE",
    multiple=True,
    type=options.PATH,
    help="Moodle's grading worksheet, or a CSV with the columns student, time and, optionally, exercise.",
)
@click.option(
    "--zone", metavar="NAME", help="The time zone for times without a time zone, such as Europe/Berlin."
)
@click.option("--no-times", is_flag=True, help="Ignore all times, so that no submission counts as late.")
@click.option("--verbose", is_flag=True, help="Print a line on each notebook, even if it needs no attention.")
@options.course
def collect(
    course: "options.Course",
    archives: tuple[Path, ...],
    exercise: str | None,
    lists: tuple[Path, ...],
    zone: str | None,
    no_times: bool,
    verbose: bool,
) -> None:
    """Copy submissions from archives or folders to submitted/.

    ARCHIVE is an export of Canvas, Moodle or Gradescope, or any zip, tar or folder in which each student has
    a folder. Platforms name students by user ids, full names or email addresses; students.csv maps these
    names to your ids. The exports of Canvas and Moodle contain no submission times, so pass the times with
    --times. Times without a time zone are in the zone of the exercise's due date, unless you give --zone. If
    the command refuses a file, the exit code is 1.
    """
    from autograder.collecting.attribution import NamingRules
    from autograder.collecting.collect import collect_archives
    from autograder.collecting.metadata import read_times
    from autograder.gradebook.selection import with_late_note
    from autograder.submission.students import listed_students, student_names

    rules = NamingRules(
        exercises=list(course.exercises),
        exercise=course.chosen([exercise])[0].name if exercise else "",
        students=listed_students(course.root),
        times=read_times(lists),
    )
    lines = collect_archives(course, archives, rules, times=not no_times, zone=_parse_zone(zone))
    noted = (with_late_note(course, line) for line in lines)
    _show_collected(noted, student_names(course.root), verbose=verbose)


def _show_collected(
    lines: "Iterable[CollectedLine]", names: Mapping[str, str], *, verbose: bool = False
) -> None:
    """Print the lines that an instructor should read, or all lines if `verbose`. Then print the totals."""
    from autograder.collecting.collect import REFUSED
    from autograder.submission.students import with_name

    counts: Counter[str] = Counter()
    untimed, late_count = set[str](), 0
    for line in lines:
        counts[line.status] += 1
        late_count += line.is_late
        untimed.update(filter(None, [line.untimed]))
        if not (verbose or line.needs_look):
            continue
        who = f"{line.exercise} {with_name(line.student, names)}" if line.student else ""
        where = (line.archive, line.path) if line.status == REFUSED else ()
        options.print_lines([": ".join(filter(None, (who, *where, line.status, line.message)))])
    summary = ", ".join(f"{count} {status}" for status, count in counts.items()) or "no notebooks"
    click.echo(f"{summary}; {late_count} of them late" if late_count else summary)
    if untimed:
        platforms = " and ".join(sorted(untimed))
        click.echo(f"{platforms} gave no times, so none of these submissions counts as late; see --times")
    if counts[REFUSED]:
        result = "Some files were refused (see above). All other files are collected."
        code = f"The exit code is {SOME_REFUSED}, which `make` reports as an error."
        click.echo(f"{result} {code}", err=True)
        sys.exit(SOME_REFUSED)


def _parse_zone(name: str | None) -> tzinfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise click.UsageError(
            f'--zone: "{name}" is not a time zone; write one such as Europe/Berlin or UTC'
        ) from None


@click.command()
@click.option("--rename", nargs=2, metavar="OLD NEW", help="Change the student's id OLD to NEW everywhere.")
@options.exercises
def students(
    course: "options.Course", exercises: "list[options.Exercise]", rename: tuple[str, str] | None
) -> None:
    """Compare the class list with the submissions.

    The command shows students who have not submitted, ids that are not in the list, and students who
    submitted under two ids. --rename changes a student's id in the gradebook, the folders and the CSV files.
    If a platform still uses the old id, add the old id to students.csv as another name of the student.
    """
    if rename is not None:
        from autograder.gradebook.renaming import rename as give_id

        give_id(course, *rename)
        click.echo(f"{rename[0]} is now {rename[1]}")
        return
    from autograder.collecting.collect import attendance
    from autograder.course.kept import STUDENTS
    from autograder.gradebook.lateness import unknown_students
    from autograder.submission.students import listed_students

    if (listed := listed_students(course.root)) is None:
        path = course.root / STUDENTS
        fix = "create it, with the headings id,name,email and a row for each student"
        raise click.UsageError(f"{path}: there is no such file; {fix}")
    with options.failures(course) as on_failure:
        attendances = [attendance(course, listed, exercise, on_failure) for exercise in exercises]
        _show_attendance(course, exercises, len(listed.all), attendances)
        options.print_lines(unknown_students(course, listed, [exercise.name for exercise in exercises]))


def _show_attendance(
    course: "options.Course",
    exercises: "Sequence[options.Exercise]",
    class_size: int,
    attendances: "Sequence[Attendance]",
) -> None:
    """Print the number of submissions and the missing students of each exercise.

    If the user names no exercise, exercises that nobody has submitted are left out.
    """
    from autograder.cli.output import show
    from autograder.course.kept import STUDENTS

    is_all = len(exercises) == len(course.exercises)
    shown = [each for each in attendances if not is_all or each.submitted or each.unknown or each.others]
    rows = [
        (each.exercise, f"{class_size - len(each.missing)} of {class_size}", _names_of(each.missing))
        for each in shown
    ]
    empty = "" if shown else "; nobody has submitted anything"
    counted = "1 student" if class_size == 1 else f"{class_size} students"
    show(f"{counted} in {STUDENTS}{empty}", ("exercise", "submitted", "missing"), rows)
    options.print_lines(line for each in shown for line in _id_problems(each))


def _names_of(students: Sequence["Student"]) -> str:
    return ", ".join(" ".join((each.id, *(f"({name})" for name in each.names[:1]))) for each in students)


def _id_problems(attendance: "Attendance") -> Iterator[str]:
    """Yield a line for each id that has a submission and is not the main id of a listed student."""
    exercise = attendance.exercise
    for id_ in attendance.unknown:
        fix = f"add it to the list; if {id_} has left the course, do nothing: the grades are kept"
        yield f"{exercise}, unknown id: {id_} is not in the list; {fix}"
    for id_, student in attendance.others.items():
        if id_ in attendance.twice:
            problem = f"{id_} and {student.id} are the same student; delete one of the two submissions"
            yield f"{exercise}, submitted twice: {problem}"
        else:
            fix = f"to store the submission under {student.id}, collect it again"
            yield f"{exercise}, other id: in the list, {id_} is another name of {student.id}; {fix}"


@click.command()
@click.argument("student")
@click.argument("words", nargs=-1, required=True, metavar="[EXERCISE] UNTIL")
@click.option("--all", "everything", is_flag=True, help="Extend every exercise that has a due date.")
@click.option(
    "--group/--no-group",
    default=None,
    help="Whether all members of the student's groups get the extension. By default, the command asks.",
)
@options.course
def extend(
    course: "options.Course", student: str, words: tuple[str, ...], everything: bool, group: bool | None
) -> None:
    """Give a student more time.

    UNTIL is a time such as "2026-03-01 18:00 Europe/Berlin", a delay after the due date such as "+2 days", or
    "none" to remove the extension. With --all, leave out EXERCISE: `extend ana --all "+2 days"` extends every
    exercise that has a due date, but keeps extensions that end later. Extensions are stored in
    extensions.csv, which you can edit. The command prints how scores of graded submissions change. If the
    student is in a group, the command asks whether all members get the extension, unless you pass --group or
    --no-group.
    """
    from autograder.cli.output import show_changes
    from autograder.gradebook.lateness import extend as write_extension
    from autograder.gradebook.pages import update_scores
    from autograder.submission.students import student_names, with_name

    if everything:
        exercises = [exercise for exercise in course.chosen(()) if exercise.settings.due]
        until = " ".join(words)
    else:
        exercises, until = course.chosen(words[:1]), " ".join(words[1:])
    if not until:
        raise click.UsageError('give a new due date, or a delay such as "+2 days"')
    if not exercises:
        raise click.UsageError("no exercise has a due date; write `due` into course.yaml first")
    names = student_names(course.root)
    given = None if until == "none" else until
    for exercise in exercises:
        kept = write_extension(course, student, exercise.name, given, keep_later=everything)
        _show_extension(with_name(student, names), exercise.name, kept)
    for member in _other_members(course, student, names, group=group):
        for exercise in exercises:
            kept = write_extension(course, member, exercise.name, given, keep_later=everything)
            _show_extension(with_name(member, names), exercise.name, kept)
    with options.failures(course) as on_failure:
        lines = [line for exercise in exercises for line in update_scores(course, exercise, on_failure)]
        show_changes(lines, names)


def _show_extension(student: str, exercise: str, until: str) -> None:
    may = f"may hand in {exercise} until {until}" if until else f"has no extension for {exercise}"
    options.print_lines([f"{student} {may}"])


def is_interactive() -> bool:
    """Whether a user can answer a question in the terminal."""
    return sys.stdin.isatty()


def _other_members(
    course: "options.Course", student: str, names: Mapping[str, str], *, group: bool | None
) -> list[str]:
    """Return the other members of the student's groups, or [] if they do not get the extension.

    If `group` is None, ask the user. In a script, print a line instead, and return [].
    """
    from autograder.report.text import terminal_line
    from autograder.submission.students import listed_students, with_name

    listed = listed_students(course.root)
    everybody = listed.all if listed else ()
    groups = {name for each in everybody if each.id == student for name in each.groups}
    others = [each.id for each in everybody if each.id != student and groups & {*each.groups}]
    if not others or group is False:
        return []
    people = ", ".join(with_name(member, names) for member in others)
    if group is None and not is_interactive():
        options.print_lines(
            [f"no extension for the group's other members ({people}); --group extends all"], err=True
        )
        return []
    if group is None and not click.confirm(terminal_line(f"Also for the group's other members ({people})?")):
        return []
    return others


@click.command()
@options.exercises
def feedback(course: "options.Course", exercises: "list[options.Exercise]") -> None:
    """Write feedback pages for students.

    Each graded submission gets a page in feedback/. Each student also gets an index.html of all exercises.
    """
    from autograder.gradebook.pages import doubtful_comments
    from autograder.publishing.overview import write_pages

    click.echo(f"{len(write_pages(course, exercises))} pages in {course.root / 'feedback'}")
    with options.failures(course) as on_failure:
        options.print_lines(doubtful_comments(course, exercises, on_failure), err=True)


@click.command()
@options.exercises
@click.option("--changed", is_flag=True, help="For Canvas and Moodle: only students with changed scores.")
@options.choice
@click.option("--audit", is_flag=True, help="Write a table of all score changes instead of the grades.")
@click.option("--json", "as_json", is_flag=True, help="With --audit: print the score changes as JSON.")
def export(
    course: "options.Course",
    exercises: "list[options.Exercise]",
    choice: "options.Choice",
    changed: bool,
    audit: bool,
    as_json: bool,
) -> None:
    """Write the grades as CSV files.

    The command writes four tables to build/exports/: scores by question, scores by exercise, a table for
    Canvas and a table for Moodle. With --audit, it writes a table of score changes instead. A row has the
    time, the student, the old and the new score, the reason, and the person who changed the score. With
    --audit --json, the command prints the score changes with digests of the notebook, tests, settings and
    code that led to each score.
    """
    from autograder.publishing.audit import chosen_lines, write_audit
    from autograder.publishing.export import write_tables

    if as_json and not audit:
        raise click.UsageError("--json works only with --audit")
    if audit:
        names = [exercise.name for exercise in exercises]
        if as_json:
            options.print_lines(map(json.dumps, chosen_lines(course, names)))
        else:
            options.print_written(course, [write_audit(course, names)])
        return
    with options.failures(course) as on_failure:
        tables = write_tables(course, exercises, choice, changed=changed, on_failure=on_failure)
        options.print_lines(tables.notes, err=True)
        options.print_written(course, tables.paths)
        options.print_lines(tables.alarms, err=True)
    if tables.alarms:
        sys.exit(SOME_REFUSED)


@click.command()
@options.exercises
def dashboard(course: "options.Course", exercises: "list[options.Exercise]") -> None:
    """Write two pages about the class, for instructors.

    build/dashboard.html has statistics, and build/overview.html has a table of all scores.
    """
    from autograder.publishing.dashboard import write_dashboard
    from autograder.publishing.overview import write_overview

    overview = write_overview(course, exercises)
    with options.failures(course) as on_failure:
        options.print_written(course, [overview, write_dashboard(course, exercises, on_failure)])


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@options.course
def backup(course: "options.Course", file: Path | None) -> None:
    """Back up the course's data.

    The backup goes to FILE, or to a new file in backups/. It contains everything that no command can
    recreate: the gradebook with the log of score changes, the submissions, files such as students.csv, and
    the secret that hidden inputs are derived from. So store the backup in a safe place on another machine.
    """
    from autograder.gradebook.backup import back_up

    stamp = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
    path = file or course.root / "backups" / f"{course.settings.course}-{stamp}.zip"
    count = back_up(course, path)
    click.echo(f"wrote {path}: {count} files")


@click.command()
@click.argument("file", type=options.FILE)
@options.course
def restore(course: "options.Course", file: Path) -> None:
    """Restore a backup in a fresh checkout of the course.

    If the course already has submissions, grades or a file such as students.csv, the command changes nothing.
    """
    from autograder.authoring.release import build_missing
    from autograder.gradebook.backup import restore as bring_back

    count = bring_back(course, file)
    build_missing(course, course.exercises.values())
    click.echo(f"{count} files written")
