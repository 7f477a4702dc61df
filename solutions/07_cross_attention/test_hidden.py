"""Hidden tests of 07: three inputs that differ, padding without influence, queries that do not mix."""

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
    expect_tensor,
    expect_unchanged,
    question,
)

INPUTS = ("encodings_for_q", "encodings_for_k", "encodings_for_v", "mask")
ENCODINGS = torch.tensor([[1.16, 0.23], [0.57, 1.36], [4.41, -2.16]])
LAYERS = {"W_q", "W_k", "W_v", "W_query", "W_key", "W_value"}
PARAMETERS = "def parameters(module):\n    return dict(module.named_parameters())"


def named_parameters(student, module):
    """Return the parameters of a module on the student's side, by name."""
    return student.define(PARAMETERS, "parameters")(module)


def expect_parameters(actual, shapes):
    """Expect parameters of these names and shapes."""
    for name, shape in shapes.items():
        expect(
            name in actual,
            f'The module needs a parameter "{name}", but it has {", ".join(actual) or "none"}.',
        )
        expect_tensor(actual[name], shape, name=name)


def load(module, weights):
    """Give a module these parameters by name, and leave its others as they are."""
    _, unknown = module.load_state_dict(weights, strict=False)
    if unknown:
        raise Unmet(
            f'The module has no parameter "{unknown[0]}". Names of layers must be those of the exercise.'
        )
    return module


def expect_alive(seen, shape):
    """Expect an output of this shape that depends on all layers, and return it unchecked."""
    output = expect_finite(expect_tensor(seen.output, shape))
    expect(bool(seen.parameters), "The module has no parameters.")
    for name, gradient in seen.parameters.items():
        message = f"No gradient reaches {name}. Is it used, or is the result cut off?"
        asked_for = name.split(".")[0] in LAYERS
        expect(
            not asked_for or (gradient is not None and bool(gradient.any())), message
        )
    return output.detach()


def alive(module, *inputs, shape):
    """Return a module's output for its inputs; it must depend on all layers."""
    return expect_alive(module.inspect(*inputs, weight=torch.randn(shape)), shape)


def attention_weights(d, dtype=torch.float32):
    """Return parameters for Attention, large enough that every slip shows."""
    return {
        f"{name}.weight": torch.randn(d, d, dtype=dtype) * 0.7
        for name in ("W_q", "W_k", "W_v")
    }


def attention(weights, q, k, v, hidden=None):
    """Return the right output of Attention, computed by the library's own function."""
    q, k, v = (
        linear(x, weights[f"{name}.weight"])
        for name, x in (("W_q", q), ("W_k", k), ("W_v", v))
    )
    return scaled_dot_product_attention(
        q, k, v, attn_mask=None if hidden is None else ~hidden
    )


def cross_weights(d_query, d_context, d_out, bias=False, dtype=torch.float32):
    """Return parameters for CrossAttention, large enough that every slip shows."""
    sizes = {"W_query": d_query, "W_key": d_context, "W_value": d_context}
    weights = {
        f"{name}.weight": torch.randn(d_out, size, dtype=dtype) * 0.7
        for name, size in sizes.items()
    }
    if bias:
        weights |= {f"{name}.bias": torch.randn(d_out, dtype=dtype) for name in sizes}
    return weights


def cross(weights, x, context, hidden=None):
    """Return the right output of CrossAttention, computed by the library; `hidden` is (B, n, m)."""
    q, k, v = (
        linear(y, weights[f"{name}.weight"], weights.get(f"{name}.bias"))
        for name, y in (("W_query", x), ("W_key", context), ("W_value", context))
    )
    return scaled_dot_product_attention(
        q, k, v, attn_mask=None if hidden is None else ~hidden
    )


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


@question("Attention")
def test_attention_parameters(student):
    """W_q, W_k and W_v are the parameters, d_model by d_model, without bias."""
    parameters = named_parameters(student, student.Attention(5, 0, 1))
    expect_parameters(
        parameters, {f"{name}.weight": (5, 5) for name in ("W_q", "W_k", "W_v")}
    )
    biased = [name for name in parameters if name.endswith("bias")]
    expect(
        not biased, f"The layers must have no bias, but there is {', '.join(biased)}."
    )


