"""What strangers wrote, as HTML that does nothing."""

from nbformat import NotebookNode

from autograder.report.allowance import Allowance
from autograder.report.safe_html import (
    MAX_COLOURED,
    MAX_PARSED,
    render_code,
    render_html,
    render_lines,
    render_markdown,
    render_text,
)
from autograder.report.text import LEFT_OUT
from autograder.tests.report.test_text import png

HOSTILE = "<script>alert(1)</script>"


def markdown(source: str, **attachments: dict[str, str]) -> str:
    return render_markdown(NotebookNode(source=source, attachments=attachments), Allowance())


def test_text_is_shown_letter_for_letter() -> None:
    assert render_text("a < 'b'\n\x1b[31m&") == "a &lt; &#x27;b&#x27;\n&amp;"
    assert render_lines(f"{HOSTILE}\n<br>") == "&lt;script&gt;alert(1)&lt;/script&gt;<br>&lt;br&gt;"


def test_html_keeps_only_what_is_harmless() -> None:
    assert render_html(f"<b onclick=alert(1)>bold</b>{HOSTILE}", Allowance()) == "<b>bold</b>"


def test_code_is_coloured_and_nothing_in_it_is_a_tag() -> None:
    shown = render_code(f"x = 1  # {HOSTILE}", Allowance())
    assert '<div class="highlight">' in shown
    assert "<script" not in shown


def test_markdown_is_rendered_without_what_could_run() -> None:
    shown = markdown(f"# Title\n*a* {HOSTILE} [x](javascript:alert(2))")
    assert "<em>a</em>" in shown
    assert "anchor-link" not in shown
    assert "<script" not in shown
    assert "javascript:" not in shown


def test_an_attached_picture_is_embedded() -> None:
    shown = markdown("![p](attachment:p.png)", **{"p.png": {"image/png": png(4, 4)}})
    assert f'src="data:image/png;base64,{png(4, 4)}"' in shown
    written_out = markdown(f'<img alt="p" width="2" src="data:image/png;base64,{png(4, 4)}" onload="x">')
    assert written_out.strip() == f'<img alt="p" width="2" src="data:image/png;base64,{png(4, 4)}">'


def test_a_picture_that_is_not_attached_stays_empty_and_the_rest_is_shown() -> None:
    shown = markdown("before ![p](attachment:photo.jpg) after")
    assert "src" not in shown
    assert "before" in shown
    assert "after" in shown


def test_a_part_that_cannot_be_parsed_in_time_is_left_out_with_a_sentence() -> None:
    assert render_html("<b>" * 6000, Allowance()) == f"<p>{LEFT_OUT}</p>"
    assert markdown("<div>" * 6000) == f"<p>{LEFT_OUT}</p>"


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
