"""What would need a compiler or a GPU changes nothing, and says so."""

from autograder.course.limits import Limits
from autograder.sandbox.zygote import Zygote

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


def test_compiled_code_runs_as_it_is_written_on_the_device_that_is_there(zygote: Zygote) -> None:
    worker = zygote.fork(Limits())
    shown, _ = worker.ask({"op": "cell", "number": 1, "code": CODE}, [], 30)
    worker.close()
    assert shown["error"] is None
    texts = {item["name"]: item["text"] for item in shown["outputs"]}
    assert "torch.compile would start a compiler, so here the code runs as it is" in texts["stderr"]
    assert "There is no GPU where notebooks are graded" in texts["stderr"]
    assert texts["stdout"] == "2.0 cpu ['weight', 'bias'] torch.Size([1])\nmeta\n"
