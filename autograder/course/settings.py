"""Defines the keys and values of course.yaml, and describes its errors."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import ErrorDetails

from autograder.course.moments import MomentError, Span, read_moment, read_span
from autograder.course.names import NAME, suggestion
from autograder.course.packages import DEFAULT, name_of
from autograder.course.yaml_lines import Document, DocumentError, Problem, dotted
from autograder.report.text import number, short_repr


class Tier(StrEnum):
    """The isolation of a submission from the machine that grades it."""

    FULL = "full"  # like `container`, and the process that starts the workers has its own namespaces
    CONTAINER = "container"  # Landlock, seccomp and limits in each worker
    BARE = "bare"  # a separate process, with the limits that the system supports


class RepairsShown(StrEnum):
    """The part of a repair that a student sees. A repair is a small edit that makes a wrong answer right."""

    OFF = "off"  # nothing, and there is no search for repairs
    NAMED = "named"  # the name of the mistake that the repair corrects
    PLACE = "place"  # the name, the line, and the part of the line that the repair changes
    SHOWN = "shown"  # all of `place`, and the new code

    @classmethod
    def _missing_(cls, value: object) -> "RepairsShown | None":
        return cls.OFF if value is False else None  # YAML reads a plain `off` as False


@dataclass(frozen=True, slots=True)
class Repairs:
    """The settings of the search for repairs of failed answers."""

    shown: RepairsShown = RepairsShown.PLACE
    seconds: float = 2.0  # processor time to search for a repair of one answer


DEFAULT_REPAIRS = Repairs()


def _moment(value: object) -> datetime:
    try:
        return read_moment(value)
    except MomentError as error:
        advice = "write it as 2026-03-01T18:00:00+01:00 or 2026-03-01 18:00 Europe/Berlin"
        raise MomentError(f"{error}; {advice}") from None


def _package(text: str) -> str:
    try:
        name_of(text)
    except ValueError:
        raise ValueError("is not a package name of pip; write it as pandas or pandas>=2") from None
    return text


def _some_time(span: Span) -> Span:
    if not span.count:
        raise MomentError("must be above 0; write it as 12 hours or 1 day")
    return span


Seconds = Annotated[float, Field(strict=True, gt=0, le=3600, allow_inf_nan=False)]
Share = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]
Attempts = Annotated[int, Field(strict=True, ge=1, le=1000)]
Percent = Annotated[float, Field(strict=True, ge=0, le=100, allow_inf_nan=False)]
Megabytes = Annotated[int, Field(strict=True, ge=64, le=1 << 20)]
Name = Annotated[str, Field(pattern=NAME, max_length=100)]
Call = Annotated[str, Field(min_length=1)]
Packages = tuple[Annotated[str, AfterValidator(_package)], ...]
Calls = dict[Name, tuple[Call, ...]]
Moment = Annotated[AwareDatetime, BeforeValidator(_moment)]
Duration = Annotated[
    Span,
    BeforeValidator(read_span),
    PlainSerializer(str, return_type=str),
    WithJsonSchema({"type": "string", "pattern": "^[0-9]{1,4} (minute|hour|day)s?$"}),
]
Step = Annotated[Duration, AfterValidator(_some_time)]
_MAX_STEPS = 10_000


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Limits(_Strict):
    """The time and memory that one submission may use.

    Computing and sleeping count as time; waiting for a processor does not. Separate limits on wall-clock
    time are ten times as high.
    """

    cell_seconds: Seconds = Field(
        20.0, description="limit for one cell, in seconds of computing and sleeping"
    )
    call_seconds: Seconds = Field(5.0, description="limit for one call, in seconds of computing and sleeping")
    total_seconds: Seconds = Field(
        300.0, description="limit for all code together, in seconds of computing and sleeping"
    )
    memory_mb: Megabytes = Field(
        2048,
        description="memory limit in megabytes, not counting what a worker uses before the submission runs",
    )


class LateSettings(_Strict):
    """The penalty for late work; without this setting, there is none.

    The rules are those of Canvas's late policy (instructure/canvas-lms, app/models/late_policy.rb), with a
    grace period and a cut-off in addition.
    """

    percent: Percent = Field(
        description="the penalty for each period of lateness that has begun, as a percentage of the "
        "exercise's points"
    )
    every: Step = Field(Span(1, "day"), description="the length of a period, such as 1 day or 6 hours")
    grace: Duration = Field(
        Span(0, "minute"), description="the time after the due date in which work loses no points"
    )
    floor: Percent = Field(
        0.0, description="the lowest score after a penalty, as a percentage of the exercise's points"
    )
    cut_off: Duration | None = Field(
        None, description="the time after the due date in which a submission can still score points"
    )

    def penalty(self, score: float, points: float, due: datetime, handed_in: datetime) -> float:
        """Return the points that a submission with this score loses. Lateness counts from `due`."""
        if score <= 0 or handed_in.astimezone(UTC) <= self.grace.after(due).astimezone(UTC):
            return 0.0
        if self._is_over(due, handed_in):
            return score
        penalty = points * self.percent / 100 * self._steps(due, handed_in)
        return round(max(min(penalty, score - points * self.floor / 100), 0.0), 4)

    def reason(self, points: float, due: datetime, handed_in: datetime) -> str:
        """Return the reason why late work loses points, as a text for the student.

        An example: "2 days late, rounded up; each costs 10 % of 14 points, but lateness does not lower a
        score below 7".
        """
        if self._is_over(due, handed_in):
            return f"work that is more than {self.cut_off} late scores 0"
        steps, step = self._steps(due, handed_in), self.every
        lateness = str(Span(steps, step.unit)) if step.count == 1 else f"{steps} times {step}"
        costs = ", which costs" if steps == 1 else "; each costs"
        floor = number(points * self.floor / 100)
        least = f", but lateness does not lower a score below {floor}" if self.floor else ""
        return (
            f"{lateness} late, rounded up{costs} {number(self.percent)} % of {number(points)} points{least}"
        )

    def _is_over(self, due: datetime, handed_in: datetime) -> bool:
        return self.cut_off is not None and handed_in > self.cut_off.after(due).astimezone(UTC)

    def _steps(self, due: datetime, handed_in: datetime) -> int:
        steps = 1
        while steps < _MAX_STEPS and self.every.after(due, steps).astimezone(UTC) < handed_in:
            steps += 1
        return steps


class Counts(StrEnum):
    """The rule that selects the attempt that counts for a student."""

    NEWEST = "newest"
    BEST = "best"  # the attempt with the most points from tests after the penalty; if several, the newest
    BEFORE_DUE = "last before due"  # the newest attempt that is not late; if all are late, the newest


class Tells(StrEnum):
    """The content of feedback pages that are written while students may still hand in new attempts."""

    SCORE = "score"
    TESTS = "tests"  # the score, and for each question the tests that did not pass
    HINTS = "hints"  # the whole page, with hints and outputs


class AttemptSettings(_Strict):
    """The rules for several attempts of a student."""

    counts: Counts = Field(Counts.NEWEST, description="which attempt counts: newest, best or last before due")
    a_day: Attempts = Field(4, description="how many attempts of a student `watch` grades in a day")
    pause: Duration = Field(
        Span(10, "minute"), description="how long `watch` waits between two attempts of a student"
    )
    tells: Tells = Field(
        Tells.TESTS,
        description="what the pages of `watch` show while students may hand in again: score, tests or hints",
    )


class ExerciseSettings(_Strict):
    """One entry of `exercises` in course.yaml."""

    name: Name = Field(description="the name of its folder in solutions/ and assignments/")
    due: Moment | None = Field(None, description="when submissions become late, with a time zone")
    late: LateSettings | None = Field(None, description="the penalty for late work in this exercise")
    attempts: AttemptSettings | None = Field(None, description="which attempt counts in this exercise")
    limits: Limits = Field(Limits(), description="limits for this exercise, in place of the course's limits")
    forbid: Calls = Field(
        {},
        description="by question, names that the answer must not use; "
        "an instructor must check each answer that uses them",
    )
    by_hand: Calls = Field(
        {},
        description="by question, the only torch operators that the answer may run: names of operators, or "
        "of the groups basics, sums, products and softmaxes; an instructor must check each answer that runs "
        "another operator",
    )
    builds_on: dict[Name, tuple[Name, ...]] = Field(
        {},
        description="by question, the earlier questions whose functions the answer may call; an answer that "
        "fails and calls a failed function is graded again with a right function, and the better score "
        "counts",
    )
    repairs: RepairsShown | None = Field(
        None, description="the value of `repairs` for this exercise, in place of the course's value"
    )


class CourseSettings(_Strict):
    """The keys of course.yaml."""

    course: Name = Field(description="the course's id in nbgrader")
    title: str = Field(min_length=1, description="the course's name on pages")
    walls: Tier = Field(
        Tier.FULL, description="how well the machine must isolate submissions: full, container or bare"
    )
    packages: Packages = Field(
        DEFAULT, description="pip's names of the packages that notebooks import; [] if they need only Python"
    )
    limits: Limits = Field(Limits(), description="limits of every exercise")
    late: LateSettings | None = Field(None, description="the penalty for late work in every exercise")
    attempts: AttemptSettings | None = Field(None, description="which attempt counts in every exercise")
    repairs: RepairsShown = Field(
        RepairsShown.PLACE,
        description="what students see of a repair, which is the smallest edit that makes an answer right; "
        "place: the line and the changed part; shown: also the new code; named: only the name of the "
        "mistake; off: nothing",
    )
    repair_seconds: Seconds = Field(
        2.0, description="seconds of processor time to search for a repair of one failed answer"
    )
    graders: tuple[Annotated[str, Field(min_length=1, max_length=100)], ...] = Field(
        (),
        description="user names of instructors who grade written answers; each gets an equal part of the "
        "students",
    )
    mutants_fail: Share = Field(
        0.97,
        description="the share of mutants (solutions with one small error) that hidden tests must reject",
    )
    exercises: tuple[ExerciseSettings, ...] = Field(min_length=1, description="the exercises, in order")

    def of(self, exercise: ExerciseSettings) -> ExerciseSettings:
        """Return the settings of an exercise, with the course's settings as defaults."""
        limits = self.limits.model_dump(exclude_unset=True) | exercise.limits.model_dump(exclude_unset=True)
        late, attempts = exercise.late or self.late, exercise.attempts or self.attempts
        inherited = {"late": late, "attempts": attempts, "repairs": exercise.repairs or self.repairs}
        return exercise.model_copy(update={"limits": Limits(**limits), **inherited})


