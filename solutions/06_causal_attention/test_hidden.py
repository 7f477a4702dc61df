"""Hidden tests of 06: later tokens have no influence, and the weights of modules are loaded by name.

Most tests check one property and pass if only other properties are wrong. They compare two outputs of one
module, make all scores equal, or use scores for which the scale does not matter. If a layer has a bias that
the exercise does not ask for, the expected results include it: only test_parameters fails.
"""

from dataclasses import dataclass

import pytest
import torch
from shared_tests import (
    expect_no_seed,
    expect_numbers,
    expect_parameters,
    expect_same,
    numbers,
    parameters,
)
from torch.nn.functional import linear, scaled_dot_product_attention

from autograder.testing import (
    draw,
    expect,
    expect_close,
    expect_equal,
    expect_finite,
    expect_moved,
    expect_no_nan,
    expect_tensor,
    expect_unchanged,
    precondition,
    question,
)

LOAD = """
def spelt(module, name):
    # Return the tensor at a dotted name, also in a plain list. A plain tensor is used as x @ W: transpose it.
    found = module
    for part in name.split("."):
        if isinstance(found, (list, tuple)) and part.isdigit():
            found = found[int(part)] if int(part) < len(found) else None
        elif part == "weight" and isinstance(found, torch.Tensor):
            return found.T
        else:
            found = getattr(found, part, None)
    return found if isinstance(found, torch.Tensor) else None

def tensors_in(value, seen):
    # Yield all tensors in the attributes of a module, also in its lists and dicts, in their order.
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
    if not isinstance(module, nn.Module):
        return None
    # Write each weight to the tensor of its name, or the next tensor of its shape. Return the names written.
    named = {name: spelt(module, name) for name in (*spare, *weights)}
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

def read(module, names):
    return {name: spelt(module, name) for name in names}
"""
# `left_behind` moves a module to the device meta and calls it. If a plain tensor attribute stays on the CPU,
# a step combines tensors of two devices and raises an error. Tensors on meta have no numbers. Each step runs
# on the CPU with zeros, because torch takes seconds to load its own code for meta.
LEFT_BEHIND = """
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

def here(tensor):
    return torch.zeros(tensor.shape, dtype=tensor.dtype) if tensor.is_meta else tensor

def there(tensor):
    return tensor.to("meta")

class OneDevice(TorchDispatchMode):
    @classmethod
    def _should_skip_dynamo(cls):
        return False  # the compiler takes seconds to load

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        moving = "copy" in str(function)
        if len({tensor.device for tensor in tensors if tensor.dim()}) > 1 and not moving:
            raise RuntimeError("tensors on two devices")
        if moving or not any(tensor.is_meta for tensor in tensors):
            return function(*args, **kwargs)
        args, kwargs = tree_map_only(torch.Tensor, here, (args, kwargs))
        return tree_map_only(torch.Tensor, there, function(*args, **kwargs))

def left_behind(module, x):
    held = [pair for part in module.modules() for pair in vars(part).items()]
    moved = ("_parameters", "_buffers", "_modules")
    plain = [
        name
        for name, value in held
        if name not in moved and any(isinstance(leaf, torch.Tensor) for leaf in tree_leaves(value))
    ]
    if not plain:
        return ""
    try:
        with torch.no_grad(), OneDevice():
            module.to("meta")(x.to("meta"))
    except Exception:
        return plain[0]
    return ""
"""


def future(length):
    """Return the causal mask."""
    return torch.arange(length) > torch.arange(length).unsqueeze(1)


def expect_slope(call, x, gradient, weight):
    """Compare a gradient for float64 x with finite differences of (result * weight).sum()."""
    for _ in range(2):
        step = 1e-3 * torch.randn_like(x)
        ahead, behind = (numbers(call(x + way * step), weight) for way in (1, -1))
        moved = (expect_tensor(ahead - behind, weight.shape) * weight).sum()
        fault = "A small change of the input changes the result by another amount than the gradient says."
        parts = [2 * gradient * step]
        expect_moved(moved, parts, f"{fault} Is a step detached from the input?")


