"""What a worker claims that cells have shown: only what is known and fits is kept."""

import pytest

from autograder.grading.graded import Output, checked_outputs

PRINTED = {"output_type": "stream", "name": "stdout", "text": "hello"}
SHOWN = {"output_type": "display_data", "data": {"text/plain": "<b>", "image/png": "iVBO"}, "metadata": {}}


def test_printed_text_and_shown_objects_are_kept() -> None:
    outputs = checked_outputs([PRINTED, SHOWN], 300)
    assert outputs == (
        Output(text="hello", stream="stdout"),
        Output(data=(("text/plain", "<b>"), ("image/png", "iVBO"))),
    )
    assert [output.size for output in outputs] == [105, 107]


@pytest.mark.parametrize(
    "claimed",
    [
        None,
        {"output_type": "stream"},
        [7, None, []],
        [{**PRINTED, "name": "stdin"}],
        [{**PRINTED, "text": ["hello"]}],
        [{"output_type": "error", "traceback": []}],
        [{**SHOWN, "data": {"application/javascript": "alert(1)", "image/svg+xml": "<svg/>"}}],
        [{**SHOWN, "data": {"text/plain": 7}}],
    ],
)
def test_what_has_no_known_form_is_left_out(claimed: object) -> None:
    assert checked_outputs(claimed, 100) == ()


def test_the_first_output_that_does_not_fit_ends_the_list() -> None:
    small = {**PRINTED, "text": "x"}
    assert [output.text for output in checked_outputs([PRINTED, SHOWN, small], 211)] == ["hello"]
    assert len(checked_outputs([PRINTED, SHOWN], 212)) == 2


def test_a_cell_has_no_more_than_two_hundred_outputs() -> None:
    assert len(checked_outputs([PRINTED] * 300, 100_000)) == 200


def test_an_output_that_holds_nothing_takes_room_too() -> None:
    assert len(checked_outputs([{**PRINTED, "text": ""}] * 200, 1000)) == 10


def test_every_output_can_be_written_to_a_file() -> None:
    claimed = [{**PRINTED, "text": "\ud800"}, {**SHOWN, "data": {"text/plain": "\udfff"}}]
    printed, shown = checked_outputs(claimed, 300)
    assert (printed.text, shown.data) == ("?", (("text/plain", "?"),))
