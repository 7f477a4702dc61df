"""A cell's outputs in nbformat's form and within bounds, and what IPython does differently here."""

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from autograder.tests.worker.conftest import Run
from autograder.worker.protocol import MAX_TEXT as MAX_VALUE
from autograder.worker.shell import MAX_CHANGES, MAX_DISPLAYS, MAX_SHOWN, MAX_TEXT, SPECIAL, Outputs

NO_PROGRAM = "Other programs cannot be started here. Leave out lines that begin with !, %pip or %%bash.\n"


def test_printed_text_is_kept_in_order_and_one_stream_s_lines_together() -> None:
    outputs = Outputs()
    for stream, text in (("stdout", "a"), ("stdout", "b"), ("stderr", "c"), ("stdout", "d")):
        outputs.text(stream, text)
    said = [(item["name"], item["text"]) for item in outputs.items]
    assert said == [("stdout", "ab"), ("stderr", "c"), ("stdout", "d")]
    for stream in ("stdout", "stderr") * 3:
        outputs.text(stream, "")
    assert len(outputs.items) == 3, "printing nothing keeps nothing"


def test_two_streams_in_turn_are_kept_in_a_bounded_number_of_pieces() -> None:
    outputs = Outputs()
    for number in range(4000):
        outputs.text(("stdout", "stderr")[number % 2], "x")
    assert len(outputs.items) == MAX_CHANGES


def test_text_beyond_the_bound_is_dropped_with_a_note() -> None:
    outputs = Outputs()
    for _ in range(3):
        outputs.text("stdout", "x" * (MAX_TEXT - 1))
    (item,) = outputs.items
    assert item["text"] == "x" * MAX_TEXT + "\n[output cut here]\n"


def test_displays_are_bounded_in_number_and_in_size() -> None:
    outputs = Outputs()
    outputs.display({"text/html": "x" * (MAX_SHOWN + 1), "text/plain": "small"})
    outputs.display({"application/javascript": "alert()"})
    for _ in range(MAX_DISPLAYS):
        outputs.display({"text/plain": "y"})
    assert outputs.items[0]["data"] == {"text/plain": "small"}
    assert len(outputs.items) == MAX_DISPLAYS


def test_a_cell_shows_what_it_prints_displays_and_ends_with(run: Run) -> None:
    shown = run("import sys\nprint('out')\nprint('err', file=sys.stderr)\ndisplay(1)\n2")
    assert shown["error"] is None
    texts = [item.get("text") or item["data"]["text/plain"] for item in shown["outputs"]]
    assert texts == ["out\n", "err\n", "1", "2"]
    assert run("5\nx = 20")["outputs"] == []
    assert run("print(x + 1)")["outputs"][0]["text"] == "21\n"  # one cell's names are there for the next
    shown = run("class Picture:\n    def _repr_png_(self):\n        return b'png'\nPicture()")
    assert shown["outputs"][0]["data"]["image/png"] == "cG5n"


def test_an_error_is_described_with_its_cell_and_not_printed(run: Run) -> None:
    shown = run("x = 1\nx.y")
    assert shown["outputs"] == []
    assert (shown["error"]["type"], shown["error"]["places"]) == ("AttributeError", [[4, 2]])
    assert run("x = )")["error"]["type"] == "SyntaxError"


@pytest.mark.parametrize("code", ["!ls", "%pip install torch", "%%bash\nls", "x = !ls"])
def test_starting_a_program_is_a_note_and_the_cell_goes_on(run: Run, code: str) -> None:
    shown = run(code)
    assert shown["error"] is None
    assert shown["outputs"] == [{"output_type": "stream", "name": "stderr", "text": NO_PROGRAM}]


def test_a_loop_that_prints_for_ever_ends_and_the_worker_lives_on(run: Run) -> None:
    shown = run("def double(x):\n    return 2 * x\nwhile True:\n    print('x' * 100_000)")
    message = "this cell printed 47 MB and was stopped. Does it contain a loop that never ends?"
    assert shown["error"]["message"] == message
    assert shown["outputs"][0]["text"].endswith("[output cut here]\n")
    assert run("print(double(2))")["outputs"][0]["text"] == "4\n"


def test_an_answer_that_is_too_large_is_an_error_and_the_next_one_arrives(run: Run, call: Run) -> None:
    run(f"def double(x):\n    return 2 * x\ndef long():\n    return ['x' * {MAX_VALUE}] * 100")
    error = call("long")["error"]
    assert error["type"] == "ResultError"
    assert error["message"] == "the result cannot be sent: the header is larger than a frame allows"
    assert call("double", 1) == {"value": 2}


@pytest.mark.parametrize(
    "cell",
    [
        *(
            "x = 1",
            "text = '''\na % b\n!= c\n'''",
            "print(f'{1!r} % 3', 7 != 8)",
            "@property\ndef f(a, /): pass",
        ),
        *("%matplotlib inline\nx = 1", "x = 1\n%who", "x = %who_ls", "files = !ls", "torch.softmax?", "!pip"),
        *(
            "%%time\nx = 1",
            ">>> x = 1",
            "In [1]: x = 1",
            "\n\nx = 1",
            "  x = 1\n  y = 2",
            "/f 1",
            ", f",
            "; f",
        ),
        *("def broken(:\n  pass", "if x:\n    %time f()\n    f??", "", "x = 1\x00", "?x", "a\n!!ls"),
    ],
)
def test_what_ipython_would_change_in_a_cell_is_left_to_it(cell: str) -> None:
    assert SPECIAL.search(cell) or TransformerManager().transform_cell(cell).rstrip("\n") == cell
