"""Markdown, formulas and HTML of strangers, as HTML that can run nothing; attacks on parsers are refused."""

import pytest

from autograder.report.markup import (
    MAX_FORMULAS,
    MAX_OPEN,
    RefusedError,
    clean_html,
    comment,
    markdown,
    mathjax,
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


def test_formulas_stay_between_dollars_for_a_page_that_typesets_them() -> None:
    assert '<span class="math inline">$a_1*b*c$</span>' in mathjax("$a_1*b*c$")
    assert "$$x&lt;y$$" in mathjax("$$\nx<y\n$$")


def test_where_there_are_too_many_dollars_no_formula_is_looked_for() -> None:
    assert "math" in markdown("$a$ " * (MAX_FORMULAS // 2))
    assert "math" not in markdown("$a$ " * MAX_FORMULAS)


def test_a_comment_keeps_its_line_ends_and_shows_tags_as_they_were_typed() -> None:
    assert comment("**Good**\n<i>but</i>") == "<p><strong>Good</strong><br>\n&lt;i&gt;but&lt;/i&gt;</p>\n"


def test_tables_and_code_are_read_as_jupyter_reads_them() -> None:
    assert "<th>a</th>" in markdown("|a|\n|-|\n|b|\n")
    assert '<pre><span class="highlight"><span class="n">x</span>' in markdown("```python\nx\n```")
    assert "<pre><code>x\n</code></pre>" in markdown("```sh\nx\n```")


@pytest.mark.parametrize("tag", ["b", "div", "ul><li", "table><tr><td", "b a={}", "p><div"])
def test_html_that_opens_too_many_elements_is_refused(tag: str) -> None:
    with pytest.raises(RefusedError):
        clean_html("".join(f"<{tag.format(number)}>" for number in range(6000)))


HIDDEN = ["<b><!--</b>-->", '<b title="</b>">', "<b title = '</b>'>", "<b><?</b>", "<b><!</b>"]


@pytest.mark.parametrize("hidden", [*HIDDEN, "<b><textarea></b></textarea>", "<b><TITLE id=1></b></title>"])
def test_an_end_that_is_hidden_ends_no_element(hidden: str) -> None:
    with pytest.raises(RefusedError):
        clean_html(hidden * 600)


def test_html_of_many_elements_that_are_not_all_open_is_cleaned() -> None:
    rows = "<tr><td>1</td><td><b>2</b></td></tr>" * 5000
    assert clean_html(f"<table><tbody>{rows}</tbody></table>").count("<tr>") == 5000
    assert clean_html("<p>x<br><img>" * 5000).count("<p>") == 5000
    assert clean_html("<i>" * MAX_OPEN) == "<i>" * MAX_OPEN + "</i>" * MAX_OPEN
