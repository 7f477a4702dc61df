"""What would need a compiler or a GPU changes nothing and says so; a warm-up leaves no trace."""

from importlib.util import find_spec

import pytest
import torch

from autograder.sandbox.zygote import Zygote
from autograder.tests.worker.conftest import Run
from autograder.worker import stand_in
from autograder.worker.stand_in import CUSTOMARY

CODE = """
import torch
@torch.compile
def twice(x):
    return 2 * x
@torch.compile(fullgraph=True)
def thrice(x):
    return 3 * x
layer = torch.nn.Linear(1, 1)
layer.compile()
torch.set_default_device("cuda")
whole = torch.compile(torch.nn.Linear(1, 1), mode="max-autotune")
ones = torch.ones(1)
print(twice(ones).item(), thrice(ones).device, list(whole.state_dict()), layer(ones).shape)
torch.set_default_device("meta")
print(torch.ones(1).device)
"""


def test_compiled_code_runs_as_it_is_written_on_the_device_that_is_there(run: Run) -> None:
    shown = run(CODE)
    assert shown["error"] is None
    texts = {item["name"]: item["text"] for item in shown["outputs"]}
    assert "torch.compile would start a compiler, so grading runs the code without" in texts["stderr"]
    assert "There is no GPU where notebooks are graded" in texts["stderr"]
    assert texts["stdout"] == "2.0 cpu ['weight', 'bias'] torch.Size([1])\nmeta\n"


@pytest.mark.skipif(find_spec("tqdm") is not None, reason="tqdm is installed here, and nothing stands in")
def test_loops_run_without_the_bars_of_a_missing_tqdm(run: Run) -> None:
    code = """
from tqdm.auto import tqdm, trange
import tqdm as t
bar = tqdm([1, 2], desc="steps", total=2)
for step in bar:
    bar.set_postfix(loss=step)
with t.tqdm(total=3) as bar:
    bar.update(1)
    tqdm.write("x")
print(list(trange(1, 3)), step, len(bar), [x for x in t.notebook.tqdm("ab", leave=False)])
"""
    shown = run(code)
    assert (shown["error"], shown["outputs"][0]["text"]) == (None, "x\n[1, 2] 2 0 ['a', 'b']\n")


def test_no_file_of_a_submission_takes_the_name_of_a_missing_package(run: Run) -> None:
    missing = min(name for name in CUSTOMARY if find_spec(name) is None)
    code = f"""
import sys
open("{missing}.py", "w").write("loaded = 1")
open("helper.py", "w").write("loaded = 1")
sys.path.insert(0, ".")
import helper
print(helper.loaded)
import {missing}
print({missing}.loaded)
"""
    shown = run(code)
    texts = {item["name"]: item["text"] for item in shown["outputs"]}
    assert texts["stdout"] == "1\n"
    assert f"`import {missing}`, was left out" in texts["stderr"]


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

    stand_in.skip_missing_devices()
    monkeypatch.setattr("traceback.format_stack", noted)
    with torch.random.fork_rng(devices=[]):
        generator = torch.manual_seed(7)
        assert generator is torch.default_generator
        drawn = torch.rand(3)
        torch.default_generator.manual_seed(7)
        assert torch.equal(torch.rand(3), drawn)
