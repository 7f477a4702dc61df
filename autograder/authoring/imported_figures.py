"""Rewrites method calls on matplotlib's figures and axes in tests.

A hidden test does not get a student's figure. It gets a description, whose attributes, such as `title` and
`lines`, are called facts here. Axes are described like a figure that has only these axes. So if `ax` are
axes, `ax.get_title()` becomes `ax.axes[0].title`.
"""

import ast
from collections.abc import Iterator, Set
from copy import deepcopy

_AXES = {  # methods of axes, each with its fact
    "get_title": "title",
    "get_xlabel": "xlabel",
    "get_ylabel": "ylabel",
    "get_xscale": "xscale",
    "get_yscale": "yscale",
    "get_lines": "lines",
    "get_images": "images",
    "get_legend": "legend",
}
_DRAWN = {  # methods of drawn lines, each with its fact
    "get_xdata": "x",
    "get_ydata": "y",
    "get_label": "label",
}
_LISTS = {"lines", "images"}  # attributes of matplotlib's axes that have the names of facts
_TEXTS = {"title.get_text": "title", "xaxis.label.get_text": "xlabel", "yaxis.label.get_text": "ylabel"}
_TEXTS |= {"xaxis.get_label_text": "xlabel", "yaxis.get_label_text": "ylabel"}
_FACTS = {"axes", "bars", *_AXES.values()}
_SURE = {*_AXES, "get_suptitle"} - {"get_title", "get_images"}  # methods that only figures and axes have


def figures_of(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement binds to figures or axes: results of methods such as `subplots`."""
    makes = {"subplots", "add_subplot", "gca", "gcf", "figure"}
    match statement:
        case ast.Assign([target], ast.Call(ast.Attribute(attr=attribute))) if attribute in makes:
            yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))


def array_of_axes(statement: ast.stmt) -> tuple[str, str] | None:
    """Return the figure and the array of axes that `fig, axes = plt.subplots(1, 2)` binds, or None."""
    match statement:
        case ast.Assign(
            [ast.Tuple([ast.Name(figure), ast.Name(axes)])], ast.Call(ast.Attribute(attr="subplots"), [_, *_])
        ):
            return figure, axes
    return None


def figures_read(node: ast.AST) -> Iterator[str]:
    """Yield the names of figures and axes, recognized by a method that only these have."""
    for part in ast.walk(node):
        match part:
            case ast.Attribute(ast.Name(name), attr) if attr in _SURE:
                yield name


def lines_of(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of a test binds to lines of axes."""
    match statement:
        case ast.Assign([target], ast.Attribute(attr="lines") | ast.Subscript(ast.Attribute(attr="lines"))):
            yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))
        case ast.For(ast.Name(name), ast.Attribute(attr="lines")):
            yield name


def as_facts(statement: ast.stmt, figures: Set[str], lines: Set[str]) -> tuple[ast.stmt, str]:
    """Return the statement with each method call on a figure replaced by a fact.

    Also return the first expression on a figure or line that no fact can replace, or an empty string.
    """
    if (figures | lines).isdisjoint(part.id for part in ast.walk(statement) if isinstance(part, ast.Name)):
        return statement, ""
    changed = _ToFacts(figures).visit(statement)
    return changed, next(_without_fact(changed, figures, {*lines, *lines_of(changed)}), "")


def bars_instead(statement: ast.stmt, figures: Set[str], lines: Set[str]) -> str:
    """Return the statement with the number of bars in place of `len(ax.patches)`.

    Return an empty string if there is no `len(ax.patches)`, or if no fact can replace another use of a
    figure.
    """
    before = ast.dump(statement)
    changed = _ToBars(figures).visit(deepcopy(statement))
    if ast.dump(changed) == before or any(_without_fact(changed, figures, lines)):
        return ""
    return ast.unparse(changed)


def _without_fact(node: ast.AST, figures: Set[str], lines: Set[str]) -> Iterator[str]:
    """Yield the expressions that use a figure or a line for something other than a fact."""
    for part in ast.walk(node):
        match part:
            case ast.Attribute(ast.Name(name), attr) if name in lines and attr not in _DRAWN.values():
                yield ast.unparse(part)
        for child in ast.iter_child_nodes(part):
            if not _is_figure(child, figures):
                continue
            match part:
                case ast.Attribute(attr=attr) if attr in _FACTS:
                    continue
                case ast.Compare(comparators=[ast.Constant(None)]) | ast.Subscript(slice=ast.Constant()):
                    continue
            yield ast.unparse(part)


def _is_figure(node: ast.AST, figures: Set[str]) -> bool:
    """Whether an expression is a name in `figures`, an item of such a name, or `anything.axes[index]`."""
    match node:
        case ast.Name(name, ast.Load()):
            return name in figures
        case ast.Subscript(ast.Attribute(attr="axes")) | ast.Subscript(ast.Name()):
            return isinstance(node.value, ast.Attribute) or _is_figure(node.value, figures)
    return False


class _ToFacts(ast.NodeTransformer):
    """Replaces method calls by facts. `figures` has the names of figures and axes."""

    def __init__(self, figures: Set[str]) -> None:
        self._figures = figures

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(ast.Attribute(base, attr), [], []) if attr in _AXES and self._can_be(base):
                fact = self._fact(base, _AXES[attr])
                none = ast.Constant(None)  # matplotlib returns None if there is no legend
                return ast.BoolOp(ast.Or(), [fact, none]) if attr == "get_legend" else fact
            case ast.Call(ast.Attribute(base, attr), [], []) if attr in _DRAWN:
                return ast.Attribute(self.visit(base), _DRAWN[attr], ast.Load())
            case ast.Call(ast.Attribute(base, "get_suptitle"), [], []):
                return ast.Attribute(self.visit(base), "title", ast.Load())
            case ast.Call(ast.Attribute() as method, [], []):
                for getter, fact_name in _TEXTS.items():
                    text = ast.unparse(method)
                    if text.endswith(f".{getter}"):
                        base = ast.parse(text.removesuffix(f".{getter}"), mode="eval").body
                        if self._can_be(base):
                            return self._fact(base, fact_name)
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr in _LISTS and self._can_be(node.value):
            return self._fact(node.value, node.attr)
        return self.generic_visit(node)

    def _can_be(self, base: ast.expr) -> bool:
        return _is_figure(base, self._figures)

    def _fact(self, base: ast.expr, fact: str) -> ast.expr:
        """Return the code for a fact of the axes `base`. If `base` is a name, `.axes[0]` follows it."""
        axes = self.visit(base)
        if isinstance(base, ast.Name):
            every = ast.Attribute(axes, "axes", ast.Load())
            axes = ast.Subscript(every, ast.Constant(0), ast.Load())
        return ast.Attribute(axes, fact, ast.Load())


class _ToBars(_ToFacts):
    """Replaces `len(ax.patches)` by the number of bars on the axes."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(ast.Name("len"), [ast.Attribute(base, "patches")], []) if self._can_be(base):
                groups = ast.unparse(self._fact(base, "bars"))
                bars = f"[bar for group in {groups} for bar in group.y]"
                return ast.parse(f"len({bars})", mode="eval").body
        return super().visit_Call(node)
