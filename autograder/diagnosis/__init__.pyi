__all__ = ["Misconception", "Place"]

from .misconceptions import Misconception as Misconception
from .places import Place as Place
