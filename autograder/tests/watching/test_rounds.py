"""Watching: which folders are taken, when their pages come, and that a killed grader loses nothing."""

import multiprocessing
import os
import shutil
import signal
import socket
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import Exchange, ExchangeFetchFeedback, ExchangeSubmit
from traitlets.config import Config

from autograder.batch.pool import Done, Task
from autograder.cli import main
from autograder.collecting.attempts import attempts_of
from autograder.course.course import Course, load_course
from autograder.gradebook.config import load
from autograder.gradebook.exchange import release_page
from autograder.grading.outcomes import max_leaked_bits
from autograder.plugins.watch import describe_leak, inbox, rounds
from autograder.plugins.watch.rounds import FromExchange, FromUploads, Watch
from autograder.submission.notebook import open_plain
from autograder.submission.submission import Submission
from autograder.testing.suite import Suite
from autograder.tests.batch.test_attempts import ByTheirWord, written
from autograder.tests.classroom import hand_in, small
from autograder.tests.gradebook.rows import dump, files, ruled
from autograder.tests.gradebook.stock import IGNORED_WARNINGS, formgrader

pytestmark = IGNORED_WARNINGS
MORNING = datetime(2026, 2, 27, 9, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
FORK = multiprocessing.get_context("fork")


class Hall:
    """A course that is watched: an exchange, a clock, and a grader that believes each notebook's word."""

    def __init__(
        self, course: Course, rule: str = "newest, a_day: 3, pause: 10 minutes, tells: tests"
    ) -> None:
        self.course = ruled(course, rule)
        self.now = MORNING
        self.config = load(self.course)
        self.exchange = course.root.parent / "exchange"
        one_owner = {"Exchange": {"root": str(self.exchange)}, "ExchangeCollect": {"check_owner": False}}
        self.config.merge(Config(one_owner))
        self.inbound.mkdir(parents=True, exist_ok=True)
        self.grader = ByTheirWord()

    @property
    def inbound(self) -> Path:
        return self.exchange / self.course.settings.course / "inbound"

    def hand_in(self, share: float, student: str = "ann") -> None:
        """Hand in as `nbgrader submit` does."""
        stamp = self.now.strftime("%Y-%m-%d %H:%M:%S.%f UTC")
        folder = self.inbound / f"{student}+01_small+{stamp}+c2VjcmV0-_{share:g}"
        folder.mkdir()
        (folder / "01_small.ipynb").write_bytes(written(self.course, share))
        (folder / "timestamp.txt").write_text(stamp)
        (folder / "submission_secret.txt").write_text(f"secret of {student} {stamp}")

    def round(self, minutes: float = 0, *, release: bool = False) -> list[str]:
        """Let time pass, then look once, as a command that was started again does; each look takes time."""
        self.now += minutes * MINUTE
        looks = count()
        arrivals = FromExchange(self.course, self.config)
        watch = Watch(
            self.course, [small(self.course)], arrivals, self.config, self.grader,
            clock=lambda: self.now + timedelta(microseconds=next(looks)), release=release,
        )  # fmt: skip
        return list(watch.round())

    def page(self, student: str = "ann") -> str:
        path = Submission(self.course.root, student, "01_small").feedback
        return path.read_text(encoding="utf-8") if path.exists() else ""


@pytest.fixture
def hall(ready: Course) -> Hall:
    return Hall(ready)


def owned_by(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let whoever owns the files of this test be called so."""
    monkeypatch.setattr(inbox, "getpwuid", lambda _: SimpleNamespace(pw_name=name))


def test_a_folder_that_another_user_has_written_is_refused_and_uses_up_nothing(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    owned_by(monkeypatch, "ann")
    hall.config.ExchangeCollect.check_owner = True
    hall.now = datetime.now(UTC)
    hall.hand_in(0.2)
    assert hall.round()[-1] == "01_small ann: wrote the page"
    owned_by(monkeypatch, "mallory")
    hall.now += MINUTE
    hall.hand_in(1)
    assert ["refused: belongs to mallory instead of ann" in line for line in hall.round()] == [True, True]
    assert len(attempts_of(Submission(hall.course.root, "ann", "01_small"))) == 1


def checked(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> FromExchange:
    """Return an exchange in which everybody's folders belong to ann, for the owner of this test's files."""
    owned_by(monkeypatch, "ann")
    hall.config.ExchangeCollect.check_owner = True
    hall.now = datetime.now(UTC)
    return FromExchange(hall.course, hall.config)


def hand_in_all(hall: Hall, *hand_ins: tuple[float, str]) -> None:
    """Hand in these shares of the points by these students, a minute after each other."""
    for share, student in hand_ins:
        hall.hand_in(share, student)
        hall.now += MINUTE


def collected(hall: Hall, student: str = "ann") -> list[bytes]:
    attempts = attempts_of(Submission(hall.course.root, student, "01_small"))
    return [attempt.notebook.read_bytes() for attempt in attempts]


def swap(folder: Path, target: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to(target)


def test_a_folder_that_is_swapped_for_a_link_while_it_is_read_gives_nobody_a_classmates_work(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrivals = checked(hall, monkeypatch)
    hall.hand_in(0.2)
    folder = next(hall.inbound.glob("ann*"))
    theirs = hall.course.root / "theirs"
    shutil.copytree(folder, theirs)
    (theirs / "01_small.ipynb").write_bytes(written(hall.course, 1))
    opened = open_plain

    def swapped_before(name: str, flags: int, opened_folder: int) -> object:
        if not folder.is_symlink():
            swap(folder, theirs)
        return opened(name, flags, opened_folder)

    monkeypatch.setattr("autograder.gradebook.exchange.open_plain", swapped_before)
    assert list(arrivals.take()) == ["01_small ann: new"]
    assert collected(hall) == [written(hall.course, 0.2)]


def test_a_folder_that_is_swapped_after_all_were_listed_is_refused(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrivals = checked(hall, monkeypatch)
    hand_in_all(hall, (0.2, "ann"), (1, "ben"), (0.4, "ann"))
    lines = arrivals.take()
    assert next(lines) == "01_small ann: new"
    swap(next(hall.inbound.glob("ann*_0.4")), next(hall.inbound.glob("ben*")))
    assert ["refused" in line for line in lines] == [True, True]  # ben's folder belongs to ann here
    assert collected(hall) == [written(hall.course, 0.2)]


def test_an_error_of_ours_about_a_folder_is_its_line_and_stops_nobody(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall.hand_in(0.2, "ann")
    hall.hand_in(0.4, "ben")
    place = rounds._place

    def broken(one: inbox.Inbound, *arguments: Any) -> object:
        if one.student == "ann":
            raise ArithmeticError
        return place(one, *arguments)

    monkeypatch.setattr(rounds, "_place", broken)
    arrivals = FromExchange(hall.course, hall.config)
    first, second = arrivals.take()
    assert first.startswith("01_small ann: cannot be processed: ArithmeticError; ")
    assert (second, arrivals.has_failed) == ("01_small ben: new", True)
    assert "ArithmeticError" in (hall.course.build / "autograder.log").read_text(encoding="utf-8")
    assert list(arrivals.take()) == []


def file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_bytes(b"x")


def link(folder: Path) -> None:
    swap(folder, folder.with_name("elsewhere"))


def linked_notebook(folder: Path) -> None:
    (folder / "01_small.ipynb").rename(folder.parent / "x.ipynb")
    (folder / "01_small.ipynb").symlink_to(folder.parent / "x.ipynb")


def pipe(folder: Path) -> None:
    (folder / "01_small.ipynb").unlink()
    os.mkfifo(folder / "01_small.ipynb")


def folder_for_a_notebook(folder: Path) -> None:
    (folder / "01_small.ipynb").unlink()
    (folder / "01_small.ipynb").mkdir()


def socket_for_a_notebook(folder: Path) -> None:
    (folder / "01_small.ipynb").unlink()
    with socket.socket(socket.AF_UNIX) as server, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)  # an address has at most 107 bytes
        server.bind("01_small.ipynb")


@pytest.mark.parametrize(
    "change", [file, link, linked_notebook, pipe, folder_for_a_notebook, socket_for_a_notebook]
)
def test_what_is_no_plain_folder_with_a_plain_notebook_is_refused_once_and_stops_nobody(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
) -> None:
    arrivals = checked(hall, monkeypatch)
    hall.hand_in(0.2)
    change(next(hall.inbound.glob("ann*")))
    hall.now += MINUTE
    hall.hand_in(0.4)
    first, second = arrivals.take()
    assert ": refused: " in first
    assert second == "01_small ann: new"
    assert list(arrivals.take()) == []
    assert collected(hall) == [written(hall.course, 0.4)]


def test_a_hard_link_to_a_file_of_somebody_else_is_not_read(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrivals = checked(hall, monkeypatch)
    hall.hand_in(1)
    real = os.fstat

    def owned_by_a_classmate(descriptor: int) -> os.stat_result:
        about = real(descriptor)
        other = about.st_uid + (1 if stat.S_ISREG(about.st_mode) else 0)
        return os.stat_result([*about[:4], other, *about[5:10]], {"st_ctime": about.st_ctime})

    monkeypatch.setattr(os, "fstat", owned_by_a_classmate)
    assert ["holds no 01_small.ipynb" in line for line in arrivals.take()] == [True]


def test_a_folder_that_goes_while_it_is_looked_at_is_no_news_and_stops_nobody(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrivals = checked(hall, monkeypatch)
    hand_in_all(hall, (0.2, "ann"), (0.4, "ann"), (0.6, "ann"))
    is_dir, opened = Path.is_dir, os.open

    def gone_after(path: Path) -> bool:
        was = is_dir(path)
        if path.name.endswith("_0.4"):
            shutil.rmtree(path, ignore_errors=True)
        return was

    def gone_before(path: str | Path, *arguments: Any, **named: Any) -> int:
        if str(path).endswith("_0.4"):
            Path(path).rename(hall.exchange / "elsewhere")
        return opened(path, *arguments, **named)

    monkeypatch.setattr(Path, "is_dir", gone_after)
    monkeypatch.setattr(os, "open", gone_before)
    assert list(arrivals.take()) == ["01_small ann: new", "01_small ann: replaced"]
    assert not list(hall.inbound.glob("ann*_0.4"))


def test_folders_that_go_after_all_were_listed_are_no_news_and_stop_nobody(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrivals = checked(hall, monkeypatch)
    hand_in_all(hall, (0.2, "ann"), (0.4, "ann"), (0.6, "ann"))
    lines = arrivals.take()
    assert next(lines) == "01_small ann: new"
    shutil.rmtree(next(hall.inbound.glob("ann*_0.4")))
    assert list(lines) == ["01_small ann: replaced"]


@pytest.mark.parametrize("year", ["0001", "0999", "1950", "2100", "9999"])
def test_a_time_in_a_name_that_cannot_be_true_gives_way_to_that_of_the_folder(hall: Hall, year: str) -> None:
    stamp = f"{year}-12-31 23:59:59.999999 UTC"
    folder = hall.inbound / f"ann+01_small+{stamp}+x"
    folder.mkdir()
    (folder / "01_small.ipynb").write_bytes(written(hall.course, 0.4))
    (folder / "submission_secret.txt").write_text("secret")
    (line,) = FromExchange(hall.course, hall.config).take()
    assert "The time of the last change counts." in line
    (attempt,) = attempts_of(Submission(hall.course.root, "ann", "01_small"))
    assert attempt.arrival.when is not None
    assert abs(datetime.now(UTC) - attempt.arrival.when) < MINUTE


def test_a_folder_that_was_written_later_than_its_name_says_is_as_late_as_it_was_written(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    owned_by(monkeypatch, "ann")
    hall.config.ExchangeCollect.check_owner = True
    hall.hand_in(0.2)  # in February, as its name says
    (line, *_) = hall.round()
    today = datetime.now(UTC)
    assert line.startswith(f"01_small ann: new: the folder was last changed at {today:%Y-%m-%d}")
    assert "its name says 2026-02-27 09:00 instead" in line
    (attempt,) = attempts_of(Submission(hall.course.root, "ann", "01_small"))
    assert attempt.arrival.when is not None
    assert today - attempt.arrival.when < MINUTE
    for folder in hall.inbound.iterdir():
        folder.chmod(0o755)  # by which the kernel takes it for changed
    assert hall.round(1) == []
    assert attempts_of(Submission(hall.course.root, "ann", "01_small")) == (attempt,)


def test_bytes_that_come_again_count_again_and_use_up_no_attempt(hall: Hall) -> None:
    for share in (0.2, 0.4, 0.2):
        hall.hand_in(share)
        assert hall.round()[-1] == "01_small ann: wrote the page"
        hall.now += 20 * MINUTE
    assert "1 of 5 points so far" in hall.page()
    assert hall.grader.asked == ["0.2", "0.4"]  # the report on the first is still there
    assert collected(hall) == [written(hall.course, share) for share in (0.4, 0.2)]
    assert hall.round() == []


def test_pages_come_at_once_but_only_so_many_a_day_and_after_a_pause(hall: Hall) -> None:
    hall.hand_in(0.2)
    assert hall.round()[0] == "01_small ann: new"
    assert "1 of 5 points so far" in hall.page()
    assert hall.round(1) == []
    hall.hand_in(0.4)
    taken, waits = hall.round(8)  # the pause is not over yet
    assert taken == "01_small ann: replaced"
    assert waits == "01_small ann: waits until 2026-02-27 10:10 CET, because of `attempts` in course.yaml"
    assert hall.round(1)[-1] == "01_small ann: wrote the page"
    assert "2 of 5 points so far" in hall.page()
    hall.hand_in(0.6)
    hall.round(11)
    hall.hand_in(0.8)
    assert "waits until 2026-02-28 00:00 CET" in hall.round(60)[1]  # three were told today
    assert "3 of 5 points so far" in hall.page()
    assert hall.grader.asked == ["0.2", "0.4", "0.6"]
    hall.now = MORNING.replace(hour=22, minute=59)  # in Berlin it is still the same day
    assert len(hall.round()) == 1
    assert hall.round(2)[-1] == "01_small ann: wrote the page"
    assert "4 of 5 points so far" in hall.page()
    assert "2026-02-27 10:10 CET: 3 of 5 points from tests" in hall.page()
    assert len(attempts_of(Submission(hall.course.root, "ann", "01_small"))) == 4


def test_every_line_names_the_student(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    (hall.course.root / "students.csv").write_text("id,name\nann,Ann Lee\nben,Ben Bee\n", encoding="utf-8")
    hall.hand_in(0.2)
    assert {line.partition(":")[0] for line in hall.round()} == {"01_small ann (Ann Lee)"}
    hall.hand_in(0.4)
    taken, waits = hall.round(1)
    assert taken == "01_small ann (Ann Lee): replaced"
    assert waits.startswith("01_small ann (Ann Lee): waits until")
    (next(hall.inbound.glob("ann+*")) / "01_small.ipynb").unlink()
    refused, *_ = hall.round(1)
    assert refused.startswith("01_small ann (Ann Lee): /")

    def broken(*_: object) -> None:
        raise ArithmeticError

    hall.hand_in(0.2, "ben")
    monkeypatch.setattr(rounds, "_place", broken)
    assert "01_small ben (Ben Bee): cannot be processed" in "".join(hall.round(1))


def test_uploads_name_the_student(ready: Course, tmp_path: Path) -> None:
    (ready.root / "students.csv").write_text("id,name\nann,Ann Lee\n", encoding="utf-8")
    folder = tmp_path / "uploads" / "ann"
    folder.mkdir(parents=True)
    (folder / "01_small.ipynb").write_bytes(written(ready, 0.2))
    arrivals = FromUploads(ready, [tmp_path / "uploads"])
    assert [*arrivals.take(), *arrivals.take()] == ["01_small ann (Ann Lee): new"]


def test_where_the_best_counts_an_attempt_that_has_to_wait_is_not_told_of(ready: Course) -> None:
    hall = Hall(ready, "best, a_day: 2")
    for share in (0.4, 0.2):
        hall.hand_in(share)
        hall.round(20)
    hall.hand_in(1.0)
    assert hall.round(20)[:1] == ["01_small ann: replaced"]
    assert "2 of 5 points so far" in hall.page()
    assert "5 of 5" not in hall.page()
    hall.round(24 * 60)
    assert "5 of 5 points so far" in hall.page()


def test_a_broken_suite_has_one_line_and_attempts_wait_until_it_is_mended(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall.hand_in(0.4)
    monkeypatch.setattr("autograder.batch.grade.suite_problem", lambda *_: "test_hidden.py:7: invalid")
    watch = Watch(
        hall.course, [small(hall.course)], FromExchange(hall.course, hall.config), hall.config, hall.grader,
        clock=lambda: hall.now,
    )  # fmt: skip
    assert [*watch.round()] == [
        "01_small ann: new",
        "01_small was not graded: test_hidden.py:7: invalid",
    ]
    assert [*watch.round()] == []
    assert (watch.has_failed, hall.grader.asked, hall.page()) == (True, [], "")
    monkeypatch.setattr("autograder.batch.grade.suite_problem", lambda *_: "")
    assert [*watch.round()][-1] == "01_small ann: wrote the page"
    assert "2 of 5" in hall.page()


def test_what_comes_after_the_cut_off_is_stored_and_the_page_stays_on_the_attempt_before(hall: Hall) -> None:
    hall.course = ruled(hall.course, "newest", "percent: 10, cut_off: 2 days")
    hall.now = datetime(2026, 3, 1, 16, tzinfo=UTC)
    hall.hand_in(1.0)
    hall.round()
    hall.hand_in(0.6)
    assert "waits until" in hall.round(1)[1]
    hall.now += timedelta(days=3)
    hall.hand_in(0.2)
    taken, graded, wrote = hall.round()
    assert taken == "01_small ann: kept: came so late that it scores 0, so it replaces no earlier attempt"
    assert graded.endswith(
        "counted: attempt 2 of 3, 2026-03-01 17:00 CET; the newest attempt came so late that it scores 0"
    )
    assert wrote == "01_small ann: wrote the page"
    assert "3 of 5 points so far" in hall.page()


@pytest.mark.parametrize(("tells", "tests", "note"), [
    ("score", False, "shows only the score"), ("tests", True, "Hints and the outputs"), ("hints", True, "")
])  # fmt: skip
def test_early_pages_tell_what_the_course_says_and_later_ones_everything(
    ready: Course, tells: str, tests: bool, note: str
) -> None:
    hall = Hall(ready, f"newest, tells: {tells}")
    hall.hand_in(0.4)
    hall.round()
    assert "2 of 5 points so far" in hall.page()
    assert ("<code>double</code>" in hall.page()) is tests
    assert note in hall.page()
    hall.now = datetime(2026, 3, 1, 17, 1, tzinfo=UTC)  # the date has passed
    hall.hand_in(0.6)
    hall.round()
    assert "<code>double</code>" in hall.page()
    assert "Until the due date" not in hall.page()


def test_a_secret_that_is_no_text_is_refused_and_one_that_is_there_already_stops_no_other_page(
    hall: Hall,
) -> None:
    hall.exchange.chmod(0o777)
    for student in ("ann", "ben", "cy"):
        hall.hand_in(0.4, student)
    (hall.inbound / next(hall.inbound.glob("ann*")) / "submission_secret.txt").write_bytes(b"\xff\xfe")
    folder = hand_in(hall.course, "aaa", written(hall.course, 0.4), "2026-02-27 09:00:00 UTC").folder
    (folder / "submission_secret.txt").write_bytes(b"\xff")  # which an earlier version has collected
    lines = hall.round(release=True)
    (refused,) = (line for line in lines if ": refused: " in line)
    assert refused.endswith("secret.txt is not UTF-8 text; ask the student to submit again")
    assert [line for line in lines if "page" in line and line != refused] == [
        "01_small aaa: wrote the page", "01_small ben: returned the page", "01_small cy: returned the page"
    ]  # fmt: skip
    released = formgrader(hall.course, hall.exchange).release_feedback("01_small")
    assert released["success"], released["error"]
    assert "aaa/01_small has no readable submission_secret.txt from nbgrader's exchange" in released["log"]
    shutil.rmtree(hall.inbound)
    page = Submission(hall.course.root, "ben", "01_small").feedback
    assert release_page(hall.config, page).endswith("so the name of its file is unknown")


def test_a_page_that_cannot_return_stops_no_other(hall: Hall) -> None:
    hall.exchange.chmod(0o777)
    for student in ("ann", "ben", "cy", "dan"):
        hall.hand_in(0.4, student)
    folder = next(hall.inbound.glob("ann*"))
    (folder / "01_small.ipynb").rename(folder / os.fsdecode(b"\xff.ipynb"))
    lines = [line.partition(": wrote the page, but fetch_feedback ") for line in hall.round(release=True)]
    assert [(line, why) for line, _, why in lines if "page" in line or why] == [
        ("01_small ann", "cannot find it: the name of the submitted file is not UTF-8 text"),
        *((f"01_small {student}: returned the page", "") for student in ("ben", "cy", "dan")),
    ]
    feedback = hall.course.root / "feedback"
    (feedback / "ben" / "01_small" / "01_small.html").unlink()
    (feedback / "cy" / "01_small" / "submission_secret.txt").write_text("")
    shutil.rmtree(returned := hall.exchange / hall.course.settings.course / "feedback")
    released = formgrader(hall.course, hall.exchange).release_feedback("01_small")
    assert released["success"], released["error"]
    assert "No such file or directory" in released["log"]
    assert {page.read_text(encoding="utf-8") for page in returned.glob("*.html")} == {
        hall.page("ann"), hall.page("dan")
    }  # fmt: skip


@pytest.mark.parametrize(("names", "news"), [
    (["01_small.ipynb", "notes.ipynb"], "returned the page"),
    (["Meine Abgabe final (2).ipynb", "01_small.py"], "returned the page"),
    (["01_small.py", "plot.py"], "wrote the page, but fetch_feedback cannot find it: the submitted file is"),
])  # fmt: skip
def test_nbgraders_own_commands_fetch_the_page_on_a_file_of_another_name_or_a_line_says_that_they_cannot(
    hall: Hall, tmp_path: Path, names: list[str], news: str
) -> None:
    desk = tmp_path / "desk"
    (desk / "01_small").mkdir(parents=True)
    hall.exchange.chmod(0o777)
    hall.inbound.chmod(0o777)
    (hall.inbound.parent / "outbound" / "01_small").mkdir(parents=True)
    for name, share in zip(names, (0.4, 0.2), strict=True):
        script = f"# In[1]:\n\n\n# score {share}\nnumber = 1\n".encode()
        (desk / "01_small" / name).write_bytes(
            script if name.endswith(".py") else written(hall.course, share)
        )

    def use(kind: type[Exchange]) -> None:
        own = deepcopy(hall.config)
        own.CourseDirectory.merge({"root": str(desk), "assignment_id": "01_small", "student_id": "ann"})
        own.Exchange.merge({"assignment_dir": str(desk), "cache": str(tmp_path / "cache")})
        place = CourseDirectory(config=own)
        kind(coursedir=place, authenticator=Authenticator(config=own), config=own).start()

    use(ExchangeSubmit)
    first, *_, last = hall.round(release=True)
    assert first == "01_small ann: new"
    assert last.startswith(f"01_small ann: {news}")
    assert hall.grader.asked == ["0.4"]
    use(ExchangeFetchFeedback)
    fetched = {page.stem: page.read_text(encoding="utf-8") for page in desk.rglob("*.html")}
    assert fetched == ({Path(names[0]).stem: hall.page()} if news.startswith("returned") else {})


@pytest.mark.parametrize("name", ["01_small.ipynb", "01_small.py"])
def test_what_is_not_in_the_class_or_is_no_notebook_gets_a_line_and_stops_nobody(
    hall: Hall, name: str
) -> None:
    (hall.course.root / "students.csv").write_text("id,name\nann,Ann\n")
    hall.hand_in(0.4)
    hall.hand_in(0.4, "zoe")
    folder = next(hall.inbound.glob("zoe*"))
    empty = folder.with_name(folder.name.replace("zoe", "ann").replace("09:00", "09:01"))
    empty.mkdir()
    (empty / "submission_secret.txt").write_text("x")
    (empty / name).symlink_to(hall.course.root / "hidden_inputs.key")
    lines = hall.round()
    assert [line.split(": ")[-1] for line in lines if "refused" in line] == [
        '"zoe" is not in students.csv; add this name there', "holds no 01_small.ipynb"
    ]  # fmt: skip
    assert "2 of 5 points so far" in hall.page()


def test_uploads_are_taken_when_they_have_come_to_rest_or_been_there_for_a_while(
    ready: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uploads = tmp_path / "uploads"
    (uploads / "ann").mkdir(parents=True)
    (uploads / "ann" / "01_small.ipynb").write_bytes(written(ready, 0.4))
    arrivals = FromUploads(ready, [uploads])
    assert [list(arrivals.take()) for _ in range(3)] == [[], ["01_small ann: new"], []]
    (uploads / "ann" / "01_small.ipynb").write_bytes(written(ready, 0.6)[:100])
    assert list(arrivals.take()) == []
    (uploads / "ann" / "01_small.ipynb").write_bytes(written(ready, 0.6))
    assert [list(arrivals.take()) for _ in range(2)] == [[], ["01_small ann: replaced"]]
    (uploads / "ann" / "01_small.ipynb").write_bytes(written(ready, 0.8))
    later = time.time() + 120
    monkeypatch.setattr(time, "time", lambda: later)
    assert list(FromUploads(ready, [uploads]).take()) == ["01_small ann: replaced"]


def test_a_folder_of_uploads_that_is_gone_meanwhile_stops_nobody(
    ready: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uploads = tmp_path / "uploads"
    for student in ("ann", "ben"):
        (uploads / student).mkdir(parents=True)
        (uploads / student / "01_small.ipynb").write_bytes(written(ready, 0.4))
    opened, scanned = os.open, os.scandir

    def gone(path: str | Path | int) -> Iterator["os.DirEntry[str]"]:
        if not isinstance(path, int) and Path(path).name == "ann":
            raise FileNotFoundError(2, "No such file or directory")
        return scanned(path)

    def gone_too(path: str | Path, *arguments: Any, **named: Any) -> int:
        if path == "ann":
            raise FileNotFoundError(2, "No such file or directory")
        return opened(path, *arguments, **named)

    monkeypatch.setattr(os, "scandir", gone)
    monkeypatch.setattr(os, "open", gone_too)
    arrivals = FromUploads(ready, [uploads])
    assert list(arrivals.take()) == []
    lines = list(arrivals.take())
    assert "ann/: refused: cannot be opened: No such file or directory" in lines
    assert "01_small ben: new" in lines


class KilledGrader(ByTheirWord):
    """Dies like a process that is killed, in the middle of grading."""

    def map(self, tasks: Iterable[Task], *, marks_only: bool = False) -> Iterator[Done]:
        for done in super().map(tasks, marks_only=marks_only):
            yield done
            os._exit(9)


def killed_round(root: Path, step: str) -> None:
    """Look once in a process that ends at this step, or else when the first one is graded."""
    hall = Hall(load_course(root))
    hall.now = MORNING + MINUTE
    hall.grader = ByTheirWord() if step else KilledGrader()
    with pytest.MonkeyPatch.context() as patch:
        if step:
            patch.setattr(f"autograder.plugins.watch.rounds.{step}", lambda *_, **__: os._exit(9))
        hall.round(release=True)
    os._exit(0)


def left_behind(hall: Hall) -> tuple[Mapping[str, object], ...]:
    kept = files(hall.course, "submitted", "attempts", "autograded", "feedback")
    returned = {p.name: p.read_bytes() for p in hall.exchange.rglob("*.html")}
    return dump(hall.course.root / "gradebook.db"), kept, returned


@pytest.mark.parametrize("step", ["place", "grade_submissions", "", "release_page"])
def test_killed_in_the_middle_it_goes_on_as_if_nothing_had_been(
    ready: Course, tmp_path: Path, step: str
) -> None:
    hall = Hall(ready)
    for student in ("ann", "ben"):
        hall.hand_in(0.4, student)
    hall.exchange.chmod(0o777)
    twin_root = tmp_path / "twin" / "course"
    shutil.copytree(tmp_path, tmp_path / "twin", ignore=shutil.ignore_patterns("twin"))
    process = FORK.Process(target=killed_round, args=(twin_root, step))
    process.start()
    process.join(timeout=120)
    assert process.exitcode == 9
    twin = Hall(load_course(twin_root))
    twin.now = MORNING + MINUTE
    hall.round(1, release=True)
    twin.round(release=True)
    for mine, other in zip(left_behind(twin), left_behind(hall), strict=True):
        assert {key for key in mine.keys() | other.keys() if mine.get(key) != other.get(key)} == set()
    assert twin.round(1) == hall.round(1) == []
    newest = attempts_of(Submission(twin.course.root, "ann", "01_small"))[-1]
    untouched = attempts_of(Submission(hall.course.root, "ann", "01_small"))[-1]
    assert (newest.accepted_at, newest.shown) == (untouched.accepted_at, untouched.shown)


def test_the_bound_is_that_of_verify_times_the_attempts(ready: Course) -> None:
    course = ruled(ready, "newest, a_day: 3")
    tests, rules = len(Suite(small(course)).tests), len(small(course).rules)
    bits = max_leaked_bits(tests, rules, questions=2)
    bound = f"at most {3 * bits} bits about hidden inputs ({bits} bits per attempt)"
    assert describe_leak(small(course)) == f"01_small: feedback on 3 attempts a day can reveal {bound}"
    with (course.root / "course.yaml").open("a", encoding="utf-8") as file:
        file.write("    builds_on: {row_sums: [double]}\n")
    course = load_course(course.root)
    assert f"({max_leaked_bits(tests, rules, 1, 2)} bits per attempt)" in describe_leak(small(course))


def test_the_exit_code_tells_of_a_folder_on_which_our_code_failed(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ArithmeticError

    hall.hand_in(0.2)
    monkeypatch.setattr("autograder.gradebook.config.load", lambda _: hall.config)
    words = ["--course", str(hall.course.root), "watch", "--rounds", "1"]
    with monkeypatch.context() as patch:
        patch.setattr(rounds, "_place", broken)
        done = CliRunner().invoke(main, words)
    assert done.exit_code == 3, done.output
    assert done.output.count("01_small ann: cannot be processed: ArithmeticError; ") == 1
    monkeypatch.setattr(Watch, "_grade", lambda *_: iter(()))
    again = CliRunner().invoke(main, words)
    assert (again.exit_code, "01_small ann: new" in again.output) == (0, True), again.output


def test_a_failure_that_comes_back_in_each_round_has_one_line_and_one_traceback(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    reason = "first"

    def broken(*_: object) -> None:
        raise ArithmeticError(reason)

    hall.hand_in(0.2)
    arrivals = FromExchange(hall.course, hall.config)
    watch = Watch(
        hall.course, [small(hall.course)], arrivals, hall.config, hall.grader, clock=lambda: hall.now
    )
    monkeypatch.setattr(rounds, "adopt", broken)
    lines = [line for _ in range(3) for line in watch.round()]
    assert [line.partition(";")[0] for line in lines] == [
        "01_small ann: new",
        "01_small ann: cannot be processed: ArithmeticError",
    ]
    log = hall.course.build / "autograder.log"
    assert log.read_text(encoding="utf-8").count("Traceback") == 1
    reason = "second"
    assert list(watch.round()) == []
    assert log.read_text(encoding="utf-8").count("Traceback") == 2


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_the_command_says_its_bound_and_stops_when_it_is_asked_to(
    ready: Course, monkeypatch: pytest.MonkeyPatch, sent: signal.Signals
) -> None:
    rounds: list[int] = []

    def round_once(_: Watch) -> list[str]:
        rounds.append(1)
        if len(rounds) == 2:
            signal.raise_signal(sent)
        return ["01_small ann: new"]

    monkeypatch.setattr(Watch, "round", round_once)
    words = ["--course", str(ready.root), "watch", "--every", "0.1", "--uploads", str(ready.root)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    first, news, *_, last = done.output.splitlines()
    assert first.startswith("01_small: feedback on 4 attempts a day can reveal at most ")
    assert (news, last) == ("01_small ann: new", "stopped; to continue, run the same command again")
    assert len(rounds) == 2
