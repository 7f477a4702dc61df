"""Draws the figure of each exercise, how shapes flow, as solutions/EXERCISE/flow.svg and flow.png.

    .venv/bin/python -m solutions.figures

The same source gives the same bytes of an SVG. A figure has a light card behind it, so that it can be read on
a dark page as well, and is drawn 700 wide with letters of 15 or more, so that it can be read where a page is
narrow. What it shows is told in words by the alternative text in the notebook.

Notebooks show the PNG, since Colab shows no SVG. Chromium draws it, twice as fine, only where the SVG is
another one than that of which it was drawn, for fonts differ from machine to machine.
"""

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

from PIL import Image
from PIL.PngImagePlugin import PngInfo

FOLDER = Path(__file__).parent
WIDTH = 700
FINE = 2  # pixels of a PNG for one of the SVG
COLOURS = 48  # of a PNG
INCH = 96  # pixels of an SVG in an inch
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
STYLE = (
    "text{font:17px system-ui,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;fill:#1d2330;text-anchor:middle}"
    ".s{font:15px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
    ".n{font-size:15px;fill:#3c4554}.l{text-anchor:start}"
    "path,rect{fill:none;stroke:#4a5362;stroke-width:1.5}.g{stroke-width:1;stroke-opacity:.45}"
    ".h{fill:#565f6e;stroke:none}.d{stroke-dasharray:5 4}"
    ".x{fill:#e9ecf1}.q{fill:#cfe2f6}.k{fill:#ffdcb3}.v{fill:#cdebcb}.w{fill:#e2d5f2}.o{fill:#fbd3dc}.c{fill:#fff}"
)


@dataclass
class Figure:
    """A figure that grows element by element; every method draws one thing."""

    height: int
    parts: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, words: str, style: str = "") -> None:
        """Write `words` around (x, y), or from there on with the style "l"."""
        kind = f' class="{style}"' if style else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}"{kind}>{escape(words)}</text>')

    def matrix(
        self, x: float, y: float, rows: int, columns: int, colour: str, name: str = "", shape: str = "",
        cell: float = 14, hidden: Iterable[tuple[int, int]] = (),
    ) -> None:  # fmt: skip
        """Draw a table of cells with its name above and its shape below; hidden cells are dark."""
        width, height = columns * cell, rows * cell
        lines = [f"M{x:g} {y + row * cell:g}h{width:g}" for row in range(1, rows)]
        lines += [
            f"M{x + column * cell:g} {y:g}v{height:g}" for column in range(1, columns)
        ]
        dark = [
            f"M{x + column * cell:g} {y + row * cell:g}h{cell:g}v{cell:g}h-{cell:g}z"
            for row, column in hidden
        ]
        self.parts.append(
            f'<rect class="{colour}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>'
        )
        if lines:
            self.parts.append(f'<path class="g" d="{"".join(lines)}"/>')
        if dark:
            self.parts.append(f'<path class="h" d="{"".join(dark)}"/>')
        if name:
            self.text(x + width / 2, y - 8, name)
        if shape:
            self.text(x + width / 2, y + height + 17, shape, "s")

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        words: str = "",
        colour: str = "c",
        shape: str = "",
    ) -> None:
        """Draw a box around `words`, with a shape in a second line."""
        look = f'class="{colour}" rx="7" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
        self.parts.append(f"<rect {look}/>")
        middle = y + height / 2 + 5
        if words:
            self.text(x + width / 2, middle - (10 if shape else 0), words)
        if shape:
            self.text(x + width / 2, middle + 10, shape, "s")

    def arrow(
        self,
        *points: tuple[float, float],
        above: str = "",
        below: str = "",
        style: str = "",
    ) -> None:
        """Draw an arrow along `points`; what it does stands above and below its first piece."""
        way = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
        kind = f' class="{style}"' if style else ""
        self.parts.append(f'<path{kind} d="{way}" marker-end="url(#a)"/>')
        (x1, y1), (x2, y2) = points[:2]
        if above:
            self.text((x1 + x2) / 2, (y1 + y2) / 2 - 8, above, "n")
        if below:
            self.text((x1 + x2) / 2, (y1 + y2) / 2 + 18, below, "n")

    def svg(self) -> str:
        """Return the figure as the text of an SVG file."""
        head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{self.height}"'
        head += f' viewBox="0 0 {WIDTH} {self.height}"><style>{STYLE}</style>'
        tip = '<marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
        tip += ' orient="auto">'
        tip += '<path d="M0 0L8 4L0 8z" style="fill:#4a5362;stroke:none"/></marker>'
        card = (
            f'<rect x="1" y="1" width="{WIDTH - 2}" height="{self.height - 2}" rx="10"'
        )
        card += ' style="fill:#fdfdfb;stroke:#c3c8d0"/>'
        return "\n".join([head, tip, card, *self.parts, "</svg>", ""])


