"""A red check in a real kernel, on the notebook alone: a box of a few lines, and the cells below go on."""

import json
from collections.abc import Callable
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from autograder.authoring.answers import fill, released, right_answers
from autograder.tests.classroom import real_course

COURSE = real_course()
NAME = "02_simple_self_attention"
EXERCISE = COURSE.exercises[NAME]
WRONG = {
    "pairwise_scores_loop": "    return inputs @ inputs.T.float()",
    "pairwise_scores": "    return inputs @ inputs.T",
    "attention_weights": "    return torch.softmax(scores, dim=1)",
    "context_vectors": "    weights @ inputs",
    "simple_self_attention": "    inputs -= 1\n    return inputs",
}
HINT = 'hint("attention_weights")\n' * 2
PATIENCE = 600  # seconds by the clock for a cell and for the kernel's start, on a busy machine
LATER = "pairwise_scores"  # is answered again below the notebook, and not at all first


def answered(question: str, body: str) -> str:
    stub = next(cell.released() for cell in EXERCISE.cells if cell.name == question)
    return stub.replace("    # YOUR CODE HERE\n    raise NotImplementedError()", body)


def run(answers: dict[str, str], more: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Run the released notebook with these answers, and more at its end; return its code cells by id."""
    notebook = fill(released(COURSE.assignments, EXERCISE), answers)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    notebook["cells"] = [cell for cell in cells if "demo" not in cell["metadata"].get("tags", ())]
    node = nbformat.reads(json.dumps(notebook), as_version=4)
    tags = {"tags": ["raises-exception"]}
    node.cells += [nbformat.v4.new_code_cell(text, id=one, metadata=tags) for one, text in more.items()]
    client = NotebookClient(node, timeout=PATIENCE, startup_timeout=PATIENCE)
    client.execute()  # stops at an error, but where a tag says otherwise
    return {cell["id"]: cell for cell in node.cells}


@pytest.fixture(scope="module")
def red() -> dict[str, dict[str, Any]]:
    texts = {cell.grade_id: cell.text for cell in EXERCISE.cells}
    stub = next(cell.released() for cell in EXERCISE.cells if cell.name == LATER)
    check = texts[f"check-{LATER}"]
    more = {
        "more": HINT,
        "stub": stub,
        "demo": f"{LATER}(torch.ones(2, 3))",
        "left": check,
        "right": right_answers(EXERCISE)[LATER],
        "again": check,
    }
    return run({question: answered(question, body) for question, body in WRONG.items()}, more)


def box(cell: dict[str, Any]) -> list[str]:
    (output,) = [one for one in cell["outputs"] if one["output_type"] == "error"]
    lines: list[str] = output["traceback"]
    return lines


def printed(cell: dict[str, Any]) -> str:
    """Return what a cell printed: a kernel may send it in several outputs."""
    assert {output["output_type"] for output in cell["outputs"]} == {"stream"}
    return "".join(output["text"] for output in cell["outputs"])


def test_students_see_a_box(red: dict[str, dict[str, Any]], golden: Callable[[str, str], None]) -> None:
    boxes = {question: box(red[f"check-{question}"]) for question in WRONG}
    assert all(2 <= len(lines) <= 8 for lines in boxes.values())
    golden("red_checks.txt", "\n\n".join("\n".join(lines) for lines in boxes.values()) + "\n")


def test_run_all_goes_on_and_a_hint_leads_on_from_the_box(red: dict[str, dict[str, Any]]) -> None:
    assert all(cell["execution_count"] for cell in red.values())
    lines = printed(red["more"]).splitlines()
    numbers = [line.partition(" for ")[0] for line in lines if line.startswith("hint ")]
    assert numbers == ["hint 2 of 5", "hint 3 of 5"]
    assert max(map(len, lines)) <= 88  # JupyterLab breaks longer ones inside a word


def test_a_call_of_an_answer_that_is_not_filled_in_says_which_in_one_line(
    red: dict[str, dict[str, Any]],
) -> None:
    assert box(red["demo"]) == [f"fill in `{LATER}` first"]


def test_what_is_not_filled_in_is_one_line_and_right_answers_pass(red: dict[str, dict[str, Any]]) -> None:
    assert box(red["left"]) == [f"{LATER}: not filled in yet"]
    assert printed(red["again"]) == f"{LATER}: this check passes\n"
