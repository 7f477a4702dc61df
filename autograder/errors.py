"""The errors that users see, and their exit codes."""

from typing import ClassVar

SOME_REFUSED, WRONG_USE, OUR_FAILURE = 1, 2, 3


class AutograderError(Exception):
    """A problem that the user can fix. The message says where it is and what to do.

    The command line prints the message without a traceback and ends with `exit_code`.
    """

    exit_code: ClassVar[int] = OUR_FAILURE


class UsageError(AutograderError):
    """The user asked for something that the command cannot do."""

    exit_code = WRONG_USE
