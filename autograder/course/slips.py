"""Says what wrong answers cost of their question: one slip not nearly all of it, and none next to nothing."""

from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    WrapSerializer,
)
from pydantic_core import PydanticCustomError

OFF = "none"
_Least = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]
_Most = Annotated[float, Field(strict=True, ge=0.05, le=1, allow_inf_nan=False)]  # 0 would be full marks


class SlipSettings(BaseModel):
    """What a wrong answer costs, as shares of its question.

    An answer in which one slip is recognised, and which is right otherwise, loses no more than `most`. Any
    answer that fails a test loses `least` or more.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    most: _Most = Field(0.45, description="the share of a question that one recognised slip costs at most")
    least: _Least = Field(0.10, description="the share of a question that a failed test costs at least")

    def score(self, score: float, points: float, *, recognised: bool) -> float:
        """Return what an answer scores that fails a test, given its `score` by its tests alone."""
        saved = points * (1 - self.most) if recognised else 0.0
        return round(min(max(score, saved), points * (1 - self.least)), 4)


def _ordered(value: SlipSettings | None) -> SlipSettings | None:
    if value is not None and value.least > value.most:
        raise PydanticCustomError("slip", "least is above most; make it smaller")
    return value


def _or_off(value: Any) -> Any:
    if value is None:
        raise PydanticCustomError("slip", f"is empty; write `slip: {OFF}` to switch it off, or take it out")
    return None if value == OFF else value


def _without_null(schema: dict[str, Any]) -> None:
    """Let editors offer the word that switches it off, and no empty value."""
    schema["anyOf"] = [one for one in schema["anyOf"] if one != {"type": "null"}] + [{"const": OFF}]


def _spelt(value: SlipSettings | None, written: SerializerFunctionWrapHandler) -> Any:
    return OFF if value is None else written(value)


SlipOrOff = Annotated[
    SlipSettings | None,
    BeforeValidator(_or_off),
    AfterValidator(_ordered),
    WrapSerializer(_spelt),
    Field(json_schema_extra=_without_null),
]
