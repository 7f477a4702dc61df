"""What strangers wrote, as HTML that does nothing."""

from nbformat import NotebookNode

from autograder.report.safe_html import (
    render_code,
    render_html,
    render_lines,
    render_markdown,
    render_text,
)
from autograder.tests.report.test_text import png

HOSTILE = "<script>alert(1)</script>"


def markdown(source: str, **attachments: dict[str, str]) -> NotebookNode:
    return NotebookNode(source=source, attachments=attachments)


def test_text_is_shown_letter_for_letter() -> None:
    assert render_text("a < 'b'\n\x1b[31m&") == "a &lt; &#x27;b&#x27;\n&amp;"
    assert render_lines(f"{HOSTILE}\n<br>") == "&lt;script&gt;alert(1)&lt;/script&gt;<br>&lt;br&gt;"


def test_html_keeps_only_what_is_harmless() -> None:
    assert render_html(f"<b onclick=alert(1)>bold</b>{HOSTILE}") == "<b>bold</b>"


def test_code_is_coloured_and_nothing_in_it_is_a_tag() -> None:
    shown = render_code(f"x = 1  # {HOSTILE}")
    assert '<div class="highlight">' in shown
    assert "<script" not in shown


def test_markdown_is_rendered_without_what_could_run() -> None:
    shown = render_markdown(markdown(f"# Title\n*a* {HOSTILE} [x](javascript:alert(2))"))
    assert "<em>a</em>" in shown
    assert "anchor-link" not in shown
    assert "<script" not in shown
    assert "javascript:" not in shown


def test_an_attached_picture_is_embedded() -> None:
    shown = render_markdown(markdown("![p](attachment:p.png)", **{"p.png": {"image/png": png(4, 4)}}))
    assert f'src="data:image/png;base64,{png(4, 4)}"' in shown


def test_a_picture_that_is_not_attached_stays_empty_and_the_rest_is_shown() -> None:
    shown = render_markdown(markdown("before ![p](attachment:photo.jpg) after"))
    assert "src" not in shown
    assert "before" in shown
    assert "after" in shown
