"""Python programs that start warm, for tests: forked from this process, where each would import torch.

What runs is the program itself, in a process of its own with its own words, folder, environment and pipes;
only the imports are ours. A test of how a program starts, or of what it imports, starts a real one. So does a
test whose program reads a database that this process has opened before: SQLite does not survive a fork.
"""

import faulthandler
import gc
import os
import runpy
import subprocess
import sys
import traceback
import warnings
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any, ClassVar, NoReturn

from autograder.tests.nursery import Nursery

_RUN, _LINE = "-m", "-c"
_PACKAGES = ("alembic", "autograder", "nbgrader")
# What a new Python does not warn of, other than in its main program.
_SILENT = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)


class WarmPopen(subprocess.Popen[Any]):
    """A `subprocess.Popen` whose process is forked from this one, if its command runs our own Python code."""

    nursery: ClassVar[Nursery | None] = None  # from which such processes, too, get their zygotes

    def _execute_child(self, args: Any, *others: Any) -> None:
        words = [args] if isinstance(args, str) else list(args)
        if not _is_ours(words):
            super()._execute_child(args, *others)  # type: ignore[misc]
            return
        pass_fds, cwd, env = others[3:6]
        pipes, new_session = others[9:15], others[20]
        kept = set(pass_fds)
        if self.nursery is not None:
            assert self.nursery.is_ready()  # what it says once, this process has to hear
            kept.add(self.nursery.descriptor)
        self.pid = os.fork()
        if self.pid == 0:
            try:
                if new_session:
                    os.setsid()
                _take((pipes[0], pipes[3], pipes[5]), kept)
                _run(words, cwd, env)
            finally:
                os._exit(1)
        vars(self)["_child_created"] = True  # as Popen itself notes it, to wait for it
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]


def run(command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """Do what `subprocess.run` does, with text captured, in a process that starts warm."""
    with WarmPopen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options) as process:
        try:
            said = process.communicate(timeout=300)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, *said)


# What stands for the module `subprocess` where programs are to start warm.
SUBPROCESS = SimpleNamespace(**{**vars(subprocess), "Popen": WarmPopen})


def _is_ours(words: Sequence[str]) -> bool:
    if words[0] != sys.executable:
        return False
    return words[1] == _LINE or (words[1] == _RUN and words[2].partition(".")[0] in _PACKAGES)


def _take(pipes: Iterable[int], kept: set[int]) -> None:
    """Make `pipes` standard input, output and error, and close all other files save the kept ones.

    Nobody may find one of them open here who waits for its end elsewhere.
    """
    gc.freeze()  # so that none of our old objects is collected and closes a file that has got its number
    for number, pipe in enumerate(pipes):
        if pipe != -1:
            os.dup2(pipe, number)
    last = 2
    for descriptor in [*sorted(kept), os.sysconf("SC_OPEN_MAX")]:
        os.closerange(last + 1, descriptor)
        last = descriptor


def _run(words: Sequence[str], cwd: str | None, env: dict[str, str] | None) -> NoReturn:
    """Do what Python does with these words, and end the process."""
    faulthandler.disable()  # which pytest has begun
    if cwd is not None:
        os.chdir(cwd)
    if env is not None:
        os.environ.clear()
        os.environ.update(env)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
    warnings.resetwarnings()
    for silent in _SILENT:
        warnings.simplefilter("ignore", silent)
    warnings.filterwarnings("default", category=DeprecationWarning, module="__main__")
    code = 0
    try:
        if words[1] == _RUN:
            sys.argv = list(words[2:])
            runpy.run_module(words[2], run_name="__main__", alter_sys=True)
        else:
            sys.argv = [_LINE, *words[3:]]
            exec(words[2], {"__name__": "__main__"})
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)
