"""What is said of a wrong answer: the names of what is wrong in it, and a hint for its student."""

from dataclasses import dataclass

from autograder.course.names import of_mistake
from autograder.grading.known import Known

_ONE_OF = "This at least is wrong: "


@dataclass(frozen=True, slots=True)
class Named:
    """What is wrong in an answer: one thing or several, with a hint for the student."""

    names: tuple[str, ...]
    hint: str
    whole: bool = True  # whether it explains all failed tests, and not only some of them

    @property
    def name(self) -> str:
        """All names in one word; the question stands only before the first."""
        first, *others = self.names
        return "+".join([first, *(of_mistake(name)[1] for name in others)])


def in_words(name: str, hint: str, *, whole: bool) -> Named:
    """Name one thing, which explains the `whole` or only a part of what failed."""
    return Named((name,), hint if whole else _ONE_OF + hint, whole)


def one_of(known: Known) -> Named:
    """Name what explains a part of what failed."""
    return in_words(known.answer.names[0], known.answer.hints[0], whole=False)


def both(one: Known, other: Known) -> Named:
    """Name two things that explain all that failed between them."""
    return two_things(one.answer.names + other.answer.names, one.answer.hints + other.answer.hints)


def two_things(names: tuple[str, ...], hints: tuple[str, ...]) -> Named:
    """Name two things and number their hints."""
    numbered = "\n".join(f"{number}. {hint}" for number, hint in enumerate(hints, 1))
    return Named(names, f"Two things are wrong:\n{numbered}")
