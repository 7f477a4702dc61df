"""What verifying an exercise has found."""

from dataclasses import dataclass

from autograder.authoring import built_on
from autograder.authoring.costs import Costs
from autograder.authoring.strength import Strength


@dataclass(frozen=True, slots=True)
class Proof:
    """What verifying one exercise has shown; the exercise is proved if there are no findings."""

    exercise: str
    accepted: int = 0
    mistakes: int = 0
    bits: int = 0  # that one graded attempt can tell about hidden inputs, at most
    carried: built_on.Carried | None = None  # whether earlier mistakes cost later questions nothing
    strength: Strength | None = None  # how many mutants of the reference the hidden tests fail
    fitting: frozenset[str] = frozenset()  # the catalogue's rules that change one of its right answers
    costs: Costs | None = None  # of each wrong answer, by hidden tests alone
    findings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # of what may be wrong and may be meant
    before: bool = False  # whether this was shown before, and nothing has changed since
