"""Settles when a notebook was handed in, from what the platform, the instructor and the archive say."""

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from autograder.collecting.arrival import Arrival, Source
from autograder.collecting.naming import Attribution, NamingRules


@dataclass(frozen=True, slots=True)
class Clock:
    """Whose times are believed, and in which zone those are read that name none."""

    rules: NamingRules
    believed: bool = True
    zone: tzinfo | None = None

    def arrival(
        self, who: Attribution, entry: datetime | None, due: datetime | None, *, counts: bool
    ) -> Arrival:
        """Return when a notebook came; the entry's time in an archive of a platform is the download's.

        What a list says of a student's time is about the notebook that `counts`.
        """
        if not self.believed:
            return Arrival(source=Source.IGNORED)
        told = self._told(who) if counts or who.platform is None else None
        if told is not None:
            return Arrival(self._in_zone(told, due), Source.TOLD, who.upload, self._downloaded(who, entry))
        if who.platform:
            downloaded = self._downloaded(who, entry)
            return Arrival(None, Source.NOBODY, who.upload, downloaded, late=bool(who.late))
        return Arrival(self._in_zone(entry, due) if entry is not None else None)

    def message(self, who: Attribution, arrival: Arrival, due: datetime | None) -> str:
        """Return what there is to say about a notebook's time."""
        if arrival.when is not None and due is not None:
            # In UTC, for Python takes two times of one zone apart as its clocks show them, changed or not.
            late = (arrival.when.astimezone(UTC) - due.astimezone(UTC)).total_seconds()
            excused = ", though in time as Canvas says" if who.late is False else ""
            if late > 0:
                return f"{late / 3600:.1f} h late{excused}"
        if arrival.source is Source.NOBODY:
            return f"{who.platform} tells no time" + (", only that it is late" if who.late else "")
        return ""

    def _told(self, who: Attribution) -> datetime | None:
        """Return the time from the instructor's list, else that of the worksheet, Gradescope or pattern."""
        row = self.rules.times.student(who.exercise, who.student)
        return row.when if row is not None and row.when is not None else who.when

    def _in_zone(self, when: datetime, due: datetime | None) -> datetime:
        if when.tzinfo is not None:
            return when
        return when.replace(tzinfo=self.zone or (due.tzinfo if due is not None else None) or UTC)

    def _downloaded(self, who: Attribution, entry: datetime | None) -> datetime | None:
        """Return when a platform made the archive; its own zone is always the same, so that any will do."""
        if who.platform is None or entry is None:
            return None
        return entry if entry.tzinfo else entry.replace(tzinfo=UTC)
