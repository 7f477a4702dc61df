"""Hidden tests of 08: every head gets the mask, no head affects another, each number goes to its own head.

Most tests check a single property, so a mistake fails few tests. Many tests compare two results of one
module, or load weights with which other mistakes have no effect: out_proj is the identity, all scores are
equal, or marked tokens get all the attention. Only one test checks that there is no wrong bias. Other
tests load numbers into such a bias, and the result that they expect contains it.
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
    expect_finite,
    expect_raises,
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
    module.eval()
    return list(places)
"""
LOOSE = """
def held(module):
    return {
        (part, name): value
        for part in module.modules()
        for name, value in vars(part).items()
        if isinstance(value, torch.Tensor) and value.dim() > 0
    }

def loose_tensors(module, x):
    before = held(module)
    module(x)  # replaces the tensors that it computes in each call, which need not move
    return [name for (part, name), value in held(module).items() if before.get((part, name)) is value]
"""
LAYERS = ("W_query", "W_key", "W_value")
HEAD_LAYERS = ("W_q", "W_k", "W_v")


def expect_input_gradients(seen, inputs, names):
    """Return the gradients of the inputs. Each gradient must exist and have the shape of its input."""
    gradients = [seen.gradients.get(i) for i in range(len(inputs))]
    for gradient, x, name in zip(gradients, inputs, names, strict=False):
        expect(
            gradient is not None, f"No gradient reaches {name}. Which step detaches it?"
        )
        expect_tensor(gradient, x.shape, name=f"The gradient of {name}")
    return gradients


def expect_layer_gradients(seen):
    """Expect a gradient at each of the module's weights."""
    for name, gradient in seen.parameters.items():
        fault = f"No gradient reaches {name}. Is it used, or is the result detached?"
        expect(gradient is not None, fault)
        expect(not name.endswith("weight") or bool(gradient.any()), fault)


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


def load(student, module, weights, spare=None):
    """Load these weights into a module, and those of `spare` that it also has. Return all loaded weights.

    The module may store a weight under any name, because only one test checks names and registration.
    """
    spare = spare or {}
    taken = student.define(LOAD, "load")(module, weights, spare)
    for name, weight in weights.items():
        fault = f'The module has no weight "{name}" of shape {tuple(weight.shape)}.'
        expect(name in taken, fault)
    return {name: w for name, w in (spare | weights).items() if name in taken}


def wrapper_weights(d, heads, dtype=torch.float32, *, equal_scores=False):
    """Return random parameters for each head of the wrapper. With `equal_scores`, W_q and W_k are zeros."""
    sizes = {"W_q": 0.0, "W_k": 0.0} if equal_scores else {}
    return {
        f"heads.{i}.{layer}.weight": torch.randn(d, d, dtype=dtype)
        * sizes.get(layer, 0.7)
        for i in range(heads)
        for layer in HEAD_LAYERS
    }


def make_wrapper(student, d, heads, dtype=torch.float32, *, equal_scores=False):
    """Return a new wrapper with the parameters of `wrapper_weights`, and these parameters."""
    module = student.MultiHeadAttentionWrapper(d, 0, 1, heads)
    if dtype == torch.float64:
        module.double()
    weights = wrapper_weights(d, heads, dtype, equal_scores=equal_scores)
    return module, load(student, module, weights)


def wrapped(weights, heads, inputs, hidden=None):
    """Return the heads' outputs side by side, computed by the library's own function."""
    outputs = []
    for i in range(heads):
        queries, keys, values = (
            linear(x, weights[f"heads.{i}.{layer}.weight"])
            for layer, x in zip(HEAD_LAYERS, inputs, strict=True)
        )
        visible = None if hidden is None else ~hidden
        outputs.append(
            scaled_dot_product_attention(queries, keys, values, attn_mask=visible)
        )
    return torch.cat(outputs, dim=1)


def alive(seen, shape):
    """Return the output of a call of `inspect`. It must have this shape and depend on a parameter."""
    output = expect_tensor(numbers(seen.output, torch.empty(shape)), shape)
    reached = [g is not None and bool(g.any()) for g in seen.parameters.values()]
    message = "The output does not depend on any layer. Which step detaches it?"
    expect(any(reached) or not reached, message)
    return output.detach()


