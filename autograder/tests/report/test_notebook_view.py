"""A notebook on a page: it keeps within the page's bounds, and the parts that fit are shown."""

from typing import Any

from nbformat import NotebookNode, from_dict

from autograder.report.allowance import MAX_PART, Allowance
from autograder.report.notebook_view import REST, Part, show_notebook
from autograder.report.pictures import TOO_LARGE
from autograder.report.text import LEFT_OUT
from autograder.tests.report.test_text import png


def code(source: str, *outputs: dict[str, Any]) -> NotebookNode:
    return from_dict({"cell_type": "code", "source": source, "outputs": list(outputs), "id": "cell-0"})


def printed(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def shown(*cells: NotebookNode) -> list[Part]:
    return list(show_notebook(cells, {}, Allowance()))


def test_a_part_that_is_too_large_is_left_out_and_the_others_are_shown() -> None:
    parts = shown(code("1", printed("x" * (MAX_PART + 1)), printed("y")), code("2"))
    assert [part.kind for part in parts] == ["code", "note", "output", "code"]
    assert parts[1].content == TOO_LARGE
    assert parts[2].content == "y"


def test_a_page_ends_with_a_word_when_it_is_full() -> None:
    cells = [code("1" * (i % 9), *[printed("x" * (MAX_PART + 1))] * 3, printed("y")) for i in range(10)]
    parts = list(show_notebook(cells, {}, Allowance(letters=1200)))
    assert parts[-1] == Part("note", REST)
    assert sum(len(part.content) for part in parts) <= 1200


def test_an_attack_on_parsers_costs_its_own_part() -> None:
    html = {"output_type": "display_data", "data": {"text/html": "<b>" * 6000}}
    text = NotebookNode(cell_type="markdown", source="<ul><li>" * 6000)
    picture = {"output_type": "display_data", "data": {"image/png": png(4, 4)}}
    parts = shown(code("1", html, picture), text, NotebookNode(cell_type="markdown", source="*a*"))
    contents = [str(part.content) for part in parts]
    assert contents[1:] == [f"<p>{LEFT_OUT}</p>", png(4, 4), f"<p>{LEFT_OUT}</p>", "<p><em>a</em></p>\n"]
