"""Attacks on the grader: each is stopped, costs its own question alone, and leaves nothing behind."""

import re
import socket
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

import autograder
from autograder.course.settings import Tier
from autograder.tests.hostile.attacks import ATTACKS, TIERS, Attack, Desk, Host, try_attack


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_is_stopped_and_leaves_nothing_behind(attack: Attack, desk: Desk) -> None:
    """Behind the strongest walls of this machine."""
    if desk.zygote.tier not in attack.tiers:
        pytest.skip(f"this machine cannot raise the {Tier.FULL} walls")
    try_attack(desk, attack)


def test_a_knock_at_the_hosts_socket_would_be_seen(tmp_path: Path) -> None:
    host = Host(tmp_path)
    with socket.socket(socket.AF_UNIX) as knocking:
        knocking.connect(str(tmp_path / "agent"))
        assert host.state()["knocked"]
    host.close()


def test_what_each_tier_does_not_stop_is_listed_by_name(golden: Callable[[str, str], None]) -> None:
    lines = []
    for tier in TIERS:
        through = [attack for attack in ATTACKS if tier not in attack.tiers]
        lines.append(f"{tier}: stops {len(ATTACKS) - len(through)} of {len(ATTACKS)} attacks")
        lines += [f"    {attack.name} gets through: {attack.about}" for attack in through]
    golden("hostile_tiers.txt", "\n".join(lines) + "\n")


def test_the_documentation_names_what_each_tier_does_not_stop() -> None:
    stopped = Path(__file__).parents[1] / "golden" / "hostile_tiers.txt"
    engine = Path(autograder.__file__).parent
    page, security = engine / "docs/walls.md", engine.parent / ".github/SECURITY.md"
    text, seen = page.read_text(encoding="utf-8"), stopped.read_text(encoding="utf-8")
    counts = re.findall(r"^\S.+$", seen, re.MULTILINE)
    assert [line for line in counts if f"    {line}\n" not in security.read_text(encoding="utf-8")] == []
    listed = text.partition("<!-- tiers -->\n")[2].partition("<!-- /tiers -->")[0]
    assert textwrap.dedent(listed) == seen, f"copy {stopped} into {page}"
