"""The hidden tests of exercise 11.

The input of a probe is a module. The modules stay in this process: a probe gets a callable, and sees only its
results. Each test uses right and wrong modules, so a probe that always gives the same answer passes none.
"""

import math

import torch

from autograder.testing import (
    draw,
    expect,
    expect_close,
    expect_tensor,
    expect_unchanged,
    question,
)

STYLES = (
    "with matrix products",
    "with einsum",
    "row by row",
    "with flattened batches and bmm",
    "with a loop over texts and heads",
    "with a loop over texts",
    "with a loop over heads",
    "with broadcasting and sums",
    "in blocks of three rows",
    "with the second matrix column by column",
    "with baddbmm",
    "in float64",
)
# Numbers that replace the score of a hidden token
HIDDEN = (-math.inf, -1e9, -3e38)
# Where the mask is applied: before the softmax, after it, or after it with a division by the sum
BEFORE, AFTER, DIVIDED = range(3)
# Where a text gets its keys, values or queries from
OWN, FIRST, LAST, NEIGHBOUR, MEAN, TURNED = range(6)
KEYS, VALUES, QUERIES = 1, 2, 4
MANY = 10**9  # more than any size that a probe chooses


def other_digits(output, *inputs):
    """Return an output with other last digits. In float32, two calls differ by at most 8e-6.

    Equal inputs give equal digits. The gradients of the output stay the same.
    """
    phase = sum(
        (part.detach().double().flatten() * torch.arange(part.numel())).sum()
        for part in inputs
    )
    digits = torch.sin(1e6 * phase + torch.arange(output.numel()))
    size = 32 * torch.finfo(output.dtype).eps
    return output + (size * digits).to(output.dtype).reshape(output.shape)


def make(
    style,
    axes,
    power,
    divisor,
    outer,
    dim,
    diagonal,
    fill,
    when,
    texts,
    heads,
    rows,
    of,
    which,
    rounds,
):
    """Return a module with these bugs.

    Let s be the product of the sizes of `axes`. Scores are multiplied by s**power / divisor, and weights by
    s**outer. The mask acts in the first `texts` texts, `heads` heads and `rows` rows. If `rows` is 1 and
    there are two tokens, there is no mask: only the first row has a future, and a probe must find the bug.
    """

    def over(dim):
        """Return a matrix product that loops over texts, or over heads."""
        return lambda one, other: torch.stack(
            [a @ b for a, b in zip(one.unbind(dim), other.unbind(dim), strict=True)],
            dim,
        )

    def loop(one, other):
        pairs = zip(one.flatten(0, 1), other.flatten(0, 1), strict=True)
        return torch.stack([a @ b for a, b in pairs]).unflatten(0, one.shape[:2])

    def flattened(one, other):
        product = torch.bmm(one.flatten(0, 1), other.flatten(0, 1))
        return product.unflatten(0, one.shape[:2])

    def added(one, other):
        nothing = torch.zeros(())
        product = torch.baddbmm(nothing, one.flatten(0, 1), other.flatten(0, 1), beta=0)
        return product.unflatten(0, one.shape[:2])

    takes = (
        lambda part: part,
        lambda part: part[:1].expand_as(part),
        lambda part: part[-1:].expand_as(part),
        lambda part: part.roll(1, 0),
        lambda part: part.mean(0, keepdim=True).expand_as(part),
        lambda part: part.transpose(0, 1).reshape(part.shape),
    )
    products = (
        lambda one, other: one @ other,
        lambda one, other: torch.einsum("bhnd,bhdm->bhnm", one, other),
        lambda one, other: torch.stack(
            [(row.unsqueeze(-1) * other).sum(-2) for row in one.unbind(-2)], -2
        ),
        flattened,
        loop,
        over(0),
        over(1),
        lambda one, other: (one.unsqueeze(-1) * other.unsqueeze(-3)).sum(-2),
        lambda one, other: torch.cat([rows @ other for rows in one.split(3, -2)], -2),
        lambda one, other: torch.cat([one @ part for part in other.split(1, -1)], -1),
        added,
        lambda one, other: (one.double() @ other.double()).to(one.dtype),
    )

    def hide(scores, value):
        hidden = torch.ones(scores.shape, dtype=torch.bool).triu(diagonal)
        hidden[texts:] = False
        hidden[:, heads:] = False
        start = 0 if rows == 1 and scores.shape[-2] == 2 else rows
        hidden[:, :, start:] = False
        return scores.masked_fill(hidden, value)

    def attend(queries, keys, values):
        inputs = queries, keys, values
        keys = takes[of](keys) if which & KEYS else keys
        values = takes[of](values) if which & VALUES else values
        queries = takes[of](queries) if which & QUERIES else queries
        size = math.prod(queries.shape[axis] for axis in axes)
        scores = products[style](
            queries * (size**power / divisor), keys.transpose(-2, -1)
        )
        if when == 0:
            scores = hide(scores, fill)
        weights = torch.softmax(scores, dim) * size**outer
        if when > 0:
            weights = hide(weights, 0)
        if when == 2:
            weights = weights / weights.sum(-1, keepdim=True)
        output = products[style](weights, values)
        return other_digits(output, *inputs) if rounds else output

    return attend


