"""Says which attempt of a student counts, and how grading goes on while more of them come in."""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from autograder.course.late import Duration
from autograder.course.moments import Span


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


AttemptsADay = Annotated[int, Field(strict=True, ge=1, le=1000)]


class AttemptSettings(BaseModel):
    """What several attempts of a student come to."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    counts: Counts = Field(Counts.NEWEST, description="which attempt counts: newest, best or last before due")
    a_day: AttemptsADay = Field(4, description="how many attempts `watch` grades for a student on one day")
    pause: Duration = Field(
        Span(10, "minute"), description="how long `watch` waits after one graded attempt for the next one"
    )
    tells: Tells = Field(
        Tells.TESTS, description="what pages by `watch` tell before the due date: score, tests or hints"
    )
