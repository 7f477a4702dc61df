"""Cleans text that strangers wrote, so that it does no harm where it is kept or shown.

Each cleaner serves one place: `writable` a file, `one_line` a report, `terminal_line` a terminal,
`clean_text` a page, `xml_text` an XML file, `clean_html` a page that shows HTML, and `printable` whatever
else takes plain letters only.
"""

import base64
import re
import struct
import unicodedata

import nh3

_ESCAPES = re.compile(
    r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|[@-Z\\-_]?)|\x9b[0-?]*[ -/]*[@-~]"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_INVISIBLE = ("Cc", "Cf", "Cs")  # Unicode's categories of controls, format marks and lone surrogates
_NOT_IN_XML = dict.fromkeys((0xFFFE, 0xFFFF))
_TAGS = {
    "a", "b", "blockquote", "br", "caption", "code", "dd", "del", "div", "dl", "dt", "em", "h1", "h2", "h3",
    "h4", "h5", "h6", "hr", "i", "img", "kbd", "li", "ol", "p", "pre", "s", "span", "strong", "sub", "sup",
    "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {
    "a": {"href"}, "img": {"src", "alt"}, "ol": {"start"}, "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"}, "span": {"class"}, "div": {"class"},
}  # fmt: skip
_PNG = b"\x89PNG\r\n\x1a\n"
MAX_SIDE = 4000  # pixels


def writable(text: str) -> str:
    """Return text that a file can hold: lone surrogates, which UTF-8 cannot encode, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def printable(text: str, instead: str = "") -> str:
    """Return the printable letters and line ends of `text`, with `instead` for every other character."""
    return "".join(letter if letter == "\n" or letter.isprintable() else instead for letter in text)


def one_line(text: object, limit: int) -> str:
    """Return at most `limit` printable letters of `text` on one line; a second call changes nothing more."""
    return " ".join(printable(str(text)[: 2 * limit], " ").split())[:limit].rstrip()


def terminal_line(text: str) -> str:
    """Return `text` on one line, without the escapes and controls by which it could steer a terminal."""
    spaced = re.sub(r"\s+", " ", _ESCAPES.sub("", text))
    return "".join(letter for letter in spaced if unicodedata.category(letter) not in _INVISIBLE)


def clean_text(text: str) -> str:
    """Return `text` without terminal escapes, control characters and marks that change its direction."""
    return _CONTROLS.sub("", _ESCAPES.sub("", writable(text.replace("\r\n", "\n"))))


def xml_text(text: str) -> str:
    """Return what `clean_text` returns, without the two further characters that XML forbids."""
    return clean_text(text).translate(_NOT_IN_XML)


def clean_html(html: str) -> str:
    """Return `html` without anything that could run, load or hide."""
    return nh3.clean(
        writable(html),
        tags=_TAGS,
        clean_content_tags={"script", "style"},
        attributes=_ATTRIBUTES,
        attribute_filter=_attribute,
        url_schemes={"http", "https", "mailto", "data"},
        link_rel="noopener noreferrer nofollow",
    )


def is_picture(encoded: str) -> bool:
    """Whether `encoded` is a PNG in base64 that a browser can unpack without harm."""
    try:
        content = base64.b64decode("".join(encoded.split()), validate=True)
    except ValueError:
        return False
    if len(content) < 24 or not content.startswith(_PNG) or content[12:16] != b"IHDR":
        return False
    return all(0 < side <= MAX_SIDE for side in struct.unpack("!II", content[16:24]))


def number(value: float | None) -> str:
    """Return a score as people write it: 2, 1.33, or a dash where there is none."""
    return "-" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def _attribute(tag: str, name: str, value: str) -> str | None:
    """Return the value of an attribute that may stay: pictures are embedded, links lead outside."""
    if tag == "img" and name == "src":
        start = "data:image/png;base64,"
        return value if value.startswith(start) and is_picture(value.removeprefix(start)) else None
    if name == "href":
        return value if value.startswith(("http://", "https://", "mailto:", "#")) else None
    if name == "class":
        return value if re.fullmatch(r"(highlight|[a-z]{1,2}[a-z0-9]?)", value) else None
    return value
