"""Writes what the checks found in your notebook as a page, checks.html, beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.course.kit.lesson import Part


class Finding(NamedTuple):
    """What the check of one question found."""

    name: str
    passed: bool
    seen: str  # why it does not pass
    printed: str
    part: Part | None
    place: str = ""  # where your answer stands
    code: Sequence[str] = ()
    marked: int = 0  # the line of it that the check complains of


PAGE = Path("checks.html")
NO_JINJA = "pytest --page needs jinja2, which Jupyter brings along; SETUP.md says what to install"
TEMPLATE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ exercise }}: checks</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 54rem; margin: 0 auto; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; }
section { margin: 1rem 0; padding: 0.5rem 1rem; border: 1px solid #888; border-radius: 4px; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.1rem; margin: 0.25rem 0; }
pre { font: 0.9rem/1.4 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
.text { font: inherit; }
mark { display: block; }
summary { cursor: pointer; }
</style>
</head>
<body>
<h1>{{ exercise }}</h1>
<p><strong>Questions passed: {{ passed }} of {{ questions | length }}.</strong>
In {{ notebook }}, from a fresh start: {{ meaning }}.</p>
{% if progress %}<p>{{ progress }}</p>{% endif %}
{% for note in notes %}<p>Note: {{ note }}</p>
{% endfor %}
{% for question in questions %}
<section id="{{ question.name }}">
<h2><code>{{ question.name }}</code>: {{ "passes" if question.passed else "does not pass yet" }}</h2>
{% if not question.passed %}
<pre>{{ question.seen }}</pre>
<p>A hint: <code>pytest --hint {{ question.name }}</code></p>
{% endif %}
{% if question.printed and not question.passed %}
<pre>{{ question.printed }}</pre>
{% endif %}
{% if question.code %}
<details{% if question.marked %} open{% endif %}><summary>Your answer, {{ question.place }}</summary>
<pre><code>{% for line in question.code %}
{% if loop.index == question.marked %}<mark>{{ line }}</mark>{% else %}{{ line }}
{% endif %}
{% endfor %}</code></pre></details>
{% endif %}
{% if question.part %}
<details id="lesson-{{ question.name }}"><summary>In the lesson: {{ question.part.heading }}</summary>
<pre class=text>{{ question.part.text }}</pre></details>
{% endif %}
</section>
{% endfor %}
</body>
</html>
"""


def write_page(folder: Path, facts: Mapping[str, object], findings: Sequence[Finding]) -> Path:
    """Write the page, on which whatever stands in a notebook is shown and nothing can run."""
    from jinja2 import Environment, StrictUndefined  # here, since it is needed for this alone

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.trim_blocks = environment.lstrip_blocks = True
    passed = sum(finding.passed for finding in findings)
    text = environment.from_string(TEMPLATE).render(**facts, questions=findings, passed=passed)
    (folder / PAGE).write_text(text, encoding="utf-8", errors="replace")
    return folder / PAGE
