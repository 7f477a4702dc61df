"""Defines what course.yaml may contain, and explains what is wrong in it."""

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
from autograder.report.text import number, shown


class Tier(StrEnum):
    """How much stands between a submission and the machine."""

    FULL = "full"  # namespaces around the zygote, and all of container
    CONTAINER = "container"  # Landlock, seccomp and limits in each worker
    BARE = "bare"  # a process of its own, with limits where the system has them


class RepairsShown(StrEnum):
    """What a student reads of the edit that makes an answer right."""

    OFF = "off"  # nothing: none is looked for
    PLACE = "place"  # the line and the part of it that the edit changes
    SHOWN = "shown"  # and what stands there instead

    @classmethod
    def _missing_(cls, value: object) -> "RepairsShown | None":
        return cls.OFF if value is False else None  # as YAML reads a plain `off`


@dataclass(frozen=True, slots=True)
class Repairs:
    """How repairs of failed answers are looked for."""

    shown: RepairsShown = RepairsShown.PLACE
    seconds: float = 2.0  # of processor time for one question, by which candidates are counted


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
        raise ValueError("is no package as pip names it; write it as pandas or pandas>=2") from None
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
    """What one submission may use.

    Seconds are those in which its processes compute, or sleep, and not those in which they wait for a
    processor. By the clock, ten times as many may pass.
    """

    cell_seconds: Seconds = Field(20.0, description="seconds in which one cell may compute or sleep")
    call_seconds: Seconds = Field(5.0, description="seconds in which one call may compute or sleep")
    total_seconds: Seconds = Field(300.0, description="seconds of computing or sleeping, in all runs")
    memory_mb: Megabytes = Field(2048, description="megabytes beyond what a warm worker already has")


class LateSettings(_Strict):
    """What late work costs; without this, being late costs nothing.

    The rules are those of Canvas's late policy (instructure/canvas-lms, app/models/late_policy.rb), with a
    grace and an end besides: it takes a part of the exercise's points for each day or hour begun, but leaves
    at least a certain part of the points, if the work was worth as much.
    """

    percent: Percent = Field(description="the part of the exercise's points that each step begun takes")
    every: Step = Field(Span(1, "day"), description="how long a step is: a day, or some hours")
    grace: Duration = Field(Span(0, "minute"), description="how long after the due date nothing is late")
    floor: Percent = Field(0.0, description="the part of the exercise's points that being late leaves")
    cut_off: Duration | None = Field(None, description="work that comes so long after the due date scores 0")

    def penalty(self, score: float, points: float, due: datetime, handed_in: datetime) -> float:
        """Return what a submission worth `score` of `points` loses; days are those of the zone of `due`."""
        came = handed_in.astimezone(UTC)
        if score <= 0 or came <= self.grace.after(due).astimezone(UTC):
            return 0.0
        if self._is_over(due, came):
            return score
        taken = points * self.percent / 100 * self._steps(due, came)
        return round(max(min(taken, score - points * self.floor / 100), 0.0), 4)

    def reason(self, points: float, due: datetime, handed_in: datetime) -> str:
        """Return the rule by which late work loses points, in words.

        Such as "2 days begun, each costs 10 % of 14 points; at least 7 points remain".
        """
        came = handed_in.astimezone(UTC)
        if self._is_over(due, came):
            return f"work that is more than {self.cut_off} late scores 0"
        steps, step = self._steps(due, came), self.every
        begun = str(Span(steps, step.unit)) if step.count == 1 else f"{steps} times {step}"
        costs = "which costs" if steps == 1 else "each costs"
        least = f"; at least {number(points * self.floor / 100)} points remain" if self.floor else ""
        return f"{begun} begun, {costs} {number(self.percent)} % of {number(points)} points{least}"

    def _is_over(self, due: datetime, came: datetime) -> bool:
        return self.cut_off is not None and came > self.cut_off.after(due).astimezone(UTC)

    def _steps(self, due: datetime, came: datetime) -> int:
        steps = 1
        while steps < _MAX_STEPS and self.every.after(due, steps).astimezone(UTC) < came:
            steps += 1
        return steps


class Counts(StrEnum):
    """Which of the attempts of a student counts."""

    NEWEST = "newest"
    BEST = "best"  # by the points of the tests, less what being late costs; of equals the newest
    BEFORE_DUE = "last before due"  # and where none came in time, the newest


class Tells(StrEnum):
    """What a page says that is written while students may still hand in."""

    SCORE = "score"
    TESTS = "tests"  # the score, and for each question the tests that did not pass
    HINTS = "hints"  # everything


class AttemptSettings(_Strict):
    """What several attempts of a student come to."""

    counts: Counts = Field(Counts.NEWEST, description="which attempt counts: newest, best or last before due")
    a_day: Attempts = Field(4, description="how many attempts `watch` grades for a student on one day")
    pause: Duration = Field(Span(10, "minute"), description="how long `watch` waits between two attempts")
    tells: Tells = Field(Tells.TESTS, description="what `watch` tells early: score, tests or hints")