@dataclass(frozen=True)
class Kind:
    """One of the three classes: its name, and its layers in the order queries, keys, values."""

    name: str
    layers: tuple[str, str, str]
    batched: bool = True

    def make(self, side, d_in, d_out, length):
        """Return a new module of `side`, the student or the reference, with dropout 0."""
        sizes = {
            "MaskedSelfAttention": (d_out,),
            "Head": (d_in, d_out, length),
            "CausalAttention": (d_in, d_out, length, 0.0),
        }
        return getattr(side, self.name)(*sizes[self.name])

    def loaded(self, student, d_in, d_out, length, dtype=torch.float32, **weights):
        """Return a new module and its weights. Weights that are not given are large random numbers."""
        module = self.make(student, d_in, d_out, length)
        if dtype == torch.float64:
            module.double()
        given = self.weights(d_in, d_out, dtype=dtype) | self.named(**weights)
        return module, load(student, module, given, self.layers)

    def shapes(self, d_in, d_out, bias=False):
        """Return the shape of each parameter by name."""
        weights = {
            f"{layer}.weight": (d_out, d_in if self.batched else d_out)
            for layer in self.layers
        }
        return weights | {f"{layer}.bias": (d_out,) for layer in self.layers if bias}

    def weights(self, d_in, d_out, *, bias=False, dtype=torch.float32):
        """Return large random parameters, so that every mistake changes the result."""
        shapes = self.shapes(d_in, d_out, bias)
        return {
            name: 0.7 * torch.randn(shape, dtype=dtype)
            for name, shape in shapes.items()
        }

    def named(self, **weights):
        """Return `weights`, with the names of the class's parameters instead of query, key and value."""
        layers = dict(zip(("query", "key", "value"), self.layers, strict=True))
        return {f"{layers[part]}.weight": weight for part, weight in weights.items()}

    def equal_scores(self, d_in, d_out, dtype=torch.float32):
        """Return weights of queries and keys that make all scores 0."""
        nothing = torch.zeros(d_out, d_in if self.batched else d_out, dtype=dtype)
        return {"query": nothing, "key": nothing}

    def tokens(self, length, d_in, d_out, dtype=torch.float32):
        """Return random tokens: a batch of three, or one sequence for a class without batches."""
        shape = (3, length, d_in) if self.batched else (length, d_out)
        return torch.randn(shape, dtype=dtype)

    @property
    def inputs(self):
        """Return the names of forward's arguments."""
        return ("x",) if self.batched else ("token_encodings", "mask")

    def arguments(self, x):
        """Return forward's arguments: the tokens, and a causal mask if forward takes a mask."""
        return (x,) if self.batched else (x, future(x.size(-2)))

    def attend(self, held, x, hidden=None):
        """Return the right output for parameters `held`, computed by torch's scaled_dot_product_attention."""
        q, k, v = (self._project(held, layer, x) for layer in self.layers)
        visible = ~(future(x.size(-2)) if hidden is None else hidden)
        return scaled_dot_product_attention(q, k, v, attn_mask=visible)

    def value(self, held, x):
        """Return the values, without attention."""
        return self._project(held, self.layers[2], x)

    def _project(self, held, layer, x):
        return linear(x, held[f"{layer}.weight"], held.get(f"{layer}.bias"))


MASKED = Kind("MaskedSelfAttention", ("W_q", "W_k", "W_v"), batched=False)
HEAD = Kind("Head", ("query", "key", "value"))
CAUSAL = Kind("CausalAttention", ("W_query", "W_key", "W_value"))


def each_of(*kinds, **how):
    """Run a test once for each of the classes, as a test of the question with this name."""
    marked = [
        pytest.param(kind, marks=question(kind.name, **how), id=kind.name)
        for kind in kinds
    ]
    return pytest.mark.parametrize("kind", marked)


def expect_alive(seen, shape):
    """Return the output. Fail unless it has the shape `shape` and depends on two or more weights."""
    output = expect_tensor(numbers(seen.output, torch.empty(shape)), shape)
    weights = [g for name, g in seen.parameters.items() if not name.endswith("bias")]
    reached = sum(gradient is not None and bool(gradient.any()) for gradient in weights)
    message = f"Only {reached} of the module's weights have a gradient. Which step is detached?"
    expect(reached > 1 or not weights, message)
    return output.detach()


