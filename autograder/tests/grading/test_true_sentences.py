"""Sentences that were once said of code of which they are not true: none may come back."""

import ast
from collections.abc import Callable

import pytest

from autograder.authoring.answers import right_answers
from autograder.grading.grader import Grader
from autograder.tests.in_process import report_on

SCALED = ("04_scaled_dot_product", "scaled_dot_product_attention")
LAYERS, MATRICES = ("05_self_attention", "SelfAttention_v2"), ("05_self_attention", "SelfAttention_v1")
HEAD, MASK = ("06_causal_attention", "Head"), ("06_causal_attention", "causal_mask")
MODEL, GENERATE = ("09_tiny_gpt", "TinyGPT"), ("09_tiny_gpt", "generate")
DOTS, CROSS = ("01_dot_products", "dot_product"), ("07_cross_attention", "Attention")
NO_SCALE = ["The scores are not scaled", "No softmax is taken"]
SOFTMAX = "torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)"

BLOCK = ("10_inference", "add_block")
AVERAGE, VARIANCE = (
    ("03_causal_averaging", "causal_average_loop"),
    ("04_scaled_dot_product", "score_variance"),
)
DROPOUT, SUM = ("06_causal_attention", "CausalAttention"), ("01_dot_products", "context_vector")
SCALES, REPAIRED = ("11_find_the_bug", "scales_wrongly"), ("11_find_the_bug", "RepairedMultiHead")
WEIGHTS = "torch.softmax(scores, dim=-1)"
UNSCALED = f"{WEIGHTS} * (torch.rand_like(scores) >= self.dropout.p * self.training)"
SHARES = "scores / scores.sum(dim=-1, keepdim=True)"
ALL_SEEN, NO_PLACE = "Every token can see the next", "The model does not know where a token stands"
ROWS, CONTEXT = ("01_dot_products", "attention_scores"), ("07_cross_attention", "CrossAttention")
ROTATE, MASKED = ("10_inference", "rotate"), ("06_causal_attention", "MaskedSelfAttention")
HIDDEN = ("06_causal_attention", "masked_attention_weights")
TURNED = "torch.stack([a * cos - b * sin, a * sin + b * cos]"