@precondition()
def called(module, *inputs, shape):
    """Call a module and return its output. The output must depend on the module's parameters."""
    return alive(module.inspect(*inputs, weight=torch.randn(shape)), shape)


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
def test_wrapper_form(student):
    """The output has d_model features for each query and head, in the dtype of the inputs."""
    module = student.MultiHeadAttentionWrapper(4, 0, 1, 3)
    q, k, v = three(4, 4, 4)
    seen = module.inspect(q, k, v, weight=torch.randn(4, 12))
    alive(seen, (4, 12))
    expect_tensor(seen.output, (4, 12), torch.float32)
    expect_tensor(module(q[:1], k, v), (1, 12), torch.float32)
    expect_tensor(module(q, k[:1], v[:1]), (4, 12), torch.float32)


@question("MultiHeadAttentionWrapper")
def test_wrapper_order(student, reference):
    """With a seed, the heads start as in the lesson: they are created one after the other."""
    seed = draw(1, 9999)
    for side in (student, reference):
        side.seed(seed)
    actual, expected = (
        named_parameters(side, side.MultiHeadAttentionWrapper(2, 0, 1, 3))
        for side in (student, reference)
    )
    hint = "Each layer draws random numbers when you create it. How many do you create, in which order?"
    for name, right in expected.items():
        expect(name in actual, f'The module has no parameter "{name}".')
        expect_close(actual[name].detach(), right.detach(), hint=hint, name=name)


@question("MultiHeadAttentionWrapper", basic=True)
def test_wrapper_three_inputs(student):
    """Every head gets all three inputs, in the right order."""
    module, weights = make_wrapper(student, 6, 3)
    inputs = three(4, 4, 6)
    hint = "Which three inputs do you pass to each head?"
    expect_numbers(module(*inputs), wrapped(weights, 3, inputs), hint=hint)


@question("MultiHeadAttentionWrapper", basic=True)
def test_wrapper_other_lengths(student):
    """There may be more keys than queries, or fewer, and any number of heads."""
    for n, m, d, heads in (
        (3, 2, 2, 2),
        (3, 7, 4, 1),
        (7, 3, 2, 4),
        (5, 6, 1, 3),
        (1, 6, 4, 5),
    ):
        module, weights = make_wrapper(student, d, heads)
        inputs = three(n, m, d)
        hint = "In each row, do all features of the first head come first?"
        expect_numbers(module(*inputs), wrapped(weights, heads, inputs), hint=hint)


@question("MultiHeadAttentionWrapper", basic=True)
def test_wrapper_mask(student):
    """The mask reaches every head."""
    module, weights = make_wrapper(student, 4, 3, equal_scores=True)
    inputs = three(5, 6, 4)
    hidden = torch.rand(5, 6) < 0.5
    hidden[:, 2], hidden[0, 5], hidden[1, 0] = False, True, True
    right = wrapped(weights, 3, inputs, hidden)
    actual = expect_tensor(numbers(module(*inputs, hidden), right), (5, 12))
    for i in range(3):
        part = slice(4 * i, 4 * i + 4)
        name = f"With a mask, the part of head {i}"
        expect_close(actual[:, part], right[:, part], name=name)


@question("MultiHeadAttentionWrapper")
def test_wrapper_mask_is_for_its_call(student):
    """A mask has no effect on later calls: without a mask, all tokens are visible."""
    module, weights = make_wrapper(student, 5, 1)
    fresh = student.MultiHeadAttentionWrapper(5, 0, 1, 1)
    load(student, fresh, weights)
    inputs = three(5, 5, 5)
    module(*inputs, torch.arange(5).expand(5, 5) > 2)
    before = called(fresh, *inputs, shape=(5, 5))
    hint = "This call has no mask. Does your module use the mask of an earlier call?"
    expect_same(module(*inputs), before, hint=hint)


@question("MultiHeadAttentionWrapper")
def test_wrapper_names(student):
    """The inputs can be passed by name, and sizes have defaults: one head, for tokens of two features."""
    weights = wrapper_weights(2, 1)
    q, k, v = three(2, 2, 2)
    hidden = torch.tensor([[True, False], [False, False]])
    module = student.MultiHeadAttentionWrapper(2, 0, 1, 1)
    load(student, module, weights)
    by_place = called(module, q, k, v, hidden, shape=(2, 2))
    for module in (
        student.MultiHeadAttentionWrapper(),
        student.MultiHeadAttentionWrapper(d_model=2, row_dim=0, col_dim=1),
    ):
        load(student, module, weights)
        by_name = module(
            mask=hidden, encodings_for_v=v, encodings_for_k=k, encodings_for_q=q
        )
        hint = "Does the body read exactly the names in the signature?"
        expect_same(by_name, by_place, hint=hint)