@precondition()
def alive(kind, module, x, size):
    """Return a module's output. Fail unless it has `size` numbers a token and depends on the layers."""
    shape = (*x.shape[:-1], size)
    return expect_alive(
        module.inspect(*kind.arguments(x), weight=torch.randn(shape)), shape
    )


def load(student, module, weights, layers):
    """Set the parameters of a module, and random biases if it has biases. Return all that was set.

    Layers that are not registered are set, too, because only test_parameters checks names and registration.
    """
    rows = {f"{layer}.bias": weights[f"{layer}.weight"][:, 0] for layer in layers}
    biases = {name: 0.2 * torch.randn_like(row) for name, row in rows.items()}
    taken = student.define(LOAD, "load")(module, weights, biases)
    expect(isinstance(taken, list), "The class must be an nn.Module.")
    for name, weight in weights.items():
        fault = f'The module has no weight "{name}" of shape {tuple(weight.shape)}.'
        expect(name in taken, fault)
    return {name: w for name, w in (biases | weights).items() if name in taken}


def causal_mask_of(student, length):
    """Return the mask as booleans. Fail if it hides everything, or nothing outside the diagonal."""
    mask = numbers(student.causal_mask(length), future(length))
    expect(
        bool((mask & ~torch.eye(length, dtype=torch.bool)).any()),
        "The mask hides no token.",
    )
    expect(not mask.all(), "The mask hides all tokens. True means hidden.")
    return expect_tensor(mask, (length, length))


@question("causal_mask")
def test_mask_shape(student):
    """The mask has a row and a column for each token."""
    length = draw(4, 8)
    causal_mask_of(student, length)
    expect_tensor(student.causal_mask(length), (length, length))


@question("causal_mask")
def test_mask_dtype(student):
    """The mask is boolean."""
    length = draw(4, 8)
    causal_mask_of(student, length)
    expect_tensor(student.causal_mask(length), dtype=torch.bool)


@question("causal_mask", basic=True)
def test_mask_hides_what_comes_later(student):
    """Every later token is hidden."""
    for length in (4, draw(5, 9)):
        mask = causal_mask_of(student, length)
        message = (
            "A later token is visible. Row i belongs to query i, column j to key j. "
            "Is entry (0, 1) True?"
        )
        expect(bool(mask[future(length)].all()), message)


@question("causal_mask", basic=True)
def test_mask_shows_what_came_before(student):
    """Every earlier token is visible."""
    for length in (4, draw(5, 9)):
        mask = causal_mask_of(student, length)
        message = (
            "An earlier token is hidden. Row i belongs to query i, column j to key j. "
            "Is entry (1, 0) False?"
        )
        expect(not mask[future(length).T].any(), message)


@question("causal_mask", basic=True)
def test_mask_shows_each_token_to_itself(student):
    """Every token sees itself."""
    mask = causal_mask_of(student, draw(4, 8))
    expect(
        not mask.diagonal().any(),
        "A token does not see itself: the diagonal should be False. Where does your triangle start?",
    )


@question("causal_mask")
def test_mask_of_one_token(student):
    """In a text of one token, nothing is hidden."""
    expect_equal(student.causal_mask(1), torch.tensor([[False]]))
    causal_mask_of(student, 2)


@question("causal_mask")
def test_mask_of_many_tokens(student):
    """The result is right for a text of more than a hundred tokens."""
    length = draw(130, 180)
    hint = "Does your mask have `length` rows and columns?"
    expect_numbers(student.causal_mask(length), future(length), hint=hint)


def scores_above_one(*shape, dtype=torch.float32):
    """Return scores between 1 and 4, so that code that is wrong only for negative scores passes."""
    return 1 + 3 * torch.rand(*shape, dtype=dtype)


def some_hidden(n, m):
    """Return a random mask, not a triangle. Column 3 is visible, so no row is hidden completely."""
    mask = torch.rand(n, m) < 0.5
    mask[:, 3], mask[0, 0], mask[2, 5] = False, True, True
    return mask


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)


def computed(student, scores, mask):
    """Return the student's weights. Fail if they equal the scores, are whole numbers or have equal rows."""
    weights = numbers(student.masked_attention_weights(scores, mask), scores)
    seen = expect_tensor(weights, scores.shape).nan_to_num()
    expect(not torch.equal(seen, scores), "The result equals the scores.")
    whole = torch.equal(seen, seen.round())
    expect(not whole, "The result contains only whole numbers.")
    expect(bool(seen.std(dim=-2).max() > 1e-4), "All rows of the result are equal.")
    return weights


