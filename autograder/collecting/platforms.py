"""Reads what Canvas and Moodle write into the names of their archives, before what students write."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

# Canvas: a name without spaces and punctuation, LATE, the user's id, the upload's, and the student's own file
# name. Both ids never begin with 0. An anonymous assignment has an id of five letters and digits instead.
_CANVAS = re.compile(
    r"(?P<who>[^\x00-/:-@\[-^`{-\x7f]*?)_"  # accents, and vowels in some scripts, are no letters to \w
    r"(?:(?P<late>LATE)_)?(?P<user>[1-9]\d*)_(?P<upload>[1-9]\d*)_(?P<file>[^/]+)"
)
_ANONYMOUS = re.compile(r"(?:(?P<late>LATE)_)?(?P<who>anon_[1-9A-HJ-NP-Za-km-z]{5})_(?P<upload>\d+)_[^/]+")
# Moodle: the full name or the group's, in which _ has become a space, and a number that counts participants
# anew in each assignment. The group of those who are in no group has no number.
_MOODLE = re.compile(r"(?P<who>[^/_]+)(?:_(?P<number>\d+))?_assignsubmission_file_?.+")
# Moodle's "Participant", which stands for every name while marking is blind. In a class it is known in any
# language by standing for several people; these words are for an archive of one.
_PARTICIPANTS = {"participant", "teilnehmerin", "teilnehmer", "participante", "partecipante", "deelnemer"}
_PARTICIPANTS |= {"uczestnik", "deltagare", "участник", "参加者", "参与者"}


class Platform(StrEnum):
    """A platform whose archives have the time of the download; not all tell when something was handed in."""

    CANVAS = "Canvas"
    GRADESCOPE = "Gradescope"
    MOODLE = "Moodle"


@dataclass(frozen=True, slots=True)
class PlatformName:
    """What a platform has written into a name."""

    platform: Platform
    who: str  # a person or a group
    number: str = ""  # of the person or group; empty where the platform hides it or has none
    upload: int | None = None  # Canvas's count of the files that it receives
    late: bool | None = None  # as Canvas says
    doubtful: str = ""  # another number that may be the person's


@dataclass(frozen=True, slots=True)
class MoodleNames:
    """What the names of a whole archive of Moodle's tell together."""

    blind: str = ""  # the word that stands for every name
    numbers: Mapping[str, frozenset[str]] = field(default_factory=dict)  # by name; two people may share one


def read_platform_name(name: str, exercises: Iterable[str] = ()) -> PlatformName | None:
    """Return what Canvas or Moodle has written into a name: the leftmost sign of a platform counts."""
    canvas, moodle = _CANVAS.match(name), _MOODLE.match(name)
    if found := _ANONYMOUS.match(name):
        return PlatformName(Platform.CANVAS, found["who"], "", _number(found["upload"]), bool(found["late"]))
    if canvas and (not moodle or canvas.end("who") < moodle.end("who")):
        upload, late = _number(canvas["upload"]), bool(canvas["late"])
        doubtful = _doubtful(canvas, exercises)
        return PlatformName(Platform.CANVAS, canvas["who"], canvas["user"], upload, late, doubtful)
    return PlatformName(Platform.MOODLE, moodle["who"], moodle["number"] or "") if moodle else None


def moodle_names(names: Iterable[PlatformName]) -> MoodleNames:
    """Return which names of Moodle's stand for several people, and whether all of them hide who it is."""
    numbers: dict[str, set[str]] = defaultdict(set)
    for name in names:
        if name.platform is Platform.MOODLE and name.number:
            numbers[name.who].add(name.number)
    only = next(iter(numbers)) if len(numbers) == 1 else ""
    hidden = only.casefold() in _PARTICIPANTS or (len(numbers.get(only, ())) > 1 and " " not in only)
    return MoodleNames(only if hidden else "", {who: frozenset(found) for who, found in numbers.items()})


def _doubtful(match: re.Match[str], exercises: Iterable[str]) -> str:
    """Return the second number where the name may end in the first one, as in user_1_678_9001_x.ipynb."""
    third = re.match(r"[1-9]\d*_", match["file"])
    begins = any(match["file"].startswith(exercise) for exercise in exercises)
    return match["upload"] if third and match["who"] and not begins else ""


def _number(text: str) -> int:
    return int(text[:30])
