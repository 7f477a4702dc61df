"""Hidden tests of 08: every head gets the mask, no head affects another, cutting and joining mix nothing."""

import torch
from torch.nn.functional import linear, scaled_dot_product_attention

from autograder.testing import (
    Unmet,
    draw,
    expect,
    expect_close,
    expect_equal,
    expect_finite,
    expect_gradient,
    expect_raises,
    expect_tensor,
    expect_unchanged,
    question,
)

INPUTS = ("encodings_for_q", "encodings_for_k", "encodings_for_v", "mask")
ENCODINGS = torch.tensor([[1.16, 0.23], [0.57, 1.36], [4.41, -2.16]])
PARAMETERS = "def parameters(module):\n    return dict(module.named_parameters())"
LOOSE = """
def loose_tensors(module):
    return [
        name
        for part in module.modules()
        for name, value in vars(part).items()
        if isinstance(value, torch.Tensor) and value.dim() > 0
    ]
"""
LAYERS = ("W_query", "W_key", "W_value")
HEAD_LAYERS = ("W_q", "W_k", "W_v")


def named_parameters(student, module):
    """Return the parameters of a module on the student's side, by name."""
    return student.define(PARAMETERS, "parameters")(module)


def expect_parameters(actual, shapes):
    """Expect exactly the parameters of these names and shapes."""
    for name, shape in shapes.items():
        found = ", ".join(actual) or "none"
        expect(
            name in actual,
            f'The module needs a parameter "{name}", but it has {found}.',
        )
        expect_tensor(actual[name], shape, name=name)
    extra = [name for name in actual if name not in shapes]
    expect(
        not extra,
        f"There must be no other parameters, but there is {', '.join(extra)}.",
    )


def expect_parameter_gradients(actual, expected):
    """Expect a gradient of the right value at each parameter."""
    for name, value in expected.parameters.items():
        gradient = actual.parameters.get(name)
        expect(
            gradient is not None,
            f"No gradient reaches {name}. Is it used, or is the result cut off?",
        )
        expect_close(gradient, value, atol=1e-4, name=f"The gradient of {name}")


def expect_alive(seen, shape):
    """Expect an output of this shape that depends on all layers, and return it unchecked."""
    output = expect_finite(expect_tensor(seen.output, shape))
    expect(bool(seen.parameters), "The module has no parameters.")
    for name, gradient in seen.parameters.items():
        asked_for = name.split(".")[-2:-1] in (
            [layer] for layer in (*LAYERS, *HEAD_LAYERS, "out_proj")
        )
        message = f"No gradient reaches {name}. Is it used, or is the result cut off?"
        expect(
            not asked_for or (gradient is not None and bool(gradient.any())), message
        )
    return output.detach()


def alive(module, *inputs, shape):
    """Return a module's output for its inputs; it must depend on all layers."""
    return expect_alive(module.inspect(*inputs, weight=torch.randn(shape)), shape)


def expect_dealt(actual, x, shape):
    """Expect a tensor of this shape that holds each number of x once, wherever it stands."""
    tensor = expect_tensor(actual, shape, x.dtype)
    same = torch.equal(
        tensor.detach().flatten().sort().values, x.flatten().sort().values
    )
    expect(
        same, "The result must hold the numbers of x, each once, but others are in it."
    )
    return tensor


def load(module, weights):
    """Give a module these parameters by name, and leave its others as they are."""
    _, unknown = module.load_state_dict(weights, strict=False)
    if unknown:
        raise Unmet(
            f'The module has no parameter "{unknown[0]}". Names must be those of the exercise.'
        )
    return module


def wrapper_weights(d, heads, dtype=torch.float32):
    """Return parameters for the wrapper, large enough that every slip shows, and different in each head."""
    names = [f"heads.{i}.{layer}.weight" for i in range(heads) for layer in HEAD_LAYERS]
    return {name: torch.randn(d, d, dtype=dtype) * 0.7 for name in names}


def wrapped(weights, heads, q, k, v, hidden=None):
    """Return each head's output, computed by the library's own function."""
    outputs = []
    for i in range(heads):
        queries, keys, values = (
            linear(x, weights[f"heads.{i}.{layer}.weight"])
            for layer, x in (("W_q", q), ("W_k", k), ("W_v", v))
        )
        visible = None if hidden is None else ~hidden
        outputs.append(
            scaled_dot_product_attention(queries, keys, values, attn_mask=visible)
        )
    return outputs


def cut(x, heads):
    """Cut (B, T, d) into (B, heads, T, d / heads)."""
    return torch.stack(x.chunk(heads, dim=-1), dim=1)


def weights_for(d_in, d_out, bias=False, dtype=torch.float32):
    """Return parameters for MultiHeadAttention, large enough that every slip shows."""
    weights = {
        f"{name}.weight": torch.randn(d_out, d_in, dtype=dtype) * 0.6 for name in LAYERS
    }
    if bias:
        weights |= {f"{name}.bias": torch.randn(d_out, dtype=dtype) for name in LAYERS}
    weights["out_proj.weight"] = torch.randn(d_out, d_out, dtype=dtype) * 0.4
    weights["out_proj.bias"] = torch.randn(d_out, dtype=dtype)
    return weights