def above_diagonal(size: int) -> list[tuple[int, int]]:
    """Return the cells of a square table that a causal mask hides."""
    return [(row, column) for row in range(size) for column in range(row + 1, size)]


def dot_products() -> Figure:
    """One token asks: score, weigh, mix."""
    f = Figure(230)
    f.matrix(40, 42, 6, 3, "x", "", "(n, d)", cell=18)
    f.text(104, 36, "tokens")
    f.matrix(40, 190, 1, 3, "q", "", "", cell=18)
    f.text(132, 204, "query", "")
    f.text(180, 204, "(d,)", "s")
    f.arrow((102, 96), (216, 96), above="1 · score", below="dot products")
    f.arrow((67, 188), (67, 171))
    f.matrix(222, 42, 6, 1, "w", "scores", "(n,)", cell=18)
    f.arrow((248, 96), (352, 96), above="2 · weigh", below="softmax")
    f.matrix(358, 42, 6, 1, "w", "weights", "(n,)", cell=18)
    f.arrow((67, 34), (67, 14), (454, 14), (454, 70), style="d")
    f.text(367, 190, "sum to 1", "n")
    f.arrow((384, 96), (544, 96), above="3 · mix", below="weighted sum")
    f.matrix(564, 87, 1, 3, "o", "context", "(d,)", cell=18)
    return f


def simple_self_attention() -> Figure:
    """Every token asks at once: two products and a softmax."""
    f = Figure(222)
    f.matrix(22, 64, 6, 3, "q", "inputs", "(n, d)")
    f.text(80, 112, "@")
    f.matrix(96, 85, 3, 6, "k", "transposed", "(d, n)")
    f.arrow((186, 106), (222, 106))
    f.matrix(228, 64, 6, 6, "w", "scores", "(n, n)")
    f.arrow((318, 106), (400, 106), above="softmax", below="each row")
    f.matrix(406, 64, 6, 6, "w", "weights", "(n, n)")
    f.text(448, 182, "rows sum to 1", "n")
    f.text(506, 112, "@")
    f.matrix(522, 64, 6, 3, "v", "inputs", "(n, d)")
    f.arrow((570, 106), (616, 106))
    f.matrix(624, 64, 6, 3, "o", "context", "(n, d)")
    f.text(
        350,
        210,
        "Row i: the token that asks.  Column j: the token that is looked at.",
        "n",
    )
    f.text(350, 26, "The same tokens ask, answer and are mixed.", "n")
    return f


def causal_averaging() -> Figure:
    """A mask of minus infinity becomes weights of zero."""
    f = Figure(232)
    f.matrix(
        40, 62, 6, 6, "w", "masked scores", "(T, T)", cell=18, hidden=above_diagonal(6)
    )
    f.arrow((156, 116), (238, 116), above="softmax", below="each row")
    f.matrix(246, 62, 6, 6, "w", "weights", "(T, T)", cell=18, hidden=above_diagonal(6))
    f.text(376, 122, "@")
    f.matrix(396, 62, 6, 2, "v", "tokens x", "(T, C)", cell=18)
    f.arrow((440, 116), (522, 116))
    f.matrix(532, 62, 6, 2, "o", "averages", "(T, C)", cell=18)
    f.text(94, 218, "light 0, dark -∞", "n")
    f.text(300, 218, "light 1/(t+1), dark 0", "n")
    f.text(464, 218, "row t of the result:", "n")
    f.text(610, 218, "mean of rows 0 to t", "n")
    f.text(
        350,
        26,
        "Row: the token that looks.  Column: the token that is looked at.  Dark: the future.",
        "n",
    )
    return f


