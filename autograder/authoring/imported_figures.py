"""Rewrites what tests ask of matplotlib's figures and axes as what reaches a hidden test: facts.

`ax.get_title()` becomes `ax.axes[0].title`, since axes arrive as a figure that holds them alone.
"""

import ast
from collections.abc import Iterator, Set

_AXES = {  # a method of axes, and the fact
    "get_title": "title",
    "get_xlabel": "xlabel",
    "get_ylabel": "ylabel",
    "get_xscale": "xscale",
    "get_yscale": "yscale",
    "get_lines": "lines",
    "get_images": "images",
    "get_legend": "legend",
}
_DRAWN = {"get_xdata": "x", "get_ydata": "y", "get_label": "label"}
_LISTS = {"lines", "images"}  # attributes of axes that are facts, too
_TEXTS = {"title.get_text": "title", "xaxis.label.get_text": "xlabel", "yaxis.label.get_text": "ylabel"}
_TEXTS |= {"xaxis.get_label_text": "xlabel", "yaxis.get_label_text": "ylabel"}
_FACTS = {"axes", *_AXES.values()}
_SURE = {*_AXES, "get_suptitle"} - {"get_title", "get_images"}  # methods that only figures and axes have


def figures_of(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement binds to a figure or axes of matplotlib, as far as its code shows."""
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
    """Yield the names of which some code asks what only axes or figures can answer."""
    for part in ast.walk(node):
        match part:
            case ast.Attribute(ast.Name(name), attr) if attr in _SURE:
                yield name


def lines_of(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of a test binds to lines which are drawn on axes."""
    match statement:
        case ast.Assign([target], ast.Attribute(attr="lines") | ast.Subscript(ast.Attribute(attr="lines"))):
            yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))
        case ast.For(ast.Name(name), ast.Attribute(attr="lines")):
            yield name


def as_facts(statement: ast.stmt, figures: Set[str], lines: Set[str]) -> tuple[ast.stmt, str]:
    """Return a statement that asks for facts instead, and what in it does not reach a hidden test, if any."""
    if (figures | lines).isdisjoint(part.id for part in ast.walk(statement) if isinstance(part, ast.Name)):
        return statement, ""
    changed = _ToFacts(figures).visit(statement)
    return changed, next(_unknown(changed, figures, {*lines, *lines_of(changed)}), "")


def _unknown(node: ast.AST, figures: Set[str], lines: Set[str]) -> Iterator[str]:
    """Yield what is asked of a figure or of a line that is no fact."""
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
    match node:
        case ast.Name(name, ast.Load()):
            return name in figures
        case ast.Subscript(ast.Attribute(attr="axes")) | ast.Subscript(ast.Name()):
            return isinstance(node.value, ast.Attribute) or _is_figure(node.value, figures)
    return False


class _ToFacts(ast.NodeTransformer):
    """Replaces calls of methods by facts; it knows which `figures` there are."""

    def __init__(self, figures: Set[str]) -> None:
        self._figures = figures

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replace the call of a method that asks for a fact."""
        match node:
            case ast.Call(ast.Attribute(base, attr), [], []) if attr in _AXES and self._can_be(base):
                fact = self._fact(base, _AXES[attr])
                none = ast.Constant(None)  # what matplotlib returns without a legend
                return ast.BoolOp(ast.Or(), [fact, none]) if attr == "get_legend" else fact
            case ast.Call(ast.Attribute(base, attr), [], []) if attr in _DRAWN:
                return ast.Attribute(self.visit(base), _DRAWN[attr], ast.Load())
            case ast.Call(ast.Attribute(base, "get_suptitle"), [], []):
                return ast.Attribute(self.visit(base), "title", ast.Load())
            case ast.Call(ast.Attribute() as method, [], []):
                for asked, fact_name in _TEXTS.items():
                    text = ast.unparse(method)
                    if text.endswith(f".{asked}"):
                        base = ast.parse(text.removesuffix(f".{asked}"), mode="eval").body
                        if self._can_be(base):
                            return self._fact(base, fact_name)
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Replace an attribute of axes that is a fact."""
        if node.attr in _LISTS and self._can_be(node.value):
            return self._fact(node.value, node.attr)
        return self.generic_visit(node)

    def _can_be(self, base: ast.expr) -> bool:
        return _is_figure(base, self._figures)

    def _fact(self, base: ast.expr, fact: str) -> ast.expr:
        """Return the code for a fact of axes: those of this name, or those taken from a figure."""
        axes = self.visit(base)
        if isinstance(base, ast.Name):
            every = ast.Attribute(axes, "axes", ast.Load())
            axes = ast.Subscript(every, ast.Constant(0), ast.Load())
        return ast.Attribute(axes, fact, ast.Load())