@question("MultiHeadAttentionWrapper")
def test_wrapper_gradients(student):
    """Gradients reach all three inputs and all layers of all heads."""
    module, _ = make_wrapper(student, 5, 2, torch.float64)
    inputs = three(5, 5, 5, torch.float64)
    weight = torch.randn(5, 10, dtype=torch.float64)
    leaves = [x.clone().requires_grad_() for x in inputs]
    seen = module.inspect(*leaves, weight=weight)
    alive(seen, (5, 10))
    expect_layer_gradients(seen)
    gradients = expect_input_gradients(seen, inputs, INPUTS)
    expect_slope(module, inputs, gradients, weight)


@question("MultiHeadAttentionWrapper", needs_results=True)
def test_wrapper_leaves_inputs(student):
    """Inputs and mask stay as they were."""
    inputs = three(5, 5, 5)
    hidden = torch.tensor([[False, True, False, False, True]] * 5)
    module, _ = make_wrapper(student, 5, 2)
    seen = module.inspect(*inputs, hidden, weight=torch.randn(5, 10))
    with precondition():
        alive(seen, (5, 10))
    expect_unchanged(seen, *inputs, hidden, names=INPUTS)


@question("MultiHeadAttentionWrapper", needs_results=True)
def test_wrapper_sets_no_seed(student):
    """The class sets no seed."""
    make = lambda: student.MultiHeadAttentionWrapper(4, 0, 1, 2)  # noqa: E731
    expect_no_seed(student, make, *torch.randn(3, 4, 4))


@question("MultiHeadAttentionWrapper")
def test_wrapper_float64(student):
    """With float64 weights and inputs, the output has the dtype and the precision of float64."""
    module, weights = make_wrapper(student, 7, 2, torch.float64)
    inputs = three(7, 7, 7, torch.float64)
    actual = expect_tensor(module(*inputs), dtype=torch.float64)
    expect_numbers(actual, wrapped(weights, 2, inputs))


