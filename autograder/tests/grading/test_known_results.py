"""Mistakes that no single repair names are recognized by results that equal those of a known wrong answer."""

from collections.abc import Callable

import pytest

from autograder.grading.grader import Grader
from autograder.tests.in_process import report_on

SAME = "Your code gives the same results as code with this mistake: "
AFTERWARDS = "2. After this change, your code gives the same results as code with this mistake: "

HALVES = """
def rotate(x, positions, base=10_000.0):
    d = x.shape[-1]
    theta = base ** (-2 * torch.arange(d // 2, dtype=x.dtype) / d)
    angle = positions.to(x.dtype).unsqueeze(-1) * theta
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], dim=-1)
"""
QUERIES_LAST = """
def attention_scores(queries, keys):
    return torch.einsum("...qd,...kd->...kq", queries, keys)
"""
HEAD = """
class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)

    def forward(self, x):
        keys, queries, values = self.key(x), self.query(x), self.value(x)
        T = x.shape[1]
        hidden = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(diagonal=1)
        scores = torch.einsum("bqd,bkd->bqk", queries, keys)
        weights = torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=1)
        return torch.einsum("bqk,bkd->bqd", weights, values)
"""
FLOAT32_SUMS = """
def causal_average_loop(x):
    y = torch.zeros(x.shape)
    for b in range(len(x)):
        for t in range(x.shape[1]):
            y[b, t] = x[b, : t + 1].sum(0)
    return y
"""
BLOCK = """
def add_block(state, scores, values):
    maximum, denominator, output = state
    block_max, _ = scores.max(dim=-1)
    shift = block_max.masked_fill(block_max == -math.inf, 0.0)
    exps = torch.exp(scores - shift.unsqueeze(-1))
    rescale = torch.exp(maximum - shift)
    denominator = denominator * rescale + exps.sum(dim=-1)
    output = output * rescale.unsqueeze(-1) + torch.matmul(exps, values)
    output = output / denominator.clamp(min=1e-9).unsqueeze(-1)
    return block_max, denominator, output
"""
ANY_QUERY = """
class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        queries, keys, values = self.W_query(x), self.W_key(context), self.W_value(context)
        scores = queries @ keys.transpose(1, 2) / keys.size(-1) ** 0.5
        if mask is not None:
            if mask.dim() == 3:
                mask = mask[:, 1 % mask.shape[1]]
            scores = scores.masked_fill(mask.unsqueeze(1), float("-inf"))
        return torch.softmax(scores, dim=-1) @ values
"""


@pytest.mark.parametrize(
    ("exercise", "question", "answer", "name", "sentences"),
    [
        # no edit repairs the code, which is written in another form
        ("10_inference", "rotate", HALVES, "halves", [f"{SAME}Each feature of the first half is paired"]),
        # an edit repairs the code, and its place has no name
        (
            "04_scaled_dot_product",
            "attention_scores",
            QUERIES_LAST,
            "queries_and_keys_swapped",
            [f"{SAME}Queries and keys are swapped.", "All tests pass after one change in line 3"],
        ),
        # two edits repair the code: after each one alone, a known mistake remains
        (
            "06_causal_attention",
            "Head",
            HEAD,
            "softmax_over_dim_1+not_scaled",
            ["The softmax runs over dimension 1: in line 14", "The scores are not scaled: in line"],
        ),
        # the second mistake is hidden by the first in each failed test
        (
            "03_causal_averaging",
            "causal_average_loop",
            FLOAT32_SUMS,
            "single_precision+sum_for_mean",
            ["A tensor has the dtype float32", "A sum is computed instead of a mean: in line 6"],
        ),
        # one edit, and then a known mistake that no edit repairs
        (
            "10_inference",
            "add_block",
            BLOCK,
            "divided+maximum_of_the_block",
            ["1. A tensor or number is divided where it", f"{AFTERWARDS}The new maximum is the maximum of"],
        ),
    ],
)
def test_equal_results_name_a_mistake(
    grader_of: Callable[[str], Grader],
    exercise: str,
    question: str,
    answer: str,
    name: str,
    sentences: list[str],
) -> None:
    report = report_on(grader_of(exercise), question, answer)
    assert set((report.mistake or "").removeprefix(f"{question}__").split("+")) == set(name.split("+"))
    for sentence in sentences:
        assert sentence in report.hint


def test_an_edit_that_makes_a_known_mistake_and_hides_the_first_one_proves_nothing(
    grader_of: Callable[[str], Grader],
) -> None:
    """With keys instead of values, the test of the mask fails earlier, as in a known wrong answer."""
    report = report_on(grader_of("07_cross_attention"), "CrossAttention", ANY_QUERY)
    assert "values" not in (report.mistake or "")
    assert "the same results" not in report.hint
