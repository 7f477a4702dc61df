"""What a zygote runs ahead leaves no trace in its children: no name, and not one random number drawn."""

import pytest
import torch

from autograder.sandbox.zygote import Zygote
from autograder.worker import stand_in

SEEN = """
import sys, torch
print(sorted(name for name in globals() if "attention" in name or "check_" in name or name == "_Head"))
print(torch.initial_seed() == 0, torch.is_grad_enabled(), torch.get_default_dtype())
print([kind.__name__ for kind in torch.nn.Module.__subclasses__() if kind.__name__ == "_Head"])
import gc
print(gc.isenabled(), gc.get_threshold()[0] > 0, gc.get_freeze_count() > 100_000)
"""


def test_a_child_finds_a_notebook_in_which_nothing_has_run(zygote: Zygote) -> None:
    worker = zygote.fork_with(512, 10)
    reply, _ = worker.ask({"op": "cell", "number": 0, "code": SEEN}, [], 10)
    worker.close()
    assert reply["error"] is None
    assert reply["outputs"][0]["text"] == "[]\nFalse True torch.float32\n[]\nTrue True True\n"


def test_what_a_first_optimizer_imports_is_imported_once_for_all(zygote: Zygote) -> None:
    zygote.make_optimizer()
    code = """if True:
        import sys, torch
        before = set(sys.modules)
        torch.optim.SGD([torch.zeros(1)])
        print(set(sys.modules) == before)
    """
    worker = zygote.fork_with(512, 10)
    reply, _ = worker.ask({"op": "cell", "number": 0, "code": code}, [], 10)
    worker.close()
    assert reply["outputs"][0]["text"] == "True\n"


def test_seeding_passes_over_devices_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def noted(*_: object) -> None:
        raise AssertionError("nothing has to be noted for a device that is missing")

    stand_in.seed_the_processor_alone()
    monkeypatch.setattr("traceback.format_stack", noted)
    with torch.random.fork_rng(devices=[]):
        generator = torch.manual_seed(7)
        assert generator is torch.default_generator
        drawn = torch.rand(3)
        torch.default_generator.manual_seed(7)
        assert torch.equal(torch.rand(3), drawn)
