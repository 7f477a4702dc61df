__all__ = [
    "MAX_SHOWN",
    "UNSEEN",
    "CellResult",
    "Diagnosis",
    "Graded",
    "Grader",
    "LeftOut",
    "Misconception",
    "RestartingGrader",
    "Session",
    "Verdicts",
    "broken_rule",
    "describe_failure",
]

from .diagnosis import Diagnosis as Diagnosis
from .failures import describe_failure as describe_failure
from .forbidden import UNSEEN as UNSEEN
from .forbidden import broken_rule as broken_rule
from .graded import Graded as Graded
from .grader import Grader as Grader
from .misconceptions import Misconception as Misconception
from .restarting import RestartingGrader as RestartingGrader
from .session import MAX_SHOWN as MAX_SHOWN
from .session import CellResult as CellResult
from .session import LeftOut as LeftOut
from .session import Session as Session
from .verdicts import Verdicts as Verdicts