def drawn(style, **bug):
    """Return a module that is right except for the bug."""
    right = {
        "axes": [(-1, 3)[draw(0, 1)]],
        "power": -0.5,
        "divisor": 1,
        "outer": 0,
        "dim": (-1, 3)[draw(0, 1)],
        "diagonal": 1,
        "fill": HIDDEN[draw(0, 2)],
        "when": BEFORE,
        "texts": MANY,
        "heads": MANY,
        "rows": MANY,
        "of": OWN,
        "which": draw(1, 3),
        "rounds": False,
    }
    return make(style, *(right | bug).values())


def expect_tells(student, probe, answer, bugs):
    """Expect this answer of a probe for modules with these bugs, in random styles and order.

    The probe also gets modules of the basic test that need the opposite answer, so a probe that always gives
    the same answer fails. If it fails the basic test, no other test is judged.
    """
    others = RIGHT if answer else BASIC[probe]
    modules = [(words, bug, answer) for words, bug in bugs.items() for _ in "12"]
    modules += [(words, bug, not answer) for words, bug in others.items() for _ in "12"]
    for place in torch.randperm(len(modules)).tolist():
        (words, bug, answer), style = modules[place], draw(0, len(STYLES) - 1)
        seen = getattr(student, probe)(drawn(style, **bug))
        expect(isinstance(seen, bool), f"{probe} must return a bool, not {seen!r}.")
        said = f"{probe} returned {seen} for a module that {words}. It is written {STYLES[style]}."
        expect(seen is answer, said)


RIGHT = {"is right": {}}
ROUNDS = {"is right but rounds differently from call to call": {"rounds": True}}
NO_MASK = {"forgets the mask": {"diagonal": 99}}
LATE = {"masks after the softmax": {"when": AFTER}}
UNSCALED = {"does not scale": {"power": 0}}
BY_SIZE = {"divides by head_size": {"power": -1}}
BY_TOKENS = {"divides by the root of the number of tokens": {"axes": [-2]}}
BY_TEXTS = {"divides by the root of the number of texts": {"axes": [0]}}
BY_HEADS = {"divides by the root of the number of heads": {"axes": [1]}}
KEYS_OF_FIRST = {"takes the first text's keys": {"of": FIRST, "which": KEYS}}
VALUES_OF_FIRST = {"takes the first text's values": {"of": FIRST, "which": VALUES}}
DIVIDES_LATER = {"masks after the softmax and divides by the sum": {"when": DIVIDED}}
MEAN_OF_TEXTS = {
    "takes the mean of all texts' keys and values": {"of": MEAN, "which": KEYS | VALUES}
}
BASIC = {
    "sees_the_future": NO_MASK,
    "scales_wrongly": UNSCALED,
    "mixes_the_batch": MEAN_OF_TEXTS,
}


