"""The machine, as the README describes it."""

from autograder.bench.machine import this_machine


def test_the_machine_is_described_without_its_name() -> None:
    machine = this_machine()
    assert machine.cores > 0
    assert machine.memory_gb > 0
    assert machine.processor
    assert machine.torch.count(".") == 2
