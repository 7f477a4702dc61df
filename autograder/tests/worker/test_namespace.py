"""Requests about a notebook's names: their forms, and what is recorded, kept or exchanged.

What each request answers, tests/testing/test_student.py asks by the proxy that hidden tests hold.
"""

import marshal
import re
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
import torch

from autograder.testing.bytecode import compile_for_worker
from autograder.tests.worker.crossing import refuse
from autograder.worker.namespace import Namespace, run_code
from autograder.worker.protocol import Header, Parts, ProtocolError
from autograder.worker.values import Encoder

NOTEBOOK = """
import torch

def double(x):
    return 2 * x

def fails(x):
    return x[9]
"""
NOTHING: Header = {"args": {"tuple": []}, "kwargs": {"dict": []}}


@pytest.fixture
def notebook() -> Namespace:
    return run_code((NOTEBOOK,))


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"op": "run"},
        {"op": "seed", "seed": "1"},
        {"op": "call", "of": 1},
        {"op": "attribute", "of": {"path": "torch"}, "name": "size"},
    ],
)
def test_a_request_of_no_known_form_is_a_protocol_error(notebook: Namespace, header: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError):
        notebook.handle(header, [])


def test_a_call_is_recorded_where_the_request_asks_for_it(notebook: Namespace) -> None:
    encoder = Encoder(refuse)
    args = encoder.encode((torch.ones(2, requires_grad=True),))
    form = {"of": {"name": "double"}, "args": args, "kwargs": {"dict": []}, "weight": None}
    reply, _ = notebook.handle({"op": "inspect", **form, "record": True}, encoder.parts)
    assert "mul" in reply["ran"]
    assert not {"ones_like", "sum", "expand"} & set(reply["ran"])  # of the gradients
    assert "ran" not in notebook.handle({"op": "call", **form}, encoder.parts)[0]


def test_a_call_that_raises_is_recorded_too_and_torchs_own_is_not(notebook: Namespace) -> None:
    reply, _ = notebook.handle({"op": "call", "of": {"name": "fails"}, **NOTHING, "record": True}, [])
    assert reply["error"]["type"] == "TypeError"
    assert "ran" in reply
    own = {"op": "call", "of": {"torch": "get_num_threads"}, **NOTHING, "record": True}
    assert "ran" not in notebook.handle(own, [])[0]


def test_code_of_a_test_runs_apart_from_the_notebook_once_a_definition(notebook: Namespace) -> None:
    code = compile_for_worker(
        "calls = []\ndef count():\n    calls.append(0)\n    return len(globals()), len(calls)"
    )
    seen = []
    for number, first in ((1, {}), (1, {}), (2, {}), (1, {"fresh": 0})):
        count = {"code": code, "name": "count", "number": number}
        seen.append(notebook.handle({"op": "call", "of": count, **NOTHING, **first}, [])[0])
    # The names are __name__, __builtins__, torch, nn, calls and count itself.
    assert [reply["value"] for reply in seen] == [{"tuple": [6, times]} for times in (1, 2, 1, 1)]


def test_code_of_a_test_is_sent_without_its_source_docstrings_and_comments() -> None:
    source = 'def load(x):\n    """Say what is tested."""\n    return x + 1  # one more\n'
    code = marshal.loads(b64decode(compile_for_worker(source)))
    (function,) = (one for one in code.co_consts if hasattr(one, "co_code"))
    assert not {"tested", "more"} & set(re.findall(r"\w+", repr((code.co_consts, function.co_consts))))
    assert not Path(function.co_filename).exists()


def test_a_function_of_the_test_is_called_through_what_sends_its_calls(notebook: Namespace) -> None:
    asked: list[Header] = []

    def answer(header: Header, parts: Parts) -> tuple[Header, Parts]:
        asked.append(header)
        return {"value": 5}, parts

    form = {"of": {"function": 3}, "args": {"tuple": [1]}, "kwargs": {"dict": []}}
    assert notebook.handle({"op": "call", **form}, [], answer) == ({"value": 5}, [])
    (only,) = asked
    assert only == {"function": 3, "args": {"tuple": [1]}, "kwargs": {"dict": []}, "weights": {"list": []}}
    reply, _ = notebook.handle({"op": "call", **form}, [])
    message = "a function from a hidden test can be called only until your code returns"
    assert reply["error"]["message"] == message


def test_a_test_begins_with_the_variables_of_its_questions_check() -> None:
    notebook = Namespace({"factor": 2, "made": 1, "gone": [5]})
    notebook.handle({"op": "keep", "questions": ["first"], "last": False}, [])
    notebook.variables.update(factor=3, second=4, range=5)
    notebook.handle({"op": "keep", "questions": ["second"], "last": False}, [])
    del notebook.variables["gone"]
    notebook.variables.update(factor=6, helper=7, second=4)
    reply, _ = notebook.handle({"op": "keep", "questions": [], "last": True}, [])
    assert reply == {"value": {"second": ["factor", "gone"], "first": ["factor", "gone", "range"]}}
    states = {
        "first": {"factor": 2, "made": 1, "gone": [5], "second": 4, "helper": 7},
        "second": {"factor": 3, "made": 1, "gone": [5], "second": 4, "range": 5, "helper": 7},
        "another": {"factor": 6, "made": 1, "second": 4, "range": 5, "helper": 7},
    }
    for question in ("first", "second", "another", "first"):
        notebook.handle({"op": "seed", "seed": 1, "fresh": 1, "question": question}, [])
        assert notebook.variables == states[question]
        notebook.variables.clear()


def test_without_kept_variables_a_test_begins_with_the_last_ones(notebook: Namespace) -> None:
    before = dict(notebook.variables)
    notebook.handle({"op": "seed", "seed": 1, "fresh": 1, "question": "double"}, [])
    assert notebook.variables == before
