"""Markdown, formulas and HTML of strangers, as HTML that can run nothing."""

import re

import pytest

from autograder.report.markup import (
    MAX_FORMULAS,
    MAX_OPEN,
    TooDeepError,
    clean_html,
    comment,
    markdown,
    mathml,
)


def test_formulas_are_shown_as_they_were_written_and_not_read_as_markdown() -> None:
    assert markdown("so $a_1*b*c_2 < 3$ holds") == (
        '<p>so <span class="math inline">a_1*b*c_2 &lt; 3</span> holds</p>\n'
    )
    assert '<div class="math block">x*y*z</div>' in markdown("$$\nx*y*z\n$$")
    assert '<div class="math amsmath">\\begin{align}\nx &amp;= *1*' in markdown(
        "\\begin{align}\nx &= *1*\n\\end{align}"
    )


def test_dollars_that_are_prices_stay() -> None:
    assert markdown("It costs $5 and $6.") == "<p>It costs $5 and $6.</p>\n"


def test_formulas_become_mathml_for_a_page_that_loads_nothing() -> None:
    assert mathml("so $a_1 < b$") == (
        '<p>so <math display="inline"><mrow><msub><mi>a</mi><mn>1</mn></msub>'
        "<mo>&lt;</mo><mi>b</mi></mrow></math></p>\n"
    )
    assert '<math display="block">' in mathml("$$\nx<y\n$$")
    assert "<mtable" in mathml("\\begin{align}\nx &= *1*\n\\end{align}")


@pytest.mark.parametrize(
    "formula",
    [
        r"\text{<script>alert(1)</script>}",
        r"\text{&lt;img src=x onerror=alert(1)&gt;}",
        r"\href{javascript:alert(1)}{x}",
        r"\style{background:url(http://x)}{y}",
        r"\class{" + '"onclick="alert(1)' + "}{z}",
        "{" * 20_000,
        r"\frac",
    ],
)
def test_a_formula_brings_no_element_or_attribute_of_its_own(formula: str) -> None:
    shown = mathml(f"${formula}$ <span class='math inline'>{formula}</span> $a$")
    assert "<mi>a</mi>" in shown
    assert not re.search(r"<[^>]*(script|img|href|style|onclick|onerror)", shown)


def test_where_there_are_too_many_dollars_no_formula_is_looked_for() -> None:
    assert "math" in markdown("$a$ " * (MAX_FORMULAS // 2))
    assert "math" not in markdown("$a$ " * MAX_FORMULAS)


def test_a_comment_keeps_its_line_ends_and_shows_tags_as_they_were_typed() -> None:
    assert comment("**Good**\n<i>but</i>") == "<p><strong>Good</strong><br>\n&lt;i&gt;but&lt;/i&gt;</p>\n"


def test_tables_and_code_are_read_as_jupyter_reads_them() -> None:
    assert "<th>a</th>" in markdown("|a|\n|-|\n|b|\n")
    assert '<pre><span class="highlight"><span class="n">x</span>' in markdown("```python\nx\n```")
    assert "<pre><code>x\n</code></pre>" in markdown("```sh\nx\n```")


@pytest.mark.parametrize("tag", ["b", "div", "ul><li", "table><tr><td", "b><img alt='</b>'"])
def test_html_that_opens_too_many_elements_is_refused(tag: str) -> None:
    with pytest.raises(TooDeepError):
        clean_html(f"<{tag}>" * (MAX_OPEN + 1))
    assert clean_html("<i>" * MAX_OPEN) == "<i>" * MAX_OPEN + "</i>" * MAX_OPEN


def test_html_of_many_elements_that_are_not_all_open_is_cleaned() -> None:
    rows = "<tr><td>1</td><td><b>2</b></td></tr>" * 5000
    assert clean_html(f"<table><tbody>{rows}</tbody></table>").count("<tr>") == 5000
    assert clean_html("<p>x<br><img>" * 5000).count("<p>") == 5000
