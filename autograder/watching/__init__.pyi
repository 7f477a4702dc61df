__all__ = ["Watch", "told_a_day"]

from .bound import told_a_day as told_a_day
from .rounds import Watch as Watch
