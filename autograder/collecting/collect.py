"""Collects submissions from platforms' archives and from folders, and says what became of each.

An archive is read twice: first its names, which settle who handed in what, then the chosen notebooks.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from itertools import chain
from pathlib import Path, PurePosixPath

from autograder.collecting.archive import read_entries
from autograder.collecting.arrival import Source
from autograder.collecting.bounds import EXHAUSTION, TOO_COSTLY, ArchiveError
from autograder.collecting.clock import Clock
from autograder.collecting.entry import ArchiveEntry, EntryError
from autograder.collecting.given_times import assigned, nobodys
from autograder.collecting.naming import NamingRules
from autograder.collecting.placing import Placing, place
from autograder.collecting.survey import REFUSED, Candidate, CollectedLine, Survey
from autograder.course.course import Course
from autograder.submission.notebook import MAX_RAW, without_outputs
from autograder.submission.submission import Submission, students_in


def collect_archives(
    course: Course,
    archives: Sequence[Path],
    rules: NamingRules,
    *,
    times: bool = True,
    zone: tzinfo | None = None,
) -> Iterator[CollectedLine]:
    """Put the notebooks of archives and folders into submitted/, and yield a line on each once it is done.

    An archive that cannot be read stops no other. Without `times` no submission has a time, so none is late.
    Times without a zone are read in `zone`, or else in that of the exercise's due date.
    A row of the instructor's times that is nobody's is refused at the end.
    """
    given, unusable = assigned(rules.times, rules.students, rules.exercises)
    rules = replace(rules, times=given)
    clock = Clock(rules, believed=times, zone=zone)
    came = set()
    for archive in archives:
        try:
            for line in _Collection(course, archive, rules, clock).lines():
                came.add(line.student)
                yield line
        except EXHAUSTION:
            yield CollectedLine(str(archive), "", REFUSED, TOO_COSTLY)
    yield from unusable
    yield from nobodys(given, lambda: (came | students_in(course)) - {""})


@dataclass(frozen=True, slots=True)
class _Collection:
    """One archive on its way into submitted/: it is surveyed, then read again and its notebooks placed."""

    course: Course
    archive: Path
    rules: NamingRules
    times: Clock

    def lines(self) -> Iterator[CollectedLine]:
        """Yield a line on each thing in the archive."""
        survey = Survey(self.archive, self.rules, self.course)
        yield from survey.refused
        began = {self._who(one): list[Placing]() for one in survey.kept}
        for line in (
            self._placed(survey.kept, counts=False) if survey.kept else ()
        ):  # first, so that what counts comes last
            if line.status == REFUSED:
                yield line
            else:
                began[line.student, line.exercise].append(Placing(line.status))
        for line in self._placed(survey.chosen):
            is_new = Placing.NEW in began.get((line.student, line.exercise), ())
            yield replace(line, status=Placing.NEW) if is_new and line.status == Placing.REPLACED else line

    @staticmethod
    def _who(candidate: Candidate) -> tuple[str, str]:
        return candidate.attribution.student, candidate.attribution.exercise

    def _placed(self, candidates: Sequence[Candidate], *, counts: bool = True) -> Iterator[CollectedLine]:
        """Read the archive once, and yield a line on each of these notebooks in it."""
        waiting: dict[int, list[Candidate]] = defaultdict(list)
        for candidate in candidates:
            waiting[candidate.number].append(candidate)
        try:
            for number, entry in enumerate(read_entries(self.archive) if waiting else ()):
                if any(candidate.path != entry.path for candidate in waiting.get(number, ())):
                    raise ArchiveError("was changed meanwhile; collect it again")
                yield from self._place_all(entry, waiting.pop(number, ()), counts=counts)
                if not waiting:
                    return
        except ArchiveError as error:
            for candidate in chain.from_iterable(waiting.values()):
                yield self._line(candidate, REFUSED, f"the archive {error}")

    def _place_all(
        self, entry: ArchiveEntry, group: Sequence[Candidate], *, counts: bool
    ) -> Iterator[CollectedLine]:
        """Place a notebook for everybody who handed it in."""
        problem, content = "", b""
        try:
            content = without_outputs(entry.read(MAX_RAW)) if group else b""
        except EntryError as error:
            problem = str(error)
        except EXHAUSTION:
            problem = TOO_COSTLY
        for candidate in group:
            if problem:
                yield self._line(candidate, REFUSED, problem)
            else:
                yield self._place(candidate, content, PurePosixPath(entry.name).suffix.lower(), counts=counts)

    def _place(self, candidate: Candidate, content: bytes, form: str, *, counts: bool) -> CollectedLine:
        """Place a notebook for one student; `form` is the suffix of the file that the platform has."""
        who = candidate.attribution
        arrival = self.times.arrival(who, candidate.when, self.course.due(who.exercise), counts=counts)
        if who.platform is not None:
            arrival = replace(arrival, number=who.number, form=form)
        try:
            status = place(Submission(self.course.root, who.student, who.exercise), content, arrival)
        except EntryError as error:
            return self._line(candidate, REFUSED, str(error))
        said = ""
        if status is Placing.OLDER:
            status, said = Placing.UNCHANGED, "something handed in later is there"
        elif status is not Placing.UNCHANGED:
            said = self.times.message(who, arrival, self.course.due(who.exercise))
        line = self._line(candidate, status, ", ".join(filter(None, (candidate.message, said))))
        untimed = arrival.source is Source.NOBODY and status is not Placing.UNCHANGED
        return replace(line, untimed=who.platform or "" if untimed else "")

    def _line(self, candidate: Candidate, status: str, message: str) -> CollectedLine:
        who = candidate.attribution
        return CollectedLine(str(self.archive), candidate.path, status, message, who.student, who.exercise)