def without_last_layer(weights):
    """Return the same parameters with an out_proj that changes nothing."""
    size = weights["out_proj.bias"].shape[0]
    return weights | {
        "out_proj.weight": torch.eye(size),
        "out_proj.bias": torch.zeros(size),
    }


def multi_head(weights, x, heads):
    """Return the right output of MultiHeadAttention, computed by the library's own function."""
    q, k, v = (
        cut(linear(x, weights[f"{n}.weight"], weights.get(f"{n}.bias")), heads)
        for n in LAYERS
    )
    mixed = scaled_dot_product_attention(q, k, v, is_causal=True)
    joined = torch.cat(mixed.unbind(1), dim=-1)
    return linear(joined, weights["out_proj.weight"], weights["out_proj.bias"])


def expect_no_seed(student, make, *inputs):
    """Expect that random numbers go on being random after a module was made and called."""
    numbers = []
    for seed in torch.randperm(1000)[:2].tolist():
        student.seed(seed)
        make()(*inputs)
        numbers.append(student.torch.rand(4))
    message = (
        "After your class was made and called, random numbers are the same whatever the seed was before. "
        "Whoever uses the class sets the seed, not the class."
    )
    expect(not torch.equal(*numbers), message)


@question("MultiHeadAttentionWrapper")
def test_wrapper_parameters(student):
    """Each head has its own W_q, W_k and W_v, without bias, in the ModuleList heads."""
    for heads in (1, 4):
        names = [
            f"heads.{i}.{layer}.weight" for i in range(heads) for layer in HEAD_LAYERS
        ]
        module = student.MultiHeadAttentionWrapper(3, 0, 1, heads)
        expect_parameters(
            named_parameters(student, module), dict.fromkeys(names, (3, 3))
        )


@question("MultiHeadAttentionWrapper")
def test_wrapper_order(student, reference):
    """With a seed, the heads start as in the lesson, made one after the other."""
    seed = draw(1, 9999)
    for side in (student, reference):
        side.seed(seed)
    expected = reference.MultiHeadAttentionWrapper(2, 0, 1, 3)(
        ENCODINGS, ENCODINGS, ENCODINGS
    )
    expect_close(
        student.MultiHeadAttentionWrapper(2, 0, 1, 3)(ENCODINGS, ENCODINGS, ENCODINGS),
        expected,
        hint="Each layer draws random numbers when it is made: how many are made, and in which order?",
    )


@question("MultiHeadAttentionWrapper", basic=True)
def test_wrapper_three_inputs(student):
    """Every head gets all three inputs, each in its place."""
    weights = wrapper_weights(6, 3)
    q, k, v = torch.randn(3, 4, 6).unbind()
    actual = load(student.MultiHeadAttentionWrapper(6, 0, 1, 3), weights)(q, k, v)
    expect_close(
        actual,
        torch.cat(wrapped(weights, 3, q, k, v), dim=1),
        hint="What is handed to the heads?",
    )


@question("MultiHeadAttentionWrapper")
def test_wrapper_other_lengths(student):
    """There may be more keys than queries, or fewer, and any number of heads."""
    for heads, n, m, d in (
        (2, 3, 2, 2),
        (1, 3, 7, 4),
        (4, 7, 3, 2),
        (3, 5, 6, 1),
        (5, 1, 6, 4),
    ):
        weights = wrapper_weights(d, heads)
        q, k, v = torch.randn(n, d), torch.randn(m, d), torch.randn(m, d)
        actual = load(student.MultiHeadAttentionWrapper(d, 0, 1, heads), weights)(
            q, k, v
        )
        expected = torch.cat(wrapped(weights, heads, q, k, v), dim=1)
        expect_close(
            actual,
            expected,
            hint="Are the heads' features side by side, the first head's first?",
        )


@question("MultiHeadAttentionWrapper")
def test_wrapper_mask(student):
    """The mask reaches every head."""
    weights = wrapper_weights(4, 3)
    q, k, v = torch.randn(5, 4), torch.randn(6, 4), torch.randn(6, 4)
    hidden = torch.rand(5, 6) < 0.5
    hidden[:, 2], hidden[0, 5], hidden[1, 0] = False, True, True
    module = load(student.MultiHeadAttentionWrapper(4, 0, 1, 3), weights)
    actual = expect_tensor(module(q, k, v, hidden), (5, 12))
    for i, expected in enumerate(wrapped(weights, 3, q, k, v, hidden)):
        expect_close(
            actual[:, 4 * i : 4 * i + 4],
            expected,
            name=f"With a mask, the part of head {i}",
        )
    hint = "No mask came with this call. What does your module keep of the one before?"
    expect_close(
        module(q, k, v), torch.cat(wrapped(weights, 3, q, k, v), dim=1), hint=hint
    )


@question("MultiHeadAttentionWrapper")
def test_wrapper_hidden_keys(student):
    """What stands at hidden places has no influence on any head."""
    module = load(student.MultiHeadAttentionWrapper(4, 0, 1, 3), wrapper_weights(4, 3))
    q, k, v = torch.randn(3, 4), torch.randn(5, 4), torch.randn(5, 4)
    hidden = torch.tensor([False, True, False, True, True]).expand(3, 5).clone()
    before = alive(module, q, k, v, hidden, shape=(3, 12))
    place = torch.tensor([1, 3, 4])
    k[place], v[place] = torch.randn(2, 3, 4).unbind()
    expect_close(
        module(q, k, v, hidden),
        before,
        hint="Hidden keys changed, and so did the output.",
    )


