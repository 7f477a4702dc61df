"""The hidden tests of exercise 11.

A probe judges modules, so its inputs are modules. They stay in this process: a probe gets something that it
can call, and learns nothing of a module but what it returns. Each test asks for right and wrong ones: a probe
that always gives the same answer passes none.
"""

import math

import torch

from autograder.testing import draw, expect, expect_close, expect_tensor, question

STYLES = (
    "with matrix products",
    "with einsum",
    "token by token",
    "with flattened batches and bmm",
    "with a loop over texts and heads",
)
HIDDEN = (-math.inf, -1e9, -3e38)  # what stands for the score of a hidden token
BEFORE, AFTER, DIVIDED = range(
    3
)  # the softmax: masked then, or after it, or after it and divided by the sum
OWN, FIRST, NEIGHBOUR, MEAN, TURNED = range(5)  # whose keys or values a text gets


def make(style, axes, power, outer, dim, diagonal, fill, when, texts, heads, of, which):
    """Return a module: scaled by the `power` of the sizes of the `axes`, and so on."""

    def loop(one, other):
        pairs = zip(one.flatten(0, 1), other.flatten(0, 1), strict=True)
        return torch.stack([a @ b for a, b in pairs]).unflatten(0, one.shape[:2])

    takes = (
        lambda part: part,
        lambda part: part[:1].expand_as(part),
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
        lambda one, other: torch.bmm(one.flatten(0, 1), other.flatten(0, 1)).view(
            *one.shape[:3], other.shape[3]
        ),
        loop,
    )

    def hide(scores, value):
        hidden = torch.ones(scores.shape, dtype=torch.bool).triu(diagonal)
        hidden[texts:] = False
        hidden[:, heads:] = False
        return scores.masked_fill(hidden, value)

    def attend(queries, keys, values):
        keys = takes[of](keys) if which % 2 else keys
        values = takes[of](values) if which > 1 else values
        size = math.prod(queries.shape[axis] for axis in axes)
        scores = products[style](queries * size**power, keys.transpose(-2, -1))
        if when == 0:
            scores = hide(scores, fill)
        weights = torch.softmax(scores, dim) * size**outer
        if when > 0:
            weights = hide(weights, 0)
        if when == 2:
            weights = weights / weights.sum(-1, keepdim=True)
        return products[style](weights, values)

    return attend


def drawn(style, **bug):
    """Return a module: a right one, but for the bug."""
    right = {
        "axes": [(-1, 3)[draw(0, 1)]],
        "power": -0.5,
        "outer": 0,
        "dim": (-1, 3)[draw(0, 1)],
        "diagonal": 1,
        "fill": HIDDEN[draw(0, 2)],
        "when": BEFORE,
        "texts": 99,
        "heads": 99,
        "of": OWN,
        "which": draw(1, 3),
    }
    return make(style, *(right | bug).values())


def expect_tells(student, probe, wrong, right=None):
    """Expect a probe to find each wrong module, and no right one; in styles and an order that are drawn.

    Each is what is different, by words; `right` holds modules with another bug.
    """
    modules = [("", {}, False) for _ in range(3)]
    for answer, bugs in ((True, wrong), (False, right or {})):
        modules += [(words, bug, answer) for words, bug in bugs.items() for _ in "12"]
    for place in torch.randperm(len(modules)).tolist():
        (words, bug, answer), style = modules[place], draw(0, len(STYLES) - 1)
        kind = f"a module that {words}" if words else "a right module"
        seen = getattr(student, probe)(drawn(style, **bug))
        expect(isinstance(seen, bool), f"{probe} must return a bool, not {seen!r}.")
        words = f"{probe} returned {seen} for {kind}. It is written {STYLES[style]}."
        expect(seen is answer, words)


NO_MASK = {"forgets the mask": {"diagonal": 99}}
LATE = {"masks after the softmax": {"when": AFTER}}
UNSCALED = {"does not scale": {"power": 0}}
BY_SIZE = {"divides by head_size": {"power": -1}}
KEYS_OF_FIRST = {"takes the first text's keys": {"of": FIRST, "which": 1}}
VALUES_OF_FIRST = {"takes the first text's values": {"of": FIRST, "which": 2}}
DIVIDES_LATER = {"masks after the softmax and divides by the sum": {"when": DIVIDED}}


