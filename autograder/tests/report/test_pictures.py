"""The pictures of a text cell: parsers never see them, and each counts as often as it is shown."""

from autograder.report.pictures import TOO_LARGE, in_words, put_in, taken_out
from autograder.tests.report.test_text import png

PICTURE = png(4, 4)
SHOWN = f' src="data:image/png;base64,{PICTURE}"'


def test_pictures_in_a_text_are_taken_out_and_put_in_again() -> None:
    text, found = taken_out(f"![a](data:image/png;base64,{PICTURE}) and ![b](data:image/png;base64,AAAA)")
    assert text == "![a](attachment:in-the-text-0) and ![b](attachment:in-the-text-1)"
    assert found == {"in-the-text-0": PICTURE, "in-the-text-1": "AAAA"}
    html = '<img src="attachment:in-the-text-0" alt="a"><img src="attachment:in-the-text-1" alt="b">'
    assert put_in(html, found, 10_000) == f'<img{SHOWN} alt="a"><img alt="b">'


def test_words_stand_for_a_picture_that_may_not_be_shown() -> None:
    shown = f'<img{SHOWN} alt="c"><img src="attachment:p" alt="d"><img>'
    assert in_words(f'<img alt="a &amp;&quot; > b"> {shown}') == f"<em>a &amp;&quot; &gt; b</em> {shown}"
    assert in_words('<img title="t" alt="<script>">') == "<em>&lt;script&gt;</em>"


def test_a_name_may_have_blanks_and_signs() -> None:
    named = '<img src="attachment:my%20p&amp;.png">'
    assert put_in(named, {"my p&.png": PICTURE}, 10_000) == f"<img{SHOWN}>"


def test_a_picture_counts_each_time_and_those_beyond_the_bound_stay_empty() -> None:
    html = '<img src="attachment:p">' * 1000
    room = len(html) + 100 + 3 * len(SHOWN)
    shown = put_in(html, {"p": PICTURE}, room)
    assert shown.count(PICTURE) == 3
    assert shown.endswith(f"<img><p>{TOO_LARGE}</p>")
    assert len(shown) <= room
