"""Hidden tests of 07: each input has its own use, padding has no effect, queries do not affect each other.

Most tests check a single property, so a mistake fails few tests. Many tests compare two results of one
module, or load weights for which a wrong scale of the scores makes no difference: all scores are equal, or
marked tokens get all the attention. Only one test checks that there is no bias. Other tests load numbers
into such a bias, and the result that they expect contains it.
"""

import pytest
import torch
from shared_tests import (
    INPUTS,
    expect_no_seed,
    expect_numbers,
    expect_same,
    expect_slope,
    named_parameters,
    numbers,
    three,
)
from torch.nn.functional import linear, scaled_dot_product_attention

from autograder.testing import (
    draw,
    expect,
    expect_close,
    expect_equal,
    expect_tensor,
    expect_unchanged,
    precondition,
    question,
)

LOAD = """
def tensor_by_name(module, name):
    # Return the tensor with this dotted name, or None. A part of the name may be an index of a plain list.
    # Students use a plain tensor W as x @ W, so a layer with the same effect has the weight W.T.
    value = module
    for part in name.split("."):
        if isinstance(value, (list, tuple)) and part.isdigit():
            value = value[int(part)] if int(part) < len(value) else None
        elif part == "weight" and isinstance(value, torch.Tensor):
            return value.T
        else:
            value = getattr(value, part, None)
    return value if isinstance(value, torch.Tensor) else None

def tensors_in(value, seen):
    # Yield all tensors that a module stores under any names, in their order.
    if id(value) in seen:
        return
    seen.append(id(value))
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, nn.Module):
        yield from tensors_in(vars(value), seen)
    elif isinstance(value, (list, tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from tensors_in(part, seen)

def load(module, weights, spare):
    # Copy each weight into the tensor with its name. If there is none, copy it into the next unused tensor
    # with its shape. Copy `spare` by name alone. Return the names of all weights that were copied.
    named = {name: tensor_by_name(module, name) for name in (*spare, *weights)}
    places = {
        name: place for name, place in named.items()
        if place is not None and place.shape == {**spare, **weights}[name].shape
    }
    taken = [place.data_ptr() for place in places.values()]
    left = [t for t in tensors_in(module, []) if t.is_floating_point() and t.data_ptr() not in taken]
    for name in [name for name in weights if name not in places]:
        for number, tensor in enumerate(left):
            if tensor.shape == weights[name].shape:
                places[name] = left.pop(number)
                break
    with torch.no_grad():
        for name, place in places.items():
            place.copy_({**spare, **weights}[name])
    return list(places)
"""
SHORT = ("W_q", "W_k", "W_v")
LONG = ("W_query", "W_key", "W_value")


def expect_parameters(actual, shapes):
    """Expect parameters of these names and shapes."""
    for name, shape in shapes.items():
        expect(
            name in actual,
            f'The module needs a parameter "{name}", but it has {", ".join(actual) or "none"}.',
        )
        expect_tensor(actual[name], shape, name=name)


def load(student, module, weights):
    """Load these weights into a module, and random numbers into its biases. Return all loaded tensors.

    The module may store a weight under any name, because only one test checks names and registration.
    """
    rows = {
        name.replace("weight", "bias"): w[:, 0]
        for name, w in weights.items()
        if "weight" in name
    }
    biases = {name: 0.2 * torch.randn_like(row) for name, row in rows.items()}
    taken = student.define(LOAD, "load")(module, weights, biases)
    for name, weight in weights.items():
        fault = f'The module has no weight "{name}" of shape {tuple(weight.shape)}.'
        expect(name in taken, fault)
    return {name: w for name, w in (biases | weights).items() if name in taken}


def alive(seen, shape):
    """Return the output of a call of `inspect`. It must have this shape and depend on two weights or more."""
    output = expect_tensor(numbers(seen.output, torch.empty(shape)), shape)
    weights = [g for name, g in seen.parameters.items() if not name.endswith("bias")]
    reached = sum(gradient is not None and bool(gradient.any()) for gradient in weights)
    message = f"The output depends on {reached} of the module's weights. Is it detached from the others?"
    expect(reached > 1 or not weights, message)
    return output.detach()


