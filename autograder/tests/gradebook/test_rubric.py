"""What items of a rubric add to a score and a comment, and what follows if the rubric changes."""

import pytest

from autograder.gradebook.rubric import Item, Marking, carry_over, read_items

REASON, EXAMPLE = Item("1", "the reason", 1.0), Item("2", "an example with numbers", 0.5)
UNITS, SLIP = Item("units", "Say in which units."), Item("slip", "A sign is wrong.", -0.5)
RUBRIC = (REASON, EXAMPLE, UNITS, SLIP)
GIVEN = {"1": 1.0, "2": 1.0}


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
        ({}, None, "Well done."),
        ({"1": 1}, 1.0, "+1: the reason\nWell done."),
        ({"2": 1, "1": 1}, 1.5, "+1: the reason\n+0.5: an example with numbers\nWell done."),
        ({"1": 0.5, "2": 0.5}, 0.75, "+0.5: the reason\n+0.25: an example with numbers\nWell done."),
        ({"units": 1}, None, "Say in which units.\nWell done."),
        ({"slip": 1}, 0.0, "-0.5: A sign is wrong.\nWell done."),
        (
            {"1": 1, "slip": 1, "units": 1},
            0.5,
            "+1: the reason\nSay in which units.\n-0.5: A sign is wrong.\nWell done.",
        ),
    ],
)
def test_items_add_points_and_lines(given: dict[str, float], score: float | None, comment: str) -> None:
    marking = Marking(RUBRIC, given)
    assert marking.score(2.0) == score
    assert marking.full_comment(" Well done. ") == comment
    assert marking.typed_comment(comment) == "Well done."


def test_a_score_is_at_most_the_points_of_the_question() -> None:
    assert Marking(RUBRIC, GIVEN).score(1.0) == 1.0


@pytest.mark.parametrize(
    ("given", "score", "adjustment"),
    [
        (GIVEN, 1.5, None),
        (GIVEN, 1.25, -0.25),
        ({}, 0.0, 0.0),
        ({"units": 1}, 0.5, 0.5),
        (GIVEN, None, None),
    ],
)
def test_a_typed_score_is_an_adjustment_of_the_points_of_the_items(
    given: dict[str, float], score: float | None, adjustment: float | None
) -> None:
    marking = Marking(RUBRIC, given).with_score(score, 2.0)
    assert marking.adjustment == adjustment
    if score is not None:
        assert marking.score(2.0) == score


def test_an_adjustment_stays_where_the_bound_of_the_score_hides_it() -> None:
    typed = Marking(RUBRIC, {"1": 1}, 2.0)
    assert typed.score(2.0) == 2.0
    assert typed.with_score(2.0, 2.0) == typed
    assert Marking(RUBRIC, {}, 2.0).score(2.0) == 2.0


@pytest.mark.parametrize(
    ("now", "score", "carried"),
    [
        (RUBRIC, 1.25, {"1": 1, "2": 0.5}),
        ((Item("1", "the reason", 0.5), EXAMPLE), 0.75, {"1": 1, "2": 0.5}),
        (
            (Item("1", "an example with numbers", 0.5), Item("2", "the reason", 1.0)),
            1.25,
            {"1": 0.5, "2": 1},
        ),
        ((EXAMPLE,), 0.25, {"2": 0.5}),
        ((Item("1", "the reasons", 2.0), EXAMPLE), 2.0, {"1": 1, "2": 0.5}),
        ((Item("1", "units throughout", 1.0), EXAMPLE), 0.25, {"2": 0.5}),
        ((), 0.0, {}),
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
    now: tuple[Item, ...], score: float, carried: dict[str, float]
) -> None:
    marking = carry_over(Marking(RUBRIC, {"1": 1, "2": 0.5}), now)
    assert (marking.score(2.0), marking.given) == (score, carried)


def test_an_adjustment_stays_when_the_rubric_changes() -> None:
    dearer = (Item("1", "the reason", 1.5), EXAMPLE, UNITS)
    assert carry_over(Marking(RUBRIC, {"1": 1}, -0.25), dearer).score(2.0) == 1.25
    assert carry_over(Marking(RUBRIC, {"units": 1}, 0.75), dearer).score(2.0) == 0.75
