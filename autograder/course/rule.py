"""What a question asks its answers to do without, or to keep to: the rules of work by hand."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """One question's rules; whatever breaks them is held for a person, and proves nothing."""

    forbid: tuple[str, ...] = ()  # names that its code must not use
    operators: frozenset[str] | None = None  # all that torch may run during its calls; None: anything
