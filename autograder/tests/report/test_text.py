"""What strangers wrote, before anybody looks at it."""

import base64
import struct

import pytest

from autograder.report.text import clean_html, clean_text, is_picture


def png(width: int, height: int) -> str:
    """Return the beginning of a PNG of this size, in base64."""
    start = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)
    return base64.b64encode(start + b"\x08\x06\x00\x00\x00").decode()


@pytest.mark.parametrize(
    "html",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<a href='javascript:alert(1)'>x</a>",
        "<a href='java\tscript:alert(1)'>x</a>",
        "<svg onload=alert(1)><script>alert(1)</script></svg>",
        "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
        "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=a()&gt;'>",
        "<p style='background:url(//evil.example)'>x</p>",
        "<meta http-equiv=refresh content='0;url=//evil.example'>",
        "<form action='//evil.example'><input name=x></form>",
        "<img src='data:image/svg+xml;base64,PHN2Zz4='>",
        "<img src='//evil.example/beacon.png'>",
        "<base href='//evil.example'>",
        "<div class='x\" onclick=alert(1)'>x</div>",
    ],
)
def test_nothing_that_runs_or_loads_survives(html: str) -> None:
    cleaned = clean_html(html).lower()
    for left in (
        "<script",
        "onerror=a",
        "javascript:",
        "onload",
        "<iframe",
        "<svg",
        "style=",
        "<meta",
        "<form",
    ):
        assert left not in cleaned.replace("&lt;", "")
    assert "evil.example" not in cleaned
    assert "svg+xml" not in cleaned


def test_tables_code_links_and_embedded_pictures_stay() -> None:
    picture = f'<img src="data:image/png;base64,{png(10, 10)}">'
    for html in (
        "<table><tbody><tr><td>1</td></tr></tbody></table>",
        "<pre><code>x &lt; 1</code></pre>",
        picture,
    ):
        assert clean_html(html) == html
    assert 'href="https://pytorch.org"' in clean_html('<a href="https://pytorch.org">torch</a>')


def test_terminal_escapes_and_turned_text_are_taken_out() -> None:
    told = (
        "\x1b[31mred\x1b[0m \x1b]0;title\x07ok\x1b]8;;http://x\x1b\\link \x9b2Jgone\x08 \u202eabc\u202c\nline"
    )
    assert clean_text(told) == "red oklink gone abc\nline"


def test_a_picture_is_a_png_of_reasonable_size() -> None:
    assert is_picture(png(640, 480))
    assert not is_picture(png(100_000, 100_000))
    assert not is_picture(png(0, 4))
    assert not is_picture("not base64!")
    assert not is_picture(base64.b64encode(b"GIF89a").decode())
    assert not is_picture("")