def scaled_dot_product() -> Figure:
    """Three projections, then the formula from left to right."""
    f = Figure(364)
    f.text(350, 26, "softmax( Q Kᵀ ÷ √d_k ) V")
    f.matrix(34, 164, 6, 3, "x", "tokens x", "(n, d_in)", cell=12)
    for y, colour, matrix, name, size in (
        (64, "q", "W_query", "queries Q", "d_k"),
        (168, "k", "W_key", "keys K", "d_k"),
        (272, "v", "W_value", "values V", "d_v"),
    ):
        f.arrow((74, 200), (122, y + 30))
        f.box(126, y + 8, 118, 44, matrix, "c", f"(d_in, {size})")
        f.arrow((244, y + 30), (296, y + 30))
        f.matrix(304, y, 6, 2, colour, name, f"(n, {size})", cell=10)
    f.arrow((328, 94), (404, 130), (438, 130))
    f.arrow((328, 198), (404, 150), (438, 150))
    f.text(374, 148, "Q Kᵀ")
    f.matrix(446, 98, 6, 6, "w", "scores", "(n, n)")
    f.arrow((532, 140), (602, 140), above="÷ √d_k")
    f.text(567, 158, "softmax", "n")
    f.matrix(608, 98, 6, 6, "w", "weights", "(n, n)")
    f.arrow((650, 206), (650, 302), (554, 302))
    f.arrow((328, 302), (514, 302), above="weights @ V")
    f.matrix(522, 266, 6, 2, "o", "context", "(n, d_v)", cell=12)
    return f


def self_attention() -> Figure:
    """A module that owns its matrices, and how training reaches them."""
    f = Figure(306)
    f.matrix(26, 96, 6, 3, "x", "tokens x", "(n, d_in)")
    f.box(116, 34, 440, 202, "", "c d")
    f.text(336, 56, "the module: forward(x), and a list of parameters")
    for y, colour, matrix, name in (
        (72, "q", "W_query", "queries"), (124, "k", "W_key", "keys"), (176, "v", "W_value", "values"),
    ):  # fmt: skip
        f.arrow((72, 138), (132, y + 22))
        f.box(138, y, 104, 44, matrix, colour, "parameter")
        f.arrow((242, y + 22), (300, y + 22))
        f.text(340, y + 20, name)
        f.text(340, y + 38, "(n, d_out)", "s")
    f.arrow((386, 94), (426, 108))
    f.arrow((386, 146), (426, 128))
    f.box(430, 90, 114, 56, "weights", "w", "(n, n)")
    f.arrow((386, 198), (484, 198), (484, 186))
    f.box(446, 158, 76, 26, "mix")
    f.arrow((484, 146), (484, 156))
    f.arrow((522, 171), (606, 138))
    f.matrix(612, 96, 6, 3, "o", "context", "(n, d_out)")
    f.arrow((634, 206), (634, 270), (190, 270), (190, 240), style="d")
    f.text(412, 262, "training: loss → gradients → a step of each parameter", "n")
    f.text(412, 290, "only what is on the list can learn, be saved and be moved", "n")
    return f


