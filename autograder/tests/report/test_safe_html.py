"""What strangers wrote, as HTML that does nothing."""

from pathlib import Path

import pytest
from jinja2 import UndefinedError
from nbformat import NotebookNode

from autograder.report.safe_html import (
    LEFT_OUT,
    MAX_COLOURED,
    MAX_PAGE,
    MAX_PARSED,
    MAX_PART,
    TOO_LARGE,
    Allowance,
    load_template,
    render_code,
    render_html,
    render_lines,
    render_markdown,
    render_text,
)
from autograder.tests.report.test_text import png

HOSTILE = "<script>alert(1)</script>"
PICTURE = png(4, 4)
SHOWN = f' src="data:image/png;base64,{PICTURE}"'


def markdown(source: str, **attachments: dict[str, str]) -> str:
    return render_markdown(NotebookNode(source=source, attachments=attachments), Allowance())


def test_text_is_shown_letter_for_letter() -> None:
    assert render_text("a < 'b'\n\x1b[31m&") == "a &lt; &#x27;b&#x27;\n&amp;"
    assert render_lines(f"{HOSTILE}\n<br>") == "&lt;script&gt;alert(1)&lt;/script&gt;<br>&lt;br&gt;"


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
    cleaned = str(render_html(html, Allowance())).lower()
    run = ("<script", "onerror=a", "javascript:", "onload", "<iframe", "<svg", "style=", "<meta", "<form")
    assert not [left for left in run if left in cleaned.replace("&lt;", "")]
    assert not [left for left in ("evil.example", "svg+xml") if left in cleaned]


def test_tables_code_links_and_embedded_pictures_stay() -> None:
    picture = f'<img src="data:image/png;base64,{png(10, 10)}">'
    for html in (
        "<table><tbody><tr><td>1</td></tr></tbody></table>",
        "<pre><code>x &lt; 1</code></pre>",
        picture,
    ):
        assert render_html(html, Allowance()) == html
    assert 'href="https://pytorch.org"' in render_html('<a href="https://pytorch.org">torch</a>', Allowance())


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("![a](attachment:my%20p&.png)", f'<img{SHOWN} alt="a">'),
        (f"![a](data:image/png;base64,{PICTURE})", f'<img{SHOWN} alt="a">'),
        (f'<img alt="a" width="2" src="data:image/png;base64,{PICTURE}" onload="x">',
         f'<img alt="a" width="2"{SHOWN}>'),
        ("![a](attachment:photo.jpg)", '<img alt="a">'),
        ("![a](data:image/png;base64,AAAA)", '<img alt="a">'),
        ('![a & " > b](data:image/svg+xml;base64,PHN2Zz4=)', "<em>a &amp; &quot; &gt; b</em>"),
        ('<img title="t" alt="<script>">', "<em>&lt;script&gt;</em>"),
    ],
)  # fmt: skip
def test_a_picture_is_embedded_or_stays_empty_or_words_stand_for_it(source: str, shown: str) -> None:
    text = markdown(f"so {source} is", **{"my p&.png": {"image/png": PICTURE}})
    assert text == f"<p>so {shown} is</p>\n"


def test_a_picture_counts_each_time_and_those_beyond_the_bound_stay_empty() -> None:
    cell = NotebookNode(source="![](attachment:p)" * 100, attachments={"p": {"image/png": PICTURE}})
    rest = len(render_markdown(NotebookNode(cell, attachments={}), Allowance()))
    allowance = Allowance(letters=500 + rest + 100 + 3 * len(SHOWN))
    shown = render_markdown(cell, allowance)
    assert shown.count(PICTURE) < 100
    assert shown.endswith(f"<p>{TOO_LARGE}</p>")
    assert len(shown) <= allowance.room


def test_a_part_that_cannot_be_parsed_in_time_is_left_out_with_a_sentence() -> None:
    assert render_html("<div>" * 800_000, Allowance()) == f"<p>{LEFT_OUT}</p>"


def test_when_the_time_of_the_page_is_used_up_text_is_shown_as_it_was_typed() -> None:
    late = Allowance(seconds=0)
    assert render_html("<b>&", late) == "<pre>&lt;b&gt;&amp;</pre>"
    assert render_code("x = 1", late) == "<pre>x = 1</pre>"


def test_parsing_takes_from_the_time_of_the_page_whether_or_not_the_text_was_met_before() -> None:
    costs = []
    for _ in range(2):
        allowance = Allowance()
        render_code("y = 1\n" * 400, allowance)
        costs.append(allowance.seconds)
    assert costs[0] == costs[1] < Allowance().seconds


def test_very_long_text_and_code_are_shown_as_they_were_typed() -> None:
    assert markdown("*a* " * MAX_PARSED).startswith("<pre>*a* *a*")
    assert render_code("x=1;" * MAX_COLOURED, Allowance()).startswith("<pre>x=1;x=1;")


def test_a_missing_value_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "made.html"
    path.write_text("{{ nothing }}", encoding="utf-8")
    with pytest.raises(UndefinedError):
        load_template(path).render()


def test_no_template_and_no_other_module_marks_text_as_safe() -> None:
    engine = Path(__file__).parents[2]
    rooms = [engine / "report", engine / "publishing", engine / "gradebook", engine / "gradescope"]
    texts = {
        path.name: path.read_text(encoding="utf-8")
        for room in rooms
        for path in room.rglob("*")
        if path.suffix in (".py", ".html")
    }
    marking = {name for name, text in texts.items() if "Markup(" in text or "| safe" in text}
    assert marking == {"safe_html.py"}


def test_parts_take_from_the_page_until_it_is_full() -> None:
    allowance = Allowance()
    taken = 0
    while allowance.take(MAX_PART):
        taken += MAX_PART
    assert taken <= MAX_PAGE < taken + MAX_PART
    assert allowance.take(allowance.room)
    assert not allowance.take(1)
    assert allowance.room == 0


def test_one_part_cannot_take_the_whole_page() -> None:
    allowance = Allowance()
    assert not allowance.take(MAX_PART + 1)
    assert allowance.take(MAX_PART)
