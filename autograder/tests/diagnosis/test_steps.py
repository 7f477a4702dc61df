"""The one wrong step of an answer is proven: with a right result in its place, every test passes."""

import pytest

from autograder.diagnosis import words
from autograder.diagnosis.code import Code
from autograder.diagnosis.steps import Step
from autograder.testing.exchange import Reply
from autograder.tests.diagnosis.test_repairs import OwnBench, tried
from autograder.worker.protocol import Header, Parts
from autograder.worker.remote_function import Answer
from autograder.worker.values import Encoder

ATTENTION = """def simple_self_attention(inputs):
    scores = inputs @ inputs.transpose(-2, -1)
    weights = torch.softmax(scores, dim=-1)
    return weights @ inputs
"""
LAYERS = """class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        s = q @ k.transpose(-2, -1)
        w = torch.softmax(s / k.shape[-1] ** 0.5, dim=-1)
        return w @ v
"""


def wrong_step(text: str, kind: type[OwnBench] = OwnBench) -> Step | None:
    """Return the wrong step that is found in an answer, which may be right."""
    question, code, repairer, bench, failed = tried(text, kind)
    return repairer.results(question).wrong_step(code, failed, bench)


def said(text: str) -> str:
    """Return what a student reads of it."""
    step = wrong_step(text)
    return words.step(step, words.Looked(Code(()), {0: text}, text).where(step.edit)) if step else ""


@pytest.mark.parametrize(
    ("right", "was", "written", "sentence"),
    [
        (
            ATTENTION,
            "torch.softmax(scores, dim=-1)",
            "torch.softmax(scores.relu() ** 2, dim=0)",
            "Up to `scores` all is as it should be. The step in line 3 that makes `weights` is where it goes "
            "wrong; everything after it is right.",
        ),
        (
            "def simple_self_attention(inputs):\n    return (inputs @ inputs.mT).softmax(-1) @ inputs\n",
            "(inputs @ inputs.mT).softmax(-1)",
            "((inputs @ inputs.mT).relu() ** 2).softmax(0)",
            "Up to `scores` all is as it should be. The step in line 2, at "
            "`((inputs @ inputs.mT).relu() ** 2).softmax(0)`, that makes `weights` is where it goes wrong; "
            "everything after it is right.",
        ),
        (
            ATTENTION,
            "inputs @ inputs.transpose(-2, -1)",
            "inputs.relu() @ inputs.transpose(-2, -1).tanh()",
            "The step in line 2 that makes `scores` is where it goes wrong; everything else is right.",
        ),
        (
            LAYERS,
            "torch.softmax(s / k.shape[-1] ** 0.5, dim=-1)",
            "torch.softmax((s / k.shape[-1] ** 0.5).tanh(), dim=0)",
            "Up to `scores` all is as it should be. The step in line 11 that makes `last_weights` is where "
            "it goes wrong; everything after it is right.",
        ),
        (
            LAYERS,
            "k.shape[-1] ** 0.5",
            "x.shape[-1] ** 0.5",
            "The step in line 11, at `x.shape[-1]`, is where it goes wrong; everything else is right.",
        ),
        (
            LAYERS,
            "s / k.shape[-1] ** 0.5",
            "s - s.mean()",
            "The step in line 11, at `s - s.mean()`, that makes `scores` is where it goes wrong; everything "
            "else is right.",
        ),
    ],
)
def test_the_step_is_named_up_to_which_and_after_which_all_is_right(
    right: str, was: str, written: str, sentence: str
) -> None:
    assert was in right
    assert said(right.replace(was, written)) == sentence


@pytest.mark.parametrize(
    ("right", "changes"),
    [
        (ATTENTION, []),
        # Whoever exchanges the last result has it right.
        (ATTENTION, [("weights @ inputs", "(weights @ inputs).tanh() + 1")]),
        # A result of another shape has no place there.
        (ATTENTION, [("torch.softmax(scores, dim=-1)", "torch.softmax(scores, dim=-1).sum()")]),
        # Two steps are wrong, and neither of them alone.
        (
            ATTENTION,
            [("scores, dim=-1", "scores ** 2, dim=0"), ("weights @ inputs", "weights @ inputs.tanh()")],
        ),
        # Nobody knows what the second of two wrong lines should have made.
        (
            ATTENTION,
            [
                ("scores, dim=-1", "scores, dim=0"),
                ("    weights", "    scores = scores.tanh() * 3\n    weights"),
            ],
        ),
        # Nothing of it matches.
        (ATTENTION, [("return weights @ inputs", "return inputs.new_zeros(inputs.shape)")]),
        # What goes into the step has gone wrong before, where nobody can tell what is missing.
        (
            LAYERS,
            [
                (
                    "self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)",
                    "self.W_query = nn.Linear(d_in, d_out)",
                )
            ],
        ),
    ],
)
def test_nothing_is_said_without_a_proof(right: str, changes: list[tuple[str, str]]) -> None:
    text = right
    for was, written in changes:
        assert was in text
        text = text.replace(was, written)
    assert said(text) == ""


@pytest.mark.parametrize(
    "forged",
    [
        7,
        "x",
        [1],
        [[0, ["x", None]]],
        [[1_000_000, [1.0]]],
        [[-1, [1.0]]],
        [[0, [{1: 2}]]],
        [[0, [1 << 3000]]],
    ],
)
def test_forged_results_prove_nothing(forged: object) -> None:
    class Forger(OwnBench):
        def ask(self, header: Header, tensors: Parts, answer: Answer | None = None) -> Reply:
            reply = super().ask(header, tensors, answer)
            return (
                ({"value": Encoder(lambda _: {}).encode(forged)}, []) if header["op"] == "results" else reply
            )

    assert wrong_step(ATTENTION.replace("scores, dim=-1", "scores ** 3, dim=0"), Forger) is None