@question("masked_attention_weights")
def test_weights_shape_and_dtype(student):
    """The weights have the shape and the dtype of the scores."""
    for shape in ((4, 6), (2, 4, 6), (2, 1, 4, 6)):
        scores, mask = scores_above_one(*shape), some_hidden(4, 6)
        computed(student, scores, mask)
        actual = student.masked_attention_weights(scores, mask)
        expect_tensor(actual, shape, torch.float32)


@question("masked_attention_weights", basic=True)
def test_weights_values(student):
    """The weights of the visible tokens are the softmax of their scores."""
    for scores, mask in (
        (2 * torch.randn(5, 5), future(5)),
        (2 * torch.randn(4, 6), some_hidden(4, 6)),
        (2 * torch.randn(3, 5, 7), some_hidden(5, 7)),
        (2 * torch.randn(2, 3, 4, 6), some_hidden(4, 6)),
    ):
        hint = "Each row is the softmax of its visible scores only; the weight of a hidden token is 0."
        actual = student.masked_attention_weights(scores, mask)
        expect_numbers(actual, masked_softmax(scores, mask), hint=hint)


@question("masked_attention_weights", basic=True)
def test_weights_any_mask(student):
    """A mask that is not a triangle is applied: equal visible scores have equal weights."""
    mask = some_hidden(4, 6)
    right = masked_softmax(torch.ones(4, 6), mask)
    actual = student.masked_attention_weights(torch.ones(4, 6), mask)
    expect_numbers(actual, right, hint="Does your code use the argument `mask`?")


@question("masked_attention_weights", needs_results=True)
def test_weights_hidden_exactly(student):
    """Hidden weights are exactly 0."""
    mask = future(7)
    weights = computed(student, scores_above_one(7, 7), mask)
    expect(
        bool((weights[mask] == 0).all()),
        "The weight of a hidden token is not 0. Which score has the exponential 0?",
    )


@question("masked_attention_weights", needs_results=True)
def test_weights_hidden_scores(student):
    """Hidden scores have no influence on visible weights, even if they are much higher."""
    scores, mask = scores_above_one(6, 6), future(6)
    before = computed(student, scores.masked_fill(mask, 1.0), mask)
    actual = computed(student, scores.masked_fill(mask, 500.0), mask)
    hint = "Only scores of hidden tokens changed, but other weights changed. Is a hidden token in your sum?"
    expect_same(actual[~mask], before[~mask], hint=hint)


@question("masked_attention_weights")
def test_weights_shift(student):
    """If a very high or low number is added to all scores of a row, its weights do not change."""
    scores, mask = (8 * scores_above_one(5, 5)).round() / 8, future(5)
    before = computed(student, scores, mask)
    shifts = torch.tensor([[2000.0], [-2000.0], [300.0], [-300.0], [0.0]])
    hint = "Which number do you subtract from a row before you take its exponentials?"
    for each in (shifts, shifts.flip(0)):
        actual = student.masked_attention_weights(scores + each, mask)
        expect_same(actual, before, atol=1e-3, hint=hint)


@question("masked_attention_weights")
def test_weights_very_low_scores(student):
    """Hidden tokens stay hidden even if visible scores are very low or hidden scores are very high."""
    scores, mask = (8 * scores_above_one(5, 5)).round() / 8, future(5)
    before = computed(student, scores, mask)
    low = -1e6 + (8e5 * torch.rand(5, 1)).round()
    low[2] = -1e6  # no score is lower, so this number hides nothing
    hint = "Is the number that replaces hidden scores lower than every possible score?"
    actual = student.masked_attention_weights(scores + low, mask)
    expect_same(actual, before, atol=0.02, hint=hint)
    hint = "Does your code replace hidden scores, or does it only lower them?"
    actual = student.masked_attention_weights(scores - mask * low, mask)
    expect_same(actual, before, atol=1e-5, hint=hint)


