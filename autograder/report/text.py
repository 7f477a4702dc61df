"""Cleans untrusted text, so that it does no harm where it is stored or shown.

`writable` is for files, `one_line` for reports, `terminal_line` for terminals, `clean_text` for pages, and
`printable` for comments. The module `safe_html` turns text into HTML.
"""

import base64
import re
import reprlib
import struct
import unicodedata

_ESCAPES = re.compile(
    r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|[@-Z\\-_]?)|\x9b[0-?]*[ -/]*[@-~]"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_INVISIBLE = ("Cc", "Cf", "Cs")  # Unicode's categories of controls, format marks and lone surrogates
_PNG = b"\x89PNG\r\n\x1a\n"
MAX_SIDE = 4000  # pixels; a browser needs memory for every pixel of a picture


def writable(text: str) -> str:
    """Return text that UTF-8 can encode: lone surrogates become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def printable(text: str, instead: str = "") -> str:
    """Return `text` with `instead` in place of each character that is neither printable nor a line end."""
    if text.isprintable():
        return text
    return "".join(letter if letter == "\n" or letter.isprintable() else instead for letter in text)


def one_line(text: object, limit: int) -> str:
    """Return at most `limit` printable characters of `text` on one line."""
    return " ".join(printable(str(text)[: 2 * limit], " ").split())[:limit].rstrip()


def whole_sentences(text: object, limit: int) -> str:
    """Return at most `limit` printable characters of `text` on one line.

    A longer text is cut after a sentence if this gives at least `limit / 2` characters, else after a word.
    """
    line = one_line(text, 2 * limit)
    if len(line) <= limit:
        return line
    end = max(line.rfind(mark, limit // 2, limit) for mark in (". ", "! ", "? "))
    return line[: end + 1] if end > 0 else f"{line[: limit - 1].rpartition(' ')[0] or line[: limit - 1]}…"


_REPR = reprlib.Repr()  # sorts sets and dicts, so that a value has the same text in every process
_REPR.__dict__ |= dict.fromkeys(("maxdict", "maxset", "maxfrozenset", "maxlist", "maxtuple"), 20)
_REPR.__dict__ |= dict.fromkeys(("maxstring", "maxother", "maxlong"), 100)


def short_repr(value: object, limit: int = 60) -> str:
    """Return the repr of a value in at most `limit` characters. Equal values give equal texts."""
    return one_line(_REPR.repr(value), limit)


def terminal_line(text: str) -> str:
    """Return `text` on one line, without escape sequences and control characters."""
    spaced = re.sub(r"\s+", " ", _ESCAPES.sub("", text))
    return "".join(letter for letter in spaced if unicodedata.category(letter) not in _INVISIBLE)


def terminal_lines(text: str) -> str:
    """Return `text` with each of its lines cleaned for a terminal."""
    return "\n".join(map(terminal_line, text.splitlines()))


def clean_text(text: str) -> str:
    """Return `text` without escape sequences, control characters and marks of writing direction."""
    return _CONTROLS.sub("", _ESCAPES.sub("", writable(text.replace("\r\n", "\n"))))


def is_picture(encoded: str) -> bool:
    """Whether `encoded` is a PNG in base64 with sides of at most MAX_SIDE pixels."""
    try:
        content = base64.b64decode("".join(encoded.split()), validate=True)
    except ValueError:
        return False
    if len(content) < 24 or not content.startswith(_PNG) or content[12:16] != b"IHDR":
        return False
    return all(0 < side <= MAX_SIDE for side in struct.unpack("!II", content[16:24]))


def number(value: float | None) -> str:
    """Return a score as text, such as 2 or 1.33, and a dash for None."""
    return "-" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")
