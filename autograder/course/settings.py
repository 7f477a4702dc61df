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
from autograder.course.yaml_lines import Document, Problem, dotted
from autograder.report.text import number


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
    """Read a moment such as 2026-03-01T18:00:00+01:00 or 2026-03-01 18:00 Europe/Berlin."""
    try:
        return read_moment(value)
    except MomentError as error:
        advice = "write it as 2026-03-01T18:00:00+01:00 or 2026-03-01 18:00 Europe/Berlin"
        raise MomentError(f"{error}; {advice}") from None


def _package(text: str) -> str:
    """Read a requirement of pip's, such as `pandas` or `scikit-learn>=1.4`."""
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
Percent = Annotated[float, Field(strict=True, ge=0, le=100, allow_inf_nan=False)]
Name = Annotated[str, Field(pattern=NAME, max_length=100)]
Call = Annotated[str, Field(min_length=1)]
Moment = Annotated[AwareDatetime, BeforeValidator(_moment)]
Duration = Annotated[
    Span,
    BeforeValidator(read_span),
    PlainSerializer(str, return_type=str),
    WithJsonSchema({"type": "string", "pattern": "^[0-9]{1,4} (minute|hour|day)s?$"}),
]
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
    total_seconds: Seconds = Field(
        300.0, description="seconds in which a submission may compute or sleep, in all of its runs"
    )
    memory_mb: Annotated[int, Field(strict=True, ge=64, le=1 << 20)] = Field(
        2048, description="megabytes beyond what a warm worker already has"
    )


class LateSettings(_Strict):
    """What late work costs; without this, being late costs nothing.

    The rules are those of Canvas's late policy (instructure/canvas-lms, app/models/late_policy.rb), with a
    grace and an end besides: it takes a part of the exercise's points for each day or hour begun, but leaves
    at least a certain part of the points, if the work was worth as much.
    """

    percent: Percent = Field(description="the part of the exercise's points that each step begun takes")
    every: Annotated[Duration, AfterValidator(_some_time)] = Field(
        Span(1, "day"), description="how long a step is: a day, or some hours"
    )
    grace: Duration = Field(
        Span(0, "minute"), description="so long after the due date work still counts as handed in on time"
    )
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
        """Return in words what being late takes of these points, such as "2 days begun: -2.8, floor 7"."""
        came = handed_in.astimezone(UTC)
        if self._is_over(due, came):
            return f"more than {self.cut_off}"
        steps, step = self._steps(due, came), self.every
        begun = str(Span(steps, step.unit)) if step.count == 1 else f"{steps} times {step}"
        floor = f", floor {number(points * self.floor / 100)}" if self.floor else ""
        return f"{begun} begun: \N{MINUS SIGN}{number(points * self.percent / 100 * steps)}{floor}"

    def _is_over(self, due: datetime, came: datetime) -> bool:
        return self.cut_off is not None and came > self.cut_off.after(due).astimezone(UTC)

    def _steps(self, due: datetime, came: datetime) -> int:
        """Return how many steps have begun."""
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
    a_day: Annotated[int, Field(strict=True, ge=1, le=1000)] = Field(
        4, description="how many attempts `watch` grades for a student on one day"
    )
    pause: Duration = Field(
        Span(10, "minute"), description="how long `watch` waits after one graded attempt for the next one"
    )
    tells: Tells = Field(
        Tells.TESTS, description="what pages by `watch` tell before the due date: score, tests or hints"
    )


class ExerciseSettings(_Strict):
    """One exercise of the course."""

    name: Name = Field(description="the name of its folder in solutions/ and assignments/")
    due: Moment | None = Field(None, description="when submissions become late, with a time zone")
    late: LateSettings | None = Field(None, description="what late work costs in this exercise")
    attempts: AttemptSettings | None = Field(None, description="which attempt counts in this exercise")
    limits: Limits = Field(Limits(), description="limits of this exercise alone")
    forbid: dict[Name, tuple[Call, ...]] = Field(
        {}, description="calls that a question must do without, by question; a use is held for review"
    )
    by_hand: dict[Name, tuple[Call, ...]] = Field(
        {},
        description="all that torch may run during a question's calls, by question: basics, sums, products, "
        "softmaxes, or single operators; anything else is held for review",
    )
    builds_on: dict[Name, tuple[Name, ...]] = Field(
        {},
        description="the earlier questions that a question may call, by question; where one of them is "
        "wrong, the question is graded with a right one, too, and the better score counts",
    )
    repairs: RepairsShown | None = Field(None, description="what students of this exercise see of repairs")


