__all__ = ["PackageError", "find_notebook", "results", "write_package"]

from .package import PackageError as PackageError
from .package import write_package as write_package
from .run import find_notebook as find_notebook
from .run import results as results
