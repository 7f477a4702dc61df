__all__ = ["main"]

from .group import main as main
