"""What an answer says of the call behind it: the operators that ran.

A worker says it, so it is checked in form and bounded before anybody looks at it.
"""

from dataclasses import dataclass

from autograder.worker.operators import MAX_NAME, MAX_OPERATORS
from autograder.worker.protocol import Header


@dataclass(frozen=True, slots=True)
class Ran:
    """What a worker says that one call ran."""

    operators: frozenset[str]
    complete: bool  # whether it is said in the form that was asked for


def take_ran(reply: Header) -> tuple[Header, Ran]:
    """Return an answer without what it says of its call, and that; in a wrong form it is not complete."""
    said = reply.get("ran")
    rest = {key: value for key, value in reply.items() if key != "ran"}
    match said:
        case {"operators": list(names)} if len(names) <= MAX_OPERATORS:
            operators = frozenset(
                name for name in names if isinstance(name, str) and 0 < len(name) <= MAX_NAME
            )
            return rest, Ran(operators, len(operators) == len(names))
    return rest, Ran(frozenset(), complete=False)