@question("MultiHeadAttentionWrapper")
def test_wrapper_heads_stay_apart(student):
    """Changing one head's weights changes only that head's features."""
    weights = wrapper_weights(4, 3)
    q, k, v = torch.randn(5, 4), torch.randn(6, 4), torch.randn(6, 4)
    module = load(student.MultiHeadAttentionWrapper(4, 0, 1, 3), weights)
    before = expect_tensor(module(q, k, v), (5, 12))
    load(
        module,
        {name: torch.randn(4, 4) for name in weights if name.startswith("heads.1.")},
    )
    after = expect_tensor(module(q, k, v), (5, 12))
    others = torch.tensor([0, 1, 2, 3, 8, 9, 10, 11])
    expect_close(
        after[:, others], before[:, others], hint="Do the heads share something?"
    )
    changed = (after[:, 4:8] - before[:, 4:8]).abs().max() > 1e-3
    expect(bool(changed), "Head 1 got other weights, but its features stayed the same.")


@question("MultiHeadAttentionWrapper")
def test_wrapper_own_query(student):
    """An output row depends on its own query and on no other."""
    module = load(student.MultiHeadAttentionWrapper(4, 0, 1, 2), wrapper_weights(4, 2))
    q, k, v = torch.randn(5, 4), torch.randn(6, 4), torch.randn(6, 4)
    before = alive(module, q, k, v, shape=(5, 8))
    q[2] = torch.randn(4) * 2
    after = expect_tensor(module(q, k, v), (5, 8))
    others = torch.tensor([0, 1, 3, 4])
    expect_close(
        after[others],
        before[others],
        hint="One query changed, and another row followed.",
    )
    followed = (after[2] - before[2]).abs().max() > 1e-3
    expect(bool(followed), "A row must follow its own query, but it stayed.")


@question("MultiHeadAttentionWrapper")
def test_wrapper_names(student):
    """The inputs can be given by name, and there is one head unless more are asked for."""
    module = load(
        student.MultiHeadAttentionWrapper(d_model=4, row_dim=0, col_dim=1),
        wrapper_weights(4, 1),
    )
    q, k, v = torch.randn(3, 4), torch.randn(5, 4), torch.randn(5, 4)
    hidden = torch.tensor([[True, False, False, True, False]] * 3)
    by_place = alive(module, q, k, v, hidden, shape=(3, 4))
    by_name = module(
        mask=hidden, encodings_for_v=v, encodings_for_k=k, encodings_for_q=q
    )
    expect_close(
        by_name,
        by_place,
        hint="Does the body read the very names that stand in the signature?",
    )


@question("MultiHeadAttentionWrapper")
def test_wrapper_gradients(student, reference):
    """Gradients reach all three inputs and all layers of all heads."""
    weights = wrapper_weights(4, 3)
    inputs = [torch.randn(size, 4).requires_grad_() for size in (3, 5, 5)]
    factors = torch.randn(3, 12)
    actual, expected = (
        load(side.MultiHeadAttentionWrapper(4, 0, 1, 3), weights).inspect(
            *inputs, weight=factors
        )
        for side in (student, reference)
    )
    expect_gradient(actual, expected.gradients, atol=1e-4, names=INPUTS)
    expect_parameter_gradients(actual, expected)


@question("MultiHeadAttentionWrapper")
def test_wrapper_leaves_inputs(student):
    """Inputs and mask stay as they were."""
    inputs = [torch.randn(size, 4) for size in (3, 5, 5)]
    hidden = torch.tensor([[False, True, False, False, True]] * 3)
    module = load(student.MultiHeadAttentionWrapper(4, 0, 1, 2), wrapper_weights(4, 2))
    seen = module.inspect(*inputs, hidden, weight=torch.randn(3, 8))
    expect_alive(seen, (3, 8))
    expect_unchanged(seen, *inputs, hidden, names=INPUTS)


@question("MultiHeadAttentionWrapper")
def test_wrapper_sets_no_seed(student):
    """Random numbers stay random: the class sets no seed."""
    expect_no_seed(
        student,
        lambda: student.MultiHeadAttentionWrapper(4, 0, 1, 2),
        *torch.randn(3, 5, 4),
    )


@question("MultiHeadAttentionWrapper")
def test_wrapper_float64(student):
    """With float64 weights and inputs, the output is float64 and as precise."""
    weights = wrapper_weights(4, 2, torch.float64)
    q, k, v = (torch.randn(size, 4, dtype=torch.float64) for size in (3, 5, 5))
    actual = load(student.MultiHeadAttentionWrapper(4, 0, 1, 2).double(), weights)(
        q, k, v
    )
    expect_close(actual, torch.cat(wrapped(weights, 2, q, k, v), dim=1))


