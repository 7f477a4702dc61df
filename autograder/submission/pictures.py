"""Takes pictures out of text cells that are long because of them, as attachments that pages can show.

Colab writes a pasted picture into the text itself, where it may be hundreds of thousands of letters long.
"""

import re

MAX_TEXT = 200_000  # characters of a text cell
_MAX_PICTURES = 20
_PICTURE = re.compile(r"data:image/([\w.+-]{1,20});base64,([A-Za-z0-9+/=]+)")
_CUT = "\n\n(The rest of this cell is left out: it is too long.)"

Attachments = tuple[tuple[str, str], ...]  # each picture's name, and its PNG in base64, unchecked


def without_pictures(text: str) -> tuple[str, Attachments]:
    """Return a text as it is if it is short, else without its pictures and cut, and the pictures."""
    if len(text) <= MAX_TEXT:
        return text, ()
    taken: list[tuple[str, str]] = []

    def take(found: re.Match[str]) -> str:
        if found[1] != "png" or len(taken) == _MAX_PICTURES:
            return "missing:picture"
        taken.append((f"picture-{len(taken) + 1}.png", found[2]))
        return f"attachment:{taken[-1][0]}"

    text = _PICTURE.sub(take, text)
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + _CUT, tuple(taken)
