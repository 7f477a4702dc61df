"""A page's bounds: what is left for the next part."""

from autograder.report.allowance import MAX_PAGE, MAX_PART, Allowance


def test_parts_take_from_the_page_until_it_is_full() -> None:
    allowance = Allowance()
    taken = 0
    while allowance.take(MAX_PART):
        taken += MAX_PART
    assert taken <= MAX_PAGE < taken + MAX_PART
    assert allowance.take(allowance.room)
    assert not allowance.take(1)
    assert allowance.room == 0


def test_one_part_cannot_take_the_whole_page() -> None:
    allowance = Allowance()
    assert not allowance.take(MAX_PART + 1)
    assert allowance.take(MAX_PART)
