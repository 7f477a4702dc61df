"""A code cell: what it is for, what stands in it, and how it runs."""

from __future__ import annotations
import __future__

import ast
import contextlib
import hashlib
import re
import warnings
from functools import cached_property
from pathlib import Path
from typing import Any

from autograder.course.kit.contents import DEMOS, QUESTIONS
from autograder.course.kit.watch import Watch
from autograder.worker.omission import Omissions


class Cell:
    """A code cell; its `number` counts code cells from 1, and tracebacks call it `file`."""

    is_joined = False  # whether whole checks stand in it beside other code

    def __init__(self, path: Path, number: int, saved: dict[str, Any], part: str = "") -> None:
        self.file = f"{path}, code cell {number}{part}"
        self.number = number
        self.code = "".join(saved["source"])
        self.metadata = saved.get("metadata", {})
        self.notes: list[str] = []  # what was left out when it ran
        self.reads: list[str] = []  # the files beside the notebook that it read then

    @cached_property
    def fingerprint(self) -> str:
        """A short name for the code, which comments and blank lines do not change."""
        lines = (line.rstrip() for line in self.code.splitlines())
        kept = "\n".join(line for line in lines if line and not line.lstrip().startswith("#"))
        return hashlib.sha256(kept.encode("utf-8", "replace")).hexdigest()[:12]

    @cached_property
    def checks(self) -> str:
        """The question that the cell checks, or "": its first line tells, or its id, or its code."""
        if self.is_joined:
            return ""
        heading = re.match(r"\s*# Check of (\w+)", self.code)
        grade_id = self.metadata.get("nbgrader", {}).get("grade_id")
        for name, check in ((question.name, question.check) for question in QUESTIONS):
            if (heading and heading[1] == name) or grade_id == f"check-{name}" or self.fingerprint == check:
                return name
        return ""

    @cached_property
    def is_yours(self) -> bool:
        """Whether the cell is neither a check nor a demo."""
        return not (self.checks or "demo" in self.metadata.get("tags", ()) or self.fingerprint in DEMOS)

    @property
    def answers(self) -> str:
        """The question whose answer seems to stand in the cell, the first of several, or ""."""
        return "" if self.checks else next((one.name for one in QUESTIONS if self.makes(one.name)), "")

    @property
    def names(self) -> set[str]:
        """The names in the code, as far as it is Python."""
        with contextlib.suppress(SyntaxError):
            return {node.id for node in ast.walk(ast.parse(plain(self.code))) if isinstance(node, ast.Name)}
        return set()

    @property
    def label(self) -> str:
        """How messages call the cell."""
        if self.checks:
            return f"the check of {self.checks}"
        named = self.answers and not self.is_joined
        return f"the cell of {self.answers}" if named else f"code cell {self.number}"

    def makes(self, name: str) -> bool:
        """Whether the cell seems to define, assign or import `name`, judged by its text."""
        name = re.escape(name)
        defined, imported = rf"(async +)?(def|class) +{name}\b", rf"(from|import) .*\b{name}\b"
        assigned = rf"(\w+ *, *)*{name}\b[^=(\n]*=(?!=)"
        return bool(re.search(rf"(?m)^({defined}|{imported}|{assigned})", self.code))

    def line(self, number: int) -> str:
        """Return a line of the cell, or "" where it has no such line."""
        lines = self.code.splitlines()
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""

    def local_advice(self, name: str, number: int) -> str:
        """Say what to do about a name that only another function of the cell knows, or "" where none does."""
        if re.search(rf"\bself\.{re.escape(name)}\b", self.code):
            return f"Your class keeps it as `self.{name}`; read it so."
        for function in ast.walk(ast.parse(plain(self.code))):
            if not isinstance(function, ast.FunctionDef):
                continue
            if function.lineno <= number <= (function.end_lineno or 0):
                continue
            known = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
            stored = (node for node in ast.walk(function) if isinstance(node, ast.Name))
            known |= {node.id for node in stored if isinstance(node.ctx, ast.Store)}
            if name in known and "self" in known:
                keep = f"Keep it there, `self.{name} = {name}`, and read `self.{name}`."
                return f"Only `{function.name}` knows `{name}`. {keep}"
            if name in known:
                return f"Only `{function.name}` knows `{name}`. Pass it on as an argument, or return it."
        return ""

    def claim(self, number: int) -> str:
        """Return the assert around a line, without its message; where there is none, the line itself."""
        code = plain(self.code)
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Assert) and node.lineno <= number <= (node.end_lineno or 0):
                return "assert " + " ".join((ast.get_source_segment(code, node.test) or "").split())
        return self.line(number)

    def run(self, variables: dict[str, Any], omissions: Omissions | None) -> BaseException | None:
        """Run the cell with the notebook's variables; return the error that it raises, or None.

        What cannot work on this machine goes to `omissions` and is left out, as in grading; `notes` say so.
        """
        if omissions:
            omissions.start_cell()
        with warnings.catch_warnings(), Watch() as watch:
            warnings.simplefilter("ignore")
            try:
                tree = ast.parse(plain(self.code), self.file)
                flags = 0
                for statement in tree.body:
                    flags |= _future_flags(statement)
                    self._run_statement(statement, flags, variables, omissions)
            except KeyboardInterrupt as error:
                return watch.stopped(error)
            except (Exception, SystemExit) as error:
                return error
        return omissions.unmade(variables) if omissions else None

    def _run_statement(
        self, statement: ast.stmt, flags: int, variables: dict[str, Any], omissions: Omissions | None
    ) -> None:
        code = compile(ast.Module([statement], []), self.file, "exec", flags, dont_inherit=True)
        try:
            exec(code, variables)  # noqa: S102 - your own code
        except Exception as error:
            rest = omissions.rest(statement, error) if omissions else None
            if rest is None:
                raise
        else:
            return
        if rest.note:
            self.notes.append(rest.note)
        for part in rest.statements:
            self._run_statement(part, flags, variables, omissions)


def _future_flags(statement: ast.stmt) -> int:
    """Return how the compiler calls what a statement imports from __future__, if it does."""
    flags = 0
    if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
        for alias in statement.names:
            flags |= getattr(__future__, alias.name).compiler_flag
    return flags


def plain(code: str) -> str:
    """Return a cell as plain Python with the same lines; IPython's magics and shell lines do nothing here."""
    with contextlib.suppress(SyntaxError):
        ast.parse(code)
        return code
    if code.startswith("%%") and not re.match(r"%%(time|capture)\b", code):
        return ""
    return re.sub(r"(?m)^([ \t]*)(([\w, ]+=)?[ \t]*[%!?].*|[\w.]+\?+[ \t]*$)", r"\1pass", code)