@question("sees_the_future", basic=True)
def test_future_forgotten_mask(student):
    """The probe distinguishes a module without a mask from right modules."""
    expect_tells(student, "sees_the_future", True, NO_MASK)
    expect_tells(student, "sees_the_future", False, RIGHT)


@question("sees_the_future", needs_results=True)
def test_future_next_token(student):
    """The probe finds a module in which each token sees the next one."""
    bugs = {"lets each token see the next one": {"diagonal": 2}}
    expect_tells(student, "sees_the_future", True, bugs)


@question("sees_the_future", needs_results=True)
def test_future_masked_late(student):
    """The probe finds a module that masks after the softmax."""
    expect_tells(student, "sees_the_future", True, LATE)


@question("sees_the_future", needs_results=True)
def test_future_masked_late_and_divided(student):
    """The probe returns False for modules that round differently, or mask late and divide by the sum."""
    expect_tells(student, "sees_the_future", False, DIVIDES_LATER | ROUNDS)


@question("sees_the_future", needs_results=True)
def test_future_softmax_over_queries(student):
    """The probe finds a module whose softmax runs over the queries: later queries change earlier outputs."""
    bugs = {"takes the softmax over queries": {"dim": (-2, 2)[draw(0, 1)]}}
    expect_tells(student, "sees_the_future", True, bugs)


@question("sees_the_future", needs_results=True)
def test_future_some_heads(student):
    """The probe finds a module that masks only the first head, only the first text, or only the first row."""
    bugs = {"masks only the first head": {"heads": 1}}
    bugs["masks only the first text"] = {"texts": 1}
    bugs["masks only the first row"] = {"rows": 1}
    expect_tells(student, "sees_the_future", True, bugs)


@question("sees_the_future", needs_results=True)
def test_future_scaled_wrongly(student):
    """The probe returns False for a module that scales wrongly, with any wrong divisor."""
    bugs = UNSCALED | BY_SIZE | BY_TOKENS | BY_TEXTS | BY_HEADS
    expect_tells(student, "sees_the_future", False, bugs)


@question("sees_the_future", needs_results=True)
def test_future_mixed_texts(student):
    """The probe returns False for a module that takes the keys or values of another text."""
    expect_tells(student, "sees_the_future", False, KEYS_OF_FIRST | VALUES_OF_FIRST)


@question("scales_wrongly", basic=True)
def test_scale_missing(student):
    """The probe distinguishes a module that does not scale from right modules."""
    expect_tells(student, "scales_wrongly", True, UNSCALED)
    expect_tells(student, "scales_wrongly", False, RIGHT)


@question("scales_wrongly", needs_results=True)
def test_scale_without_root(student):
    """The probe finds a module that divides by another power of head_size, or by 1.05 times its root."""
    bugs = {"divides by the fourth root of head_size": {"power": -0.25}}
    bugs["multiplies by the root of head_size"] = {"power": 0.5}
    bugs["divides by 1.05 times the root of head_size"] = {"divisor": 1.05}
    expect_tells(student, "scales_wrongly", True, BY_SIZE | bugs)


@question("scales_wrongly", needs_results=True)
def test_scale_of_all_heads(student):
    """The probe finds a module that divides by the root of the width of all heads."""
    bugs = {"divides by the root of heads * head_size": {"axes": [1, -1]}}
    expect_tells(student, "scales_wrongly", True, bugs)


@question("scales_wrongly", needs_results=True)
def test_scale_of_tokens(student):
    """The probe finds a module that divides by the root of the number of tokens."""
    expect_tells(student, "scales_wrongly", True, BY_TOKENS)


@question("scales_wrongly", needs_results=True)
def test_scale_of_texts_or_heads(student):
    """The probe finds a module that divides by the root of the number of texts, or of heads."""
    expect_tells(student, "scales_wrongly", True, BY_TEXTS | BY_HEADS)