@question("Attention")
def test_attention_order(student, reference):
    """With a seed, the layers start as in the lesson, made in the order queries, keys, values."""
    seed = draw(1, 9999)
    for side in (student, reference):
        side.seed(seed)
    expected = reference.Attention(2, 0, 1)(ENCODINGS, ENCODINGS, ENCODINGS)
    expect_close(
        student.Attention(2, 0, 1)(ENCODINGS, ENCODINGS, ENCODINGS),
        expected,
        hint="Each nn.Linear draws random numbers when it is made: how many are made, and in which order?",
    )


@question("Attention", basic=True)
def test_attention_three_inputs(student):
    """Queries, keys and values each come from their own input."""
    weights = attention_weights(6)
    q, k, v = torch.randn(3, 4, 6).unbind()
    actual = load(student.Attention(6), weights)(q, k, v)
    expect_close(
        actual, attention(weights, q, k, v), hint="Which layer gets which input?"
    )


@question("Attention")
def test_attention_other_lengths(student):
    """There may be more keys than queries, or fewer."""
    for n, m, d in ((3, 2, 2), (3, 7, 6), (5, 2, 6), (1, 4, 6)):
        weights = attention_weights(d)
        q, k, v = torch.randn(n, d), torch.randn(m, d), torch.randn(m, d)
        actual = load(student.Attention(d), weights)(q, k, v)
        expect_close(
            actual,
            attention(weights, q, k, v),
            hint="Follow the shapes when n and m differ.",
        )


@question("Attention")
def test_attention_wide(student):
    """The scaling is right for wide tokens too."""
    weights = {name: weight * 0.4 for name, weight in attention_weights(20).items()}
    q, k, v = torch.randn(5, 20), torch.randn(3, 20), torch.randn(3, 20)
    actual = load(student.Attention(20), weights)(q, k, v)
    expect_close(
        actual,
        attention(weights, q, k, v),
        hint="By which number are the scores divided?",
    )


@question("Attention")
def test_attention_mask(student):
    """A mask hides single keys from single queries."""
    weights = attention_weights(4)
    q, k, v = torch.randn(4, 4), torch.randn(6, 4), torch.randn(6, 4)
    hidden = torch.rand(4, 6) < 0.5
    hidden[:, 2], hidden[0, 5], hidden[1, 0] = False, True, True
    actual = load(student.Attention(4), weights)(q, k, v, hidden)
    expect_close(
        actual,
        attention(weights, q, k, v, hidden),
        hint="True means hidden, and the visible keys share all the weight.",
    )


@question("Attention")
def test_attention_hidden_keys(student):
    """What stands at hidden places has no influence."""
    module = load(student.Attention(4), attention_weights(4))
    q, k, v = torch.randn(3, 4), torch.randn(5, 4), torch.randn(5, 4)
    hidden = torch.tensor([False, True, False, True, True]).expand(3, 5).clone()
    before = alive(module, q, k, v, hidden, shape=(3, 4))
    place = torch.tensor([1, 3, 4])
    k[place], v[place] = torch.randn(2, 3, 4).unbind()
    expect_close(
        module(q, k, v, hidden),
        before,
        hint="Hidden keys changed, and the output changed with them.",
    )


@question("Attention")
def test_attention_nothing_hidden(student):
    """A mask that hides nothing changes nothing."""
    weights = attention_weights(4)
    module = load(student.Attention(4), weights)
    q, k, v = torch.randn(3, 4), torch.randn(5, 4), torch.randn(5, 4)
    open_eyed = alive(module, q, k, v, shape=(3, 4))
    expect_close(module(q, k, v, torch.zeros(3, 5, dtype=torch.bool)), open_eyed)
    module(q, k, v, torch.arange(5).expand(3, 5) > 2)
    hint = "No mask came with this call. What does your module keep of the one before?"
    expect_close(module(q, k, v), open_eyed, hint=hint)


