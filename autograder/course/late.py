"""Says what late work costs. The rules are those of Canvas's late policy, with a grace and an end besides.

Canvas (instructure/canvas-lms, app/models/late_policy.rb) takes a part of the exercise's points for each
day or hour begun, but leaves at least a certain part of the points, if the work was worth as much.
"""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from autograder.course.moments import MomentError, Span, read_span
from autograder.report.text import number

_MAX_STEPS = 10_000


def _span(value: object) -> Span:
    try:
        return value if isinstance(value, Span) else read_span(value)
    except MomentError as error:
        raise PydanticCustomError("span", "{message}", {"message": str(error)}) from None


def _some_time(span: Span) -> Span:
    if not span.count:
        raise PydanticCustomError("span", "must be above 0; write it as 12 hours or 1 day")
    return span


Duration = Annotated[
    Span,
    BeforeValidator(_span),
    PlainSerializer(str, return_type=str),
    WithJsonSchema({"type": "string", "pattern": "^[0-9]{1,4} (minute|hour|day)s?$"}),
]
Percent = Annotated[float, Field(strict=True, ge=0, le=100, allow_inf_nan=False)]


class LateSettings(BaseModel):
    """What late work costs; without this, being late costs nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)

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
        if self.cut_off is not None and came > self.cut_off.after(due).astimezone(UTC):
            return score
        taken = points * self.percent / 100 * self._steps(due, came)
        return round(max(min(taken, score - points * self.floor / 100), 0.0), 4)

    def reason(self, points: float, due: datetime, handed_in: datetime) -> str:
        """Return in words what being late takes of these points, such as "2 days begun: -2.8, floor 7"."""
        came = handed_in.astimezone(UTC)
        if self.cut_off is not None and came > self.cut_off.after(due).astimezone(UTC):
            return f"more than {self.cut_off}"
        steps, step = self._steps(due, came), self.every
        begun = str(Span(steps, step.unit)) if step.count == 1 else f"{steps} times {step}"
        floor = f", floor {number(points * self.floor / 100)}" if self.floor else ""
        return f"{begun} begun: \N{MINUS SIGN}{number(points * self.percent / 100 * steps)}{floor}"

    def _steps(self, due: datetime, came: datetime) -> int:
        """Return how many steps have begun."""
        steps = 1
        while steps < _MAX_STEPS and self.every.after(due, steps).astimezone(UTC) < came:
            steps += 1
        return steps