@question("scales_wrongly", needs_results=True)
def test_scale_after_softmax(student):
    """The probe finds a module that scales its weights instead of its scores, or scales both."""
    bugs = {"divides the weights instead of the scores": {"power": 0, "outer": -0.5}}
    bugs["divides the weights, too"] = {"outer": -0.5}
    expect_tells(student, "scales_wrongly", True, bugs)


@question("scales_wrongly", needs_results=True)
def test_scale_without_mask(student):
    """The probe returns False for a module that scales rightly, even if its mask is missing or late."""
    bugs = NO_MASK | LATE | DIVIDES_LATER
    expect_tells(student, "scales_wrongly", False, bugs)


@question("mixes_the_batch", basic=True)
def test_batch_mean(student):
    """The probe returns True if a module takes the mean of all texts, and False for right modules."""
    expect_tells(student, "mixes_the_batch", True, MEAN_OF_TEXTS)
    expect_tells(student, "mixes_the_batch", False, RIGHT)


@question("mixes_the_batch", needs_results=True)
def test_batch_first_text(student):
    """The probe finds a module that uses the keys, or the values, of the first or last text for all texts."""
    bug = {"of": LAST, "which": KEYS | VALUES}
    bugs = {"takes the last text's keys and values": bug}
    expect_tells(
        student, "mixes_the_batch", True, KEYS_OF_FIRST | VALUES_OF_FIRST | bugs
    )


@question("mixes_the_batch", needs_results=True)
def test_batch_neighbour(student):
    """The probe finds a module that takes the keys, the values, or all inputs of the previous text."""
    bugs = {"takes the keys of the text before": {"of": NEIGHBOUR, "which": KEYS}}
    bugs["takes the values of the text before"] = {"of": NEIGHBOUR, "which": VALUES}
    every = KEYS | VALUES | QUERIES
    bugs["returns the output of the text before"] = {"of": NEIGHBOUR, "which": every}
    expect_tells(student, "mixes_the_batch", True, bugs)


@question("mixes_the_batch", needs_results=True)
def test_batch_flattened(student):
    """The probe finds a module that confuses texts and heads when it flattens them."""
    bugs = {"flattens values in another order": {"of": TURNED, "which": VALUES}}
    expect_tells(student, "mixes_the_batch", True, bugs)


@question("mixes_the_batch", needs_results=True)
def test_batch_softmax(student):
    """The probe finds a module whose softmax runs over the batch."""
    bug = {"dim": (0, -4)[draw(0, 1)], "fill": -1e9}
    expect_tells(
        student, "mixes_the_batch", True, {"takes the softmax over texts": bug}
    )


@question("mixes_the_batch", needs_results=True)
def test_batch_number_of_texts(student):
    """The probe finds a module whose scale depends on the number of texts."""
    expect_tells(student, "mixes_the_batch", True, BY_TEXTS)


@question("mixes_the_batch", needs_results=True)
def test_batch_rounding(student):
    """The probe returns False for a right module that rounds differently from call to call."""
    expect_tells(student, "mixes_the_batch", False, ROUNDS)


@question("mixes_the_batch", needs_results=True)
def test_batch_seen_future(student):
    """The probe returns False for a module that sees the future, but only of its own text."""
    expect_tells(student, "mixes_the_batch", False, NO_MASK | LATE)


@question("mixes_the_batch", needs_results=True)
def test_batch_scaled_wrongly(student):
    """The probe returns False for a module with a wrong scale, if other texts do not change this scale."""
    bugs = UNSCALED | BY_SIZE | BY_TOKENS | BY_HEADS
    expect_tells(student, "mixes_the_batch", False, bugs)


LOAD = """
def load(module, weights):
    module.load_state_dict(weights, strict=False)
    return module
"""


def loaded(student, module, **weights):
    """Load weights into a module by name, and return the module."""
    return student.define(LOAD, "load")(module, weights)


def causal(queries, keys, values):
    """Return the attention of one head."""
    scores = queries @ keys.mT / math.sqrt(keys.shape[-1])
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return torch.softmax(scores.masked_fill(hidden, -math.inf), -1) @ values


