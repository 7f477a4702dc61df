"""Reads a YAML file into plain values and remembers the line that each of them stands on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

Place = tuple[str | int, ...]  # keys and indices from the top: ("exercises", 0, "due")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong on one line; the message holds the place in the document and the mend."""

    line: int
    message: str


class DocumentError(Exception):
    """The text is no YAML that can be used; `faults` are all that was seen."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__(faults)
        self.faults = faults


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML file's values, with the line of each."""

    data: Any
    _lines: Mapping[Place, int]

    def line(self, place: Place) -> int:
        """Return the line of the value at `place`, or of the nearest thing around it."""
        while place and place not in self._lines:
            place = place[:-1]
        return self._lines.get(place, 1)


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, but dates stay text: whoever wants a date says what kind."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - overrides PyYAML's own
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def read_document(text: str) -> Document:
    """Return the values in `text`; DocumentError tells what keeps it from being read."""
    node = _node(text)
    if node is None:
        raise DocumentError(Fault(1, "the file is empty; it needs at least course, title and exercises"))
    if repeated := tuple(_repeated(node, ())):
        raise DocumentError(*repeated)
    return Document(_value(node), {(): 1, **dict(_lines(node, ()))})


def spelt(place: Place) -> str:
    """Return `place` as people write it: exercises[0].due."""
    words = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return words.removeprefix(".")


def _node(text: str) -> yaml.Node | None:
    try:
        node: yaml.Node | None = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        raise DocumentError(_syntax_fault(error, text)) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise DocumentError(Fault(line, "a control character; delete it")) from None
    except RecursionError:
        raise DocumentError(Fault(1, "nested too deeply; keep it plain")) from None
    return node


def _value(node: yaml.Node) -> Any:
    """Build the values of a composed document."""
    loader = _Loader("")
    try:
        return loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        raise DocumentError(_syntax_fault(error, "")) from None
    except ValueError:
        raise DocumentError(Fault(1, "a number that is too long; shorten it or put it in quotes")) from None
    finally:
        loader.dispose()


def _syntax_fault(error: yaml.MarkedYAMLError, text: str) -> Fault:
    line = error.problem_mark.line + 1 if error.problem_mark else 1
    seen = text.splitlines()[line - 1] if line <= len(text.splitlines()) else ""
    problem = (error.problem or "no YAML").removeprefix("but ")
    if "\t" in seen[: len(seen) - len(seen.lstrip())]:
        return Fault(line, "a tab indents this line; use spaces")
    if "cannot start any token" in problem:
        return Fault(line, f"{problem}; put the text in quotes")
    if "mapping values are not allowed" in problem:
        return Fault(line, 'a ":" where no key can stand; check the indentation, or put the text in quotes')
    return Fault(line, f"not YAML: {problem}; check the indentation, brackets and quotes around this line")


def _repeated(node: yaml.Node, place: Place, above: tuple[yaml.Node, ...] = ()) -> Iterator[Fault]:
    """Yield a fault for each key that stands twice in its mapping."""
    if isinstance(node, yaml.MappingNode):
        first: dict[str, int] = {}
        for key, _ in node.value:
            line, name = key.start_mark.line + 1, str(key.value)
            if name in first:
                where = spelt((*place, name))
                yield Fault(line, f"{where}: stands here again, after line {first[name]}; keep one of them")
            first.setdefault(name, line)
    for step, _, child in _children(node):
        if child not in above:
            yield from _repeated(child, (*place, step), (*above, node))


def _lines(node: yaml.Node, place: Place, above: tuple[yaml.Node, ...] = ()) -> Iterator[tuple[Place, int]]:
    for step, line, child in _children(node):
        yield (*place, step), line
        if child not in above:
            yield from _lines(child, (*place, step), (*above, node))


def _children(node: yaml.Node) -> Iterator[tuple[str | int, int, yaml.Node]]:
    """Yield each child with its key or index and its line; a mapping's child is where its key stands."""
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield index, item.start_mark.line + 1, item
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield str(key.value), key.start_mark.line + 1, value