def causal_attention() -> Figure:
    """One causal head, for batches."""
    f = Figure(318)
    f.box(14, 112, 92, 56, "x", "x", "(B, T, C)")
    for y, colour, name in (
        (34, "q", "queries"),
        (114, "k", "keys"),
        (194, "v", "values"),
    ):
        f.arrow((106, 140), (130, y + 26))
        f.box(134, y, 118, 52, name, colour, "(B, T, size)")
    f.arrow((252, 60), (284, 98))
    f.arrow((252, 140), (284, 110))
    f.matrix(292, 62, 6, 6, "w", "scores ÷ √size", "(B, T, T)")
    f.arrow((382, 104), (426, 104), above="mask", below="-∞")
    f.matrix(432, 62, 6, 6, "w", "masked", "(B, T, T)", hidden=above_diagonal(6))
    f.arrow((522, 104), (590, 104), above="softmax", below="each row")
    f.matrix(598, 62, 6, 6, "w", "weights", "(B, T, T)", hidden=above_diagonal(6))
    f.text(588, 186, "dropout, in training", "n")
    f.arrow((672, 170), (672, 220), (464, 220))
    f.arrow((252, 220), (350, 220))
    f.box(354, 196, 106, 48, "mix values")
    f.arrow((407, 244), (407, 262))
    f.box(337, 264, 140, 46, "result", "o", "(B, T, size)")
    f.text(170, 284, "size: head_size or d_out", "n")
    f.text(170, 304, "C: n_embd or d_in", "n")
    return f


def cross_attention() -> Figure:
    """One side asks, another answers; padding is hidden."""
    f = Figure(330)
    f.text(96, 28, "the side that asks")
    f.box(20, 42, 152, 52, "x", "x", "(B, n, d_query)")
    f.text(112, 152, "the side that answers")
    f.box(14, 166, 158, 52, "context", "x", "(B, m, d_context)")
    f.arrow((172, 68), (216, 68))
    f.box(220, 42, 132, 52, "queries", "q", "(B, n, d_out)")
    f.arrow((172, 184), (216, 164))
    f.box(220, 132, 132, 52, "keys", "k", "(B, m, d_out)")
    f.arrow((172, 202), (216, 246))
    f.box(220, 226, 132, 52, "values", "v", "(B, m, d_out)")
    f.arrow((352, 68), (420, 104))
    f.arrow((352, 158), (420, 122))
    hidden = [(row, column) for row in range(4) for column in (4, 5)]
    f.matrix(428, 78, 4, 6, "w", "weights", "(B, n, m)", cell=17, hidden=hidden)
    f.box(558, 86, 134, 52, "padding mask", "c d", "(B, 1, m)")
    f.arrow((558, 112), (534, 112), style="d")
    f.text(480, 52, "each row sums to 1", "n")
    f.arrow((479, 170), (479, 224))
    f.arrow((352, 252), (416, 252))
    f.box(420, 228, 118, 48, "mix values")
    f.arrow((538, 252), (560, 252))
    f.box(564, 226, 122, 52, "output", "o", "(B, n, d_out)")
    f.text(350, 310, "n rows, as many as queries; each a mixture of the m values", "n")
    return f


def multi_head_attention() -> Figure:
    """Cut one wide tensor into heads, let each attend, join them."""
    f = Figure(300)
    colours = ("q", "k", "v")
    f.text(70, 38, "queries, keys,")
    f.text(70, 58, "values")
    for head, colour in enumerate(colours):
        f.matrix(34 + 28 * head, 104, 5, 2, colour)
        y = 40 + 80 * head
        f.arrow((118, 139), (200, y + 28))
        f.matrix(208, y + 5, 5, 2, colour, cell=10)
        f.arrow((232, y + 30), (268, y + 30))
        f.matrix(274, y + 5, 5, 5, colour, cell=10, hidden=above_diagonal(5))
        f.arrow((328, y + 30), (364, y + 30))
        f.matrix(372, y + 5, 5, 2, colour, cell=10)
        f.arrow((396, y + 30), (464, 139))
        f.matrix(470 + 28 * head, 104, 5, 2, colour)
    f.text(76, 194, "(B, T, d)", "s")
    f.text(150, 80, "cut", "n")
    f.text(218, 34, "head")
    f.text(188, 280, "(B, h, T, s)", "s")
    f.text(300, 34, "weights")
    f.text(314, 280, "(B, h, T, T)", "s")
    f.text(382, 34, "mixed")
    f.text(438, 74, "join", "n")
    f.text(512, 92, "side by side")
    f.text(512, 194, "(B, T, d)", "s")
    f.arrow((558, 139), (582, 139))
    f.box(586, 112, 100, 54, "out_proj", "o", "(B, T, d)")
    f.text(560, 246, "h heads of size s = d / h;", "n")
    f.text(560, 266, "each has one colour, and none", "n")
    f.text(560, 286, "sees another before out_proj", "n")
    return f