def matrices(names, d_out, d_in):
    """Return weights that are so large that a wrong scale changes the result."""
    return {f"{name}.weight": torch.randn(d_out, d_in) for name in names}


def expect_slopes(module, x, weights, right):
    """Expect the gradients of a right module, at the input and at all weights."""
    leaves = [part.clone().requires_grad_() for part in (x, *weights.values())]
    weight = torch.randn(right(*leaves).shape)
    wanted = torch.autograd.grad((right(*leaves) * weight).sum(), leaves)
    seen = module.inspect(x.clone().requires_grad_(), weight=weight)
    found = {"x": seen.gradients[0], **seen.parameters}
    for name, gradient in zip(("x", *weights), wanted, strict=True):
        expect(found.get(name) is not None, f"No gradient reaches {name}.")
        expect_close(
            found[name], gradient, atol=1e-3, rtol=1e-3, name=f"the gradient of {name}"
        )


def expect_precise(module, width, weights, right, size=1):
    """Expect right outputs in float64, for tokens with random numbers that are multiplied by `size`."""
    module.double()
    wide = [weight.double() for weight in weights.values()]
    x = size * torch.randn(2, 4, width, dtype=torch.float64)
    expect_close(module(x), right(x, *wide), atol=1e-8, rtol=1e-9)


def expect_past_alone(module, x):
    """Expect that later tokens change no earlier output, and that the first token changes the last output."""
    before = expect_tensor(module(x))
    for place in range(1, x.shape[1]):
        changed = torch.cat([x[:, :place], torch.randn_like(x[:, place:])], dim=1)
        hint = "Later tokens changed. Which tokens may an earlier output depend on?"
        expect_close(
            module(changed)[:, :place], before[:, :place], atol=1e-4, hint=hint
        )
    changed = torch.cat([torch.randn_like(x[:, :1]), x[:, 1:]], dim=1)
    moved = not torch.equal(expect_tensor(module(changed))[:, -1], before[:, -1])
    expect(moved, "The first token changed, but the last output stayed the same.")


def expect_left_alone(module, x):
    expect_unchanged(module.inspect(x), x, names=("x",))


HEAD = ("query", "key", "value")


def right_head(x, query, key, value):
    return causal(x @ query.mT, x @ key.mT, x @ value.mT)


def right_loaded_head(student, n_embd, size, block_size):
    weights = matrices(HEAD, size, n_embd)
    head = student.RepairedHead(n_embd, size, block_size)
    return loaded(student, head, **weights), weights


@question("RepairedHead", basic=True)
def test_head_values(student):
    """With given weights, the outputs are those of a causal head, for texts up to block_size."""
    for n_embd, size, shape in ((5, 2, (3, 6)), (7, 3, (2, 4)), (6, 5, (2, 3))):
        head, weights = right_loaded_head(student, n_embd, size, 6)
        x = torch.randn(*shape, n_embd)
        expect_close(head(x), right_head(x, *weights.values()), atol=1e-4)


@question("RepairedHead")
def test_head_single_token(student):
    """In a text of a single token, the token sees itself."""
    head, weights = right_loaded_head(student, 6, 3, 8)
    x = torch.randn(1, 1, 6)
    expect_close(head(x), right_head(x, *weights.values()), atol=1e-4)


@question("RepairedHead")
def test_head_sees_the_past_alone(student):
    """Changing later tokens changes no earlier output."""
    head, _ = right_loaded_head(student, 6, 3, 8)
    expect_past_alone(head, torch.randn(2, 5, 6))


@question("RepairedHead")
def test_head_gradients(student):
    """The gradients of x and of all layers are right."""
    head, weights = right_loaded_head(student, 5, 3, 4)
    expect_slopes(head, torch.randn(2, 4, 5), weights, right_head)


@question("RepairedHead")
def test_head_precision(student):
    """Every step keeps the precision of float64."""
    head, weights = right_loaded_head(student, 6, 3, 4)
    expect_precise(head, 6, weights, right_head)


