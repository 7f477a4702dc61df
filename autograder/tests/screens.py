"""Golden screenshots: kept as small PNGs, and compared as somebody would who stands at some distance.

Browsers draw the same text a little differently from version to version. So two pictures are laid over each
other in blocks, each as one mean colour: letters with other edges leave a block what it is, but a text, a
frame or a figure that is missing does not.
"""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageChops

# expects what is taken to look like the golden screen of this name
Golden = Callable[[str, Callable[[], bytes]], None]
BLOCK = 16  # pixels a side
VISIBLE = 24  # the least difference of a block's red, green or blue, of 255, that people would notice
TOLERATED = 0.001  # of all blocks; the smallest loss that the tests plant changes twice as many
COLOURS = 64  # of a golden picture, which makes it small


def keep(path: Path, picture: bytes) -> None:
    """Write a screenshot as a golden one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with Image.open(BytesIO(picture)) as image:
        few = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        few.save(path, format="PNG", optimize=True)


def difference(one: bytes, other: bytes) -> float:
    """Return the share of blocks that two pictures do not have in common; 1 where their sizes differ."""
    left, right = _blocks(one), _blocks(other)
    if left.size != right.size:
        return 1.0
    red, green, blue = ImageChops.difference(left, right).split()
    counts = ImageChops.lighter(ImageChops.lighter(red, green), blue).histogram()
    return sum(counts[VISIBLE:]) / sum(counts)


def _blocks(picture: bytes) -> Image.Image:
    with Image.open(BytesIO(picture)) as image:
        return image.convert("RGB").reduce(BLOCK)
