"""Keeps the pictures of a text cell away from the parsers: names stand for them until the HTML is there."""

import html
import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from autograder.report.text import is_picture

TOO_LARGE = "This part is left out: the page would become too large."
_EMBEDDED = re.compile(r"data:image/png;base64,([A-Za-z0-9+/]+=*)")
_NAMED = re.compile(r' src="attachment:([^"]*)"')
_BARE = re.compile(r'<img((?: [a-z]+="[^"]*")+)>')
_WORDS = re.compile(r' alt="([^"]*)"')
_NOTE = f"<p>{TOO_LARGE}</p>"
_OWN = "in-the-text-"


def taken_out(source: str) -> tuple[str, dict[str, str]]:
    """Return a Markdown text without the pictures that are written out in it, and those, by their names."""
    found: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        found[f"{_OWN}{len(found)}"] = match[1]
        return f"attachment:{_OWN}{len(found) - 1}"

    return _EMBEDDED.sub(name, source), found


def in_words(rendered: str) -> str:
    """Return HTML with the words of a picture in place of one that has lost its source, such as an SVG."""
    return _BARE.sub(_in_words, rendered)


def put_in(rendered: str, pictures: Mapping[str, str], room: int) -> str:
    """Return HTML with the pictures that it names in place, until the next one would exceed `room` letters.

    A picture counts as often as it is named. One that is not there, or is none, stays empty.
    """
    return "".join(_parts(rendered, pictures, room - len(rendered) - len(_NOTE)))


def _in_words(match: re.Match[str]) -> str:
    words = _WORDS.search(match[1])
    if words is None or " src=" in match[1]:
        return match[0]
    return f"<em>{html.escape(html.unescape(words[1]))}</em>"  # in an attribute, fewer signs are escaped


def _parts(rendered: str, pictures: Mapping[str, str], room: int) -> Iterator[str]:
    sources: dict[str, str] = {}
    place, missing = 0, False
    for match in _NAMED.finditer(rendered):
        yield rendered[place : match.start()]
        place = match.end()
        name = unquote(html.unescape(match[1]))
        if name not in sources:
            sources[name] = _source(pictures.get(name, ""))
        if len(sources[name]) <= room:
            room -= len(sources[name])
            yield sources[name]
        else:
            missing = True
    yield rendered[place:]
    if missing:
        yield _NOTE


def _source(encoded: str) -> str:
    """Return the attribute that shows a picture, or nothing if it is none."""
    picture = "".join(encoded.split())
    return f' src="data:image/png;base64,{picture}"' if is_picture(picture) else ""