@question("RepairedHead")
def test_head_large_scores(student):
    """Scores in the thousands do not overflow."""
    head, weights = right_loaded_head(student, 6, 3, 4)
    expect_precise(head, 6, weights, right_head, size=30)


@question("RepairedHead", needs_results=True)
def test_head_leaves_its_input(student):
    """The tokens stay as they were."""
    expect_left_alone(right_loaded_head(student, 6, 3, 4)[0], torch.randn(2, 4, 6))


HEADS = ("W_query", "W_key", "W_value", "out_proj")


def right_heads(heads):
    """Return a function that computes attention with several heads, and then an output layer."""

    def attend(x, query, key, value, out, bias):
        parts = (
            (x @ weight.mT).unflatten(-1, (heads, -1)).transpose(1, 2)
            for weight in (query, key, value)
        )
        return causal(*parts).transpose(1, 2).flatten(2) @ out.mT + bias

    return attend


def heads_of(student, d_model, heads):
    weights = matrices(HEADS, d_model, d_model) | {
        "out_proj.bias": torch.randn(d_model)
    }
    return loaded(
        student, student.RepairedMultiHead(d_model, heads), **weights
    ), weights


@question("RepairedMultiHead", basic=True)
def test_heads_values(student):
    """With given weights, the outputs are those of causal attention with several heads."""
    for heads, size, shape in ((2, 3, (3, 4)), (3, 2, (2, 5)), (4, 3, (2, 6))):
        module, weights = heads_of(student, heads * size, heads)
        x = torch.randn(*shape, heads * size)
        right = right_heads(heads)(x, *weights.values())
        expect_close(module(x), right, atol=1e-3, rtol=1e-4)


@question("RepairedMultiHead")
def test_heads_equal_sizes(student):
    """The outputs are right with as many tokens as heads, one feature a head, a single head, or one text."""
    for heads, size, shape in (
        (3, 2, (2, 3)),
        (4, 1, (2, 3)),
        (1, 3, (2, 3)),
        (2, 3, (1, 2)),
    ):
        module, weights = heads_of(student, heads * size, heads)
        x = torch.randn(*shape, heads * size)
        right = right_heads(heads)(x, *weights.values())
        expect_close(module(x), right, atol=1e-3, rtol=1e-4)


@question("RepairedMultiHead")
def test_heads_see_the_past_alone(student):
    """Changing later tokens changes no earlier output."""
    module, _ = heads_of(student, 6, 3)
    expect_past_alone(module, torch.randn(2, 5, 6))


@question("RepairedMultiHead")
def test_heads_gradients(student):
    """The gradients of x and of all layers are right."""
    module, weights = heads_of(student, 6, 3)
    expect_slopes(module, torch.randn(2, 4, 6), weights, right_heads(3))


@question("RepairedMultiHead")
def test_heads_precision(student):
    """Every step keeps the precision of float64."""
    module, weights = heads_of(student, 6, 2)
    expect_precise(module, 6, weights, right_heads(2))


@question("RepairedMultiHead")
def test_heads_large_scores(student):
    """Scores in the thousands do not overflow."""
    module, weights = heads_of(student, 6, 2)
    expect_precise(module, 6, weights, right_heads(2), size=30)


@question("RepairedMultiHead", needs_results=True)
def test_heads_leave_their_input(student):
    """The tokens stay as they were."""
    expect_left_alone(heads_of(student, 6, 2)[0], torch.randn(2, 4, 6))


DROPPED = ("W_query", "W_key", "W_value")


def resting(student, d_in, d_out, rate=0.5):
    """Return a module in evaluation mode, and its weights."""
    weights = matrices(DROPPED, d_out, d_in)
    module = loaded(student, student.RepairedDropout(d_in, d_out, rate), **weights)
    module.eval()
    return module, weights


