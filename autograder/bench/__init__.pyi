__all__ = ["QUICK", "Figures", "Plan", "measure_exercise", "to_markdown"]

from .benchmark import QUICK as QUICK
from .benchmark import Plan as Plan
from .benchmark import measure_exercise as measure_exercise
from .figures import Figures as Figures
from .page import to_markdown as to_markdown
