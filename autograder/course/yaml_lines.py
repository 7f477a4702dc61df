"""Reads a YAML file into plain values, and gives the line of each value."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

KeyPath = tuple[str | int, ...]  # keys and indices from the top: ("exercises", 0, "due")


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem on one line. The message gives the key, the problem and a fix."""

    line: int
    message: str


class DocumentError(Exception):
    """A text is not valid YAML, or has wrong values. `problems` lists all problems."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(problems)
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML file's values, and its YAML nodes, which have the line of each value."""

    data: Any
    _top: yaml.Node

    def line(self, path: KeyPath) -> int:
        """Return the line of the value at `path`. For a missing value, return its nearest parent's line."""
        node, line = self._top, 1
        for step in path:
            children = [(at, child) for key, at, child in _children(node) if key == step]
            if not children:
                break
            line, node = children[0]
        return line


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, except that dates stay text, so that the settings can require a time zone."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - overrides PyYAML's own
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def read_document(text: str) -> Document:
    """Return the document in `text`; raise DocumentError if it cannot be read."""
    try:
        loader = _Loader(text)
        if (top := loader.get_single_node()) is None:
            empty = "the file is empty; it needs at least course, title and exercises"
            raise DocumentError(Problem(1, empty))
        if repeated := list(_repeated(top)):
            raise DocumentError(*repeated)
        return Document(loader.construct_document(top), top)
    except yaml.MarkedYAMLError as error:
        raise DocumentError(_syntax_problem(error, text)) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise DocumentError(Problem(line, "a control character; delete it")) from None
    except RecursionError:
        raise DocumentError(Problem(1, "nested too deeply; use fewer levels")) from None
    except ValueError:
        raise DocumentError(Problem(1, "a number that is too long; shorten it or put it in quotes")) from None


def dotted(path: KeyPath) -> str:
    """Return `path` as people write it: exercises[0].due."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _syntax_problem(error: yaml.MarkedYAMLError, text: str) -> Problem:
    line = error.problem_mark.line + 1 if error.problem_mark else 1
    wrong = text.splitlines()[line - 1] if line <= len(text.splitlines()) else ""
    reason = (error.problem or "invalid").removeprefix("but ")
    if "\t" in wrong[: len(wrong) - len(wrong.lstrip())]:
        return Problem(line, "a tab indents this line; use spaces")
    if "cannot start any token" in reason:
        return Problem(line, f"{reason}; put the text in quotes")
    if "mapping values are not allowed" in reason:
        return Problem(
            line, 'a ":" where a key is not allowed; check the indentation, or put the text in quotes'
        )
    return Problem(line, f"not YAML: {reason}; check the indentation, brackets and quotes around this line")


def _repeated(node: yaml.Node, path: KeyPath = (), above: tuple[yaml.Node, ...] = ()) -> Iterator[Problem]:
    """Yield a problem for each key below `node` that occurs twice in its mapping.

    An alias can make a node its own descendant. So the ancestors of `node`, in `above`, are skipped.
    """
    first: dict[str | int, int] = {}
    for step, line, child in _children(node):
        where = (*path, step)
        if step in first:
            message = f"{dotted(where)}: repeats the key of line {first[step]}; keep one of them"
            yield Problem(line, message)
        first.setdefault(step, line)
        if child not in above:
            yield from _repeated(child, where, (*above, node))


def _children(node: yaml.Node) -> list[tuple[str | int, int, yaml.Node]]:
    """Return each child's key or index, line and node. In a mapping, the line is the key's line."""
    if isinstance(node, yaml.MappingNode):
        return [(str(key.value), key.start_mark.line + 1, value) for key, value in node.value]
    items = node.value if isinstance(node, yaml.SequenceNode) else []
    return [(index, item.start_mark.line + 1, item) for index, item in enumerate(items)]