@question("MultiHeadAttentionWrapper")
def test_wrapper_equal_sizes(student):
    """All heads get the same mask, even if the numbers of heads, queries, keys and features are equal."""
    for n, m, d, heads in ((4, 4, 4, 4), (5, 5, 3, 2), (3, 6, 2, 3)):
        module, weights = make_wrapper(student, d, heads)
        inputs = three(n, m, d)
        hidden = torch.rand(n, m) < 0.5
        hidden[0], hidden[:, m // 2], hidden[-1, 0] = True, False, False
        hint = "Rows of the mask are queries, columns are keys."
        right = wrapped(weights, heads, inputs, hidden)
        expect_numbers(module(*inputs, hidden), right, hint=hint)


def cut(x, heads):
    """Cut (B, T, d) into (B, heads, T, d / heads)."""
    return torch.stack(x.chunk(heads, dim=-1), dim=1)


def joined(x):
    """Join (B, h, T, s) to (B, T, h * s)."""
    return torch.cat(x.unbind(1), dim=-1)


def different(*shape, dtype=torch.float32):
    """Return whole positive numbers, all of them different, in random order."""
    count = torch.Size(shape).numel()
    return (torch.randperm(count) + 1).to(dtype).view(shape)


def dealt(actual, x, right):
    """Expect a shape unlike that of x, and each number of x once. Return the result in the right shape."""
    fault = "The result still has the shape of x, but it needs another shape."
    expect(expect_tensor(actual).shape != x.shape, fault)
    tensor = numbers(actual, right)
    same = torch.equal(tensor.flatten().sort().values, right.flatten().sort().values)
    fault = (
        "The result must contain each number of x exactly once, and no other numbers."
    )
    with precondition():
        expect(same, fault)
    return tensor


@question("split_heads")
def test_split_shape(student):
    """(B, T, d) becomes (B, h, T, d / h)."""
    x = different(2, 5, 12)
    actual = student.split_heads(x, 3)
    dealt(actual, x, cut(x, 3))
    expect_tensor(actual, (2, 3, 5, 4))


@question("split_heads")
def test_split_dtype(student):
    """The result has the dtype of x, float32 or float64."""
    for dtype in (torch.float32, torch.float64):
        x = different(2, 5, 12, dtype=dtype)
        actual = student.split_heads(x, 3)
        dealt(actual, x, cut(x, 3))
        expect_tensor(actual, dtype=dtype)


@question("split_heads", basic=True)
def test_split_values(student):
    """Each head holds its own features of every token."""
    hint = (
        "Which features of which tokens does the first head hold? Try it on "
        "different numbers, such as 0 to 23."
    )
    for shape, heads in (((2, 5, 12), 3), ((3, 4, 10), 2)):
        x = torch.randn(shape)
        actual = student.split_heads(x, heads)
        expect_numbers(actual, cut(x, heads), atol=0.0, hint=hint)


@question("split_heads")
def test_split_equal_sizes(student):
    """The result is also right if two sizes are equal, such as the numbers of tokens and of heads."""
    for batch, length, heads, size in (
        (2, 4, 4, 3),
        (3, 3, 3, 3),
        (2, 5, 3, 3),
        (3, 5, 3, 2),
        (2, 4, 3, 4),
    ):
        x = different(batch, length, heads * size)
        hint = "Head i holds neighbouring features, in their order. Which dimension counts the heads?"
        expect_numbers(student.split_heads(x, heads), cut(x, heads), hint=hint)


@question("split_heads")
def test_split_extremes(student):
    """The result is also right for one head, for heads of one feature, for one token and for one sequence."""
    x = different(3, 2, 5)
    for part, heads in ((x, 1), (x, 5), (x[:, :1].clone(), 5), (x[:1].clone(), 1)):
        actual = student.split_heads(part, heads)
        expect_numbers(actual, cut(part, heads))
        expect_tensor(actual, cut(part, heads).shape)


@question("split_heads")
def test_split_gradient(student):
    """The gradient of each number reaches its entry of x."""
    x = different(2, 5, 6, dtype=torch.float64)
    weight = torch.randn(2, 3, 5, 2, dtype=torch.float64)
    dealt(student.split_heads(x, 3), x, cut(x, 3))
    seen = student.split_heads.inspect(x.clone().requires_grad_(), 3, weight=weight)
    gradients = expect_input_gradients(seen, [x], ("x",))
    expect_slope(lambda near: student.split_heads(near, 3), [x], gradients, weight)


@question("split_heads", needs_results=True)
def test_split_leaves_x(student):
    """x stays as it was."""
    x = different(2, 5, 6)
    seen = student.split_heads.inspect(x, 3)
    with precondition():
        dealt(seen.output, x, cut(x, 3))
    expect_unchanged(seen, x, names=("x",))


def as_split(x, heads):
    """Return the heads of x as a view, as split_heads does: no number moves in memory."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


@question("merge_heads")
def test_merge_shape(student):
    """(B, h, T, s) becomes (B, T, h * s)."""
    x = as_split(different(2, 5, 12), 3)
    actual = student.merge_heads(x)
    dealt(actual, x, joined(x))
    expect_tensor(actual, (2, 5, 12))


@question("merge_heads")
def test_merge_dtype(student):
    """The result has the dtype of x, float32 or float64."""
    for dtype in (torch.float32, torch.float64):
        x = as_split(different(2, 5, 12, dtype=dtype), 3)
        actual = student.merge_heads(x)
        dealt(actual, x, joined(x))
        expect_tensor(actual, dtype=dtype)


@question("merge_heads", basic=True)
def test_merge_values(student):
    """Each row holds the features of one token, head after head."""
    x = torch.randn(2, 3, 5, 4)
    hint = (
        "Do you swap tokens and heads before you join the heads? Try it on "
        "different numbers, such as 0 to 23."
    )
    expect_numbers(student.merge_heads(x), joined(x), atol=0.0, hint=hint)


@question("merge_heads")
def test_merge_equal_sizes(student):
    """The result is also right if two sizes are equal, such as the numbers of tokens and of heads."""
    for shape in ((2, 4, 4, 3), (3, 3, 3, 3), (2, 3, 5, 3), (3, 3, 5, 2), (2, 3, 4, 4)):
        x = different(*shape)
        hint = "For each token, the features of head 0 come first. Which dimension counts the heads?"
        expect_numbers(student.merge_heads(x), joined(x), hint=hint)


@question("merge_heads")
def test_merge_extremes(student):
    """The result is also right for one head, for heads of one feature, for one text and for one token."""
    for shape in ((3, 1, 2, 5), (3, 5, 2, 1), (1, 3, 2, 4), (2, 3, 1, 4)):
        x = as_split(different(shape[0], shape[2], shape[1] * shape[3]), shape[1])
        actual = student.merge_heads(x)
        expect_numbers(actual, joined(x))
        expect_tensor(actual, joined(x).shape)


@question("merge_heads")
def test_merge_gradient(student):
    """The gradient of each number reaches its entry of x."""
    x = as_split(different(2, 5, 12, dtype=torch.float64), 3)
    weight = torch.randn(2, 5, 12, dtype=torch.float64)
    dealt(student.merge_heads(x), x, joined(x))
    leaf = as_split(joined(x), 3).requires_grad_()
    seen = student.merge_heads.inspect(leaf, weight=weight)
    gradients = expect_input_gradients(seen, [x], ("x",))
    call = lambda near: student.merge_heads(as_split(joined(near), 3))  # noqa: E731
    expect_slope(call, [x], gradients, weight)


@question("merge_heads", needs_results=True)
def test_merge_leaves_x(student):
    """x stays as it was."""
    x = as_split(different(2, 5, 12), 3)
    seen = student.merge_heads.inspect(x)
    with precondition():
        dealt(seen.output, x, joined(x))
    expect_unchanged(seen, x, names=("x",))


@question("merge_heads")
def test_merge_any_order_in_memory(student):
    """The numbers of x may be in any order in memory."""
    for order in ((0, 1, 2, 3), (3, 2, 0, 1), (2, 0, 3, 1), (1, 3, 2, 0)):
        x = different(2, 3, 4, 5).permute(order)
        hint = "Which step works only if the numbers are in order in memory?"
        expect_numbers(student.merge_heads(x), joined(x), hint=hint)


def weights_for(d_in, d_out, *, bias=False, dtype=torch.float32, equal_scores=False):
    """Return random parameters of the three layers. With `equal_scores`, W_query and W_key are zeros."""
    weights = {
        f"{name}.weight": torch.randn(d_out, d_in, dtype=dtype) * 0.6 for name in LAYERS
    }
    if bias:
        weights |= {f"{name}.bias": torch.randn(d_out, dtype=dtype) for name in LAYERS}
    if equal_scores:
        weights |= {
            f"{name}.weight": 0 * weights[f"{name}.weight"] for name in LAYERS[:2]
        }
    return weights


def give(student, module, weights):
    """Load these weights into a module, and return all weights for the right result.

    Biases of the three layers that `weights` lacks become random. An out_proj that it lacks becomes the
    identity.
    """
    sample = weights["W_value.weight"]
    size, dtype = len(sample), sample.dtype
    spare = {f"{name}.bias": 0.2 * torch.randn(size, dtype=dtype) for name in LAYERS}
    last = {
        "out_proj.weight": torch.eye(size, dtype=dtype),
        "out_proj.bias": torch.zeros(size, dtype=dtype),
    }
    return last | weights | load(student, module, weights, spare | last)


def make_heads(student, d_in, d_out, length, heads, **how):
    """Return a new MultiHeadAttention with the parameters of `weights_for`, and these parameters."""
    module = student.MultiHeadAttention(d_in, d_out, length, 0.0, heads)
    if how.get("dtype") == torch.float64:
        module.double()
    return module, give(student, module, weights_for(d_in, d_out, **how))


def multi_head(weights, x, heads):
    """Return the output of all heads and of out_proj, computed by the library's own function."""
    last = weights["out_proj.weight"], weights["out_proj.bias"]
    return linear(without_last_layer(weights, x, heads), *last)


def without_last_layer(weights, x, heads):
    """Return the input of out_proj."""
    q, k, v = (
        cut(linear(x, weights[f"{n}.weight"], weights.get(f"{n}.bias")), heads)
        for n in LAYERS
    )
    return joined(scaled_dot_product_attention(q, k, v, is_causal=True))


@precondition()
def mixing(module, x, size):
    """Return a module's output for x. The output must depend on two weights or more."""
    shape = (*x.shape[:-1], size)
    seen = module.inspect(x, weight=torch.randn(shape))
    return mixed(seen, shape)


def mixed(seen, shape):
    """Return the output of a call of `inspect`. It must have this shape and depend on two weights or more."""
    weights = [g for name, g in seen.parameters.items() if name.endswith("weight")]
    reached = sum(gradient is not None and bool(gradient.any()) for gradient in weights)
    message = f"The output depends on {reached} of the module's weights. Is it detached from the others?"
    expect(reached > 1 or not weights, message)
    return expect_tensor(numbers(seen.output, torch.empty(shape)), shape).detach()


@question("MultiHeadAttention")
def test_heads_parameters(student):
    """The layers have the right names and sizes. out_proj has a bias, the others only with qkv_bias."""
    shapes = {f"{name}.weight": (12, 5) for name in LAYERS}
    shapes |= {"out_proj.weight": (12, 12), "out_proj.bias": (12,)}
    module = student.MultiHeadAttention(5, 12, 7, 0.0, 3)
    expect_parameters(named_parameters(student, module), shapes)
    module = student.MultiHeadAttention(5, 12, 7, 0.0, 3, True)
    shapes |= {f"{name}.bias": (12,) for name in LAYERS}
    expect_parameters(named_parameters(student, module), shapes)


@question("MultiHeadAttention")
def test_heads_form(student):
    """The output has d_out features for each token, in the dtype of x."""
    module, _ = make_heads(student, 5, 12, 4, 3)
    x = torch.randn(2, 4, 5)
    seen = module.inspect(x, weight=torch.randn(2, 4, 12))
    mixed(seen, (2, 4, 12))
    expect_tensor(seen.output, (2, 4, 12), torch.float32)
    expect_tensor(module(x[:1]), (1, 4, 12), torch.float32)
    expect_tensor(module(x[:, :1]), (2, 1, 12), torch.float32)


@question("MultiHeadAttention")
def test_heads_indivisible(student):
    """The constructor raises an error if d_out is not divisible by num_heads."""
    for d_out, heads in ((10, 4), (7, 2), (3, 6)):
        hint = f"Here d_out is {d_out} and num_heads is {heads}."
        expect_raises(
            ("ValueError", "AssertionError"),
            student.MultiHeadAttention, 5, d_out, 7, 0.0, heads, hint=hint,
        )  # fmt: skip
    student.MultiHeadAttention(5, 6, 7, 0.0, 6)


SIZES = [(2, 6, 5, 12, 3), (3, 4, 7, 16, 2), (2, 5, 3, 16, 8), (2, 5, 6, 4, 1)]


def last_layer(size, dtype=torch.float32):
    return {
        "out_proj.weight": 0.4 * torch.randn(size, size, dtype=dtype),
        "out_proj.bias": torch.randn(size, dtype=dtype),
    }


@question("MultiHeadAttention", basic=True)
@pytest.mark.parametrize(("batch", "length", "d_in", "d_out", "heads"), SIZES)
def test_heads_values(student, batch, length, d_in, d_out, heads):
    """The output is that of torch's own attention in each head, followed by out_proj."""
    module = student.MultiHeadAttention(d_in, d_out, length + 3, 0.0, heads)
    weights = give(student, module, weights_for(d_in, d_out) | last_layer(d_out))
    x = torch.randn(batch, length, d_in)
    hint = "Each head is causal attention on its own features, scaled by the root of d_out / num_heads."
    expect_numbers(module(x), multi_head(weights, x, heads), atol=1e-4, hint=hint)


@question("MultiHeadAttention", basic=True)
def test_heads_full_context(student):
    """The output for a text of context_length tokens is right, even if a shorter text came before it."""
    module = student.MultiHeadAttention(5, 12, 7, 0.0, 3)
    weights = give(student, module, weights_for(5, 12) | last_layer(12))
    x = torch.randn(2, 7, 5)
    module(x[:, :3])
    hint = "A shorter text came before. Does your module keep a mask or a size from an earlier call?"
    expect_numbers(module(x), multi_head(weights, x, 3), atol=1e-4, hint=hint)


@question("MultiHeadAttention", basic=True)
def test_heads_bias_takes_part(student):
    """With qkv_bias, the biases are used."""
    module = student.MultiHeadAttention(3, 10, 5, 0.0, 2, True)
    weights = give(student, module, weights_for(3, 10, bias=True) | last_layer(10))
    x = torch.randn(3, 5, 3)
    hint = "Do queries, keys and values all get their bias?"
    expect_numbers(module(x), multi_head(weights, x, 2), atol=1e-4, hint=hint)


@question("MultiHeadAttention")
def test_heads_odd_sizes(student):
    """The output is right for one token, for heads of one feature, and for as many texts as heads."""
    for shape, d_out, heads in (
        ((2, 1, 5), 12, 3),
        ((2, 4, 5), 4, 4),
        ((3, 3, 3), 9, 3),
        ((1, 2, 2), 2, 2),
    ):
        module = student.MultiHeadAttention(shape[-1], d_out, shape[1], 0.0, heads)
        weights = give(student, module, weights_for(shape[-1], d_out))
        x = torch.randn(shape)
        hint = "Which dimension counts the heads, which the tokens, and which the sequences?"
        expect_numbers(module(x), multi_head(weights, x, heads), atol=1e-4, hint=hint)


def weights_in_sight(student, length, rate):
    """Return the weights of each head in evaluation mode, and in training mode.

    Both have the shape (texts, heads, rows, columns).
    """
    weights = weights_for(length, 4 * length)
    for name in ("W_query.weight", "W_key.weight"):
        weights[name] *= 0.1  # similar scores, so that no attention weight is nearly 0
    # The value of token i is one-hot at i, twice in each head: a head's output is its weights, twice.
    weights["W_value.weight"] = torch.eye(length).repeat(4, 1)
    module = student.MultiHeadAttention(length, 4 * length, length, rate, 2)
    give(student, module, weights)
    x = torch.eye(length).expand(6, length, length).contiguous()
    shape = torch.empty(6, length, 4 * length)
    resting, again = (
        expect_finite(expect_tensor(numbers(module(x), shape), shape.shape))
        for _ in range(2)
    )
    ready = torch.equal(resting, again) and bool((resting > 1e-4).any())
    message = "In evaluation two calls must give the same result. Dropout cannot be tested until they do."
    expect(ready, message)
    module.train()
    active = expect_finite(expect_tensor(numbers(module(x), shape), shape.shape))
    return cut(resting, 2), cut(active, 2)


@question("MultiHeadAttention")
def test_heads_dropout_in_training(student):
    """In training, dropout acts only on the weights, after the softmax."""
    full, seen = weights_in_sight(student, 6, 0.2)
    dropped, visible = seen.abs() < 1e-6, full > 1e-4
    message = (
        "In training some weights must be 0, but none is. "
        "Does your class drop weights at all? If it drops scores: which weight does a score of 0 get?"
    )
    expect(bool(dropped[visible].any()), message)
    expect(
        not bool(dropped[visible].all()),
        "In training some weights must remain, but all are dropped.",
    )
    hint = "Dropout sets some weights to zero and scales the others up. It must not change anything else."
    twice = torch.cat([dropped[..., :6]] * 2, dim=-1)
    kept = torch.where(twice, 0.0, full / 0.8)
    expect_close(seen, kept, name="The mixture in training", hint=hint)


@question("MultiHeadAttention")
def test_heads_dropout_in_evaluation(student):
    """In evaluation nothing is dropped."""
    weights, x = weights_for(5, 12), torch.randn(2, 4, 5)
    without, dropping = (
        student.MultiHeadAttention(5, 12, 4, rate, 3) for rate in (0.0, 0.5)
    )
    for module in (without, dropping):
        give(student, module, weights)
    hint = "Does your dropout depend on self.training?"
    expect_same(dropping(x), mixing(without, x, 12), hint=hint)


@question("MultiHeadAttention")
def test_heads_mask_moves(student):
    """No tensor stays behind when the module moves to another device."""
    module = student.MultiHeadAttention(5, 12, 4, 0.0, 3)
    x = torch.randn(2, 4, 5)
    mixing(module, x, 12)
    loose = student.define(LOOSE, "loose_tensors")(module, x)
    expect(
        not loose,
        f"self.{', self.'.join(loose)} is a plain tensor, which stays behind when the module moves. "
        "Which method of nn.Module registers tensors that are not trained?",
    )


@question("MultiHeadAttention")
def test_heads_gradients(student):
    """Gradients reach x and all layers."""
    module, _ = make_heads(student, 5, 12, 4, 3, dtype=torch.float64)
    x = torch.randn(2, 4, 5, dtype=torch.float64)
    weight = torch.randn(2, 4, 12, dtype=torch.float64)
    seen = module.inspect(x.clone().requires_grad_(), weight=weight)
    mixed(seen, weight.shape)
    expect_layer_gradients(seen)
    gradients = expect_input_gradients(seen, [x], ("x",))
    expect_slope(module, [x], gradients, weight)


@question("MultiHeadAttention", needs_results=True)
def test_heads_leave_input(student):
    """x stays as it was."""
    x = torch.randn(2, 4, 5)
    module, _ = make_heads(student, 5, 12, 4, 3)
    seen = module.inspect(x, weight=torch.randn(2, 4, 12))
    with precondition():
        mixed(seen, (2, 4, 12))
    expect_unchanged(seen, x, names=("x",))


@question("MultiHeadAttention", needs_results=True)
def test_heads_set_no_seed(student):
    """The class sets no seed."""
    make = lambda: student.MultiHeadAttention(5, 12, 4, 0.0, 3)  # noqa: E731
    expect_no_seed(student, make, torch.randn(2, 4, 5))


def far_apart(student, shift):
    """Return a module of two heads, its input, and the right output.

    `shift` is added to the scores, one number for each row. Some tokens are marked. If a row sees a marked
    token, marked tokens get all the attention, however the scores are scaled.
    """
    weights = weights_for(6, 10, equal_scores=True)
    for row in (0, 5):  # the first row of each head
        weights["W_query.weight"][row, 5] = weights["W_key.weight"][row, 4] = 1
        weights["W_query.weight"][row + 1, 4] = weights["W_key.weight"][row + 1, 3] = 1
    weights["W_value.weight"][:, 3:] = 0
    module = student.MultiHeadAttention(6, 10, 5, 0.0, 2)
    held = give(student, module, weights)
    x = torch.randn(2, 5, 6)
    x[..., 3], x[..., 4], x[..., 5] = 60 * torch.tensor([0, 1, 0, 1, 0]), 1, shift
    return module, x, multi_head(held, x, 2)


@question("MultiHeadAttention")
def test_heads_large_scores(student):
    """Large scores do not overflow, and do not change the results of other tokens."""
    shift = torch.tensor([0.0, 400.0, -400.0, 400.0, -400.0])
    module, x, right = far_apart(student, shift)
    expect_numbers(module(x), right, atol=5e-3)


@question("MultiHeadAttention")
def test_heads_very_low_scores(student):
    """Later tokens stay hidden if all scores are very low, -100000 or less."""
    module, x, right = far_apart(student, -5e5 * (1 + torch.rand(5)))
    hint = "Is the number that replaces hidden scores lower than every possible score?"
    expect_numbers(module(x), right, atol=5e-3, hint=hint)


@question("MultiHeadAttention")
def test_heads_float64(student):
    """With float64 weights and inputs, the output has the dtype and the precision of float64."""
    module, weights = make_heads(student, 5, 10, 5, 2, dtype=torch.float64)
    x = torch.randn(2, 5, 5, dtype=torch.float64)
    actual = expect_tensor(module(x), dtype=torch.float64)
    hint = "Do you compute a step in float32, for example the root?"
    expect_numbers(actual, multi_head(weights, x, 2), hint=hint)


@question("MultiHeadAttention")
def test_heads_dropout_of_each_weight_by_itself(student):
    """Each weight is dropped independently, with the given rate."""
    for rate in (0.2, 0.7):
        full, seen = weights_in_sight(student, 12, rate)
        dropped, visible = seen.abs() < 1e-6, full > 1e-4
        share = dropped[visible].double().mean().item()
        message = f"With dropout {rate}, {share:.0%} of the weights were dropped, not about {rate:.0%}."
        expect(abs(share - rate) < 0.1, message)
    # Nothing is hidden in later rows and earlier columns.
    half = dropped[..., 6:, :6]
    for dim, name in enumerate(("texts", "heads", "rows", "columns")):
        differs = (half != half.narrow(dim, 0, 1)).any()
        hint = "Does your dropout draw a random number for each weight?"
        expect(bool(differs), f"All {name} drop the same weights. {hint}")