def tiny_gpt() -> Figure:
    """The block with its residual arrows, and the model that stacks it."""
    f = Figure(372)
    f.text(118, 30, "the model")
    f.box(40, 44, 156, 40, "tokens", "x", "")
    f.text(206, 68, "(B, T)", "s l")
    f.arrow((118, 84), (118, 102))
    f.box(40, 104, 156, 48, "token + position", "x", "embeddings")
    f.text(206, 126, "(B, T,", "s l")
    f.text(206, 144, "n_embd)", "s l")
    f.arrow((118, 152), (118, 176))
    f.box(40, 188, 156, 44, "block", "w")
    f.box(34, 182, 156, 44, "block", "w")
    f.box(28, 176, 156, 44, "block", "w", "× num_layers")
    f.arrow((118, 232), (118, 252))
    f.box(40, 254, 156, 36, "LayerNorm")
    f.arrow((118, 290), (118, 308))
    f.box(40, 310, 156, 40, "head: Linear", "o")
    f.text(206, 326, "logits", "l")
    f.text(206, 344, "(B, T, vocab_size)", "s l")
    f.text(500, 30, "one block")
    f.box(288, 44, 396, 250, "", "c d")
    f.arrow((186, 198), (286, 198), style="d")
    f.text(330, 76, "x")
    f.arrow((330, 84), (330, 182), (420, 182))
    f.text(352, 146, "residual", "n l")
    f.arrow((344, 72), (392, 72))
    f.box(396, 54, 104, 36, "LayerNorm")
    f.arrow((500, 72), (520, 72))
    f.box(524, 54, 140, 36, "attention", "q")
    f.arrow((594, 90), (594, 118), (440, 118), (440, 166))
    f.box(424, 168, 32, 28, "+")
    f.text(468, 172, "h")
    f.arrow((440, 196), (440, 268), (540, 268))
    f.text(352, 252, "residual", "n l")
    f.arrow((456, 182), (484, 182))
    f.box(488, 164, 104, 36, "LayerNorm")
    f.arrow((592, 182), (606, 182))
    f.box(610, 160, 64, 44, "feed", "v")
    f.arrow((642, 204), (642, 234), (560, 234), (560, 252))
    f.box(544, 254, 32, 28, "+")
    f.arrow((576, 268), (626, 268))
    f.text(648, 274, "out")
    f.text(530, 322, "Each half adds to what passes through.", "n")
    f.text(530, 344, "feed: each token by itself", "n")
    return f


