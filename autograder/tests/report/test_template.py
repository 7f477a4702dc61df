"""Templates escape what they print, and a name that nobody gives them is an error."""

from pathlib import Path

import pytest
from jinja2 import UndefinedError

from autograder.report.safe_html import POLICY, load_template, render_lines

FRAMED = """{% extends "page.html" %}
{% block title %}{{ text }}{% endblock %}
{% block style %}{% endblock %}
{% block main %}
<p>{{ text }}</p>
{% endblock %}
"""


def written(folder: Path, text: str) -> Path:
    (folder / "made.html").write_text(text, encoding="utf-8")
    return folder / "made.html"


def test_a_page_has_the_policy_and_escapes_what_it_prints(tmp_path: Path) -> None:
    page = load_template(written(tmp_path, FRAMED)).render(text="<script>alert(1)</script>")
    assert f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">' in page
    assert "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>" in page
    assert "<script>" not in page


def test_only_what_has_been_cleaned_is_printed_as_it_is(tmp_path: Path) -> None:
    template = load_template(written(tmp_path, "{{ raw }} {{ raw | lines }} {{ cleaned }}"))
    assert template.render(raw="<b>\n", cleaned=render_lines("<i>\n")) == (
        "&lt;b&gt;\n &lt;b&gt;<br> &lt;i&gt;<br>"
    )


def test_a_missing_value_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UndefinedError):
        load_template(written(tmp_path, "{{ nothing }}")).render()


def test_a_template_is_compiled_once(tmp_path: Path) -> None:
    path = written(tmp_path, "{{ text }}")
    assert load_template(path) is load_template(path)


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