@precondition()
def called(module, *inputs, shape):
    """Call a module and return its output. The output must depend on two weights or more."""
    return alive(module.inspect(*inputs, weight=torch.randn(shape)), shape)


def expect_all_gradients(seen, layers):
    """Expect a gradient at each of these layers' weights."""
    for layer in layers:
        if f"{layer}.weight" not in seen.parameters:
            continue  # a single test checks the registration
        gradient = seen.parameters[f"{layer}.weight"]
        fault = f"No gradient reaches {layer}. Is it used, or is the result detached?"
        expect(gradient is not None and bool(gradient.any()), fault)


def expect_input_gradients(seen, count, names):
    """Return the gradients of the first `count` inputs. Each of these gradients must exist."""
    gradients = [seen.gradients.get(i) for i in range(count)]
    for gradient, name in zip(gradients, names, strict=False):
        expect(
            gradient is not None, f"No gradient reaches {name}. Which step detaches it?"
        )
    return gradients


def attended(layers, weights, inputs, hidden=None):
    """Return the right output, computed by the library's own function; `hidden` is (..., n, m)."""
    q, k, v = (
        linear(x, weights[f"{name}.weight"], weights.get(f"{name}.bias"))
        for name, x in zip(layers, inputs, strict=True)
    )
    visible = None if hidden is None else ~hidden
    return scaled_dot_product_attention(q, k, v, attn_mask=visible)


def some_hidden(*shape):
    """Return a mask that hides something from most rows, and nothing in column 2."""
    hidden = torch.rand(shape) < 0.5
    hidden[..., 2], hidden[..., 0, -1], hidden[..., 1, 0] = False, True, True
    return hidden


def attention_weights(d, dtype=torch.float32, *, equal_scores=False):
    """Return random parameters of Attention. With `equal_scores`, W_q and W_k are zeros."""
    sizes = {"W_q": 0.0, "W_k": 0.0} if equal_scores else {}
    return {
        f"{name}.weight": torch.randn(d, d, dtype=dtype) * sizes.get(name, 0.7)
        for name in SHORT
    }


def make_attention(student, d, dtype=torch.float32, *, equal_scores=False):
    """Return a new Attention with the parameters of `attention_weights`, and these parameters."""
    module = student.Attention(d)
    if dtype == torch.float64:
        module.double()
    weights = attention_weights(d, dtype, equal_scores=equal_scores)
    return module, load(student, module, weights)


def attention(weights, q, k, v, hidden=None):
    """Return the right output of Attention."""
    return attended(SHORT, weights, (q, k, v), hidden)


@question("Attention")
def test_attention_parameters(student):
    """The parameters are W_q, W_k and W_v, each of shape (d_model, d_model), without a bias."""
    module = student.Attention(5, 0, 1)
    module(
        *three(5, 5, 5)
    )  # the stub already has the layers: only this call makes it fail
    parameters = named_parameters(student, module)
    expect_parameters(parameters, {f"{name}.weight": (5, 5) for name in SHORT})
    biased = [name for name in parameters if name.endswith("bias")]
    expect(
        not biased, f"The layers must have no bias, but there is {', '.join(biased)}."
    )


@question("Attention")
def test_attention_form(student):
    """The output has d_model features for each query, in the dtype of the inputs."""
    module, _ = make_attention(student, 5)
    q, k, v = three(5, 5, 5)
    seen = module.inspect(q, k, v, weight=torch.randn(5, 5))
    alive(seen, (5, 5))
    expect_tensor(seen.output, (5, 5), torch.float32)
    expect_tensor(module(q[:1], k, v), (1, 5), torch.float32)
    expect_tensor(module(q, k[:1], v[:1]), (5, 5), torch.float32)


