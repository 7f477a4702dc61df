"""Attacks behind each other tier of walls, with other hidden inputs, and on many submissions in a row."""

import psutil
import pytest

from autograder.course.settings import Tier
from autograder.report.report import Report, Verdict
from autograder.testing.inputs import numbered_inputs
from autograder.tests.hostile.attacks import ATTACKS, Attack, Desk, of, try_attack

# Attacks on reading, judging, answers, frames and time, which are the same behind any wall.
_WITHOUT_WALLS = {
    *(3, 4, *range(6, 17), 18, 19, *range(22, 33), 34, 37, 39, 50, 76, 79, 83, 84, 85, 88),
    *("40_swallows_exceptions", "47_floods_with_old_numbers"),
}


BEHIND_WALLS = [
    attack
    for attack in ATTACKS
    if Tier.CONTAINER in attack.tiers and not {attack.number, attack.name} & _WITHOUT_WALLS
]


@pytest.mark.parametrize("attack", BEHIND_WALLS, ids=lambda attack: attack.name)
def test_an_attack_is_stopped_by_a_container_s_walls(attack: Attack, container_desk: Desk) -> None:
    try_attack(container_desk, attack)


@pytest.mark.parametrize("attack", [a for a in ATTACKS if a.number == 78], ids=lambda a: a.name)
def test_a_report_is_the_same_to_the_byte_whatever_the_hidden_inputs_were(attack: Attack, desk: Desk) -> None:
    sets = [numbered_inputs(b"hidden", desk.exercise.name, number) for number in range(3)]
    assert len({desk.grade_with(attack, inputs).to_json() for inputs in sets}) == 1


@pytest.mark.parametrize(
    "attack", [a for a in ATTACKS if Tier.CONTAINER not in a.tiers], ids=lambda a: a.name
)
def test_what_a_tier_is_said_not_to_stop_it_does_not(attack: Attack, container_desk: Desk) -> None:
    """Where a wall begins to stop such an attack, the list in docs/walls.md must become shorter."""
    assert of(container_desk.grade(attack).report, attack.answer).verdict is Verdict.PASSED


def test_many_submissions_in_a_row_are_graded_each_as_if_alone(
    desk: Desk, pytestconfig: pytest.Config
) -> None:
    count = pytestconfig.getoption("--stress")
    plain = [a for a in ATTACKS if a.cell == "answer" and not a.form and not a.earlier]
    quick = [a for a in plain if a.verdicts[0] in ("failed", "blocked")]
    alone = desk.reference().to_json()
    for number in range(count // 3):
        attack_or_reference(desk, number, quick)
    before, memory = desk.host.state(), psutil.Process().memory_info().rss
    for number in range(count):
        report = attack_or_reference(desk, number, quick)
        assert report is None or report.to_json() == alone
    assert desk.left_behind() == []
    assert desk.host.state() == before
    assert psutil.Process().memory_info().rss - memory < 20 << 20


def attack_or_reference(desk: Desk, number: int, attacks: list[Attack]) -> Report | None:
    """Grade an attack if `number` is a tenth one, else the right answers, and return their report."""
    if number % 10 == 9:
        desk.grade(attacks[number // 10 % len(attacks)])
        return None
    return desk.reference()