def inference() -> Figure:
    """One new token against a cache, and heads that share."""
    f = Figure(312)
    f.text(170, 30, "one new token, and the cache")
    f.matrix(28, 170, 1, 3, "q", "query", "(1, d_k)")
    f.matrix(112, 66, 6, 3, "x", "kept", "")
    f.matrix(112, 150, 1, 3, "k")
    f.text(133, 186, "keys", "n")
    f.text(133, 204, "(m, d_k)", "s")
    f.matrix(196, 66, 6, 3, "x", "kept", "")
    f.matrix(196, 150, 1, 3, "v")
    f.text(217, 186, "values", "n")
    f.text(217, 204, "(m, d_v)", "s")
    f.text(284, 90, "old rows", "n")
    f.text(284, 108, "stay", "n")
    f.text(284, 162, "← new", "n")
    f.arrow((49, 206), (49, 250), (74, 250))
    f.arrow((133, 210), (133, 236))
    f.matrix(80, 242, 1, 7, "w", "", "(1, m)", cell=15)
    f.text(132, 294, "weights", "n")
    f.arrow((188, 250), (252, 250))
    f.arrow((217, 210), (217, 246))
    f.text(219, 268, "mix", "n")
    f.matrix(258, 243, 1, 3, "o", "", "(1, d_v)")
    f.text(279, 234, "output")
    f.text(532, 30, "query heads that share")
    for head in range(6):
        x = 384 + 52 * head
        f.box(x, 66, 40, 40, str(head), "q")
        f.arrow((x + 20, 106), (436 + 156 * (head // 3) + 20, 164))
    for group in range(2):
        f.box(416 + 156 * group, 168, 80, 40, f"K, V {group}", "k")
    f.text(532, 54, "h = 6 query heads", "n")
    f.text(532, 232, "g = 2 heads of keys and values", "n")
    f.text(532, 262, "The cache keeps 2 heads, not 6.", "n")
    return f


def find_the_bug() -> Figure:
    """Two calls that differ in the future alone, and the rows that must be the same."""
    f = Figure(286)
    for x, words, late in ((40, "first call", "v"), (390, "second call", "o")):
        f.text(x + 130, 30, words)
        f.matrix(x, 78, 2, 4, "q", "", "")
        f.matrix(x, 106, 3, 4, late, "", "(B, h, 5, d)")
        f.text(x + 28, 62, "tokens", "n")
        f.arrow((x + 62, 113), (x + 96, 113))
        f.box(x + 102, 91, 70, 44, "attend", "c")
        f.arrow((x + 172, 113), (x + 204, 113))
        f.matrix(x + 212, 78, 2, 4, "w", "", "")
        f.matrix(x + 212, 106, 3, 4, "x", "", "(B, h, 5, d)")
        f.text(x + 240, 62, "output", "n")
    f.arrow((280, 176), (280, 202), (312, 202), style="d")
    f.arrow((630, 176), (630, 202), (388, 202), style="d")
    f.text(350, 208, "equal?")
    f.text(
        350, 244, "The first two rows must be equal: only the future has changed.", "n"
    )
    f.text(350, 266, "If they differ, the module has seen it.", "n")
    return f


FIGURES = {
    "01_dot_products": dot_products,
    "02_simple_self_attention": simple_self_attention,
    "03_causal_averaging": causal_averaging,
    "04_scaled_dot_product": scaled_dot_product,
    "05_self_attention": self_attention,
    "06_causal_attention": causal_attention,
    "07_cross_attention": cross_attention,
    "08_multi_head_attention": multi_head_attention,
    "09_tiny_gpt": tiny_gpt,
    "10_inference": inference,
    "11_find_the_bug": find_the_bug,
}


def source_of(picture: Path) -> str:
    """Return the digest of the SVG of which a PNG was drawn, as it stands in the PNG, or ""."""
    if not picture.exists():
        return ""
    with Image.open(picture) as image:
        return str(image.info.get("svg", ""))


def digest_of(drawing: Path) -> str:
    return hashlib.sha256(drawing.read_bytes()).hexdigest()


def draw_png(drawing: Path, picture: Path, height: int) -> None:
    """Draw an SVG as a PNG of few colours, which says how fine it is and of which SVG it was drawn."""
    program = next(path for name in BROWSERS if (path := shutil.which(name)))
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "shot.png"
        size = f"--window-size={WIDTH},{height}"
        look = (
            f"--force-device-scale-factor={FINE}",
            "--default-background-color=ffffffff",  # JupyterLab's dark theme has dark pages
        )
        command = [program, "--headless", "--no-sandbox", "--hide-scrollbars", *look]
        subprocess.run(
            [*command, size, f"--screenshot={shot}", drawing.as_uri()],
            check=True,
            capture_output=True,
        )
        image = Image.open(shot).convert("RGB").quantize(COLOURS)
    about = PngInfo()
    about.add_text("svg", digest_of(drawing))
    image.save(picture, optimize=True, pnginfo=about, dpi=(FINE * INCH, FINE * INCH))


def main() -> None:
    for name, draw in FIGURES.items():
        figure, drawing = draw(), FOLDER / name / "flow.svg"
        drawing.write_text(figure.svg(), encoding="utf-8")
        picture = drawing.with_suffix(".png")
        if source_of(picture) != digest_of(drawing):
            draw_png(drawing, picture, figure.height)


if __name__ == "__main__":
    main()