@question("sees_the_future", weight=4, basic=True)
def test_future_forgotten_mask(student):
    """A module without a mask is told from right ones."""
    expect_tells(student, "sees_the_future", NO_MASK)


@question("sees_the_future", weight=2)
def test_future_next_token(student):
    """A module that shows each token the next one is found."""
    expect_tells(student, "sees_the_future", {"shows the next token": {"diagonal": 2}})


@question("sees_the_future", weight=3)
def test_future_masked_late(student):
    """A module that masks after the softmax is found, but is right if it then divides by the sum."""
    expect_tells(student, "sees_the_future", LATE, DIVIDES_LATER)


@question("sees_the_future", weight=2)
def test_future_softmax_over_queries(student):
    """A module whose softmax runs over the queries is found: later queries change earlier outputs."""
    bug = {"dim": (-2, 2)[draw(0, 1)]}
    expect_tells(student, "sees_the_future", {"takes the softmax over queries": bug})


@question("sees_the_future", weight=2)
def test_future_some_heads(student):
    """A module that masks the first head alone, or the first text alone, is found."""
    wrong = {"masks the first head alone": {"heads": 1}}
    wrong["masks the first text alone"] = {"texts": 1}
    expect_tells(student, "sees_the_future", wrong)


@question("sees_the_future", weight=3)
def test_future_other_bugs(student):
    """A module that scales wrongly, or takes another text's keys or values, does not see the future."""
    right = UNSCALED | BY_SIZE | KEYS_OF_FIRST | VALUES_OF_FIRST
    expect_tells(student, "sees_the_future", NO_MASK, right)


@question("scales_wrongly", weight=4, basic=True)
def test_scale_missing(student):
    """A module that does not scale, or multiplies, is told from right ones."""
    wrong = UNSCALED | {"multiplies by the root": {"power": 0.5}}
    expect_tells(student, "scales_wrongly", wrong)


@question("scales_wrongly", weight=3)
def test_scale_without_root(student):
    """A module that divides by head_size, or by its fourth root, is found."""
    wrong = BY_SIZE | {"divides by the fourth root of head_size": {"power": -0.25}}
    expect_tells(student, "scales_wrongly", wrong)


@question("scales_wrongly", weight=3)
def test_scale_of_all_heads(student):
    """A module that divides by the root of the width of all heads is found."""
    wrong = {"divides by the root of heads * head_size": {"axes": [1, -1]}}
    expect_tells(student, "scales_wrongly", wrong)


@question("scales_wrongly", weight=3)
def test_scale_of_another_size(student):
    """A module that divides by the root of another size is found."""
    names = {"tokens": -2, "heads": 1, "batch": 0}
    wrong = {
        f"divides by the root of {name}": {"axes": [axis]}
        for name, axis in names.items()
    }
    expect_tells(student, "scales_wrongly", wrong)


@question("scales_wrongly", weight=2)
def test_scale_after_softmax(student):
    """A module that scales its weights and not its scores is found, and so is one that does both."""
    wrong = {"divides the weights in place of the scores": {"power": 0, "outer": -0.5}}
    wrong["divides the weights, too"] = {"outer": -0.5}
    expect_tells(student, "scales_wrongly", wrong)


@question("scales_wrongly", weight=4)
def test_scale_without_mask(student):
    """A module that forgets the mask, or masks late, and scales rightly is not found."""
    right = NO_MASK | LATE | DIVIDES_LATER
    expect_tells(student, "scales_wrongly", UNSCALED, right)


@question("mixes_the_batch", weight=4, basic=True)
def test_batch_mean(student):
    """A module that takes the mean of all texts' keys and values is told from right ones."""
    wrong = {"takes the mean of all texts' keys and values": {"of": MEAN, "which": 3}}
    expect_tells(student, "mixes_the_batch", wrong)


