"""What would need a compiler or a GPU changes nothing, and says so."""

from importlib.util import find_spec

import pytest

from autograder.tests.worker.conftest import Run
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
    assert "torch.compile would start a compiler, so here the code runs as it is" in texts["stderr"]
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
