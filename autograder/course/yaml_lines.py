"""Reads a YAML file into plain values, and remembers the line of each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

KeyPath = tuple[str | int, ...]  # keys and indices from the top: ("exercises", 0, "due")


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong on one line; the message says where in the document, and what to do."""

    line: int
    message: str


class DocumentError(Exception):
    """The text is not YAML that can be used; `problems` says why."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(problems)
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML file's values, and the line on which each of them stands."""

    data: Any
    _lines: Mapping[KeyPath, int]

    def line(self, path: KeyPath) -> int:
        """Return the line of the value at `path`, or of the nearest value around it if there is none."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, except that dates stay text, so that whoever reads them can be strict."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - overrides PyYAML's own
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def read_document(text: str) -> Document:
    """Return the values in `text`; DocumentError says why it cannot be read."""
    try:
        loader = _Loader(text)
        if (top := loader.get_single_node()) is None:
            empty = "the file is empty; it needs at least course, title and exercises"
            raise DocumentError(Problem(1, empty))
        places = list(_places(top))
        if repeated := [problem for *_, problem in places if problem]:
            raise DocumentError(*repeated)
        return Document(loader.construct_document(top), {path: line for path, line, _ in places})
    except yaml.MarkedYAMLError as error:
        raise DocumentError(_syntax_problem(error, text)) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise DocumentError(Problem(line, "a control character; delete it")) from None
    except RecursionError:
        raise DocumentError(Problem(1, "nested too deeply; keep it plain")) from None
    except ValueError:
        raise DocumentError(Problem(1, "a number that is too long; shorten it or put it in quotes")) from None


def dotted(path: KeyPath) -> str:
    """Return `path` as people write it: exercises[0].due."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _syntax_problem(error: yaml.MarkedYAMLError, text: str) -> Problem:
    line = error.problem_mark.line + 1 if error.problem_mark else 1
    seen = text.splitlines()[line - 1] if line <= len(text.splitlines()) else ""
    reason = (error.problem or "no YAML").removeprefix("but ")
    if "\t" in seen[: len(seen) - len(seen.lstrip())]:
        return Problem(line, "a tab indents this line; use spaces")
    if "cannot start any token" in reason:
        return Problem(line, f"{reason}; put the text in quotes")
    if "mapping values are not allowed" in reason:
        return Problem(line, 'a ":" where no key can stand; check the indentation, or put the text in quotes')
    return Problem(line, f"not YAML: {reason}; check the indentation, brackets and quotes around this line")


def _places(
    node: yaml.Node, path: KeyPath = (), above: tuple[yaml.Node, ...] = ()
) -> Iterator[tuple[KeyPath, int, Problem | None]]:
    """Yield the path of each value below `node`, its line, and a problem if its key stands there twice.

    `above` holds the nodes around this one: by an alias, one of them may be its child again.
    """
    first: dict[str | int, int] = {}
    for step, line, _ in _children(node):
        where, problem = (*path, step), None
        if step in first:
            message = f"{dotted(where)}: stands here again, after line {first[step]}; keep one of them"
            problem = Problem(line, message)
        first.setdefault(step, line)
        yield where, line, problem
    for step, _, child in _children(node):
        if child not in above:
            yield from _places(child, (*path, step), (*above, node))


def _children(node: yaml.Node) -> Iterator[tuple[str | int, int, yaml.Node]]:
    """Yield each child with its key or index and its line; a mapping's child has the line of its key."""
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield index, item.start_mark.line + 1, item
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield str(key.value), key.start_mark.line + 1, value
