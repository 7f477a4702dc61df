"""A text cell with large pictures stays readable, and so does the notebook."""

import json

from autograder.submission.notebook import MAX_TEXT, Notebook, without_pictures


def picture(kind: str, letters: int) -> str:
    return f"![a](data:image/{kind};base64,{'iVBO' * (letters // 4)})"


def test_a_notebook_with_a_large_picture_in_a_text_cell_is_read() -> None:
    text = f"Because\n\n{picture('png', 400_000)}\n\nof this."
    cell = {"cell_type": "markdown", "metadata": {}, "source": text}
    (read,) = Notebook(json.dumps({"nbformat": 4, "metadata": {}, "cells": [cell]}).encode()).cells
    assert read.text == "Because\n\n![a](attachment:picture-1.png)\n\nof this."
    assert read.attachments == (("picture-1.png", "iVBO" * 100_000),)


def test_a_short_text_keeps_its_pictures() -> None:
    text = picture("png", 4000)
    assert without_pictures(text) == (text, ())


def test_what_pages_cannot_show_is_named_and_text_without_end_is_cut() -> None:
    text, pictures = without_pictures(picture("jpeg", 300_000) + "x" * (2 * MAX_TEXT))
    assert text.startswith("![a](missing:picture)xxx")
    assert text.endswith("(The rest of this cell is left out: it is too long.)")
    assert len(text) < MAX_TEXT + 100
    assert pictures == ()


def test_no_more_pictures_are_taken_than_pages_should_show() -> None:
    text, pictures = without_pictures(picture("png", 20_000) * 30)
    assert len(pictures) == 20
    assert text.count("missing:picture") == 10
