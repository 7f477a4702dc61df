"""Makes what strangers wrote fit to be looked at: no script, no terminal code, no picture that is a bomb."""

import base64
import binascii
import re
import unicodedata

import nh3

_ESCAPES = re.compile(
    r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|[@-Z\\-_]?)|\x9b[0-?]*[ -/]*[@-~]"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")  # halves of characters, which no file can hold
_TAGS = {
    "a", "b", "blockquote", "br", "caption", "code", "dd", "del", "div", "dl", "dt", "em", "h1", "h2", "h3",
    "h4", "h5", "h6", "hr", "i", "img", "kbd", "li", "ol", "p", "pre", "s", "span", "strong", "sub", "sup",
    "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {
    "a": {"href"},
    "img": {"src", "alt"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "span": {"class"},
    "div": {"class"},
}
_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
_PNG = b"\x89PNG\r\n\x1a\n"
MAX_SIDE = 4000  # pixels


def clean_html(html: str) -> str:
    """Return `html` without anything that could run, load or hide."""
    return nh3.clean(
        _SURROGATES.sub("?", html),
        tags=_TAGS,
        clean_content_tags={"script", "style"},
        attributes=_ATTRIBUTES,
        attribute_filter=_attribute,
        url_schemes={"http", "https", "mailto", "data"},
        link_rel="noopener noreferrer nofollow",
    )


def clean_text(text: str) -> str:
    """Return `text` without terminal escapes, control characters and marks that turn its direction."""
    whole = _SURROGATES.sub("?", text.replace("\r\n", "\n"))
    return _CONTROLS.sub("", _ESCAPES.sub("", whole))


def is_picture(encoded: str) -> bool:
    """Whether `encoded` is a PNG in base64 that a browser can unpack without harm."""
    try:
        content = base64.b64decode("".join(encoded.split()), validate=True)
    except (binascii.Error, ValueError):
        return False
    if len(content) < 24 or not content.startswith(_PNG) or content[12:16] != b"IHDR":
        return False
    sides = (int.from_bytes(content[16:20]), int.from_bytes(content[20:24]))
    return all(0 < side <= MAX_SIDE for side in sides)


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


def clean(text: str) -> str:
    """Return `text` on one line, without the escapes and controls by which it could steer a terminal."""
    spaced = re.sub(r"\s+", " ", _SEQUENCE.sub("", text))
    return "".join(letter for letter in spaced if unicodedata.category(letter) not in ("Cc", "Cf", "Cs"))


def number(value: float | None) -> str:
    """Return a score as people write it: 2, 1.33, or a dash where there is none."""
    return "-" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")
