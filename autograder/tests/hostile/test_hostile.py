"""Attacks on the grader: each is stopped, costs its own question alone, and leaves nothing behind."""

import re
import socket
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

import autograder
from autograder.course.settings import Tier
from autograder.grading.graded import Graded
from autograder.report.report import QuestionReport, Report, Status, Verdict
from autograder.sandbox.zygote import Zygote
from autograder.testing.inputs import numbered_inputs
from autograder.tests.classroom import open_course
from autograder.tests.hostile.attacks import ATTACKS, SECRET, TIERS, Attack, Desk, Host


@pytest.fixture(scope="module")
def desks(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[dict[Tier, Desk]]:
    """Return a desk for each tier, all on one host."""
    request.getfixturevalue("born_alone")
    host = Host(tmp_path_factory.mktemp("host"))
    with Zygote() as full, Zygote(outer=False) as container:
        found = {}
        for zygote in (full, container):
            course = open_course(tmp_path_factory.mktemp("desk") / "course")
            found[zygote.tier] = Desk(course, zygote, host)
        yield found
    host.close()


RIGHT_SUMS = "def row_sums(x):\n    return x.sum(-1)"
# Attacks on reading, judging, answers, frames and time, which are the same behind any wall.
_WITHOUT_WALLS = {
    *(3, 4, *range(6, 17), 18, 19, *range(22, 33), 34, 37, 39, 50, 76, 79, 83, 84, 85, 88),
    *("40_swallows_exceptions", "47_floods_with_old_numbers"),
}


def cases() -> Iterator[Any]:
    for attack in ATTACKS:
        for tier in attack.tiers[:1] if {attack.number, attack.name} & _WITHOUT_WALLS else attack.tiers:
            yield pytest.param(attack, tier, id=f"{attack.name}-{tier}")


@pytest.mark.parametrize(("attack", "tier"), list(cases()))
def test_an_attack_is_stopped_and_leaves_nothing_behind(
    attack: Attack, tier: Tier, desks: dict[Tier, Desk]
) -> None:
    if tier not in desks:
        pytest.skip(f"this machine cannot raise the {tier} walls")
    desk = desks[tier]
    before = desk.host.state()
    for _ in range(attack.times):
        graded = desk.grade(attack)
    report = graded.report
    assert report.status is Status.GRADED, report.message
    attacked = of(report, attack.answer)
    assert attacked.verdict in attack.verdicts, attacked.hint
    assert attacked.score == attack.score
    assert attack.hint in " ".join([attacked.hint, *(test.hint for test in attacked.tests)])
    beside = of(report, "double" if attack.answer == "row_sums" else "row_sums")
    if attack.earlier:
        assert beside == of(desk.grade(attack, RIGHT_SUMS).report, "double")
    else:
        assert beside.verdict is Verdict.PASSED, beside.hint
    assert_discreet(desk, graded)
    if attack.alike:
        other = desk.grade(attack, attack.alike)
        assert said(other.report) == said(report)
        assert not attack.earlier or repr(other.results) == repr(graded.results)
    assert desk.left_behind() == []
    assert desk.reference().score == 5.0
    assert desk.left_behind() == []
    assert desk.host.state() == before


def assert_discreet(desk: Desk, graded: Graded) -> None:
    """Expect nothing in a report that a student must not see, and nothing without bounds."""
    texts = [graded.report.message]
    for question in graded.report.questions:
        texts += [unquoted(question.hint), *(test.hint for test in question.tests)]
    shown = "".join(output.text + str(output.data) for r in graded.results.values() for output in r.outputs)
    assert all(len(text) < 600 and text.replace("\n", "").isprintable() for text in texts)
    assert len(shown) < 1 << 20
    seen = " ".join([*texts, shown])
    for word in ("Traceback", "test_hidden", str(Path(__file__).parents[1]), SECRET):
        assert word not in seen
    for path in re.findall(r"autograder/(\S*)", seen):  # a stack shows the worker, in a path that may be cut
        assert path.startswith("worker/") or "worker/".startswith(path)


def unquoted(hint: str) -> str:
    """Return a hint without the student's own code, which it may quote."""
    assert all(len(quoted) < 80 for quoted in re.findall(r"`([^`]*)`", hint))
    return re.sub(r"`[^`]*`", "``", hint)


@pytest.mark.parametrize("attack", [a for a in ATTACKS if a.number == 78], ids=lambda a: a.name)
def test_a_report_is_the_same_to_the_byte_whatever_the_hidden_inputs_were(
    attack: Attack, desks: dict[Tier, Desk]
) -> None:
    desk = desks.get(Tier.FULL) or desks[Tier.CONTAINER]
    sets = [numbered_inputs(b"hidden", desk.exercise.name, number) for number in range(3)]
    assert len({desk.grade_with(attack, inputs).to_json() for inputs in sets}) == 1


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
        lines += [f"    not {attack.name}: {attack.about}" for attack in through]
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


@pytest.mark.parametrize(
    "attack", [a for a in ATTACKS if Tier.CONTAINER not in a.tiers], ids=lambda a: a.name
)
def test_what_a_tier_is_said_not_to_stop_it_does_not(attack: Attack, desks: dict[Tier, Desk]) -> None:
    """Where a wall begins to stop such an attack, the list in docs/walls.md must become shorter."""
    assert of(desks[Tier.CONTAINER].grade(attack).report, attack.answer).verdict is Verdict.PASSED


def test_many_submissions_in_a_row_are_graded_each_as_if_alone(
    desks: dict[Tier, Desk], pytestconfig: pytest.Config
) -> None:
    count = pytestconfig.getoption("--stress")
    plain = [a for a in ATTACKS if a.cell == "answer" and not a.form and not a.earlier]
    quick = [a for a in plain if a.verdicts[0] in ("failed", "blocked")]
    desk = desks.get(Tier.FULL) or desks[Tier.CONTAINER]
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


def said(report: Report) -> str:
    """Return a report without examples and quotes, which show the answer itself."""
    questions = tuple(replace(one, shown=None, hint=unquoted(one.hint)) for one in report.questions)
    return replace(report, questions=questions).to_json()


def of(report: Report, name: str) -> QuestionReport:
    return next(question for question in report.questions if question.name == name)
