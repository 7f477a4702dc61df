"""Collects submissions from platforms' archives and from folders, and says what became of each.

An archive is read twice: first its names, which settle who handed in what, then the chosen notebooks.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from autograder.collecting.archive import read_entries
from autograder.collecting.entry import EXHAUSTION, TOO_COSTLY, ArchiveEntry, ArchiveError, EntryError
from autograder.collecting.naming import Attribution, NamingRules
from autograder.collecting.placing import Placing, PlacingError, place
from autograder.collecting.survey import Candidate, survey_archive
from autograder.course.course import Course
from autograder.submission.notebook import MAX_BYTES
from autograder.submission.submission import Submission

REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class CollectedLine:
    """What became of one thing in an archive; student and exercise are empty where nothing tells them."""

    archive: str
    path: str  # in the archive; empty where the archive itself is meant
    status: str  # a Placing, or "refused"
    message: str = ""
    student: str = ""
    exercise: str = ""


def collect_archives(
    course: Course,
    archives: Sequence[Path],
    rules: NamingRules,
    *,
    times: bool = True,
    notify: Callable[[CollectedLine], None] | None = None,
) -> tuple[CollectedLine, ...]:
    """Put the notebooks of archives and folders into submitted/, and return a line on each.

    Without `times` no submission has a time, so none is late. `notify` is called with each line at once.
    """
    lines = []
    for archive in archives:
        for line in _Collection(course, archive, rules, times).lines():
            lines.append(line)
            if notify is not None:
                notify(line)
    return tuple(lines)


class _Collection:
    """One archive on its way into submitted/: it is surveyed, then read again and its notebooks placed."""

    def __init__(self, course: Course, archive: Path, rules: NamingRules, times: bool) -> None:
        self._course = course
        self._archive = archive
        self._rules = rules
        self._times = times

    def lines(self) -> Iterator[CollectedLine]:
        """Yield a line on each thing; an archive that cannot be read ends only itself."""
        try:
            yield from self._collect()
        except EXHAUSTION:
            yield self._line(REFUSED, TOO_COSTLY, "", None)

    def _collect(self) -> Iterator[CollectedLine]:
        survey = survey_archive(self._archive, self._rules)
        for refusal in survey.refused:
            yield self._line(REFUSED, refusal.reason, refusal.path, refusal.attribution)
        waiting: dict[int, list[Candidate]] = defaultdict(list)
        for candidate in survey.chosen:
            waiting[candidate.number].append(candidate)
        try:
            for number, entry in enumerate(read_entries(self._archive) if waiting else ()):
                if any(candidate.path != entry.path for candidate in waiting.get(number, ())):
                    raise ArchiveError("was changed meanwhile; collect it again")
                yield from self._place_all(entry, waiting.pop(number, ()))
                if not waiting:
                    return
        except ArchiveError as error:
            for candidate in (candidate for group in waiting.values() for candidate in group):
                yield self._refused(candidate, f"the archive {error}")

    def _place_all(self, entry: ArchiveEntry, group: Sequence[Candidate]) -> Iterator[CollectedLine]:
        """Place a notebook for everybody who handed it in."""
        try:
            content = entry.read(MAX_BYTES) if group else b""
        except EntryError as error:
            yield from (self._refused(candidate, str(error)) for candidate in group)
        except EXHAUSTION:
            yield from (self._refused(candidate, TOO_COSTLY) for candidate in group)
        else:
            yield from (self._place(candidate, content) for candidate in group)

    def _place(self, candidate: Candidate, content: bytes) -> CollectedLine:
        student, exercise = candidate.attribution.student, candidate.attribution.exercise
        when = self._when(candidate)
        try:
            status = place(Submission(self._course.root, student, exercise), content, when)
        except PlacingError as error:
            return self._refused(candidate, str(error))
        messages = (candidate.message, self._described(status, exercise, when))
        shown = Placing.UNCHANGED if status is Placing.OLDER else status
        return self._line(shown, ", ".join(filter(None, messages)), candidate.path, candidate.attribution)

    def _when(self, candidate: Candidate) -> datetime | None:
        """Return when a notebook was handed in.

        Files in Canvas's archives have the time of the download, so Canvas's own LATE decides.
        """
        attribution = candidate.attribution
        when, due = attribution.when or candidate.when, self._course.due(attribution.exercise)
        if when is None or not self._times:
            return None
        return min(when, due) if due is not None and attribution.late is False else when

    def _described(self, status: Placing, exercise: str, when: datetime | None) -> str:
        if status is Placing.OLDER:
            return "something handed in later is there"
        due = self._course.due(exercise)
        if status is Placing.UNCHANGED or when is None or due is None or when <= due:
            return ""
        return f"{(when - due).total_seconds() / 3600:.1f} h late"

    def _refused(self, candidate: Candidate, reason: str) -> CollectedLine:
        return self._line(REFUSED, reason, candidate.path, candidate.attribution)

    def _line(self, status: str, message: str, path: str, attribution: Attribution | None) -> CollectedLine:
        student, exercise = (attribution.student, attribution.exercise) if attribution else ("", "")
        return CollectedLine(str(self._archive), path, status, message, student, exercise)