@question("Attention")
def test_attention_order(student, reference):
    """With a seed, the layers start as in the lesson: they are created in the order W_q, W_k, W_v."""
    seed = draw(1, 9999)
    for side in (student, reference):
        side.seed(seed)
    modules = [side.Attention(2, 0, 1) for side in (student, reference)]
    modules[0](*three(3, 3, 2))  # makes the stub fail
    actual, expected = (
        named_parameters(side, module)
        for side, module in zip((student, reference), modules, strict=True)
    )
    hint = "Each nn.Linear draws random numbers when you create it. How many do you create, in which order?"
    for name, right in expected.items():
        expect(name in actual, f'The module has no parameter "{name}".')
        expect_close(actual[name].detach(), right.detach(), hint=hint, name=name)


@question("Attention", basic=True)
def test_attention_three_inputs(student):
    """Queries, keys and values each come from their own input."""
    module, weights = make_attention(student, 6)
    q, k, v = three(4, 4, 6)
    hint = "Which input does each of W_q, W_k and W_v get?"
    expect_numbers(module(q, k, v), attention(weights, q, k, v), hint=hint)


@question("Attention", basic=True)
def test_attention_other_lengths(student):
    """There may be more keys than queries, or fewer."""
    for n, m, d in ((3, 2, 2), (3, 7, 6), (5, 2, 6), (1, 4, 6)):
        module, weights = make_attention(student, d)
        q, k, v = three(n, m, d)
        hint = "Print the shape after each step. Which sizes should be n, and which m?"
        expect_numbers(module(q, k, v), attention(weights, q, k, v), hint=hint)


@question("Attention", basic=True)
def test_attention_wide(student):
    """The scaling is right for wide tokens too."""
    module = student.Attention(20)
    narrow = {name: weight * 0.4 for name, weight in attention_weights(20).items()}
    weights = load(student, module, narrow)
    q, k, v = three(5, 3, 20)
    hint = "Which number do you divide the scores by?"
    expect_numbers(module(q, k, v), attention(weights, q, k, v), hint=hint)


@question("Attention", basic=True)
def test_attention_mask(student):
    """A mask hides single keys from single queries: the weights of the visible keys sum to 1."""
    for equal_scores in (True, False):
        module, weights = make_attention(student, 6, equal_scores=equal_scores)
        q, k, v = three(4, 6, 6)
        hidden = some_hidden(4, 6)
        hint = "True means hidden, and the weights of the visible keys sum to 1."
        actual = module(q, k, v, hidden)
        expect_numbers(actual, attention(weights, q, k, v, hidden), hint=hint)


@question("Attention")
def test_attention_nothing_hidden(student):
    """A mask that hides nothing changes nothing."""
    module, _ = make_attention(student, 5)
    q, k, v = three(5, 5, 5)
    open_eyed = called(module, q, k, v, shape=(5, 5))
    expect_same(module(q, k, v, torch.zeros(5, 5, dtype=torch.bool)), open_eyed)
    module(q, k, v, torch.arange(5).expand(5, 5) > 2)
    hint = "This call has no mask. Does your module use the mask of an earlier call?"
    expect_same(module(q, k, v), open_eyed, hint=hint)


@question("Attention")
def test_attention_names(student):
    """The inputs can be passed by name, in any order, and the sizes have defaults."""
    weights = attention_weights(2)
    q, k, v = three(2, 2, 2)
    hidden = torch.tensor([[True, False], [False, False]])
    module = student.Attention(2, 0, 1)
    load(student, module, weights)
    by_place = called(module, q, k, v, hidden, shape=(2, 2))
    for module in (
        student.Attention(),
        student.Attention(d_model=2, row_dim=0, col_dim=1),
    ):
        load(student, module, weights)
        by_name = module(
            mask=hidden, encodings_for_v=v, encodings_for_k=k, encodings_for_q=q
        )
        hint = "Does the body read exactly the names in the signature?"
        expect_same(by_name, by_place, hint=hint)


@question("Attention")
def test_attention_gradients(student):
    """Gradients reach all three inputs and all three layers."""
    module, _ = make_attention(student, 5, torch.float64)
    inputs = three(5, 5, 5, torch.float64)
    weight = torch.randn(5, 5, dtype=torch.float64)
    leaves = [x.clone().requires_grad_() for x in inputs]
    seen = module.inspect(*leaves, weight=weight)
    alive(seen, (5, 5))
    expect_all_gradients(seen, SHORT)
    gradients = expect_input_gradients(seen, 3, INPUTS)
    expect_slope(module, inputs, gradients, weight)


