__all__ = [
    "MAX_SHOWN",
    "CellResult",
    "Diagnosis",
    "Explainer",
    "Graded",
    "Grader",
    "GuardedGrader",
    "LeftOut",
    "MarkingError",
    "RestartingGrader",
    "Session",
    "broken_rule",
    "describe_failure",
]

from .by_hand import broken_rule as broken_rule
from .cell_result import MAX_SHOWN as MAX_SHOWN
from .cell_result import CellResult as CellResult
from .diagnosis import Diagnosis as Diagnosis
from .explanation import Explainer as Explainer
from .failures import describe_failure as describe_failure
from .graded import Graded as Graded
from .grader import Grader as Grader
from .guarded import GuardedGrader as GuardedGrader
from .guarded import MarkingError as MarkingError
from .restarting import RestartingGrader as RestartingGrader
from .session import LeftOut as LeftOut
from .session import Session as Session
