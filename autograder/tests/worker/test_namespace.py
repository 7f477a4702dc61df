"""Requests about a notebook's names: their forms, what is recorded, and that no test reaches the next.

What each request answers, tests/testing/test_student.py asks by the proxy that hidden tests hold.
"""

from typing import Any

import pytest
import torch

from autograder.testing.given import marshalled
from autograder.worker.namespace import Namespace, run_code
from autograder.worker.protocol import Header, ProtocolError
from autograder.worker.values import Decoder, Encoder

NOTEBOOK = (
    "import torch\nfrom torch import nn\nlayer = nn.Linear(2, 1, bias=False)",
    """
def double(x):
    return 2 * x

def fails(x):
    return x[9]

def grow(x):
    x += 1
    return x

class Box:
    size = 3
""",
)


NOTHING: Header = {"args": {"tuple": []}, "kwargs": {"dict": []}}


def refuse(value: object) -> Header:
    raise TypeError(value)


@pytest.fixture
def notebook() -> Namespace:
    return run_code(NOTEBOOK)


def ask(notebook: Namespace, op: str, *args: object, **header: object) -> Header:
    """Send a request with `args` and return the reply, its values decoded."""
    encoder = Encoder(refuse)
    form = {"args": encoder.encode(args), "kwargs": encoder.encode({}), "weight": None}
    reply, tensors = notebook.handle({"op": op, **form, **header}, encoder.parts)
    decoder = Decoder(tensors, lambda reference: reference)
    plain = {key: reply.pop(key) for key in ("error", "missing") if key in reply}
    return plain | {key: decoder.decode(value) for key, value in reply.items()}


def call(notebook: Namespace, name: str, *args: object, **header: object) -> Header:
    return ask(notebook, "call", *args, of={"name": name}, **header)


def test_the_first_request_of_a_test_forgets_objects_and_sets_seed_and_switches_anew(
    notebook: Namespace,
) -> None:
    box = call(notebook, "Box")["value"]
    torch.set_grad_enabled(False)
    torch.set_default_dtype(torch.float64)
    numbers = [
        ask(notebook, "call", 3, of={"torch": "rand"}, fresh=seed)["value"].tolist() for seed in (5, 5, 6)
    ]
    assert numbers[0] == numbers[1] != numbers[2]
    assert torch.is_grad_enabled()
    assert torch.get_default_dtype() == torch.float32
    assert ask(notebook, "attribute", of=box, name="size")["error"]["type"] == "IndexError"


@pytest.mark.parametrize("header", [{}, {"op": "run"}, {"op": "seed", "seed": "1"}, {"op": "call", "of": 1}])
def test_a_request_of_no_known_form_is_a_protocol_error(notebook: Namespace, header: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError):
        notebook.handle(header, [])


def test_a_reference_of_no_known_form_is_a_protocol_error(notebook: Namespace) -> None:
    with pytest.raises(ProtocolError):
        ask(notebook, "attribute", of={"path": "torch"}, name="size")


def test_a_call_is_recorded_where_the_request_asks_for_it(notebook: Namespace) -> None:
    x = torch.ones(2, requires_grad=True)
    encoder = Encoder(refuse)
    form = {
        "args": encoder.encode((x,)),
        "kwargs": encoder.encode({}),
        "weight": None,
        "of": {"name": "double"},
    }
    reply, _ = notebook.handle({"op": "inspect", **form, "record": True}, encoder.parts)
    assert "mul" in reply["ran"]
    assert not {"ones_like", "sum", "expand"} & set(reply["ran"])  # of the gradients
    assert "ran" not in notebook.handle({"op": "call", **form}, encoder.parts)[0]


def test_a_call_that_raises_is_recorded_too_and_torchs_own_is_not(notebook: Namespace) -> None:
    reply, _ = notebook.handle({"op": "call", "of": {"name": "fails"}, **NOTHING, "record": True}, [])
    assert reply["error"]["type"] == "TypeError"
    own = {"op": "call", "of": {"torch": "get_num_threads"}, **NOTHING, "record": True}
    assert "ran" not in notebook.handle(own, [])[0]


def test_given_code_runs_apart_from_the_notebook_and_its_value_is_held(notebook: Namespace) -> None:
    code = marshalled(compile("def given(x):\n    return lambda: x + len(globals())", "given", "exec"))
    reply = ask(notebook, "given", 40, code=code)
    assert reply == {"value": {"handle": 0, "type": "function"}}
    reply = ask(notebook, "call", of={"handle": 0})
    assert reply == {"value": 43}  # __name__, __builtins__ and given itself
