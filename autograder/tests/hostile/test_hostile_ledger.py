"""The ledger of attacks is complete and true: each has a file or a test, and the tests named are there."""

import ast
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from autograder.tests.hostile.attacks import ATTACKS, FOLDER

LEDGER: dict[int, dict[str, Any]] = yaml.safe_load((FOLDER / "ledger.yaml").read_text(encoding="utf-8"))
LISTED_FIRST = 84
NAMED = [name for line in LEDGER.values() for name in line.get("tests", [])]


@cache
def found_in(path: Path) -> frozenset[str]:
    """Return the names of the tests that pytest finds in a file: none that is skipped or expected to fail."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and not any("skip" in (mark := ast.unparse(d)) or "xfail" in mark for d in node.decorator_list)
    )


def test_the_ledger_leaves_no_number_out() -> None:
    assert list(LEDGER) == list(range(1, len(LEDGER) + 1))


@pytest.mark.parametrize("number", LEDGER)
def test_an_attack_of_the_ledger_is_tried(number: int) -> None:
    line = LEDGER[number]
    assert line["about"]
    assert line.get("seen") or number <= LISTED_FIRST
    assert line.get("tests") or any(attack.number == number for attack in ATTACKS)


@pytest.mark.parametrize("name", NAMED)
def test_a_test_that_the_ledger_names_is_there(name: str) -> None:
    file, _, test = name.partition("::")
    assert test in found_in(Path(__file__).parents[1] / file)


def test_every_file_belongs_to_a_line_of_the_ledger() -> None:
    assert {attack.number for attack in ATTACKS} <= set(LEDGER)