class CourseSettings(_Strict):
    """All of course.yaml."""

    course: Name = Field(description="the course's id, as nbgrader knows it")
    title: str = Field(min_length=1, description="the course's name, for people")
    walls: Tier = Field(Tier.FULL, description="the walls that must stand before a submission is run")
    packages: tuple[Annotated[str, AfterValidator(_package)], ...] = Field(
        DEFAULT,
        description="what notebooks import beside Python itself, as pip names it; [] for Python alone",
    )
    limits: Limits = Field(Limits(), description="limits of every exercise")
    late: LateSettings | None = Field(None, description="what late work costs in every exercise")
    attempts: AttemptSettings | None = Field(None, description="which attempt counts in every exercise")
    repairs: RepairsShown = Field(
        RepairsShown.PLACE,
        description="what a student sees of the smallest edit that makes an answer right: its place, also "
        "what it writes there (shown), or nothing (off)",
    )
    repair_seconds: Seconds = Field(
        DEFAULT_REPAIRS.seconds,
        description="processor time for the search for such an edit, in each failed question",
    )
    mutants_fail: Share = Field(
        0.97, description="the share of an exercise's mutants that its hidden tests must fail"
    )
    exercises: tuple[ExerciseSettings, ...] = Field(min_length=1, description="the exercises, in order")

    def of(self, one: ExerciseSettings) -> ExerciseSettings:
        """Return the settings of an exercise, with the course's own where it has none."""
        limits = self.limits.model_dump(exclude_unset=True) | one.limits.model_dump(exclude_unset=True)
        late, attempts = one.late or self.late, one.attempts or self.attempts
        return one.model_copy(update={"limits": Limits(**limits), "late": late, "attempts": attempts})


SCHEMA = Path(__file__).with_name("course.schema.json")
_MODELS: dict[str, type[BaseModel]] = {"limits": Limits, "late": LateSettings, "attempts": AttemptSettings}
_GONE = {
    "slip": "tests alone decide a score now",
    "even_empty": "an empty answer carries no mistake forward",
    "no_examples": "pages always show the smallest call that goes wrong",
    "checks_see": "the visible checks must see every costly mistake now",
}  # keys that course.yaml had once
_NO_KEYS = "must hold keys with values; write each on a line of its own, as `key: value`"
_BEYOND = "must be {bounds}, but it is {input}; change it"
_EXPLANATIONS = {  # by pydantic's kind of error
    "missing": "is missing; add it",
    "value_error": "{error}",
    "string_type": 'must be text; put it in quotes: "{input}"',
    "string_pattern_mismatch": '"{input}" may hold letters, digits, "_" and "-" only; rename it',
    "string_too_short": "is empty; write something",
    "string_too_long": "must have {bounds} characters; shorten it",
    "too_short": "is empty; list at least one",
    "enum": '"{input}" is not known; use one of {expected}',
    "greater_than": _BEYOND,
    "greater_than_equal": _BEYOND,
    "less_than_equal": _BEYOND,
    "finite_number": "must be a number that ends; change it",
    "float_type": 'must be a number, but it is "{input}"; change it',
    "int_type": 'must be a whole number, but it is "{input}"; change it',
    "model_type": _NO_KEYS,
    "dict_type": _NO_KEYS,
    "tuple_type": "must be a list; write it as [one, two]",
}
_BOUNDS = {"gt": "above", "ge": "at least", "le": "at most", "max_length": "at most"}


def schema() -> str:
    """Return the JSON schema of course.yaml, with which editors complete and check the file."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps(dialect | CourseSettings.model_json_schema(), indent=2) + "\n"


def read_settings(document: Document) -> CourseSettings | list[Problem]:
    """Return the document's settings, or everything that is wrong with them."""
    try:
        return CourseSettings.model_validate(document.data)
    except ValidationError as error:
        # A list whose items are wrong counts as too short, too, which needs no line of its own.
        found = [one for one in error.errors() if not (one["type"] == "too_short" and one["input"])]
        return [_problem(document, details) for details in found]


def _problem(document: Document, error: ErrorDetails) -> Problem:
    """Say in an author's words what is wrong and what to do."""
    path = tuple(step for step in error["loc"] if step != "[key]")
    context = error.get("ctx", {})
    if error["input"] is None:
        text = "is empty; give it a value or take it out"
    elif error["type"] in ("extra_forbidden", "invalid_key"):
        around = _MODELS.get(str(path[-2]), ExerciseSettings) if path[1:] else CourseSettings
        advice = suggestion(str(path[-1]), around.model_fields)
        gone = _GONE.get(str(path[-1]), "")
        text = f"{gone}; delete this line" if gone else f"unknown key; {advice}"
    else:
        bounds = " and ".join(f"{word} {context[key]:g}" for key, word in _BOUNDS.items() if key in context)
        explanation = _EXPLANATIONS.get(error["type"], "{message}; change it")
        values = {"input": error["input"], "message": error["msg"], "bounds": bounds, **context}
        text = explanation.format(**values)
    return Problem(document.line(path), f"{dotted(path) or 'the file'}: {text}")


if __name__ == "__main__":
    SCHEMA.write_text(schema(), encoding="utf-8")
