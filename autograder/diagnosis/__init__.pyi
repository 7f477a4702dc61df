__all__ = ["Misconception"]

from .misconceptions import Misconception as Misconception