@question("masked_attention_weights")
def test_weights_gradient(student):
    """Gradients reach the visible scores, but not the hidden scores."""
    scores, mask = scores_above_one(5, 5, dtype=torch.float64), future(5)
    weight = torch.randn(5, 5, dtype=torch.float64)
    computed(student, scores, mask)
    weights_of = student.masked_attention_weights
    seen = weights_of.inspect(scores.clone().requires_grad_(), mask, weight=weight)
    gradient = seen.gradients.get(0)
    expect(
        gradient is not None,
        "No gradient reaches the scores. Which step detaches them?",
    )
    expect_no_nan(expect_tensor(gradient, (5, 5)), "The gradient")
    expect_slope(lambda x: weights_of(x, mask), scores, gradient, weight)


@question("masked_attention_weights", needs_results=True)
def test_weights_leave_inputs(student):
    """Scores and mask stay as they were."""
    scores, mask = scores_above_one(5, 5), future(5)
    computed(student, scores, mask)
    seen = student.masked_attention_weights.inspect(scores, mask)
    expect_unchanged(seen, scores, mask, names=("scores", "mask"))


@question("masked_attention_weights")
def test_weights_float64(student):
    """float64 scores give float64 weights with the precision of float64."""
    scores, mask = torch.randn(7, 7, dtype=torch.float64), future(7)
    actual = student.masked_attention_weights(scores, mask)
    expect_close(actual, masked_softmax(scores, mask))


@question("masked_attention_weights")
def test_weights_equal_sizes(student):
    """The mask is applied correctly if some of the sizes are equal, or if a size is 1."""
    for shape in ((4, 4), (4, 4, 4), (3, 3, 5), (1, 4, 4), (2, 1, 3)):
        scores, mask = 2 * torch.randn(shape), torch.rand(shape[-2:]) < 0.5
        mask[0], mask[:, 1] = True, False
        mask[-1, 0] = shape[-2] > 1 and bool(torch.rand(()) < 0.5)
        hint = "The mask belongs to the last two dimensions of the scores."
        actual = student.masked_attention_weights(scores, mask)
        expect_numbers(actual, masked_softmax(scores, mask), hint=hint)


def attempted(kind, module):
    """Return the module. Call a MaskedSelfAttention first: its stub has the layers, but cannot be called."""
    if kind is MASKED:
        module(kind.tokens(5, 6, 4))
    return module


@each_of(MASKED, HEAD, CAUSAL)
def test_parameters(student, kind):
    """The only parameters are those of the three layers, which have a bias only with qkv_bias."""
    module = attempted(kind, kind.make(student, 6, 4, 5))
    actual, shapes = parameters(student, module), kind.shapes(6, 4)
    expect_parameters(actual, shapes)
    surplus = ", ".join(sorted(set(actual) - set(shapes)))
    expect(
        not surplus, f"The module has parameters that were not asked for: {surplus}."
    )
    if kind is CAUSAL:
        biased = parameters(student, student.CausalAttention(6, 4, 5, 0.0, True))
        expect_parameters(biased, CAUSAL.shapes(6, 4, bias=True))


@each_of(MASKED, HEAD, CAUSAL)
def test_shape_and_dtype(student, kind):
    """The output has d_out numbers for each token, in the dtype of the tokens."""
    module, _ = kind.loaded(student, 6, 5, 5)
    x = kind.tokens(5, 6, 5)
    seen = module.inspect(*kind.arguments(x), weight=torch.randn(*x.shape[:-1], 5))
    expect_alive(seen, (*x.shape[:-1], 5))
    expect_tensor(seen.output, (*x.shape[:-1], 5), torch.float32)
    for part in (x[:1], x[..., :1, :]):
        output = module(*kind.arguments(part))
        expect_tensor(output, (*part.shape[:-1], 5), torch.float32)


@each_of(MASKED, HEAD, CAUSAL)
def test_seeded_start(student, reference, kind):
    """With a seed, the layers start with the same numbers as in the course."""
    seed = draw(1, 9999)
    for side in (student, reference):
        side.seed(seed)
    module = attempted(kind, kind.make(student, 6, 4, 5))
    expected = parameters(reference, kind.make(reference, 6, 4, 5))
    actual = student.define(LOAD, "read")(module, list(expected))
    hint = "A layer draws its numbers when it is created: how many layers do you create, and in which order?"
    for name, right in expected.items():
        tensor = expect_tensor(actual.get(name), name=name)
        expect_close(tensor.detach(), right.detach(), hint=hint, name=name)