class ExerciseSettings(_Strict):
    """One exercise of the course."""

    name: Name = Field(description="the name of its folder in solutions/ and assignments/")
    due: Moment | None = Field(None, description="when submissions become late, with a time zone")
    late: LateSettings | None = Field(None, description="what late work costs in this exercise")
    attempts: AttemptSettings | None = Field(None, description="which attempt counts in this exercise")
    limits: Limits = Field(Limits(), description="limits of this exercise alone")
    forbid: Calls = Field({}, description="calls that a question must do without; a use is held for review")
    by_hand: Calls = Field(
        {},
        description="all that torch may run for a question: basics, sums, products, "
        "softmaxes, or single operators; anything else is held for review",
    )
    builds_on: dict[Name, tuple[Name, ...]] = Field(
        {},
        description="the earlier questions that a question "
        "may call; if one is wrong, a right one is tried, too, and the better score counts",
    )
    repairs: RepairsShown | None = Field(None, description="what students of this exercise see of repairs")


class CourseSettings(_Strict):
    """All of course.yaml."""

    course: Name = Field(description="the course's id, as nbgrader knows it")
    title: str = Field(min_length=1, description="the course's name, for people")
    walls: Tier = Field(Tier.FULL, description="the walls that must stand before a submission is run")
    packages: Packages = Field(DEFAULT, description="what notebooks import, as pip names it; [] for Python")
    limits: Limits = Field(Limits(), description="limits of every exercise")
    late: LateSettings | None = Field(None, description="what late work costs in every exercise")
    attempts: AttemptSettings | None = Field(None, description="which attempt counts in every exercise")
    repairs: RepairsShown = Field(
        RepairsShown.PLACE,
        description="what a student sees of the smallest edit "
        "that makes an answer right: its place, also what it writes there (shown), or nothing (off)",
    )
    repair_seconds: Seconds = Field(2.0, description="processor time for finding it, in each failed question")
    graders: tuple[Annotated[str, Field(min_length=1, max_length=100)], ...] = Field(
        (),
        description="who grades written answers, by user name; each gets every n-th student",
    )
    mutants_fail: Share = Field(0.97, description="the share of mutants that the hidden tests must fail")
    exercises: tuple[ExerciseSettings, ...] = Field(min_length=1, description="the exercises, in order")

    def of(self, one: ExerciseSettings) -> ExerciseSettings:
        """Return the settings of an exercise, with the course's own where it has none."""
        limits = self.limits.model_dump(exclude_unset=True) | one.limits.model_dump(exclude_unset=True)
        late, attempts = one.late or self.late, one.attempts or self.attempts
        return one.model_copy(update={"limits": Limits(**limits), "late": late, "attempts": attempts})


SCHEMA = Path(__file__).with_name("course.schema.json")
_MODELS: dict[str, type[BaseModel]] = {"limits": Limits, "late": LateSettings, "attempts": AttemptSettings}

_IN_WORDS = {  # by pydantic's kind of error, where its own words are not an author's
    "missing": "is missing; add it",
    "model_type": "must hold keys with values; write each on a line of its own, as `key: value`",
    "dict_type": "must hold keys with values; write each on a line of its own, as `key: value`",
    "tuple_type": "must be a list; write it as [one, two]",
    "too_short": "is empty; list at least one",
}


def schema() -> str:
    """Return the JSON schema of course.yaml, with which editors complete and check the file."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps(dialect | CourseSettings.model_json_schema(), indent=2) + "\n"


def read_settings(document: Document) -> CourseSettings:
    """Return the document's settings; DocumentError names everything that is wrong with them."""
    try:
        return CourseSettings.model_validate(document.data)
    except ValidationError as error:
        # A list whose items are wrong counts as too short, too, which needs no line of its own.
        found = [one for one in error.errors() if not (one["type"] == "too_short" and one["input"])]
        raise DocumentError(*(_problem(document, details) for details in found)) from None


def _problem(document: Document, error: ErrorDetails) -> Problem:
    path = tuple(step for step in error["loc"] if step != "[key]")
    kind, text = error["type"], error["msg"].removeprefix("Value error, ")
    if error["input"] is None:
        text = "is empty; give it a value or take it out"
    elif kind in ("extra_forbidden", "invalid_key"):
        around = _MODELS.get(str(path[-2]), ExerciseSettings) if path[1:] else CourseSettings
        text = f"unknown key; {suggestion(str(path[-1]), around.model_fields)}"
    elif kind in _IN_WORDS:
        text = _IN_WORDS[kind]
    elif kind != "value_error":
        text = f"{text[:1].lower()}{text[1:]}, but it is {shown(error['input'])}; change it"
    return Problem(document.line(path), f"{dotted(path) or 'the file'}: {text}")


if __name__ == "__main__":
    SCHEMA.write_text(schema(), encoding="utf-8")