@question("RepairedDropout", basic=True)
def test_dropout_evaluation(student):
    """In evaluation nothing is dropped, and the outputs are those of causal attention."""
    for d_in, d_out, shape in ((5, 2, (3, 6)), (7, 3, (2, 4)), (6, 5, (2, 3))):
        module, weights = resting(student, d_in, d_out)
        x = torch.randn(*shape, d_in)
        expect_close(module(x), right_head(x, *weights.values()), atol=1e-4)


@question("RepairedDropout", basic=True)
def test_dropout_in_training(student):
    """In training, weights are dropped with the given rate, and the remaining weights are scaled up."""
    rate, x = (0.25, 0.75)[draw(0, 1)], torch.randn(1, 1, 5)
    module, weights = resting(student, 5, 3, rate)
    value = x @ weights["W_value.weight"].mT
    module.train()
    drops, calls = 0, 80
    for _ in range(calls):
        output = expect_tensor(module(x), (1, 1, 3))
        dropped = bool((output == 0).all())
        drops += dropped
        if not dropped:
            factor = ((output * value).sum() / value.square().sum()).item()
            expect_close(output, factor * value, atol=1e-3, rtol=1e-4)
            message = f"A weight that was not dropped was multiplied by {factor:.2f}."
            expect(
                math.isclose(factor, 1 / (1 - rate), rel_tol=1e-3),
                f"With the rate {rate}: {message}",
            )
    expect(
        abs(drops / calls - rate) < 0.24,
        f"With the rate {rate}, {drops} of {calls} weights were dropped.",
    )


@question("RepairedDropout")
def test_dropout_of_each_weight_by_itself(student):
    """In training, each weight is dropped independently."""
    tokens = 16
    module = loaded(
        student,
        student.RepairedDropout(tokens, tokens, 0.5),
        **{"W_query.weight": torch.zeros(tokens, tokens)},
        **{"W_value.weight": torch.eye(tokens)},
    )
    module.train()
    # Each token is one-hot and its own value, so the output is the matrix of weights
    x = torch.eye(tokens).repeat(2, 1, 1)
    dropped = expect_tensor(module(x), (2, tokens, tokens)) == 0
    half = dropped[:, 8:, :8]  # row 8 and later rows see all of the first eight columns
    drops = int(half.sum())
    message = f"With the rate 0.5, {drops} of {half.numel()} weights were dropped."
    expect(0 < drops < half.numel(), message)
    for dim, name in enumerate(("texts", "rows", "columns")):
        differs = bool((half != half.narrow(dim, 0, 1)).any())
        hint = "Does your dropout draw a random number for each weight?"
        expect(differs, f"The same weights are dropped in all {name}. {hint}")


@question("RepairedDropout")
def test_dropout_rests_again(student):
    """After training, eval() stops the dropout again."""
    x = torch.randn(1, 1, 5)
    module, weights = resting(student, 5, 3)
    module.train()
    module(x)
    module.eval()
    for _ in range(8):
        expect_close(module(x), x @ weights["W_value.weight"].mT, atol=1e-4)


@question("RepairedDropout")
def test_dropout_past_alone(student):
    """Changing later tokens changes no earlier output."""
    expect_past_alone(resting(student, 6, 3)[0], torch.randn(2, 5, 6))


@question("RepairedDropout")
def test_dropout_gradients(student):
    """In evaluation, the gradients of x and of all layers are right."""
    module, weights = resting(student, 5, 3)
    expect_slopes(module, torch.randn(2, 4, 5), weights, right_head)


@question("RepairedDropout")
def test_dropout_precision(student):
    """Every step keeps the precision of float64."""
    module, weights = resting(student, 6, 3)
    expect_precise(module, 6, weights, right_head)


@question("RepairedDropout")
def test_dropout_large_scores(student):
    """Scores in the thousands do not overflow."""
    module, weights = resting(student, 6, 3)
    expect_precise(module, 6, weights, right_head, size=30)


@question("RepairedDropout", needs_results=True)
def test_dropout_leaves_its_input(student):
    """The tokens stay as they were."""
    expect_left_alone(resting(student, 6, 3)[0], torch.randn(2, 4, 6))