@question("Attention", needs_results=True)
def test_attention_leaves_inputs(student):
    """Inputs and mask stay as they were."""
    inputs = three(5, 5, 5)
    hidden = torch.tensor([[False, True, False, False, True]] * 5)
    module, _ = make_attention(student, 5)
    seen = module.inspect(*inputs, hidden, weight=torch.randn(5, 5))
    with precondition():
        alive(seen, (5, 5))
    expect_unchanged(seen, *inputs, hidden, names=INPUTS)


@question("Attention", needs_results=True)
def test_attention_sets_no_seed(student):
    """The class sets no seed."""
    expect_no_seed(student, lambda: student.Attention(4), *torch.randn(3, 4, 4))


def marked(n, m, d, shift):
    """Return the tokens for the queries, and a context in which every second token is marked.

    With `marking_weights`, shift[i] is added to the scores of query i, and the marked tokens get all the
    attention, however the scores are scaled.
    """
    asking, answering = torch.randn(n, d), torch.randn(m, d)
    asking[:, -1], asking[:, -2] = shift, 1
    answering[:, -1], answering[:, -2] = 1, 60 * (torch.arange(m) % 2)
    return asking, answering


def marking_weights(d_query, d_context, d_out):
    """Return weights for queries and keys: each score is the shift of its row plus the mark of its token."""
    query, key = torch.zeros(d_out, d_query), torch.zeros(d_out, d_context)
    query[0, -1] = key[0, -1] = 1  # a row's shift
    query[1, -2] = key[1, -2] = 1  # a token's mark
    return query, key


def marked_attention(student, shift):
    """Return a module, q, k, v and the module's weights. shift[i] is added to the scores of query i."""
    query, key = marking_weights(5, 5, 5)
    values = {"W_v.weight": torch.randn(5, 5)}
    module = student.Attention(5)
    weights = load(student, module, {"W_q.weight": query, "W_k.weight": key} | values)
    return module, *marked(5, 5, 5, shift), torch.randn(5, 5), weights


@question("Attention")
def test_attention_large_scores(student):
    """Large scores do not overflow, and do not change the results of other queries."""
    shift = torch.tensor([0.0, 600.0, -600.0, 600.0, -600.0])
    module, q, k, v, weights = marked_attention(student, shift)
    expect_numbers(module(q, k, v), attention(weights, q, k, v), atol=5e-3)


@question("Attention")
def test_attention_very_low_scores(student):
    """Hidden keys stay hidden if all scores are very low, -100000 or less."""
    shift, places = -5e5 * (1 + torch.rand(5)), torch.arange(5)
    module, q, k, v, weights = marked_attention(student, shift)
    hidden = (places + places.unsqueeze(1)) % 3 == 0
    hint = "Is the number that replaces hidden scores lower than every possible score?"
    right = attention(weights, q, k, v, hidden)
    expect_numbers(module(q, k, v, hidden), right, atol=5e-3, hint=hint)


@question("Attention")
def test_attention_high_hidden_scores(student):
    """The weights of the visible keys sum to 1, even if the hidden keys have much higher scores."""
    module, q, k, v, weights = marked_attention(student, torch.zeros(5))
    hidden = (torch.arange(5) % 2 == 1).repeat(5, 1)
    hint = (
        "Which numbers do you divide by to get the weights? Do hidden keys change them?"
    )
    right = attention(weights, q, k, v, hidden)
    expect_numbers(module(q, k, v, hidden), right, hint=hint)


@question("Attention")
def test_attention_float64(student):
    """With float64 weights and inputs, the output has the dtype and the precision of float64."""
    module, weights = make_attention(student, 7, torch.float64)
    q, k, v = three(7, 7, 7, torch.float64)
    right = attention(weights, q, k, v)
    actual = expect_tensor(module(q, k, v), dtype=torch.float64)
    expect_numbers(actual, right)