@question("Attention")
def test_attention_sees_all(student):
    """Without a mask, every query looks at every key, also at later ones."""
    module = load(student.Attention(4), attention_weights(4))
    # Small queries, so that no key is all that a query looks at.
    q, k, v = 0.3 * torch.randn(5, 4), torch.randn(5, 4), torch.randn(5, 4)
    before = expect_tensor(module(q, k, v), (5, 4))
    v[4] = torch.randn(4) * 5
    moved = (expect_tensor(module(q, k, v), (5, 4)) - before).abs().amax(dim=-1)
    message = (
        "The last value changed, but an earlier row did not follow. Is anything "
        "hidden that no mask asks for?"
    )
    expect(bool((moved > 1e-6).all()), message)


@question("Attention")
def test_attention_own_query(student):
    """An output row depends on its own query and on no other."""
    module = load(student.Attention(4), attention_weights(4))
    q, k, v = 0.3 * torch.randn(5, 4), torch.randn(6, 4), torch.randn(6, 4)
    before = alive(module, q, k, v, shape=(5, 4))
    q[2] = torch.randn(4) * 2
    after = expect_tensor(module(q, k, v), (5, 4))
    others = torch.tensor([0, 1, 3, 4])
    hint = "One query changed, and another row followed. Over which dimension does the softmax run?"
    expect_close(after[others], before[others], hint=hint)
    expect(
        not torch.allclose(after[2], before[2], atol=1e-3),
        "A row must follow its own query, but it stayed.",
    )


@question("Attention")
def test_attention_names(student):
    """The inputs can be given by name, in any order."""
    module = load(
        student.Attention(d_model=2, row_dim=0, col_dim=1), attention_weights(2)
    )
    q, k, v = torch.randn(3, 2), torch.randn(5, 2), torch.randn(5, 2)
    hidden = torch.tensor([[True, False, False, True, False]] * 3)
    by_place = alive(module, q, k, v, hidden, shape=(3, 2))
    by_name = module(
        mask=hidden, encodings_for_v=v, encodings_for_k=k, encodings_for_q=q
    )
    expect_close(
        by_name,
        by_place,
        hint="Does the body read the very names that stand in the signature?",
    )


@question("Attention")
def test_attention_gradients(student, reference):
    """Gradients reach all three inputs and all three layers."""
    weights = attention_weights(4)
    inputs = [torch.randn(size, 4).requires_grad_() for size in (3, 5, 5)]
    out_weight = torch.randn(3, 4)
    actual = load(student.Attention(4), weights).inspect(*inputs, weight=out_weight)
    expected = load(reference.Attention(4), weights).inspect(*inputs, weight=out_weight)
    expect_gradient(actual, expected.gradients, atol=1e-4, names=INPUTS)
    for name in weights:
        gradient = actual.parameters.get(name)
        expect(
            gradient is not None,
            f"No gradient reaches {name}. Is it used, or is the result cut off?",
        )
        expect_close(
            gradient,
            expected.parameters[name],
            atol=1e-4,
            name=f"The gradient of {name}",
        )


@question("Attention")
def test_attention_leaves_inputs(student):
    """Inputs and mask stay as they were."""
    inputs = [torch.randn(size, 4) for size in (3, 5, 5)]
    hidden = torch.tensor([[False, True, False, False, True]] * 3)
    module = load(student.Attention(4), attention_weights(4))
    seen = module.inspect(*inputs, hidden, weight=torch.randn(3, 4))
    expect_alive(seen, (3, 4))
    expect_unchanged(seen, *inputs, hidden, names=INPUTS)


@question("Attention")
def test_attention_sets_no_seed(student):
    """Random numbers stay random: the class sets no seed."""
    expect_no_seed(student, lambda: student.Attention(4), *torch.randn(3, 5, 4))


@question("Attention")
def test_attention_large_scores(student):
    """Large scores do not overflow, nor do they drown those of other queries."""
    weights = attention_weights(4)
    q, k, v = torch.randn(4, 4), torch.randn(6, 4), torch.randn(6, 4)
    q = q * torch.tensor([[1.0], [400.0], [1.0], [400.0]])
    actual = load(student.Attention(4), weights)(q, k, v)
    expect_finite(actual)
    expect_close(actual, attention(weights, q, k, v), atol=5e-3)


