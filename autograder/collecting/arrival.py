"""When a notebook was handed in, how we know, and which of two notebooks is the newer one."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

_FORMAT = "%Y-%m-%d %H:%M:%S.%f UTC"  # nbgrader's


class Source(StrEnum):
    """Who tells when a notebook was handed in."""

    FILE = "file"  # the time of the file, which copying may have changed
    GIVEN = "told"  # the platform or the instructor gives it
    UNKNOWN = "nobody"  # the platform tells no time: its archives have that of the download
    IGNORED = "ignored"  # the instructor believes no time


@dataclass(frozen=True, slots=True)
class Arrival:
    """When a notebook was handed in, as far as anybody tells, and what else tells which one is newer."""

    when: datetime | None = None
    source: Source = Source.FILE
    upload: int | None = None  # Canvas counts the files that it receives
    downloaded: datetime | None = None  # when the platform made the archive
    number: str = ""  # of the person, as Canvas or Moodle write it into a name; empty where it is a group's
    form: str = ""  # the suffix of the file that the platform has
    late: bool = False  # as Canvas writes into a name, which tells no time

    @property
    def is_late_untimed(self) -> bool:
        """Whether it is known to be late, and not by how much."""
        return self.late and self.when is None

    @property
    def time(self) -> str:
        """The time as nbgrader reads it beside the notebook; empty where nobody tells it."""
        return "" if self.when is None else self.when.astimezone(UTC).strftime(_FORMAT)

    @property
    def record(self) -> dict[str, Any]:
        """What else is stored with an attempt; nothing where the time is that of a file."""
        if self.source in (Source.FILE, Source.IGNORED):
            return {}
        values = {
            "time": self.source,
            "upload": self.upload,
            "downloaded": self.downloaded.astimezone(UTC).isoformat() if self.downloaded else None,
            "number": self.number or None,
            "form": self.form or None,
            "late": self.is_late_untimed or None,
        }
        return {name: value for name, value in values.items() if value is not None}

    def is_older_than(self, other: "Arrival") -> bool:
        """Whether this came before `other`, by the best that is known of both."""
        if self.upload is not None and other.upload is not None:
            return self.upload < other.upload
        if self.when is not None and other.when is not None and self.when != other.when:
            return self.when < other.when
        theirs = other.downloaded or other.when
        return self.downloaded is not None and theirs is not None and self.downloaded < theirs

    def settle(self, before: "Arrival") -> "Arrival":
        """Return what is known of a notebook that came as `before` and has now come again as this."""
        uploads = [one.upload for one in (self, before) if one.upload is not None]
        downloads = [one.downloaded for one in (self, before) if one.downloaded is not None]
        known = before if self._tells_less_than(before) else self
        return replace(
            known,
            upload=max(uploads, default=None),
            downloaded=max(downloads, default=None),
            number=self.number or before.number,
            form=self.form or before.form,
        )

    def _tells_less_than(self, before: "Arrival") -> bool:
        if self.source is Source.FILE:
            copied = self.when is None or (before.when is not None and before.when <= self.when)
            return copied or before.source is not Source.FILE
        return self.source is Source.UNKNOWN and before.source is Source.GIVEN


def read_arrival(time: str, record: Mapping[str, Any] | None) -> Arrival:
    """Return what is stored with an attempt, or beside a notebook; a time in any other form tells nothing."""
    record = record or {}
    try:
        when = datetime.strptime(time, _FORMAT).replace(tzinfo=UTC)
    except ValueError:
        when = None
    try:  # earlier versions kept the record in a file that anybody could edit
        downloaded = datetime.fromisoformat(record["downloaded"]) if "downloaded" in record else None
        return Arrival(
            when,
            Source(record.get("time", Source.FILE)),
            None if record.get("upload") is None else int(record["upload"]),
            downloaded if downloaded is not None and downloaded.tzinfo else None,
            str(record.get("number", "")),
            str(record.get("form", "")),
            record.get("late") is True,
        )
    except (ValueError, TypeError):
        return Arrival(when)
