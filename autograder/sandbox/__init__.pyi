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

from .launch import prelaunched as prelaunched
from .process import DeadlineError as DeadlineError
from .process import DiedError as DiedError
from .process import Worker as Worker
from .process import WorkerError as WorkerError
from .zygote import WallError as WallError
from .zygote import Zygote as Zygote
from .zygote import ZygoteError as ZygoteError