@question("Attention")
def test_attention_float64(student):
    """With float64 weights and inputs, the output is float64 and as precise."""
    weights = attention_weights(4, torch.float64)
    q, k, v = (torch.randn(size, 4, dtype=torch.float64) for size in (3, 5, 5))
    hidden = torch.tensor([[False, True, False, False, True]] * 3)
    actual = load(student.Attention(4).double(), weights)(q, k, v, hidden)
    expect_close(actual, attention(weights, q, k, v, hidden))


@question("Attention")
def test_attention_equal_sizes(student):
    """A mask is obeyed as it stands when there are as many keys as queries and features, or only one."""
    for n, m, d in ((4, 4, 4), (5, 5, 3), (1, 1, 2), (3, 1, 4)):
        weights = attention_weights(d)
        q, k, v = torch.randn(n, d), torch.randn(m, d), torch.randn(m, d)
        hidden = torch.rand(n, m) < 0.5
        hidden[0], hidden[:, m // 2], hidden[-1, 0] = True, False, False
        actual = load(student.Attention(d), weights)(q, k, v, hidden)
        expect_close(
            actual,
            attention(weights, q, k, v, hidden),
            hint="Rows of the mask are queries, columns are keys.",
        )


@question("Attention")
def test_attention_very_low_scores(student):
    """Hidden keys stay hidden where all scores are very low, a hundred thousand below 0 and more."""
    weights = attention_weights(6, torch.float64)
    q, k, v = (torch.randn(size, 6, dtype=torch.float64) for size in (4, 5, 5))
    # The last feature speaks to queries alone and meets the same number in each key: it moves whole rows.
    for weight in weights.values():
        weight[:, 5] = 0
    weights["W_q.weight"][0], weights["W_k.weight"][0] = (
        torch.eye(6)[5],
        torch.eye(6)[4],
    )
    q[:, 5], k[:, 4] = -5e5 * (1 + torch.rand(4)), 1
    hidden = torch.tensor([[False, True, False, False, True]] * 4)
    actual = load(student.Attention(6).double(), weights)(q, k, v, hidden)
    hint = (
        "Is what you put in the place of a hidden score really below everything else?"
    )
    expect_close(actual, attention(weights, q, k, v, hidden), atol=1e-6, hint=hint)


@question("Attention")
def test_attention_default_width(student):
    """Without sizes it takes tokens of two features."""
    weights, (q, k, v) = attention_weights(2), torch.randn(3, 4, 2).unbind()
    actual = load(student.Attention(), weights)(q, k, v)
    expect_close(actual, attention(weights, q, k, v))


def padding(lengths, width):
    """Return the padding mask: True from each sentence's end on."""
    return torch.arange(width) >= lengths.unsqueeze(1)


@question("padding_mask")
def test_padding_form(student):
    """The mask is boolean, with a row for each sentence and max_length columns, and hides some, not all."""
    lengths = torch.cat([torch.randint(1, 6, (3,)), torch.tensor([6])])[
        torch.randperm(4)
    ]
    mask = expect_tensor(student.padding_mask(lengths, 6), (4, 6), torch.bool)
    expect(bool(mask.any()), "Nothing is hidden. True means hidden.")
    expect(not mask.all(), "Everything is hidden. True means hidden.")


@question("padding_mask", basic=True)
def test_padding_values(student):
    """Exactly the positions after the last word are True."""
    lengths, width = torch.randint(1, 7, (draw(3, 6),)), draw(7, 9)
    hint = (
        "Which position is the first padding of a sentence of length 2, counted from 0?"
    )
    expect_equal(
        student.padding_mask(lengths, width), padding(lengths, width), hint=hint
    )


@question("padding_mask")
def test_padding_full_sentences(student):
    """A sentence that fills its row has no padding."""
    width = draw(4, 8)
    lengths = torch.tensor([width, draw(1, width - 1), width])
    expected = padding(lengths, width)
    expect_equal(
        student.padding_mask(lengths, width),
        expected,
        hint="What does your code do when nothing is left to pad?",
    )


@question("padding_mask")
def test_padding_beyond_longest(student):
    """max_length may exceed the longest sentence."""
    lengths, width = torch.randint(1, 4, (draw(2, 5),)), draw(5, 9)
    expected = padding(lengths, width)
    expect_equal(
        student.padding_mask(lengths, width),
        expected,
        hint="The width is max_length, whatever the lengths are.",
    )


@question("padding_mask")
def test_padding_long_sentences(student):
    """Sentences may have hundreds of words."""
    lengths, width = torch.tensor([draw(130, 250), draw(260, 600)]), draw(610, 700)
    expected = padding(lengths, width)
    hint = "How large a number can each step hold?"
    expect_equal(student.padding_mask(lengths, width), expected, hint=hint)


@question("padding_mask")
def test_padding_single(student):
    """One sentence is a batch too, and so is one position."""
    length = torch.randint(1, 5, (1,))
    expect_equal(student.padding_mask(length, 5), padding(length, 5))
    expect_equal(
        student.padding_mask(torch.tensor([1, 1]), 1), torch.tensor([[False], [False]])
    )


@question("padding_mask")
def test_padding_leaves_lengths(student):
    """The mask is right, and the lengths stay as they were."""
    lengths = torch.tensor([[3, 1, 4], [2, 4, 1], [4, 1, 3]])[draw(0, 2)]
    seen = student.padding_mask.inspect(lengths, 5)
    expect_unchanged(seen, lengths, names=("lengths",))
    expect_equal(seen.output, padding(lengths, 5))


@question("padding_mask")
def test_padding_equal_sizes(student):
    """Rows belong to sentences when there are as many sentences as positions, too, and lengths may repeat."""
    for lengths in ((3, 4, 2, 2), (1, 2, 2), (3, 1, 1)):
        given = torch.tensor(lengths)
        expect_equal(
            student.padding_mask(given, len(lengths)),
            padding(given, len(lengths)),
            hint="Which dimension counts the sentences?",
        )


@question("CrossAttention")
def test_cross_parameters(student):
    """W_query, W_key and W_value have the right sizes, and no bias unless asked for."""
    shapes = {
        "W_query.weight": (6, 3),
        "W_key.weight": (6, 5),
        "W_value.weight": (6, 5),
    }
    parameters = named_parameters(student, student.CrossAttention(3, 5, 6))
    expect_parameters(parameters, shapes)
    biased = [name for name in parameters if name.endswith("bias")]
    expect(
        not biased,
        f"Without qkv_bias there must be no bias, but there is {', '.join(biased)}.",
    )
    biases = {f"{name}.bias": (6,) for name in ("W_query", "W_key", "W_value")}
    expect_parameters(
        named_parameters(student, student.CrossAttention(3, 5, 6, True)),
        shapes | biases,
    )


@question("CrossAttention", weight=2)
def test_cross_values(student):
    """The output agrees with the library's own attention."""
    for batch, n, m, sizes in ((1, 3, 2, (2, 2, 2)), (3, 4, 6, (5, 7, 12))):
        weights = cross_weights(*sizes)
        x, context = torch.randn(batch, n, sizes[0]), torch.randn(batch, m, sizes[1])
        actual = load(student.CrossAttention(*sizes), weights)(x, context)
        expect_close(
            actual,
            cross(weights, x, context),
            hint="Queries come of x, keys and values of context; row i is weighted by query i's "
            "scaled scores.",
        )


@question("CrossAttention")
def test_cross_bias(student):
    """With qkv_bias the biases take part."""
    weights = cross_weights(5, 3, 4, bias=True)
    x, context = torch.randn(2, 7, 5), torch.randn(2, 6, 3)
    actual = load(student.CrossAttention(5, 3, 4, True), weights)(x, context)
    expect_close(
        actual,
        cross(weights, x, context),
        hint="Do all three layers go through their bias?",
    )


@question("CrossAttention")
def test_cross_batch(student):
    """Each sequence is treated as if it were alone."""
    module = load(student.CrossAttention(5, 7, 4), cross_weights(5, 7, 4))
    x, context = torch.randn(3, 2, 5), torch.randn(3, 6, 7)
    hidden = torch.tensor([[False] * 6, [False] * 2 + [True] * 4, [False] * 5 + [True]])
    together = alive(module, x, context, hidden, shape=(3, 2, 4))
    for i in range(3):
        alone = expect_tensor(
            module(x[i : i + 1], context[i : i + 1], hidden[i : i + 1]), (1, 2, 4)
        )
        expect_close(
            together[i : i + 1],
            alone,
            hint="A sequence's output changes with its neighbours in the batch.",
        )


@question("CrossAttention")
def test_cross_padding_mask(student):
    """A mask (B, m) hides padding from all queries of its own sequence."""
    weights = cross_weights(5, 7, 9)
    x, context = torch.randn(3, 4, 5), torch.randn(3, 6, 7)
    hidden = torch.tensor(
        [[False] * 4 + [True] * 2, [False] * 6, [False] * 2 + [True] * 4]
    )
    actual = load(student.CrossAttention(5, 7, 9), weights)(x, context, hidden)
    expected = cross(weights, x, context, hidden.unsqueeze(1).expand(3, 4, 6))
    expect_close(
        actual,
        expected,
        hint="Each sequence has its own row of the mask, shared by its queries.",
    )


@question("CrossAttention")
def test_cross_square_batch(student):
    """The rows of a mask (B, m) belong to sequences, even when there are as many queries as sequences."""
    weights = cross_weights(5, 7, 9)
    x, context = torch.randn(4, 4, 5), torch.randn(4, 6, 7)
    hidden = torch.arange(6) >= torch.tensor([[3], [6], [1], [5]])
    actual = load(student.CrossAttention(5, 7, 9), weights)(x, context, hidden)
    expected = cross(weights, x, context, hidden.unsqueeze(1).expand(4, 4, 6))
    expect_close(
        actual,
        expected,
        hint="With which dimensions of the scores does the mask line up?",
    )


@question("CrossAttention")
def test_cross_full_mask(student):
    """A mask (B, n, m) hides single tokens from single queries."""
    weights = cross_weights(5, 7, 9)
    x, context = torch.randn(2, 4, 5), torch.randn(2, 6, 7)
    hidden = torch.rand(2, 4, 6) < 0.5
    hidden[..., 3], hidden[0, 1, 0], hidden[1, 2, 5] = False, True, True
    actual = load(student.CrossAttention(5, 7, 9), weights)(x, context, hidden)
    expect_close(
        actual,
        cross(weights, x, context, hidden),
        hint="Does a mask of three dimensions fit as it is?",
    )


@question("CrossAttention")
def test_cross_padding_without_influence(student):
    """What stands at padded places has no influence."""
    module = load(student.CrossAttention(3, 5, 4), cross_weights(3, 5, 4))
    x, context = torch.randn(2, 7, 3), torch.randn(2, 6, 5)
    hidden = torch.arange(6) >= torch.tensor([[4], [2]])
    before = alive(module, x, context, hidden, shape=(2, 7, 4))
    changed = torch.where(hidden.unsqueeze(-1), torch.randn(2, 6, 5), context)
    expect_close(
        module(x, changed, hidden),
        before,
        hint="Padding changed, and the output changed with it.",
    )
    shorter = expect_tensor(module(x[1:], context[1:, :2]), (1, 7, 4))
    expect_close(
        before[1:], shorter, hint="Hidden padding must be as good as no padding."
    )


@question("CrossAttention")
def test_cross_no_gradient_to_padding(student):
    """No gradient reaches padded places."""
    module = load(student.CrossAttention(3, 5, 4), cross_weights(3, 5, 4))
    x, context = torch.randn(2, 7, 3), torch.randn(2, 6, 5, requires_grad=True)
    hidden = torch.arange(6) >= torch.tensor([[4], [2]])
    seen = module.inspect(x, context, hidden, weight=torch.randn(2, 7, 4))
    gradient = expect_tensor(
        seen.gradients.get(1), (2, 6, 5), name="The gradient of the context"
    )
    expect_close(
        gradient[hidden],
        torch.zeros(6, 5),
        atol=1e-5,
        name="The gradient at padded places",
    )
    expect(
        bool((gradient[~hidden].abs() > 1e-4).any()),
        "Visible tokens must get a gradient, but theirs is 0.",
    )


@question("CrossAttention")
def test_cross_nothing_hidden(student):
    """A mask that hides nothing changes nothing."""
    module = load(student.CrossAttention(3, 5, 4), cross_weights(3, 5, 4))
    x, context = torch.randn(2, 7, 3), torch.randn(2, 6, 5)
    open_eyed = alive(module, x, context, shape=(2, 7, 4))
    expect_close(module(x, context, torch.zeros(2, 6, dtype=torch.bool)), open_eyed)


@question("CrossAttention")
def test_cross_own_query(student):
    """An output row depends on its own query and on no other."""
    module = load(student.CrossAttention(3, 5, 4), cross_weights(3, 5, 4))
    x, context = 0.3 * torch.randn(2, 6, 3), torch.randn(2, 7, 5)
    before = alive(module, x, context, shape=(2, 6, 4))
    x[0, 2] = torch.randn(3) * 2
    after = expect_tensor(module(x, context), (2, 6, 4))
    others = torch.ones(2, 6, dtype=torch.bool)
    others[0, 2] = False
    hint = "One query changed, and another row followed. Over which dimension does the softmax run?"
    expect_close(after[others], before[others], hint=hint)
    expect(
        not torch.allclose(after[0, 2], before[0, 2], atol=1e-3),
        "A row must follow its own query, but it stayed.",
    )


@question("CrossAttention")
def test_cross_context_order(student):
    """Shuffling the context, or giving it twice, changes nothing."""
    module = load(student.CrossAttention(3, 5, 4), cross_weights(3, 5, 4))
    x, context = torch.randn(2, 7, 3), torch.randn(2, 6, 5)
    before = alive(module, x, context, shape=(2, 7, 4))
    shuffled = context[:, torch.tensor([3, 0, 5, 1, 4, 2])]
    expect_close(module(x, shuffled), before, hint="A weighted sum has no order.")
    twice = torch.cat([context, context], dim=1)
    expect_close(
        module(x, twice),
        before,
        hint="Each row of weights must sum to 1, however many keys there are.",
    )


@question("CrossAttention")
def test_cross_gradients(student, reference):
    """Gradients reach both inputs and all layers."""
    weights = cross_weights(3, 5, 4, bias=True)
    inputs = [
        torch.randn(2, 7, 3, requires_grad=True),
        torch.randn(2, 6, 5, requires_grad=True),
    ]
    out_weight = torch.randn(2, 7, 4)
    actual = load(student.CrossAttention(3, 5, 4, True), weights).inspect(
        *inputs, weight=out_weight
    )
    expected = load(reference.CrossAttention(3, 5, 4, True), weights).inspect(
        *inputs, weight=out_weight
    )
    expect_gradient(actual, expected.gradients, atol=1e-4, names=("x", "context"))
    for name in weights:
        gradient = actual.parameters.get(name)
        expect(
            gradient is not None,
            f"No gradient reaches {name}. Is it used, or is the result cut off?",
        )
        expect_close(
            gradient,
            expected.parameters[name],
            atol=1e-4,
            name=f"The gradient of {name}",
        )


@question("CrossAttention")
def test_cross_leaves_inputs(student):
    """Inputs and mask stay as they were."""
    module = load(student.CrossAttention(3, 5, 4), cross_weights(3, 5, 4))
    x, context = torch.randn(2, 7, 3), torch.randn(2, 6, 5)
    hidden = torch.arange(6) >= torch.tensor([[4], [2]])
    seen = module.inspect(x, context, hidden, weight=torch.randn(2, 7, 4))
    expect_alive(seen, (2, 7, 4))
    expect_unchanged(seen, x, context, hidden, names=("x", "context", "mask"))


@question("CrossAttention")
def test_cross_sets_no_seed(student):
    """Random numbers stay random: the class sets no seed."""
    make = lambda: student.CrossAttention(3, 5, 4)  # noqa: E731
    expect_no_seed(student, make, torch.randn(2, 7, 3), torch.randn(2, 6, 5))


@question("CrossAttention")
def test_cross_large_scores(student):
    """Large scores do not overflow, nor do they drown those of other queries."""
    weights = cross_weights(3, 5, 4)
    x, context = torch.randn(2, 4, 3), torch.randn(2, 6, 5)
    x = x * torch.tensor([[1.0], [400.0], [1.0], [400.0]])
    actual = load(student.CrossAttention(3, 5, 4), weights)(x, context)
    expect_finite(actual)
    expect_close(actual, cross(weights, x, context), atol=5e-3)


@question("CrossAttention")
def test_cross_float64(student):
    """With float64 weights and inputs, the output is float64 and as precise."""
    weights = cross_weights(3, 5, 4, dtype=torch.float64)
    x, context = (
        torch.randn(2, 7, 3, dtype=torch.float64),
        torch.randn(2, 6, 5, dtype=torch.float64),
    )
    hidden = torch.arange(6) >= torch.tensor([[4], [2]])
    actual = load(student.CrossAttention(3, 5, 4).double(), weights)(x, context, hidden)
    expect_close(
        actual, cross(weights, x, context, hidden.unsqueeze(1).expand(2, 7, 6))
    )


@question("CrossAttention")
def test_cross_mask_kind_by_its_dimensions(student):
    """A mask (B, n, m) is told from a mask (B, m) by its dimensions, whatever sizes are equal or 1."""
    for batch, n, m in (
        (4, 4, 4),
        (2, 5, 5),
        (3, 3, 5),
        (1, 3, 4),
        (2, 1, 4),
        (1, 1, 3),
    ):
        weights = cross_weights(3, 5, 4)
        x, context = torch.randn(batch, n, 3), torch.randn(batch, m, 5)
        hidden = torch.rand(batch, n, m) < 0.4
        hidden[..., 0, :], hidden[..., m // 2], hidden[0, -1, 0] = True, False, False
        module = load(student.CrossAttention(3, 5, 4), weights)
        expect_close(
            module(x, context, hidden),
            cross(weights, x, context, hidden),
            hint="By what do you tell the two kinds of mask apart?",
        )
        shared = hidden[:, 0]
        expected = cross(weights, x, context, shared.unsqueeze(1).expand(batch, n, m))
        hint = "This mask is (B, m): each sequence has one row for all its queries."
        expect_close(module(x, context, shared), expected, hint=hint)


@question("CrossAttention")
def test_cross_equal_sizes(student):
    """Without a mask every query looks at the whole context, also at one of its own shape."""
    weights = cross_weights(4, 4, 4)
    module = load(student.CrossAttention(4, 4, 4), weights)
    x, context = torch.randn(2, 4, 4, 4).unbind()
    module(x, context, torch.arange(4).expand(4, 4) > 1)  # a mask is for its own call
    hint = "Is anything hidden that no mask asks for, or are two inputs confused?"
    expect_close(module(x, context), cross(weights, x, context), hint=hint)


@question("CrossAttention")
def test_cross_very_low_scores(student):
    """Hidden tokens stay hidden where all scores are very low, a hundred thousand below 0 and more."""
    weights = cross_weights(4, 5, 6, dtype=torch.float64)
    x = torch.randn(2, 4, 4, dtype=torch.float64)
    context = torch.randn(2, 6, 5, dtype=torch.float64)
    # The last feature speaks to queries alone and meets the same number in each key: it moves whole rows.
    weights["W_query.weight"][:, 3], weights["W_key.weight"][:, 4] = 0, 0
    weights["W_query.weight"][0] = torch.eye(4)[3]
    weights["W_key.weight"][0] = torch.eye(5)[4]
    x[..., 3], context[..., 4] = -5e5 * (1 + torch.rand(4)), 1
    hidden = torch.arange(6) >= torch.tensor([[4], [2]])
    actual = load(student.CrossAttention(4, 5, 6).double(), weights)(x, context, hidden)
    hint = (
        "Is what you put in the place of a hidden score really below everything else?"
    )
    expected = cross(weights, x, context, hidden.unsqueeze(1).expand(2, 4, 6))
    expect_close(actual, expected, atol=1e-6, hint=hint)