@question("mixes_the_batch", weight=3)
def test_batch_first_text(student):
    """A module that takes the first text's keys, or values, for all is found."""
    expect_tells(student, "mixes_the_batch", KEYS_OF_FIRST | VALUES_OF_FIRST)


@question("mixes_the_batch", weight=3)
def test_batch_neighbour(student):
    """A module that takes the keys, or the values, of the text before is found."""
    wrong = {"takes the keys of the text before": {"of": NEIGHBOUR, "which": 1}}
    wrong["takes the values of the text before"] = {"of": NEIGHBOUR, "which": 2}
    expect_tells(student, "mixes_the_batch", wrong)


@question("mixes_the_batch", weight=3)
def test_batch_flattened(student):
    """A module that confuses texts and heads when it flattens them is found."""
    wrong = {"flattens values in another order": {"of": TURNED, "which": 2}}
    expect_tells(student, "mixes_the_batch", wrong)


@question("mixes_the_batch", weight=2)
def test_batch_softmax(student):
    """A module whose softmax runs over the batch is found."""
    bug = {"dim": (0, -4)[draw(0, 1)], "fill": -1e9}
    expect_tells(student, "mixes_the_batch", {"takes the softmax over texts": bug})


@question("mixes_the_batch", weight=4)
def test_batch_other_bugs(student):
    """A module that sees the future, or is scaled wrongly, does not mix texts."""
    right = NO_MASK | LATE | UNSCALED | BY_SIZE
    expect_tells(student, "mixes_the_batch", KEYS_OF_FIRST, right)


LOAD = """
def load(module, weights):
    module.load_state_dict(weights, strict=False)
    return module
"""


def loaded(student, module, **weights):
    """Give a module weights, by name, and return it."""
    return student.define(LOAD, "load")(module, weights)


def causal(queries, keys, values):
    """Return the attention of one head."""
    scores = queries @ keys.mT / math.sqrt(keys.shape[-1])
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return torch.softmax(scores.masked_fill(hidden, -math.inf), -1) @ values


def matrices(names, d_out, d_in):
    """Return weights of layers, large enough for a scale to show."""
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


def expect_precise(module, width, weights, right):
    """Expect right outputs in float64, also where scores are in the thousands."""
    module.double()
    wide = [weight.double() for weight in weights.values()]
    for size in (1, 30):
        x = size * torch.randn(2, 4, width, dtype=torch.float64)
        expect_close(module(x), right(x, *wide), atol=1e-8, rtol=1e-9)


HEAD = ("query", "key", "value")


def right_head(x, query, key, value):
    return causal(x @ query.mT, x @ key.mT, x @ value.mT)


@question("RepairedHead", weight=4, basic=True)
def test_head_values(student):
    """With given weights, the outputs are those of a causal head."""
    n_embd, size, T = draw(5, 7), draw(2, 4), draw(4, 6)
    weights, x = matrices(HEAD, size, n_embd), torch.randn(3, T, n_embd)
    head = loaded(student, student.RepairedHead(n_embd, size, T), **weights)
    expect_close(head(x), right_head(x, *weights.values()), atol=1e-4)


@question("RepairedHead", weight=2)
def test_head_shorter_texts(student):
    """Texts may be shorter than block_size, and a single token is welcome."""
    weights = matrices(HEAD, 3, 6)
    head = loaded(student, student.RepairedHead(6, 3, 8), **weights)
    for shape in ((2, 5, 6), (1, 1, 6), (2, 8, 6)):
        x = torch.randn(shape)
        expect_close(head(x), right_head(x, *weights.values()), atol=1e-4)


@question("RepairedHead", weight=2)
def test_head_gradients(student):
    """Gradients reach all layers, and of x the past alone."""
    weights, x = matrices(HEAD, 3, 5), torch.randn(2, 4, 5)
    head = loaded(student, student.RepairedHead(5, 3, 6), **weights)
    expect_slopes(head, x, weights, right_head)


@question("RepairedHead", weight=2)
def test_head_precision(student):
    """float64 stays as precise as it is, and large scores do no harm."""
    weights = matrices(HEAD, 3, 6)
    head = loaded(student, student.RepairedHead(6, 3, 4), **weights)
    expect_precise(head, 6, weights, right_head)


