"""What strangers wrote, before anybody looks at it."""

import base64
import struct

import pytest

from autograder.report.text import (
    clean_text,
    is_picture,
    number,
    one_line,
    printable,
    terminal_line,
    whole_sentences,
    writable,
)


def png(width: int, height: int) -> str:
    """Return the beginning of a PNG of this size, in base64."""
    start = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)
    return base64.b64encode(start + b"\x08\x06\x00\x00\x00").decode()


def test_terminal_escapes_and_turned_text_are_taken_out() -> None:
    text = (
        "\x1b[31mred\x1b[0m \x1b]0;title\x07ok\x1b]8;;http://x\x1b\\link \x9b2Jgone\x08 \u202eabc\u202c\nline"
    )
    assert clean_text(text) == "red oklink gone abc\nline"


def test_a_picture_is_a_png_of_reasonable_size() -> None:
    assert is_picture(png(640, 480))
    assert not is_picture(png(100_000, 100_000))
    assert not is_picture(png(0, 4))
    assert not is_picture("not base64!")
    assert not is_picture(base64.b64encode(b"GIF89a").decode())
    assert not is_picture("")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://a\x1b\\link", "link"),
        ("a\r\n\tb", "a b"),
        ("\u202edesrever", "desrever"),
        ("\x9b31mred", "red"),
        ("lone \ud800 half", "lone  half"),
        ("Zoë 表 [bold]", "Zoë 表 [bold]"),
    ],
)
def test_nothing_in_a_text_can_steer_a_terminal(text: str, shown: str) -> None:
    assert terminal_line(text) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(2.0, "2"), (4 / 3, "1.33"), (0.0, "0"), (10.0, "10"), (None, "-")]
)
def test_scores_are_short(value: float | None, shown: str) -> None:
    assert number(value) == shown


def test_a_file_can_hold_what_is_writable() -> None:
    assert writable("a\ud800b\U0001f600") == "a?b\U0001f600"
    assert clean_text("\udfff") == "?"


def test_printable_letters_and_line_ends_stay() -> None:
    assert printable("Zo\u00eb\n\t\x1b[1m\u200d\u202e") == "Zo\u00eb\n[1m"
    assert printable("a\tb\nc", "_") == "a_b\nc"


def test_hostile_text_becomes_one_short_printable_line() -> None:
    assert one_line("a\x1b[31m\n\tb\u202e", 60) == "a [31m b"
    assert len(one_line("x" * 10_000_000, 100)) == 100


@pytest.mark.parametrize("text", ["word " * 50, "wordless " * 20, "\x1b" * 90 + "a", 12345678901234567890])
def test_making_one_line_of_a_line_changes_nothing(text: object) -> None:
    assert one_line(one_line(text, 18), 18) == one_line(text, 18)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It fails. Why?", "It fails. Why?"),
        ("The first sentence ends here. The second is too long.", "The first sentence ends here."),
        (
            "No. This sentence does not end within the forty characters.",
            "No. This sentence does not end within…",
        ),
        ("w" * 50, "w" * 39 + "…"),
    ],
)
def test_a_long_message_ends_after_a_sentence_or_a_word(text: str, shown: str) -> None:
    assert whole_sentences(text, 40) == shown
    assert whole_sentences(shown, 40) == shown