SCHEMA = Path(__file__).with_name("course.schema.json")
_MODELS: dict[str, type[BaseModel]] = {"limits": Limits, "late": LateSettings, "attempts": AttemptSettings}

_MESSAGES = {  # messages by pydantic's type of error, because pydantic's own messages do not mention YAML
    "missing": "is missing; add it",
    "model_type": "must have keys with values; write each on a separate line, as `key: value`",
    "dict_type": "must have keys with values; write each on a separate line, as `key: value`",
    "tuple_type": "must be a list; write it as [one, two]",
    "too_short": "is empty; list at least one",
}


def schema() -> str:
    """Return the JSON schema of course.yaml, with which editors complete and check the file."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps(dialect | CourseSettings.model_json_schema(), indent=2) + "\n"


def read_settings(document: Document) -> CourseSettings:
    """Return the document's settings. If any are invalid, raise DocumentError, which lists all of them."""
    try:
        return CourseSettings.model_validate(document.data)
    except ValidationError as error:
        # For a wrong item, pydantic also reports that its list is too short. This report is left out.
        errors = [each for each in error.errors() if not (each["type"] == "too_short" and each["input"])]
        raise DocumentError(*(_problem(document, details) for details in errors)) from None


def _problem(document: Document, error: ErrorDetails) -> Problem:
    path = tuple(step for step in error["loc"] if step != "[key]")
    kind, text = error["type"], error["msg"].removeprefix("Value error, ")
    if error["input"] is None:
        text = "is empty; give it a value or take it out"
    elif kind in ("extra_forbidden", "invalid_key"):
        model = _MODELS.get(str(path[-2]), ExerciseSettings) if path[1:] else CourseSettings
        text = f"unknown key; {suggestion(str(path[-1]), model.model_fields)}"
    elif kind in _MESSAGES:
        text = _MESSAGES[kind]
    elif kind != "value_error":
        text = f"{text[:1].lower()}{text[1:]}, but the value is {short_repr(error['input'])}; change it"
    return Problem(document.line(path), f"{dotted(path) or 'the file'}: {text}")


if __name__ == "__main__":
    SCHEMA.write_text(schema(), encoding="utf-8")