@each_of(MASKED, HEAD, CAUSAL, needs_results=True)
def test_sets_no_seed(student, kind):
    """The class sets no seed."""
    arguments = kind.arguments(kind.tokens(5, 6, 4))
    expect_no_seed(student, lambda: kind.make(student, 6, 4, 5), *arguments)


@each_of(MASKED, HEAD, CAUSAL, basic=True)
@pytest.mark.parametrize(
    ("length", "d_in", "d_out"), [(7, 6, 4), (11, 3, 8), (4, 5, 3)]
)
def test_values(student, kind, length, d_in, d_out):
    """With given weights, the output is the scaled, masked attention of queries, keys and values."""
    module, held = kind.loaded(student, d_in, d_out, length + 3)
    x = kind.tokens(length, d_in, d_out)
    hint = (
        "Row i is a weighted sum of the visible values. Its weights are "
        "softmax(visible scores / sqrt(d_out))."
    )
    expect_numbers(module(*kind.arguments(x)), kind.attend(held, x), hint=hint)


@each_of(HEAD, CAUSAL, basic=True)
def test_full_context(student, kind):
    """The output for a text of the maximum length is right, also after a shorter text."""
    module, held = kind.loaded(student, 6, 4, 9)
    x = kind.tokens(9, 6, 4)
    module(x[:, :3])
    hint = "A shorter text came before. Does your module keep a mask or a size from an earlier call?"
    expect_numbers(module(x), kind.attend(held, x), hint=hint)


@each_of(MASKED, HEAD, CAUSAL)
def test_equal_sizes(student, kind):
    """The output is right for a single token. It is also right if T, d_in and d_out are equal."""
    for length, d_in, d_out in ((1, 6, 4), (2, 2, 2), (3, 3, 3)):
        module, held = kind.loaded(student, d_in, d_out, length)
        x = kind.tokens(length, d_in, d_out)
        hint = "Does your code read each size from the right dimension of the tokens?"
        actual = module(*kind.arguments(x))
        expect_numbers(actual, kind.attend(held, x), hint=hint)


def far_apart(student, kind, shift, mark=60):
    """Return a module, tokens and the right output. `shift` is added to all scores of a query.

    The scores of keys 1 and 3 are higher by `mark`. If one of these keys is visible, all other keys get the
    weight 0, whether scores are scaled or not.
    """
    size = 5 if kind.batched else 6
    query, key, value = torch.zeros(2, size, 6).unbind() + (0.7 * torch.randn(size, 6),)
    # The last number of a token is added to all scores of its query.
    query[0, 5] = key[0, 4] = 1
    query[1, 4] = key[1, 3] = 1
    value[:, 3:] = 0
    module, held = kind.loaded(student, 6, size, 5, query=query, key=key, value=value)
    x = kind.tokens(5, 6, 6)
    x[..., 3], x[..., 4], x[..., 5] = mark * torch.tensor([0, 1, 0, 1, 0]), 1, shift
    return module, x, kind.attend(held, x)


@each_of(MASKED, HEAD, CAUSAL)
def test_rows_far_apart(student, kind):
    """The output is right if rows of scores are far apart, and hidden scores far above visible scores."""
    shift = torch.tensor([0.0, 300.0, -300.0, 300.0, -300.0])
    module, x, right = far_apart(student, kind, shift, mark=500)
    hint = "Does a very large or very small score become inf, NaN or 0 in one of your steps?"
    expect_numbers(module(*kind.arguments(x)), right, atol=1e-3, hint=hint)


@each_of(MASKED, HEAD, CAUSAL)
def test_very_low_scores(student, kind):
    """Hidden tokens stay hidden even if visible scores are very low or hidden scores are very high."""
    module, x, right = far_apart(student, kind, -5e5 * (1 + torch.rand(5)))
    hint = "Is the number that replaces hidden scores lower than every possible score?"
    expect_numbers(module(*kind.arguments(x)), right, atol=1e-3, hint=hint)
    module, x, right = far_apart(student, kind, torch.zeros(5), mark=1e6)
    hint = "Does your code replace hidden scores, or does it only lower them?"
    expect_numbers(module(*kind.arguments(x)), right, atol=1e-3, hint=hint)