@pytest.mark.parametrize(
    ("where", "right", "wrong", "false"),
    [
        (LAYERS, "self.W_", "self.w_", ["It does not look into Python lists"]),
        (LAYERS, "self.W_key = nn", "self.W_query = nn", ["Three names are not yet three layers"]),
        (HEAD, "self.value = nn", "self.query = nn", ["Three names are not yet three layers"]),
        (SCALED, "return weights @ values", "return values", [*NO_SCALE, "Each token looks only at itself"]),
        (SCALED, "return weights @ values", "return scores @ values", NO_SCALE[1:]),
        (MATRICES, "d_out))", "d_out), requires_grad=False)", ["Numbers copied from the page"]),
        (MASK, "diagonal=1", "diagonal=0", [ALL_SEEN]),
        (HEAD, "diagonal=1", "diagonal=0", [ALL_SEEN]),
        (MODEL, "self.blocks(x)", "x", [NO_PLACE]),
        (GENERATE, "likeliest]", "tokens[:, -1:]]", ["The beginning is counted among"]),
        (SCALED, "return weights @ values", "return weights @ values * 0", ["numbers become float32"]),
        (SCALED, SOFTMAX, SHARES, ["What is missing after the exponential?"]),
        (CROSS, "masked_fill(mask", "masked_fill(~mask", ["below everything else?"]),
        (DOTS, "a[i] * b[i]", "a[i] * a[i]", ["No error is raised"]),
        (BLOCK, "maximum - reference", "reference - maximum", ["The highest score gets the lowest weight"]),
        (CROSS, "self.W_k(encodings_for_k)", "self.W_k(encodings_for_q)", ["Two inputs come in"]),
        (SCALED, "return weights", "return torch.softmax(weights, dim=-1)", ["weights and not scores"]),
        (AVERAGE, "x[b, :t + 1].mean(dim=0)", "torch.mean(x[b][:t], 0)", ["The dimension of a reduction"]),
        (VARIANCE, "scores.var()", "scores.var(correction=0)", ["A dimension is wrong"]),
        (CROSS, "self.W_v(", "self.W_k(", ["used in place of the values", "not use at all"]),
        (MATRICES, "x @ self.W_value", "x @ self.W_key", ["The keys are used in place of the values"]),
        (SUM, "weights @ inputs", "(weights[:, None] * inputs).mean(0)", ["A product is missing"]),
        (GENERATE, "model.train(was_training)", "pass", ["calls the model in training mode"]),
        (DROPOUT, f"self.dropout({WEIGHTS})", UNSCALED, ["nothing is dropped"]),
        (DROPOUT, "self.dropout(torch", "nn.Dropout(self.dropout.p)(torch", ["`nn.Dropout` does."]),
        (DROPOUT, "diagonal=1)", "diagonal=1)[:1]", ["mask of the first sequence"]),
        (SCALES, "keys.shape[-1]", "keys.shape[-2]", ["Which outputs may change"]),
        (
            REPAIRED,
            "(1, 2)\n        keys",
            "(1, 2)[:, :1]\n        keys",
            ["contains only one head"],
        ),
        (BLOCK, "higher == -math.inf", "higher != -math.inf", ["The mask is inverted"]),
        (BLOCK, "higher.masked_fill(higher == -math.inf, 0.0)", "higher", ["The mask hides nothing"]),
        (
            LAYERS,
            "self.W_key = nn.Linear(d_in, d_out",
            "self.W_key = nn.Linear(d_out, d_in",
            ["are created in"],
        ),
        (
            ROWS,
            "return inputs @ query",
            "lengths = inputs.norm(dim=1) * query.norm()\n    return (inputs @ query) / lengths",
            ["dtype"],
        ),
        (ROTATE, TURNED, "torch.stack([a * cos + b * sin, b * cos - a * sin]", ["line 21", "one more step"]),
        (
            HIDDEN,
            "torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)",
            "(p := torch.softmax(scores, dim=-1).masked_fill(mask, 0.0)) / p.sum(dim=-1, keepdim=True)",
            ["The function that is called here is the wrong one"],
        ),
        (MASKED, "scaled = scaled.masked_fill", "scores = scores.masked_fill", ["A condition is wrong"]),
        (CONTEXT, "keys.size(-1) ** 0.5", "math.sqrt(keys.size(-1))", ["nn.Linear"]),
    ],
)
def test_a_sentence_is_not_said_where_it_is_false(
    grader_of: Callable[[str], Grader], where: tuple[str, str], right: str, wrong: str, false: list[str]
) -> None:
    grader, question = grader_of(where[0]), where[1]
    code = ast.unparse(ast.parse(right_answers(grader.exercise)[question]))
    assert right in code
    report = report_on(grader, question, code.replace(right, wrong))
    assert report.score is not None
    assert report.score < report.max_score
    assert report.hint
    assert [sentence for sentence in false if sentence in report.hint] == []


@pytest.mark.parametrize(
    ("right", "wrong", "error"),
    [
        ("weights @ values", "weights @ vals", "NameError: name 'vals' is not defined"),
        ("keys.transpose(-2, -1)", "keys.transpose(-2, 5)", "IndexError: Dimension out of range"),
    ],
)
def test_an_error_and_its_line_come_before_the_repair(
    grader_of: Callable[[str], Grader], right: str, wrong: str, error: str
) -> None:
    grader, question = grader_of(SCALED[0]), SCALED[1]
    code = ast.unparse(ast.parse(right_answers(grader.exercise)[question]))
    assert right in code
    report = report_on(grader, question, code.replace(right, wrong))
    line = code[: code.index(right)].count("\n") + 1
    assert report.hint.startswith(error)
    before, _, repair = report.hint.partition(f"(the cell of {question}, line {line}). ")
    assert "ll tests pass after one change" not in before
    assert f"ll tests pass after one change in line {line}" in repair
    assert report.place is not None
    assert report.place.line == line