@question("Attention")
def test_attention_equal_sizes(student):
    """The mask is applied without a transpose, even if n equals m or if there is only one key."""
    for n, m, d in ((4, 4, 4), (5, 5, 3), (1, 1, 2), (3, 1, 4)):
        module, weights = make_attention(student, d)
        q, k, v = three(n, m, d)
        hidden = torch.rand(n, m) < 0.5
        hidden[0], hidden[:, m // 2], hidden[-1, 0] = True, False, False
        hint = "Rows of the mask are queries, columns are keys."
        actual = module(q, k, v, hidden)
        expect_numbers(actual, attention(weights, q, k, v, hidden), hint=hint)


def padding(lengths, width):
    """Return the padding mask: True after the last word of each sentence."""
    return torch.arange(width) >= lengths.unsqueeze(1)


def some_lengths(width):
    """Return the lengths of four sentences, not sorted; one of them has the maximum length."""
    first, *others = torch.randint(1, width - 1, (3,)).tolist()
    return torch.tensor([first, width, *others])


def padding_of(student, lengths, width):
    """Return the student's mask as booleans; it must depend on the lengths."""
    mask = numbers(student.padding_mask(lengths, width), padding(lengths, width))
    others = numbers(student.padding_mask(lengths % width + 1, width), mask)
    expect(not mask.equal(others), "The mask does not depend on the lengths.")
    expect(bool(mask.any()), "Nothing is hidden. True means hidden.")
    expect(not mask.all(), "Everything is hidden. True means hidden.")
    return expect_tensor(mask, (len(lengths), width))


@question("padding_mask")
def test_padding_shape(student):
    """The mask has a row for each sentence and max_length columns."""
    lengths = some_lengths(6)
    padding_of(student, lengths, 6)
    expect_tensor(student.padding_mask(lengths, 6), (4, 6))


@question("padding_mask")
def test_padding_dtype(student):
    """The mask is boolean."""
    lengths = some_lengths(6)
    padding_of(student, lengths, 6)
    expect_tensor(student.padding_mask(lengths, 6), dtype=torch.bool)


@question("padding_mask", basic=True)
def test_padding_is_hidden(student):
    """Every position after the last word is hidden."""
    lengths, width = some_lengths(7), 7
    mask = padding_of(student, lengths, width)
    message = (
        "A position after the last word is visible. Which position is the first padding of a "
        "sentence of length 2, counted from 0?"
    )
    expect(bool(mask[padding(lengths, width)].all()), message)


@question("padding_mask", basic=True)
def test_padding_shows_words(student):
    """No word is hidden."""
    lengths, width = some_lengths(7), 7
    mask = padding_of(student, lengths, width)
    message = (
        "A word is hidden. At which position, counted from 0, is the last of two words?"
    )
    expect(not mask[~padding(lengths, width)].any(), message)


@question("padding_mask")
def test_padding_full_sentences(student):
    """A sentence of the maximum length has no padding."""
    width = draw(4, 8)
    lengths = torch.tensor([width, draw(1, width - 2), width])
    mask = padding_of(student, lengths, width)
    message = "In a full sentence something is hidden. What does your code do if there is no padding?"
    expect(not mask[lengths == width].any(), message)


@question("padding_mask", basic=True)
def test_padding_beyond_longest(student):
    """max_length may be larger than the length of the longest sentence."""
    lengths, width = torch.randint(1, 4, (draw(2, 5),)), draw(5, 9)
    mask = padding_of(student, lengths, width)
    message = "A position after the longest sentence is visible. Which columns are padding in all rows?"
    expect(bool(mask[:, lengths.max() :].all()), message)


@question("padding_mask")
def test_padding_long_sentences(student):
    """Sentences may have hundreds of words."""
    lengths, width = torch.tensor([draw(130, 250), draw(260, 600)]), draw(610, 700)
    expected = padding(lengths, width)
    hint = "What is the largest number that each integer dtype in your code can store?"
    expect_numbers(student.padding_mask(lengths, width), expected, hint=hint)


@question("padding_mask")
def test_padding_single(student):
    """The mask is also right for a batch of one sentence, and for one position."""
    length = torch.randint(1, 5, (1,))
    expect_equal(student.padding_mask(length, 5), padding(length, 5))
    expect_equal(
        student.padding_mask(torch.tensor([1, 1]), 1), torch.tensor([[False], [False]])
    )


@question("padding_mask", needs_results=True)
def test_padding_leaves_lengths(student):
    """The lengths stay as they were."""
    lengths = some_lengths(5)
    padding_of(student, lengths, 5)
    seen = student.padding_mask.inspect(lengths, 5)
    expect_unchanged(seen, lengths, names=("lengths",))


@question("padding_mask")
def test_padding_equal_sizes(student):
    """Row i belongs to sentence i, even if there are as many sentences as positions, or equal lengths."""
    for lengths in ((3, 4, 2, 2), (1, 2, 2), (3, 1, 1)):
        given = torch.tensor(lengths)
        expect_numbers(
            student.padding_mask(given, len(lengths)),
            padding(given, len(lengths)),
            hint="Which dimension counts the sentences?",
        )


def cross_weights(
    d_query, d_context, d_out, *, bias=False, dtype=torch.float32, equal_scores=False
):
    """Return random parameters of CrossAttention. With `equal_scores`, W_query and W_key are zeros."""
    sizes = {"W_query": d_query, "W_key": d_context, "W_value": d_context}
    weights = {
        f"{name}.weight": torch.randn(d_out, size, dtype=dtype) * 0.7
        for name, size in sizes.items()
    }
    if bias:
        weights |= {f"{name}.bias": torch.randn(d_out, dtype=dtype) for name in sizes}
    if equal_scores:
        weights |= {
            f"{name}.weight": 0 * weights[f"{name}.weight"] for name in LONG[:2]
        }
    return weights


def make_cross(student, *sizes, **how):
    """Return a new CrossAttention with the parameters of `cross_weights`, and these parameters."""
    module = student.CrossAttention(*sizes)
    if how.get("dtype") == torch.float64:
        module.double()
    return module, load(student, module, cross_weights(*sizes, **how))


def cross(weights, x, context, hidden=None):
    """Return the right output of CrossAttention; `hidden` is (B, n, m)."""
    return attended(LONG, weights, (x, context, context), hidden)


def sequences(batch, n, m, d_query, d_context, dtype=torch.float32):
    """Return a batch x and a batch of contexts."""
    return (
        torch.randn(batch, n, d_query, dtype=dtype),
        torch.randn(batch, m, d_context, dtype=dtype),
    )


@question("CrossAttention")
def test_cross_parameters(student):
    """W_query, W_key and W_value have the right sizes, and biases only with qkv_bias."""
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
    parameters = named_parameters(student, student.CrossAttention(3, 5, 6, True))
    expect_parameters(parameters, {f"{name}.bias": (6,) for name in LONG})


@question("CrossAttention")
def test_cross_form(student):
    """The output has d_out features for each token of x, in the dtype of the inputs."""
    module, _ = make_cross(student, 6, 6, 6)
    x, context = sequences(2, 6, 6, 6, 6)
    seen = module.inspect(x, context, weight=torch.randn(2, 6, 6))
    alive(seen, (2, 6, 6))
    expect_tensor(seen.output, (2, 6, 6), torch.float32)
    expect_tensor(module(x[:1], context[:1]), (1, 6, 6), torch.float32)
    expect_tensor(module(x[:, :1], context), (2, 1, 6), torch.float32)
    expect_tensor(module(x, context[:, :1]), (2, 6, 6), torch.float32)


@question("CrossAttention", basic=True)
@pytest.mark.parametrize(
    ("batch", "n", "m", "sizes"),
    [(1, 3, 2, (2, 2, 2)), (3, 4, 6, (5, 7, 12)), (2, 5, 3, (6, 4, 5))],
)
def test_cross_values(student, batch, n, m, sizes):
    """The output equals that of torch's own attention."""
    module, weights = make_cross(student, *sizes)
    x, context = sequences(batch, n, m, *sizes[:2])
    hint = (
        "Queries are computed from x, keys and values from context. The scaled scores of query i "
        "give the weights for row i."
    )
    expect_numbers(module(x, context), cross(weights, x, context), hint=hint)


@question("CrossAttention", basic=True)
def test_cross_bias_takes_part(student):
    """With qkv_bias, the biases are used."""
    module = student.CrossAttention(5, 3, 6, True)
    weights = load(student, module, cross_weights(5, 3, 6, bias=True))
    x, context = sequences(2, 6, 6, 5, 3)
    hint = "Do queries, keys and values all get their bias?"
    expect_numbers(module(x, context), cross(weights, x, context), hint=hint)


@question("CrossAttention", basic=True)
def test_cross_padding_mask(student):
    """A mask (B, m) hides padding from all queries of its own sequence."""
    module, weights = make_cross(student, 6, 6, 6, equal_scores=True)
    x, context = sequences(3, 4, 6, 6, 6)
    hidden = torch.tensor(
        [[False] * 4 + [True] * 2, [False] * 6, [False] * 2 + [True] * 4]
    )
    expected = cross(weights, x, context, hidden.unsqueeze(1).expand(3, 4, 6))
    hint = "Each sequence has its own row of the mask, shared by its queries."
    expect_numbers(module(x, context, hidden), expected, hint=hint)


@question("CrossAttention", basic=True)
def test_cross_full_mask(student):
    """A mask (B, n, m) hides single tokens from single queries."""
    for equal_scores in (True, False):
        module, weights = make_cross(student, 5, 3, 6, equal_scores=equal_scores)
        x, context = sequences(2, 4, 6, 5, 3)
        hidden = some_hidden(2, 4, 6)
        hint = "A mask with three dimensions has the shape of the scores. Does your code change this mask?"
        actual = module(x, context, hidden)
        expect_numbers(actual, cross(weights, x, context, hidden), hint=hint)


@question("CrossAttention")
def test_cross_nothing_hidden(student):
    """A mask that hides nothing changes nothing, and a mask has no effect on later calls."""
    module, _ = make_cross(student, 6, 6, 6)
    x, context = sequences(2, 6, 6, 6, 6)
    open_eyed = called(module, x, context, shape=(2, 6, 6))
    expect_same(module(x, context, torch.zeros(2, 6, dtype=torch.bool)), open_eyed)
    module(x, context, torch.arange(6).expand(2, 6) > 1)
    hint = "This call has no mask. Does your module use the mask of an earlier call?"
    expect_same(module(x, context), open_eyed, hint=hint)


@question("CrossAttention")
def test_cross_gradients(student):
    """Gradients reach both inputs and all layers."""
    module, _ = make_cross(student, 6, 6, 6, dtype=torch.float64)
    inputs = sequences(2, 6, 6, 6, 6, torch.float64)
    weight = torch.randn(2, 6, 6, dtype=torch.float64)
    leaves = [x.clone().requires_grad_() for x in inputs]
    seen = module.inspect(*leaves, weight=weight)
    alive(seen, (2, 6, 6))
    expect_all_gradients(seen, LONG)
    gradients = expect_input_gradients(seen, 2, ("x", "context"))
    expect_slope(module, inputs, gradients, weight)


@question("CrossAttention", needs_results=True)
def test_cross_leaves_inputs(student):
    """Inputs and mask stay as they were."""
    module, _ = make_cross(student, 6, 6, 6)
    x, context = sequences(2, 4, 6, 6, 6)
    hidden = torch.arange(6) >= torch.tensor([[4], [2]])
    seen = module.inspect(x, context, hidden, weight=torch.randn(2, 4, 6))
    with precondition():
        alive(seen, (2, 4, 6))
    expect_unchanged(seen, x, context, hidden, names=("x", "context", "mask"))


@question("CrossAttention", needs_results=True)
def test_cross_sets_no_seed(student):
    """The class sets no seed."""
    make = lambda: student.CrossAttention(3, 5, 4)  # noqa: E731
    expect_no_seed(student, make, *sequences(2, 4, 4, 3, 5))


def marked_cross(student, shift):
    """Return a module, x, context and the module's weights. shift[i] is added to the scores of query i."""
    query, key = marking_weights(4, 5, 6)
    value = torch.randn(6, 5)
    module = student.CrossAttention(4, 5, 6)
    given = dict(
        zip((f"{name}.weight" for name in LONG), (query, key, value), strict=True)
    )
    weights = load(student, module, given)
    pairs = [marked(6, 6, 5, shift) for _ in range(2)]
    x = torch.stack([asking[:, 1:] for asking, _ in pairs])
    context = torch.stack([answering for _, answering in pairs])
    return module, x, context, weights


@question("CrossAttention")
def test_cross_large_scores(student):
    """Large scores do not overflow, and do not change the results of other queries."""
    shift = torch.tensor([0.0, 600.0, -600.0, 600.0, -600.0, 0.0])
    module, x, context, weights = marked_cross(student, shift)
    expect_numbers(module(x, context), cross(weights, x, context), atol=5e-3)


@question("CrossAttention")
def test_cross_very_low_scores(student):
    """Hidden tokens stay hidden if all scores are very low, -100000 or less."""
    shift = -5e5 * (1 + torch.rand(6))
    module, x, context, weights = marked_cross(student, shift)
    hidden = torch.arange(6) >= torch.tensor([[4], [2]])
    hint = "Is the number that replaces hidden scores lower than every possible score?"
    expected = cross(weights, x, context, hidden.unsqueeze(1).expand(2, 6, 6))
    expect_numbers(module(x, context, hidden), expected, atol=5e-3, hint=hint)


@question("CrossAttention")
def test_cross_high_hidden_scores(student):
    """The weights of the visible tokens sum to 1, even if the hidden tokens have much higher scores."""
    module, x, context, weights = marked_cross(student, torch.zeros(6))
    hidden = (torch.arange(6) % 2 == 1).repeat(2, 1)
    hint = "Which numbers do you divide by to get the weights? Do hidden tokens change them?"
    expected = cross(weights, x, context, hidden.unsqueeze(1).expand(2, 6, 6))
    expect_numbers(module(x, context, hidden), expected, hint=hint)


@question("CrossAttention")
def test_cross_float64(student):
    """With float64 weights and inputs, the output has the dtype and the precision of float64."""
    module, weights = make_cross(student, 7, 7, 7, dtype=torch.float64)
    x, context = sequences(2, 7, 7, 7, 7, torch.float64)
    actual = expect_tensor(module(x, context), dtype=torch.float64)
    expect_numbers(actual, cross(weights, x, context))


@question("CrossAttention")
def test_cross_mask_kind_by_its_dimensions(student):
    """Masks (B, n, m) and (B, m) are distinguished by their number of dimensions, also if sizes are equal."""
    for batch, n, m in (
        (4, 4, 4),
        (2, 5, 5),
        (3, 3, 5),
        (1, 3, 4),
        (2, 1, 4),
        (1, 1, 3),
    ):
        module, weights = make_cross(student, 4, 4, 4, equal_scores=True)
        x, context = sequences(batch, n, m, 4, 4)
        hidden = torch.rand(batch, n, m) < 0.4
        hidden[..., 0, :], hidden[..., m // 2], hidden[0, -1, 0] = True, False, False
        expected = cross(weights, x, context, hidden)
        hint = "How does your code distinguish a mask with two dimensions from one with three?"
        expect_numbers(module(x, context, hidden), expected, hint=hint)
        shared = hidden[:, 0]
        expected = cross(weights, x, context, shared.unsqueeze(1).expand(batch, n, m))
        hint = "This mask is (B, m): each sequence has one row for all its queries."
        expect_numbers(module(x, context, shared), expected, hint=hint)


@question("CrossAttention")
def test_cross_equal_sizes(student):
    """Without a mask, every query sees the whole context, even if x and context have the same shape."""
    module, weights = make_cross(student, 4, 4, 4)
    x, context = torch.randn(2, 4, 4, 4).unbind()
    hint = "Does your code hide something without a mask, or use x instead of context?"
    expect_numbers(module(x, context), cross(weights, x, context), hint=hint)