@each_of(MASKED, HEAD, CAUSAL)
def test_gradients(student, kind):
    """Gradients reach the tokens and every parameter."""
    module, _ = kind.loaded(student, 6, 5, 5, torch.float64)
    x = kind.tokens(5, 6, 5, torch.float64)
    out = torch.randn(*x.shape[:-1], 5, dtype=torch.float64)
    leaf, *mask = kind.arguments(x.clone().requires_grad_())
    seen = module.inspect(leaf, *mask, weight=out)
    expect_alive(seen, out.shape)
    for layer in kind.layers:
        if f"{layer}.weight" not in seen.parameters:
            continue  # a single test checks the registration
        gradient = seen.parameters[f"{layer}.weight"]
        fault = f"No gradient reaches {layer}. Is it used, or is the result detached?"
        expect(gradient is not None and bool(gradient.any()), fault)
    gradient = seen.gradients.get(0)
    expect(
        gradient is not None,
        "No gradient reaches the tokens. Which step detaches them?",
    )
    expect_slope(lambda near: module(near, *mask), x, gradient, out)


@each_of(HEAD, CAUSAL)
def test_mask_moves_along(student, kind):
    """All tensors that the module needs move with it to another device."""
    module, x = kind.make(student, 6, 4, 4), kind.tokens(4, 6, 4)
    module.eval()
    alive(kind, module, x, 4)
    left = student.define(LEFT_BEHIND, "left_behind")(module, x)
    message = (
        f"The tensor {left} stays behind when the module moves to another device. "
        "Is it a buffer?"
    )
    expect(left == "", message)


@each_of(MASKED, HEAD, CAUSAL)
def test_float64(student, kind):
    """With float64 parameters and tokens, the output has the dtype and the precision of float64."""
    module, held = kind.loaded(student, 6, 5, 5, torch.float64)
    x = kind.tokens(5, 6, 5, torch.float64)
    actual = expect_tensor(module(*kind.arguments(x)), dtype=torch.float64)
    hint = "Is a step of your code, such as the root, in float32?"
    expect_numbers(actual, kind.attend(held, x), hint=hint)


@each_of(MASKED, HEAD, CAUSAL, needs_results=True)
def test_leaves_inputs(student, kind):
    """The tokens, and the mask if there is one, stay as they were."""
    arguments = kind.arguments(kind.tokens(5, 6, 5))
    out = torch.randn(*arguments[0].shape[:-1], 5)
    module, _ = kind.loaded(student, 6, 5, 5)
    seen = module.inspect(*arguments, weight=out)
    with precondition():
        expect_alive(seen, out.shape)
    expect_unchanged(seen, *arguments, names=kind.inputs)


@question("MaskedSelfAttention", basic=True)
def test_masked_without_mask(student):
    """Without a mask, every token sees all tokens."""
    module, held = MASKED.loaded(student, 5, 5, 5, **MASKED.equal_scores(5, 5))
    x = torch.randn(5, 5)
    right = MASKED.value(held, x).mean(dim=0).expand(5, 5)
    module(x, future(5))  # a mask must not have an effect on later calls
    hint = "Here `mask` is None. Does your forward hide a token?"
    expect_numbers(module(x), right, hint=hint)
    expect_numbers(module(x, None), right, hint=hint)


@question("MaskedSelfAttention", basic=True)
def test_masked_any_mask(student):
    """A mask that is not a triangle is applied, too."""
    for weights in ({}, MASKED.equal_scores(6, 6)):
        module, held = MASKED.loaded(student, 6, 6, 6, **weights)
        x, mask = torch.randn(6, 6), some_hidden(6, 6)
        hint = "Does your code use the argument `mask`?"
        expect_numbers(module(x, mask), MASKED.attend(held, x, mask), hint=hint)


@question("MaskedSelfAttention")
def test_masked_by_name(student):
    """The arguments of __init__ have defaults, and all arguments may be passed by name."""
    weights, x = MASKED.weights(2, 2), torch.randn(2, 2)
    by_place = student.MaskedSelfAttention(2, 0, 1)
    load(student, by_place, weights, MASKED.layers)
    right = alive(MASKED, by_place, x, 2)
    for module in (
        student.MaskedSelfAttention(),
        student.MaskedSelfAttention(d_model=2, row_dim=0, col_dim=1),
    ):
        load(student, module, weights, MASKED.layers)
        expect_same(module(token_encodings=x, mask=future(2)), right)


