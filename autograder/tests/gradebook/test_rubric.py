"""What items of a rubric add to a score and a comment, and what follows if the rubric changes."""

import pytest

from autograder.gradebook.rubric import Item, Marking, carry_over, read_items

REASON, EXAMPLE = Item("1", "the reason", 1.0), Item("2", "an example with numbers", 0.5)
UNITS, SLIP = Item("units", "Say in which units."), Item("slip", "A sign is wrong.", -0.5)
RUBRIC = (REASON, EXAMPLE, UNITS, SLIP)


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("the reason: 1 point", Item("1", "the reason", 1.0)),
        ("for (b), the sums: 0.5 points.", Item("1", "for (b), the sums", 0.5)),
        ("A sign is wrong: -0.5 points", Item("1", "A sign is wrong", -0.5)),
        ("one point for each", Item("1", "one point for each")),
        ("a ratio of 2: 1 pointer", Item("1", "a ratio of 2: 1 pointer")),
    ],
)
def test_the_points_of_an_item_are_the_end_of_its_text(text: str, item: Item) -> None:
    assert read_items([text], {}) == (item,)


def test_comments_of_the_bank_follow_the_rubric_under_their_names() -> None:
    items = read_items(["the reason: 1 point"], {"units": "Say in which units."})
    assert items == (REASON, UNITS)


@pytest.mark.parametrize(
    ("given", "score", "comment"),
    [
        ((), None, "Well done."),
        (("1",), 1.0, "+1: the reason\nWell done."),
        (("2", "1"), 1.5, "+1: the reason\n+0.5: an example with numbers\nWell done."),
        (("units",), None, "Say in which units.\nWell done."),
        (("slip",), 0.0, "-0.5: A sign is wrong.\nWell done."),
        (
            ("1", "slip", "units"),
            0.5,
            "+1: the reason\nSay in which units.\n-0.5: A sign is wrong.\nWell done.",
        ),
    ],
)
def test_items_add_points_and_lines(given: tuple[str, ...], score: float | None, comment: str) -> None:
    marking = Marking(RUBRIC, given)
    assert marking.score(2.0) == score
    assert marking.comment(" Well done. ") == comment
    assert marking.own_words(comment) == "Well done."


def test_a_score_is_at_most_the_points_of_the_question() -> None:
    assert Marking(RUBRIC, ("1", "2")).score(1.0) == 1.0


@pytest.mark.parametrize(
    ("now", "score", "carried"),
    [
        (RUBRIC, 1.5, ("1", "2")),
        ((Item("1", "the reason", 0.5), EXAMPLE), 1.0, ("1", "2")),
        ((Item("1", "an example with numbers", 0.5), Item("2", "the reason", 1.0)), 1.5, ("1", "2")),
        ((EXAMPLE,), 0.5, ("2",)),
        ((Item("1", "the reasons", 2.0), EXAMPLE), 2.0, ("1", "2")),
        ((Item("1", "units throughout", 1.0), EXAMPLE), 0.5, ("2",)),
        ((), 0.0, ()),
    ],
    ids=[
        "nothing",
        "other points",
        "another order",
        "one is gone",
        "reworded, and at most 2",
        "replaced",
        "all gone",
    ],
)
def test_a_changed_rubric_changes_the_scores_that_used_it(
    now: tuple[Item, ...], score: float, carried: tuple[str, ...]
) -> None:
    marking, after = carry_over(Marking(RUBRIC, ("1", "2")), now, 1.5, 2.0)
    assert (after, marking.given) == (score, carried)


def test_what_a_grader_typed_besides_the_items_stays_when_the_rubric_changes() -> None:
    dearer = (Item("1", "the reason", 1.5), EXAMPLE, UNITS)
    _, after = carry_over(Marking(RUBRIC, ("1",)), dearer, 0.75, 2.0)
    assert after == 1.25
    _, after = carry_over(Marking(RUBRIC, ("units",)), dearer, 0.75, 2.0)
    assert after == 0.75
