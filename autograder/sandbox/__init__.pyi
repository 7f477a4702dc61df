__all__ = [
    "DeadlineError",
    "DiedError",
    "WallError",
    "Worker",
    "WorkerError",
    "Zygote",
    "ZygoteError",
    "prelaunched",
]

from .errors import WallError as WallError
from .errors import ZygoteError as ZygoteError
from .launch import prelaunched as prelaunched
from .process import DeadlineError as DeadlineError
from .process import DiedError as DiedError
from .process import Worker as Worker
from .process import WorkerError as WorkerError
from .zygote import Zygote as Zygote