HEADS = ("W_query", "W_key", "W_value", "out_proj")


def right_heads(heads):
    """Return the formula of attention with several heads, and an output layer."""

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


@question("RepairedMultiHead", weight=4, basic=True)
def test_heads_values(student):
    """With given weights, the outputs are those of causal attention with several heads."""
    heads, size, T = draw(2, 4), draw(2, 4), draw(4, 6)
    module, weights = heads_of(student, heads * size, heads)
    x = torch.randn(3, T, heads * size)
    right = right_heads(heads)(x, *weights.values())
    expect_close(module(x), right, atol=1e-3, rtol=1e-4)


@question("RepairedMultiHead", weight=2)
def test_heads_any_sizes(student):
    """As many tokens as heads, a width of one feature each, and one text are welcome."""
    for heads, size, shape in ((3, 2, (2, 3)), (4, 1, (2, 3)), (2, 3, (1, 2))):
        module, weights = heads_of(student, heads * size, heads)
        x = torch.randn(*shape, heads * size)
        right = right_heads(heads)(x, *weights.values())
        expect_close(module(x), right, atol=1e-3, rtol=1e-4)


@question("RepairedMultiHead", weight=2)
def test_heads_gradients(student):
    """Gradients reach all layers, and of x the past alone."""
    module, weights = heads_of(student, 6, 3)
    expect_slopes(module, torch.randn(2, 4, 6), weights, right_heads(3))


@question("RepairedMultiHead", weight=2)
def test_heads_precision(student):
    """float64 stays as precise as it is, and large scores do no harm."""
    module, weights = heads_of(student, 6, 2)
    expect_precise(module, 6, weights, right_heads(2))


DROPPED = ("W_query", "W_key", "W_value")


@question("RepairedDropout", weight=4, basic=True)
def test_dropout_evaluation(student):
    """In evaluation nothing is dropped, and the outputs are those of causal attention."""
    d_in, d_out, T = draw(5, 7), draw(2, 4), draw(4, 6)
    weights, x = matrices(DROPPED, d_out, d_in), torch.randn(3, T, d_in)
    module = loaded(student, student.RepairedDropout(d_in, d_out, 0.5), **weights)
    module.eval()
    expect_close(module(x), right_head(x, *weights.values()), atol=1e-4)


@question("RepairedDropout", weight=2)
def test_dropout_both_modes(student):
    """In training, weights are dropped at the given rate and the others grow; in evaluation none."""
    rate = (0.25, 0.5, 0.75)[draw(0, 2)]
    weights, x = matrices(DROPPED, 3, 5), torch.randn(1, 1, 5)
    module = loaded(student, student.RepairedDropout(5, 3, rate), **weights)
    value = x @ weights["W_value.weight"].mT
    module.train()
    drops, calls = 0, 80
    for _ in range(calls):
        output = expect_tensor(module(x), (1, 1, 3))
        dropped = bool((output == 0).all())
        drops += dropped
        if not dropped:
            expect_close(output, value / (1 - rate), atol=1e-3, rtol=1e-4)
    expect(
        abs(drops / calls - rate) < 0.24,
        f"With the rate {rate}, {drops} of {calls} weights were dropped.",
    )
    module.eval()
    for _ in range(8):
        expect_close(module(x), value, atol=1e-4)


@question("RepairedDropout", weight=2)
def test_dropout_gradients(student):
    """In evaluation, gradients reach all layers, and of x the past alone."""
    weights, x = matrices(DROPPED, 3, 5), torch.randn(2, 4, 5)
    module = loaded(student, student.RepairedDropout(5, 3, 0.5), **weights)
    module.eval()
    expect_slopes(module, x, weights, right_head)


@question("RepairedDropout", weight=2)
def test_dropout_precision(student):
    """float64 stays as precise as it is, and large scores do no harm."""
    weights = matrices(DROPPED, 3, 6)
    module = loaded(student, student.RepairedDropout(6, 3, 0.5), **weights)
    module.eval()
    expect_precise(module, 6, weights, right_head)