@question("CausalAttention", basic=True)
def test_bias_is_used(student):
    """With qkv_bias, the biases are used."""
    weights, x = CAUSAL.weights(6, 5, bias=True), torch.randn(3, 5, 6)
    module = student.CausalAttention(6, 5, 5, 0.0, True)
    held = load(student, module, weights, CAUSAL.layers)
    right = CAUSAL.attend(held, x)
    actual = expect_tensor(numbers(module(x), right), right.shape)
    hint = "Do queries, keys and values all get their bias?"
    expect_close(actual[:, -1], right[:, -1], hint=hint, name="The last row")


@question("CausalAttention")
def test_nothing_dropped_in_evaluation(student):
    """In evaluation mode, no weight is dropped."""
    weights, x = CAUSAL.weights(6, 5), torch.randn(3, 5, 6)
    without, dropping = (student.CausalAttention(6, 5, 5, rate) for rate in (0.0, 0.5))
    for module in (without, dropping):
        load(student, module, weights, CAUSAL.layers)
        module.eval()
    hint = "eval() was called. Does your dropout depend on self.training?"
    expect_same(dropping(x), alive(CAUSAL, without, x, 5), hint=hint)


def weights_with_dropout(student, length, rate):
    """Return two outputs that contain the attention weights: in evaluation mode and in training mode."""
    weights = {
        f"{layer}.weight": 0.3 * torch.randn(2 * length, length + 2)
        for layer in CAUSAL.layers
    }
    weights["W_value.weight"] = torch.eye(length, length + 2).repeat(2, 1)
    x = torch.cat(
        [torch.eye(length).expand(4, length, length), torch.randn(4, length, 2)], dim=2
    )
    module = student.CausalAttention(length + 2, 2 * length, length, rate)
    load(student, module, weights, CAUSAL.layers)
    shape = torch.empty(4, length, 2 * length)
    module.eval()
    resting, again = (
        expect_finite(expect_tensor(numbers(module(x), shape), shape.shape))
        for _ in range(2)
    )
    message = "In evaluation mode, two calls with the same tokens differ."
    expect(torch.equal(resting, again), message)
    message = "In evaluation mode, no weight is above 0."
    expect(bool((resting > 1e-4).any()), message)
    module.train()
    active = expect_tensor(numbers(module(x), shape), shape.shape)
    return resting, expect_finite(active)


@question("CausalAttention")
def test_dropout_on_the_weights(student):
    """Dropout drops weights after the softmax, and scales up the remaining weights."""
    resting, active = weights_with_dropout(student, 7, 0.5)
    halves = torch.allclose(active[..., :7], active[..., 7:], atol=1e-5)
    expect(
        halves,
        "Dropping a weight should affect all numbers of an output, but here it affects only "
        "some numbers. To which tensor do you apply dropout?",
    )
    expect(
        bool(active.any()),
        "In training all weights are dropped. With dropout 0.5, about half of them should be.",
    )
    kept = torch.isclose(active, 2 * resting, atol=1e-5)
    message = (
        "With dropout 0.5 each weight should be 0 or twice its usual value. To which "
        "tensor do you apply dropout?"
    )
    expect(bool((kept | (active.abs() < 1e-6)).all()), message)


@question("CausalAttention")
def test_dropout_of_each_weight_by_itself(student):
    """Each weight is dropped independently, with the given rate."""
    for rate in (0.2, 0.7):
        resting, active = weights_with_dropout(student, 20, rate)
        visible = resting > 1e-4
        dropped = (active.abs() < 1e-6) & visible
        share = dropped.sum().item() / visible.sum().item()
        message = f"With dropout {rate}, about {rate:.0%} of the weights should be dropped, not {share:.0%}."
        expect(abs(share - rate) < 0.1, message)
    half = dropped[:, 10:, :10]  # rows 10 and later see all of the first ten columns
    for dim, name in enumerate(("texts", "rows", "columns")):
        differs = (half != half.narrow(dim, 0, 1)).any()
        hint = "Does your dropout draw a random number for each weight?"
        expect(bool(differs), f"The same weights are dropped in all {name}. {hint}")