@question("MultiHeadAttentionWrapper")
def test_wrapper_equal_sizes(student):
    """The mask is the same for all heads when heads, queries, keys and features are equally many, too."""
    for n, m, d, heads in ((4, 4, 4, 4), (5, 5, 3, 2), (3, 6, 2, 3)):
        weights = wrapper_weights(d, heads)
        q, k, v = torch.randn(n, d), torch.randn(m, d), torch.randn(m, d)
        hidden = torch.rand(n, m) < 0.5
        hidden[0], hidden[:, m // 2], hidden[-1, 0] = True, False, False
        module = load(student.MultiHeadAttentionWrapper(d, 0, 1, heads), weights)
        expect_close(
            module(q, k, v, hidden),
            torch.cat(wrapped(weights, heads, q, k, v, hidden), dim=1),
            hint="Rows of the mask are queries, columns are keys.",
        )


@question("MultiHeadAttentionWrapper")
def test_wrapper_default_sizes(student):
    """Without sizes there is one head, for tokens of two features."""
    weights, (q, k, v) = wrapper_weights(2, 1), torch.randn(3, 4, 2).unbind()
    actual = load(student.MultiHeadAttentionWrapper(), weights)(q, k, v)
    expect_close(actual, torch.cat(wrapped(weights, 1, q, k, v), dim=1))


@question("split_heads")
def test_split_shape(student):
    """(B, T, d) becomes (B, h, T, d / h), in the dtype of x."""
    for x, heads, shape in (
        (torch.randn(2, 5, 12), 3, (2, 3, 5, 4)),
        (torch.randn(3, 2, 20, dtype=torch.float64), 4, (3, 4, 2, 5)),
    ):
        expect_dealt(student.split_heads(x, heads), x, shape)


@question("split_heads", basic=True)
def test_split_values(student):
    """Each head holds its own features of every token."""
    x = torch.randn(2, 5, 12)
    hint = (
        "Which features of which tokens does the first head hold? Try it on numbers "
        "that you can tell apart."
    )
    expect_equal(student.split_heads(x, 3), cut(x, 3), hint=hint)


@question("split_heads")
def test_split_equal_sizes(student):
    """Tokens and heads keep their places when there are as many of both."""
    x = torch.randn(2, 4, 12)
    hint = "With as many heads as tokens the shape cannot tell them apart. Which dimension counts heads?"
    expect_equal(student.split_heads(x, 4), cut(x, 4), hint=hint)


@question("split_heads")
def test_split_extremes(student):
    """One head, and heads of one feature each, are fine."""
    x = torch.randn(3, 2, 5)
    expect_equal(student.split_heads(x, 1), x.unsqueeze(1))
    expect_equal(student.split_heads(x, 5), x.transpose(1, 2).unsqueeze(-1))
    expect_equal(
        student.split_heads(x[:, :1].clone(), 5), x[:, :1].transpose(1, 2).unsqueeze(-1)
    )


@question("split_heads")
def test_split_batch(student):
    """Each sequence of the batch is cut by itself."""
    x = torch.randn(4, 3, 10)
    together = expect_dealt(student.split_heads(x, 2), x, (4, 2, 3, 5))
    for i in range(4):
        alone = expect_tensor(student.split_heads(x[i : i + 1], 2), (1, 2, 3, 5))
        expect_equal(
            together[i : i + 1],
            alone,
            hint="A sequence comes out differently in a batch than alone.",
        )


@question("split_heads")
def test_split_gradient(student):
    """Gradients flow back, and x stays as it was."""
    x = torch.randn(2, 5, 6, requires_grad=True)
    factors = torch.randn(2, 3, 5, 2)
    seen = student.split_heads.inspect(x, 3, weight=factors)
    expect_unchanged(seen, x.detach(), names=("x",))
    expect_gradient(seen, {0: torch.cat(factors.unbind(1), dim=-1)}, names=("x",))


@question("split_heads")
def test_split_all_sizes_equal(student):
    """Nothing changes places when sizes happen to be equal: sequences, tokens, heads, features of a head."""
    for batch, length, heads, size in (
        (3, 3, 3, 3),
        (2, 5, 3, 3),
        (3, 5, 3, 2),
        (2, 4, 3, 4),
    ):
        x = torch.randn(batch, length, heads * size)
        hint = "Head i holds neighbouring features, in their order."
        expect_equal(student.split_heads(x, heads), cut(x, heads), hint=hint)


@question("merge_heads")
def test_merge_shape(student):
    """(B, h, T, s) becomes (B, T, h * s), in the dtype of x."""
    x, double = torch.randn(2, 3, 5, 4), torch.randn(3, 4, 2, 5, dtype=torch.float64)
    expect_dealt(student.merge_heads(x), x, (2, 5, 12))
    expect_dealt(student.merge_heads(double), double, (3, 2, 20))


@question("merge_heads", basic=True)
def test_merge_values(student):
    """Each token gets its own features, head after head."""
    x = torch.randn(2, 3, 5, 4)
    hint = (
        "Do tokens come first again before the heads are joined? Try it on numbers "
        "that you can tell apart."
    )
    expect_equal(student.merge_heads(x), torch.cat(x.unbind(1), dim=-1), hint=hint)


@question("merge_heads")
def test_merge_equal_sizes(student):
    """Tokens and heads keep their places when there are as many of both."""
    x = torch.randn(2, 4, 4, 3)
    expect_equal(
        student.merge_heads(x),
        torch.cat(x.unbind(1), dim=-1),
        hint="Which dimension counts heads?",
    )


@question("merge_heads")
def test_merge_undoes_the_cut(student):
    """Joining undoes cutting, however the numbers lie in memory."""
    x = torch.randn(3, 5, 8)
    fresh = cut(x, 4)
    swapped = x.view(3, 5, 4, 2).transpose(1, 2)
    hint = "Cut and joined, a sequence must be what it was."
    expect_equal(student.merge_heads(fresh), x, hint=hint)
    expect_equal(student.merge_heads(swapped), x, hint=hint)


@question("merge_heads")
def test_merge_extremes(student):
    """One head, heads of one feature each, a batch of one text and texts of one token are fine."""
    x = torch.randn(3, 1, 2, 5)
    expect_equal(student.merge_heads(x), x.squeeze(1))
    expect_equal(student.merge_heads(x.transpose(1, 3).contiguous()), x.squeeze(1))
    text, token = torch.randn(1, 3, 2, 4), torch.randn(2, 3, 1, 4)
    expect_equal(
        student.merge_heads(text),
        text.transpose(1, 2).reshape(1, 2, 12),
        hint="A batch of one is a batch too.",
    )
    expect_equal(
        student.merge_heads(token),
        token.reshape(2, 1, 12),
        hint="A text of one token is a text too.",
    )


@question("merge_heads")
def test_merge_gradient(student):
    """Gradients flow back, and x stays as it was."""
    x = torch.randn(2, 3, 5, 4, requires_grad=True)
    factors = torch.randn(2, 5, 12)
    seen = student.merge_heads.inspect(x, weight=factors)
    expect_unchanged(seen, x.detach(), names=("x",))
    expect_gradient(seen, {0: cut(factors, 3)}, names=("x",))


@question("merge_heads")
def test_merge_all_sizes_equal(student):
    """Nothing changes places when sizes happen to be equal: sequences, tokens, heads, features of a head."""
    for shape in ((3, 3, 3, 3), (2, 3, 5, 3), (3, 3, 5, 2), (2, 3, 4, 4)):
        x = torch.randn(shape)
        expect_equal(
            student.merge_heads(x),
            torch.cat(x.unbind(1), dim=-1),
            hint="For each token: the features of head 0, then of head 1, and so on.",
        )


@question("merge_heads")
def test_merge_any_order_in_memory(student):
    """The numbers of x may lie in memory in any order."""
    for order in ((3, 2, 0, 1), (2, 0, 3, 1), (1, 3, 2, 0)):
        stored = torch.randn(2, 3, 4, 5)
        x = stored.permute(order)
        expect_equal(
            student.merge_heads(x),
            torch.cat(x.unbind(1), dim=-1),
            hint="Which step asks for neighbours in memory?",
        )


@question("MultiHeadAttention")
def test_heads_parameters(student):
    """The layers have the right names and sizes; out_proj has a bias, the others if asked for."""
    shapes = {f"{name}.weight": (12, 5) for name in LAYERS}
    shapes |= {"out_proj.weight": (12, 12), "out_proj.bias": (12,)}
    expect_parameters(
        named_parameters(student, student.MultiHeadAttention(5, 12, 7, 0.0, 3)), shapes
    )
    biases = {f"{name}.bias": (12,) for name in LAYERS}
    biased = student.MultiHeadAttention(5, 12, 7, 0.0, 3, True)
    expect_parameters(named_parameters(student, biased), shapes | biases)


@question("MultiHeadAttention")
def test_heads_indivisible(student):
    """A width that the heads cannot share is refused when the module is made."""
    for d_out, heads in ((10, 4), (7, 2), (3, 6)):
        because = f"for d_out = {d_out} and num_heads = {heads}"
        expect_raises(
            ("ValueError", "AssertionError"),
            student.MultiHeadAttention, 5, d_out, 7, 0.0, heads, because=because,
        )  # fmt: skip
    student.MultiHeadAttention(5, 6, 7, 0.0, 6)


@question("MultiHeadAttention", weight=2)
def test_heads_values(student):
    """The output agrees with the library's own attention, head by head."""
    for batch, length, d_in, d_out, heads in ((1, 3, 2, 2, 2), (2, 6, 5, 12, 3)):
        weights = weights_for(d_in, d_out)
        x = torch.randn(batch, length, d_in)
        module = student.MultiHeadAttention(d_in, d_out, length, 0.0, heads)
        expect_close(
            load(module, weights)(x),
            multi_head(weights, x, heads),
            hint="Each head is causal attention on its own features, scaled by the root of head_dim.",
        )


@question("MultiHeadAttention")
def test_heads_bias(student):
    """With qkv_bias the biases take part."""
    weights = weights_for(3, 8, bias=True)
    x = torch.randn(3, 5, 3)
    actual = load(student.MultiHeadAttention(3, 8, 5, 0.0, 2, True), weights)(x)
    expect_close(
        actual, multi_head(weights, x, 2), hint="Do all layers go through their bias?"
    )


@question("MultiHeadAttention")
def test_heads_like_wrapper(student, reference):
    """It agrees with separate heads, side by side, that hold the same weights."""
    weights = without_last_layer(weights_for(4, 12))
    x = torch.randn(2, 6, 4)
    names = {"W_q": "W_query", "W_k": "W_key", "W_v": "W_value"}
    wrapper = reference.MultiHeadAttentionWrapper(4, 0, 1, 3)
    load(
        wrapper,
        {
            f"heads.{i}.{short}.weight": weights[f"{long}.weight"][4 * i : 4 * i + 4]
            for i in range(3)
            for short, long in names.items()
        },
    )
    future = torch.ones(6, 6, dtype=torch.bool).triu(1)
    expected = torch.stack(
        [wrapper(sequence, sequence, sequence, future) for sequence in x]
    )
    actual = load(student.MultiHeadAttention(4, 12, 6, 0.0, 3), weights)(x)
    expect_close(
        actual,
        expected,
        hint="The first head's weights are the first rows of each layer.",
    )


@question("MultiHeadAttention")
def test_heads_one_head(student):
    """One head is plain causal attention."""
    weights = without_last_layer(weights_for(6, 4))
    x = torch.randn(3, 5, 6)
    q, k, v = (linear(x, weights[f"{name}.weight"]) for name in LAYERS)
    scores = (q @ k.mT / 2).masked_fill(
        torch.ones(5, 5, dtype=torch.bool).triu(1), -torch.inf
    )
    actual = load(student.MultiHeadAttention(6, 4, 5, 0.0, 1), weights)(x)
    expect_close(
        actual,
        torch.softmax(scores, dim=-1) @ v,
        hint="What is left when there is one head only?",
    )


@question("MultiHeadAttention")
def test_heads_scaling(student):
    """The scaling follows the head's size, whatever the number of heads."""
    weights = without_last_layer(weights_for(3, 16))
    x = torch.randn(2, 5, 3)
    for heads in (2, 4, 8):
        actual = load(student.MultiHeadAttention(3, 16, 5, 0.0, heads), weights)(x)
        expect_close(
            actual,
            multi_head(weights, x, heads),
            hint="How many products are summed up in a score?",
        )


@question("MultiHeadAttention")
def test_heads_causal(student):
    """A later token never changes an earlier output."""
    module = load(student.MultiHeadAttention(5, 12, 7, 0.0, 3), weights_for(5, 12))
    x = torch.randn(2, 7, 5)
    before = alive(module, x, shape=(2, 7, 12))
    for t in (1, 3, 6):
        changed = x.clone()
        changed[:, t] = torch.randn(2, 5) * 2
        after = expect_tensor(module(changed), (2, 7, 12))
        expect_close(
            after[:, :t],
            before[:, :t],
            hint="A later token changed, and an earlier row followed.",
        )
        followed = (after[:, t] - before[:, t]).abs().amax(dim=-1) > 1e-3
        expect(
            bool(followed.all()),
            "A token must see itself, but its row stayed when it changed.",
        )


@question("MultiHeadAttention")
def test_heads_no_gradient_to_future(student):
    """No gradient reaches a later token, but every earlier token gets one."""
    module = load(student.MultiHeadAttention(5, 12, 7, 0.0, 3), weights_for(5, 12))
    x = torch.randn(2, 7, 5, requires_grad=True)
    row = torch.zeros(2, 7, 12)
    row[:, 3] = torch.randn(2, 12)
    gradient = expect_tensor(
        module.inspect(x, weight=row).gradients.get(0),
        (2, 7, 5),
        name="The gradient of x",
    )
    expect_close(
        gradient[:, 4:],
        torch.zeros(2, 3, 5),
        atol=1e-5,
        name="The gradient at later tokens",
    )
    reached = gradient[:, :4].abs().amax(dim=-1) > 1e-9
    expect(
        bool(reached.all()), "A row must depend on itself and on all tokens before it."
    )


@question("MultiHeadAttention")
def test_heads_short_sequences(student):
    """Sequences shorter than context_length are fine, down to a single token."""
    weights = weights_for(5, 12)
    module = load(student.MultiHeadAttention(5, 12, 9, 0.0, 3), weights)
    x = torch.randn(2, 9, 5)
    longest = expect_tensor(module(x), (2, 9, 12))
    for length in (8, 4, 1):
        hint = "A shorter sequence needs only a part of the mask."
        expect_close(module(x[:, :length]), longest[:, :length], hint=hint)
    value = linear(x[:, :1], weights["W_value.weight"])
    single = linear(value, weights["out_proj.weight"], weights["out_proj.bias"])
    expect_close(
        module(x[:, :1]), single, hint="A single token can only look at itself."
    )


@question("MultiHeadAttention")
def test_heads_longer_texts_later(student):
    """A longer text may follow a shorter one."""
    weights, x = weights_for(5, 12), torch.randn(2, 9, 5)
    longest = load(student.MultiHeadAttention(5, 12, 9, 0.0, 3), weights)(x)
    module = load(student.MultiHeadAttention(5, 12, 9, 0.0, 3), weights)
    hint = "A longer text came after a shorter one. What does your module keep from call to call?"
    for length in (2, 9):
        expect_close(module(x[:, :length]), longest[:, :length], hint=hint)


@question("MultiHeadAttention")
def test_heads_batch(student):
    """Each sequence is treated as if it were alone."""
    module = load(student.MultiHeadAttention(5, 12, 7, 0.0, 3), weights_for(5, 12))
    x = torch.randn(4, 6, 5)
    together = alive(module, x, shape=(4, 6, 12))
    for i in range(4):
        alone = expect_tensor(module(x[i : i + 1]), (1, 6, 12))
        expect_close(
            together[i : i + 1],
            alone,
            hint="A sequence's output changes with its neighbours.",
        )


@question("MultiHeadAttention")
def test_heads_stay_apart(student):
    """Before out_proj, changing one head's weights changes only that head's features."""
    weights = without_last_layer(weights_for(5, 12))
    module = load(student.MultiHeadAttention(5, 12, 6, 0.0, 3), weights)
    x = torch.randn(2, 6, 5)
    before = expect_tensor(module(x), (2, 6, 12))
    for name in LAYERS:
        weights[f"{name}.weight"][4:8] = torch.randn(4, 5)
    after = expect_tensor(load(module, weights)(x), (2, 6, 12))
    others = torch.tensor([0, 1, 2, 3, 8, 9, 10, 11])
    expect_close(
        after[..., others],
        before[..., others],
        hint="Head 1 got other weights, and another head's features changed.",
    )
    followed = (after[..., 4:8] - before[..., 4:8]).abs().max() > 1e-3
    expect(
        bool(followed), "Head 1 got other weights, but its features stayed the same."
    )


@question("MultiHeadAttention")
def test_heads_last_layer(student):
    """out_proj is applied once, at the end, with its bias."""
    weights = weights_for(5, 12)
    x = torch.randn(2, 6, 5)
    module = load(
        student.MultiHeadAttention(5, 12, 6, 0.0, 3), without_last_layer(weights)
    )
    joined = expect_tensor(module(x), (2, 6, 12))
    expected = linear(joined, weights["out_proj.weight"], weights["out_proj.bias"])
    expect_close(
        load(module, weights)(x),
        expected,
        hint="What goes through out_proj, and how often?",
    )
    silent = weights | {"out_proj.weight": torch.zeros(12, 12)}
    only_bias = weights["out_proj.bias"].expand(2, 6, 12)
    expect_close(
        load(module, silent)(x),
        only_bias,
        hint="With a weight of zero only the bias is left.",
    )


@question("MultiHeadAttention")
def test_heads_dropout_in_training(student):
    """In training dropout acts on the weights, after the softmax, and nowhere else."""
    # Each head's values are one-hot, twice over: features j and 6 + j of its mixture are token j's weight.
    eye = torch.eye(6)
    weights = without_last_layer(weights_for(6, 24)) | {
        "W_value.weight": torch.cat([eye] * 4)
    }
    x = eye.expand(4, 6, 6).contiguous()
    without = load(student.MultiHeadAttention(6, 24, 6, 0.0, 2), weights)
    module = load(student.MultiHeadAttention(6, 24, 6, 0.2, 2), weights)
    full, seen = (
        expect_tensor(m(x), (4, 6, 24)).unflatten(-1, (2, 2, 6))
        for m in (without, module)
    )
    dropped, visible = seen[..., 0, :] == 0, full[..., 0, :] != 0
    message = (
        "In training some weights must be 0, but none is. "
        "A dropped score is 0, and 0 is an ordinary score: what does your dropout act on?"
    )
    expect(bool(dropped[visible].any()), message)
    expect(
        not bool(dropped[visible].all()),
        "In training some weights must stay, but none does.",
    )
    hint = "Dropout sets some weights to zero, scales the others up, and leaves all else as it is."
    kept = torch.where(dropped.unsqueeze(-2), 0.0, full / 0.8)
    expect_close(seen, kept, name="The mixture in training", hint=hint)


@question("MultiHeadAttention")
def test_heads_dropout_in_evaluation(student):
    """In evaluation nothing is dropped."""
    weights = weights_for(5, 12)
    x = torch.randn(2, 6, 5)
    without = load(student.MultiHeadAttention(5, 12, 6, 0.0, 3), weights)
    module = load(student.MultiHeadAttention(5, 12, 6, 0.5, 3), weights)
    without.eval()
    module.eval()
    expected = alive(without, x, shape=(2, 6, 12))
    expect_close(
        module(x), expected, hint="Does your dropout know whether the module trains?"
    )


@question("MultiHeadAttention")
def test_heads_mask_moves(student):
    """No tensor stays behind when the module moves to another device."""
    module = student.MultiHeadAttention(5, 12, 6, 0.0, 3)
    alive(module, torch.randn(2, 6, 5), shape=(2, 6, 12))
    loose = student.define(LOOSE, "loose_tensors")(module)
    expect(
        not loose,
        f"self.{', self.'.join(loose)} is a plain tensor, which stays behind when the module moves. "
        "Which method of nn.Module takes care of tensors that are not trained?",
    )


@question("MultiHeadAttention")
def test_heads_gradients(student, reference):
    """Gradients reach x and all layers."""
    weights = weights_for(5, 12, bias=True)
    x = torch.randn(2, 6, 5, requires_grad=True)
    factors = torch.randn(2, 6, 12)
    actual, expected = (
        load(side.MultiHeadAttention(5, 12, 6, 0.0, 3, True), weights).inspect(
            x, weight=factors
        )
        for side in (student, reference)
    )
    expect_gradient(actual, expected.gradients, atol=1e-4, names=("x",))
    expect_parameter_gradients(actual, expected)


@question("MultiHeadAttention")
def test_heads_leave_input(student):
    """x stays as it was."""
    x = torch.randn(2, 6, 5)
    module = load(student.MultiHeadAttention(5, 12, 7, 0.0, 3), weights_for(5, 12))
    seen = module.inspect(x, weight=torch.randn(2, 6, 12))
    expect_alive(seen, (2, 6, 12))
    expect_unchanged(seen, x, names=("x",))


@question("MultiHeadAttention")
def test_heads_set_no_seed(student):
    """Random numbers stay random: the class sets no seed."""
    make = lambda: student.MultiHeadAttention(5, 12, 6, 0.0, 3)  # noqa: E731
    expect_no_seed(student, make, torch.randn(2, 6, 5))


@question("MultiHeadAttention")
def test_heads_large_scores(student):
    """Large scores do not overflow."""
    weights = weights_for(5, 12, bias=True)
    weights["W_key.bias"] *= (
        200  # one summand more for all scores of a query, which softmax does not see
    )
    x = torch.randn(2, 6, 5)
    actual = load(student.MultiHeadAttention(5, 12, 6, 0.0, 3, True), weights)(x)
    expect_finite(actual)
    expect_close(actual, multi_head(weights, x, 3), atol=5e-3)


@question("MultiHeadAttention")
def test_heads_float64(student):
    """With float64 weights and inputs, the output is float64 and as precise."""
    weights = weights_for(5, 12, dtype=torch.float64)
    x = torch.randn(2, 6, 5, dtype=torch.float64)
    actual = load(student.MultiHeadAttention(5, 12, 6, 0.0, 3).double(), weights)(x)
    expect_close(actual, multi_head(weights, x, 3))


@question("MultiHeadAttention")
def test_heads_all_sizes_equal(student):
    """It is right when sequences, tokens, heads and the features of a head are equally many."""
    weights, x = weights_for(3, 9), torch.randn(3, 3, 3)
    actual = load(student.MultiHeadAttention(3, 9, 3, 0.0, 3), weights)(x)
    hint = "Which dimension counts the heads, and which one tokens or sequences?"
    expect_close(actual, multi_head(weights, x, 3), hint=hint)


@question("MultiHeadAttention")
def test_heads_very_low_scores(student):
    """Later tokens stay hidden where all scores are very low, a hundred thousand below 0 and more."""
    weights = weights_for(6, 6, dtype=torch.float64)
    x = torch.randn(2, 5, 6, dtype=torch.float64)
    # The last feature speaks to queries alone and meets the same number in each key: it moves whole rows.
    for name in LAYERS:
        weights[f"{name}.weight"][:, 5] = 0
    for row in (0, 3):  # the first feature of each of two heads
        weights["W_query.weight"][row] = torch.eye(6)[5]
        weights["W_key.weight"][row] = torch.eye(6)[4]
    x[..., 4], x[..., 5] = 1, -5e5 * (1 + torch.rand(5))
    actual = load(student.MultiHeadAttention(6, 6, 5, 0.0, 2).double(), weights)(x)
    hint = (
        "Is what you put in the place of a hidden score really below everything else?"
    )
    expect_close(actual, multi_head(weights, x, 2), atol=1e-6, hint=hint)


def dropped_weights(student, rate):
    """Which weights a module drops in training, (texts, heads, rows, columns), and which are visible."""
    # Each head's values are one-hot, so that features of its mixture are the weights themselves.
    eye = torch.eye(12)
    weights = without_last_layer(weights_for(12, 24)) | {
        "W_value.weight": torch.cat([eye] * 2)
    }
    for name in ("W_query.weight", "W_key.weight"):
        weights[name] *= 0.1  # no weight is nearly 0
    module = load(student.MultiHeadAttention(12, 24, 12, rate, 2), weights)
    x = eye.expand(6, 12, 12).contiguous()
    module.eval()
    seen = expect_tensor(module(x), (6, 12, 24))
    settled = torch.allclose(seen, multi_head(weights, x, 2), atol=1e-4)
    message = (
        "In evaluation the output is not right yet, so dropout cannot be measured."
    )
    expect(settled, message)
    module.train()
    seen = expect_tensor(module(x), (6, 12, 24))
    visible = torch.ones(12, 12, dtype=torch.bool).tril().expand(6, 2, 12, 12)
    return cut(seen, 2).abs() < 1e-6, visible


@question("MultiHeadAttention")
def test_heads_dropout_rate(student):
    """Dropout drops as large a part of the weights as was asked for."""
    for rate in (0.2, 0.7):
        dropped, visible = dropped_weights(student, rate)
        share = dropped[visible].double().mean().item()
        message = f"With dropout {rate} about {share:.0%} of the weights were dropped."
        expect(abs(share - rate) < 0.1, message)


@question("MultiHeadAttention")
def test_heads_dropout_of_each_weight_by_itself(student):
    """Each weight is dropped or kept by itself: texts, heads, rows and columns do not share their fate."""
    dropped, visible = dropped_weights(student, 0.5)
    expect(bool(dropped[visible].any()), "In training no weight is dropped.")
    half = dropped[..., 6:, :6]  # each row of this part sees each of its columns
    for dim, name in enumerate(("texts", "heads", "rows", "columns")):
        differs = (half != half.narrow(dim, 0, 1)).any()
        hint = "Is something drawn for each weight?"
        expect(bool(differs), f"All {name} drop the same weights. {hint}")
