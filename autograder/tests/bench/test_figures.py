"""The figures as data, and the machine as the page describes it."""

import json

from autograder.bench.figures import Figures, this_machine


def test_the_figures_are_json_for_programs(figures: Figures) -> None:
    data = json.loads(figures.to_json())
    assert data["ours"][1] == {"count": 200, "jobs": 2, "seconds": 12.5, "peak_mb": 1500.0, "again": 4.0}
    assert (data["others"][0]["agrees"], data["others"][0]["questions"]) == (3, 4)


def test_the_machine_is_described_without_its_name() -> None:
    machine = this_machine()
    assert machine.cores > 0
    assert machine.memory_gb > 0
    assert machine.processor
    assert machine.torch.count(".") == 2
