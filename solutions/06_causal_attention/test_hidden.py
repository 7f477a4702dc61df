"""Hidden tests of 06: no way for the future to get in, and modules whose weights are loaded by name."""

from dataclasses import dataclass

import pytest
import torch
from torch.nn.functional import linear, scaled_dot_product_attention

from autograder.testing import (
    draw,
    expect,
    expect_close,
    expect_equal,
    expect_finite,
    expect_gradient,
    expect_rows_sum_to_one,
    expect_tensor,
    expect_unchanged,
    question,
)

LOAD = """
def load(module, weights):
    if not isinstance(module, nn.Module):
        return None
    own = dict(module.named_parameters())
    shapes = {name: tuple(parameter.shape) for name, parameter in own.items()}
    fitting = [name for name, weight in weights.items() if shapes.get(name) == tuple(weight.shape)]
    with torch.no_grad():
        for name in fitting:
            own[name].copy_(weights[name])
    return shapes if len(fitting) < len(weights) else True
"""
PARAMETERS = """
def parameters(module):
    return dict(module.named_parameters()) if isinstance(module, nn.Module) else None
"""
# A module with plain tensor attributes is moved to another device, and fails if tensors of two devices meet.
# That device, meta, holds shapes only. Each step is computed on zeros on the CPU instead, because torch takes
# seconds to load its own rules for meta.
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


WHAT_IS_DROPPED = "Is something drawn for each weight?"


def future(length):
    """Return the causal mask."""
    return torch.arange(length) > torch.arange(length).unsqueeze(1)


@dataclass(frozen=True)
class Kind:
    """One of the three classes: its name, and its layers in the order queries, keys, values."""

    name: str
    layers: tuple[str, str, str]
    batched: bool = True

    def make(self, side, d_in, d_out, length):
        """Return a new module of `side`, without dropout; the square one takes only d_out."""
        sizes = {
            "MaskedSelfAttention": (d_out,),
            "Head": (d_in, d_out, length),
            "CausalAttention": (d_in, d_out, length, 0.0),
        }
        return getattr(side, self.name)(*sizes[self.name])

    def shapes(self, d_in, d_out, bias=False):
        """Return the shape of each parameter by name."""
        weights = {
            f"{layer}.weight": (d_out, d_in if self.batched else d_out)
            for layer in self.layers
        }
        return weights | {f"{layer}.bias": (d_out,) for layer in self.layers if bias}

    def weights(self, d_in, d_out, *, bias=False, dtype=torch.float32):
        """Return parameters large enough that every slip shows."""
        shapes = self.shapes(d_in, d_out, bias)
        return {
            name: 0.7 * torch.randn(shape, dtype=dtype)
            for name, shape in shapes.items()
        }

    def tokens(self, length, d_in, d_out, dtype=torch.float32):
        """Return random tokens: a batch of three, or one sequence for a class that asks for no batch."""
        shape = (3, length, d_in) if self.batched else (length, d_out)
        return torch.randn(shape, dtype=dtype)

    @property
    def inputs(self):
        """Return the names of forward's arguments."""
        return ("x",) if self.batched else ("token_encodings", "mask")

    def arguments(self, x):
        """Return forward's arguments: the tokens, and a mask where the class does not make its own."""
        return (x,) if self.batched else (x, future(x.size(-2)))

    def attend(self, weights, x):
        """Return the module's right output, computed by the library's own function."""
        q, k, v = (self._project(weights, layer, x) for layer in self.layers)
        return scaled_dot_product_attention(q, k, v, attn_mask=~future(x.size(-2)))

    def value(self, weights, x):
        """Return the values alone."""
        return self._project(weights, self.layers[2], x)

    def _project(self, weights, layer, x):
        return linear(x, weights[f"{layer}.weight"], weights.get(f"{layer}.bias"))


MASKED = Kind("MaskedSelfAttention", ("W_q", "W_k", "W_v"), batched=False)
HEAD = Kind("Head", ("query", "key", "value"))
CAUSAL = Kind("CausalAttention", ("W_query", "W_key", "W_value"))


def each_of(*kinds, weight=1):
    """Run a test for each of these classes, as a test of that question."""
    marked = [
        pytest.param(kind, marks=question(kind.name, weight=weight), id=kind.name)
        for kind in kinds
    ]
    return pytest.mark.parametrize("kind", marked)


def parameters(student, module):
    """Return the registered parameters of a module on the student's side, by name."""
    named = student.define(PARAMETERS, "parameters")(module)
    expect(isinstance(named, dict), "The class must be an nn.Module.")
    return named


def expect_parameters(actual, shapes):
    """Expect parameters of these names and shapes, all of which can learn."""
    for name, shape in shapes.items():
        seen = ", ".join(actual) or "none"
        expect(
            name in actual,
            f"{name} is not registered as a parameter; the module's parameters: {seen}.",
        )
        tensor = expect_tensor(actual[name], shape, name=name)
        expect(tensor.requires_grad, f"{name} cannot learn: it asks for no gradient.")


def expect_alive(kind, seen, shape):
    """Expect an output of this shape that depends on all layers, and return it unchecked."""
    output = expect_finite(expect_tensor(seen.output, shape))
    for layer in kind.layers:
        gradient = seen.parameters.get(f"{layer}.weight")
        message = f"No gradient reaches {layer}. Is it used, or is the result cut off?"
        expect(gradient is not None and bool(gradient.any()), message)
    return output


def alive(kind, module, x, size):
    """Return a module's output for tokens, `size` numbers for each; it must depend on all layers."""
    shape = (*x.shape[:-1], size)
    return expect_alive(
        kind, module.inspect(*kind.arguments(x), weight=torch.randn(shape)), shape
    ).detach()


def load(student, module, weights):
    """Give a module these parameters by name, and leave its others as they are."""
    shapes = student.define(LOAD, "load")(module, weights)
    if shapes is True:  # all of them fit
        return module
    expect(isinstance(shapes, dict), "The class must be an nn.Module.")
    for name, weight in weights.items():
        seen = ", ".join(map(str, shapes)) or "none"
        expect(
            name in shapes,
            f"{name} is not registered as a parameter; the module's parameters: {seen}.",
        )
        expect(
            shapes[name] == tuple(weight.shape),
            f"{name} must have shape {tuple(weight.shape)}.",
        )
    return module


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


@question("causal_mask")
def test_mask_form(student):
    """The mask is boolean, with a row and a column for each token, and hides something but not all."""
    length = draw(4, 8)
    mask = expect_tensor(student.causal_mask(length), (length, length), torch.bool)
    expect(bool(mask.any()), "Nothing is hidden. True means hidden.")
    expect(not mask.all(), "Everything is hidden. True means hidden.")


@question("causal_mask", weight=2)
@pytest.mark.parametrize("most", [2, 6, 13])
def test_mask_hides_what_comes_later(student, most):
    """Exactly what lies above the diagonal is hidden."""
    length = draw(most // 2 + 1, most)
    hint = "Row: who looks. Column: at whom. Which columns come after row 0?"
    expect_equal(student.causal_mask(length), future(length), hint=hint)


@question("causal_mask")
def test_mask_leaves_everyone_something(student):
    """Every token may look at itself."""
    length = draw(4, 8)
    mask = expect_tensor(student.causal_mask(length), (length, length), torch.bool)
    expect(
        not mask.diagonal().any(),
        "The diagonal is hidden. What is left for the first token to look at?",
    )
    expect(bool(mask.any()), "Nothing is hidden. True means hidden.")


@question("causal_mask")
def test_mask_of_one_token(student):
    """A text of one token has nothing to hide."""
    expect_equal(student.causal_mask(1), torch.tensor([[False]]))
    message = "With two tokens, something must be hidden."
    expect(
        bool(expect_tensor(student.causal_mask(2), (2, 2), torch.bool).any()), message
    )


@question("causal_mask")
def test_mask_of_many_tokens(student):
    """A text may have more than a hundred tokens."""
    length = draw(130, 180)
    hint = "Does your mask go on to the last token?"
    expect_equal(student.causal_mask(length), future(length), hint=hint)


@question("masked_attention_weights", weight=2)
def test_weights_values(student):
    """The visible scores share the whole weight by softmax."""
    scores, mask = 2 * torch.randn(5, 5), future(5)
    right = torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)
    hint = "Each row is the softmax of its visible scores alone; a hidden token's weight is 0."
    expect_close(student.masked_attention_weights(scores, mask), right, hint=hint)


@question("masked_attention_weights")
def test_weights_any_mask(student):
    """Any mask is obeyed, not only a triangle, and n and m may differ."""
    scores = 2 * torch.randn(4, 6)
    mask = torch.rand(4, 6) < 0.5
    mask[:, 3], mask[0, 0], mask[2, 5] = False, True, True
    right = torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)
    expect_close(
        student.masked_attention_weights(scores, mask),
        right,
        hint="Is it the given mask that decides?",
    )


@question("masked_attention_weights")
@pytest.mark.parametrize("shape", [(3, 5, 5), (2, 1, 5, 5)])
def test_weights_batches(student, shape):
    """In a batch, each row of each sequence sums to 1 by itself."""
    scores, mask = 2 * torch.randn(shape), future(5)
    right = torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)
    hint = "Along which dimension does the softmax run when there are more than two?"
    expect_close(student.masked_attention_weights(scores, mask), right, hint=hint)


@question("masked_attention_weights")
def test_weights_hidden_exactly(student):
    """Hidden weights are exactly 0, and rows sum to 1."""
    mask = future(7)
    weights = expect_finite(
        expect_tensor(
            student.masked_attention_weights(2 * torch.randn(7, 7), mask), (7, 7)
        )
    )
    expect(
        bool((weights[mask] == 0).all()),
        "A hidden token has a weight. What is the exponential of its score?",
    )
    expect_rows_sum_to_one(weights)


@question("masked_attention_weights")
def test_weights_hidden_scores(student):
    """Hidden scores have no influence on visible weights."""
    scores, mask = torch.randn(6, 6), future(6)
    before = student.masked_attention_weights(scores, mask)
    expect_rows_sum_to_one(expect_tensor(before, (6, 6)))
    changed = torch.where(mask, 3 * torch.randn(6, 6), scores)
    hint = "Only hidden scores were changed, and visible weights followed. What stands in the denominator?"
    expect_close(student.masked_attention_weights(changed, mask), before, hint=hint)


@question("masked_attention_weights")
@pytest.mark.parametrize("shift", [-2000, 2000])
def test_weights_shift(student, shift):
    """Hidden scores stay hidden beside very low or very high ones."""
    scores, mask = torch.randn(5, 5, dtype=torch.float64), future(5)
    scores = scores + 5 * mask  # what is hidden would get most
    right = torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)
    hint = (
        "Is what you put in the place of a hidden score really below everything else?"
    )
    expect_close(
        student.masked_attention_weights(scores + shift, mask), right, hint=hint
    )


@question("masked_attention_weights")
def test_weights_rows_far_apart(student):
    """A row's weights are its own, however far its scores lie from those of other rows."""
    scores, mask = torch.randn(5, 5), future(5)
    right = torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)
    apart = scores + torch.tensor([[0.0], [-300.0], [300.0], [-300.0], [300.0]])
    hint = "By what is a row shifted before its exponentials are taken?"
    expect_close(
        student.masked_attention_weights(apart, mask), right, atol=1e-3, hint=hint
    )


@question("masked_attention_weights")
def test_weights_nothing_hidden(student):
    """A mask that hides nothing leaves the softmax as it is."""
    scores, mask = 2 * torch.randn(4, 5), torch.zeros(4, 5, dtype=torch.bool)
    expect_close(
        student.masked_attention_weights(scores, mask), torch.softmax(scores, dim=-1)
    )


@question("masked_attention_weights")
def test_weights_gradient(student, reference):
    """Gradients reach the visible scores and no hidden one."""
    scores, mask, out = (
        torch.randn(5, 5, requires_grad=True),
        future(5),
        torch.randn(5, 5),
    )
    right = reference.masked_attention_weights.inspect(
        scores, mask, weight=out
    ).gradients[0]
    seen = student.masked_attention_weights.inspect(scores, mask, weight=out)
    expect_gradient(seen, {0: right}, names=("scores",))


@question("masked_attention_weights")
def test_weights_leave_inputs(student):
    """The weights are right, and scores and mask stay as they were."""
    scores, mask = torch.randn(5, 5), future(5)
    seen = student.masked_attention_weights.inspect(scores, mask)
    expect_unchanged(seen, scores, mask, names=("scores", "mask"))
    expect_close(
        seen.output, torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)
    )


@question("masked_attention_weights")
def test_weights_float64(student):
    """float64 scores give float64 weights of full precision."""
    scores, mask = torch.randn(5, 5, dtype=torch.float64), future(5)
    right = torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)
    expect_close(student.masked_attention_weights(scores, mask), right)


@question("masked_attention_weights")
def test_weights_equal_sizes(student):
    """Any mask is obeyed where sizes happen to be equal, and where some are 1."""
    for shape in ((4, 4), (4, 4, 4), (3, 3, 5), (1, 4, 4), (2, 1, 3)):
        scores, mask = torch.randn(shape), torch.rand(shape[-2:]) < 0.5
        mask[0], mask[:, 1] = True, False
        mask[-1, 0] = shape[-2] > 1 and bool(torch.rand(()) < 0.5)
        right = torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)
        hint = "The mask belongs to the last two dimensions of the scores."
        expect_close(student.masked_attention_weights(scores, mask), right, hint=hint)


@question("masked_attention_weights")
def test_weights_very_low_scores(student):
    """Hidden scores stay hidden where all visible ones are very low, a hundred thousand below 0 and more."""
    scores, mask = torch.randn(5, 5, dtype=torch.float64), future(5)
    right = torch.softmax(scores.masked_fill(mask, -torch.inf), dim=-1)
    low = scores - 2e5 * (1 + torch.rand(5, 1, dtype=torch.float64))
    hint = (
        "Is what you put in the place of a hidden score really below everything else?"
    )
    expect_close(
        student.masked_attention_weights(low, mask), right, atol=1e-6, hint=hint
    )


@each_of(MASKED, HEAD, CAUSAL)
def test_parameters(student, kind):
    """The three layers are its only parameters: no bias unless asked for, and no mask."""
    actual, shapes = parameters(student, kind.make(student, 6, 4, 5)), kind.shapes(6, 4)
    expect_parameters(actual, shapes)
    surplus = ", ".join(sorted(set(actual) - set(shapes)))
    expect(
        not surplus, f"The module has parameters that were not asked for: {surplus}."
    )


@each_of(MASKED, HEAD, CAUSAL)
def test_seeded_start(student, reference, kind):
    """With a seed, the layers start with the same numbers as in the course."""
    seed = draw(1, 9999)
    for side in (student, reference):
        side.seed(seed)
    actual = parameters(student, kind.make(student, 6, 4, 5))
    expected = parameters(reference, kind.make(reference, 6, 4, 5))
    hint = "A layer draws its numbers when it is made: how many are made, and in which order?"
    for name, right in expected.items():
        expect(name in actual, f"{name} is not registered as a parameter.")
        expect_close(actual[name].detach(), right.detach(), hint=hint, name=name)


@each_of(MASKED, HEAD, CAUSAL, weight=2)
@pytest.mark.parametrize(("length", "d_in", "d_out"), [(7, 6, 4), (11, 3, 8)])
def test_values(student, kind, length, d_in, d_out):
    """With given weights, the output is the scaled, masked attention of queries, keys and values."""
    weights, x = kind.weights(d_in, d_out), kind.tokens(length, d_in, d_out)
    actual = load(student, kind.make(student, d_in, d_out, length), weights)(
        *kind.arguments(x)
    )
    hint = (
        "Row i is the sum of the values in its sight, by the softmax of their "
        "scores over the root of d_out."
    )
    expect_close(actual, kind.attend(weights, x), hint=hint)


@each_of(MASKED, HEAD, CAUSAL)
def test_square(student, kind):
    """It is right when a token has as many numbers as there are tokens, where wrong products fit too."""
    weights, x = (
        kind.weights(2, 2),
        kind.tokens(2, 2, 2),
    )  # so small that a page can show it
    actual = load(student, kind.make(student, 2, 2, 2), weights)(*kind.arguments(x))
    expect_close(
        actual,
        kind.attend(weights, x),
        hint="Which rows meet which columns in your products?",
    )


@each_of(HEAD, CAUSAL, weight=2)
@pytest.mark.parametrize("length", [2, 5])
def test_shorter_texts(student, kind, length):
    """Texts may be shorter than the limit."""
    weights, x = kind.weights(6, 4), kind.tokens(length, 6, 4)
    module = load(student, kind.make(student, 6, 4, 9), weights)
    hint = "Does the mask have the size of the text, or of the limit?"
    expect_close(module(x), kind.attend(weights, x), hint=hint)
    hint = "A shorter text came after a longer one. What does your module keep from call to call?"
    expect_close(module(x[:, :-1]), kind.attend(weights, x[:, :-1]), hint=hint)


@each_of(HEAD, CAUSAL)
def test_longer_texts_later(student, kind):
    """A longer text may follow a shorter one."""
    weights, x = kind.weights(6, 4), kind.tokens(8, 6, 4)
    module = load(student, kind.make(student, 6, 4, 9), weights)
    hint = "A longer text came after a shorter one. What does your module keep from call to call?"
    for length in (3, 8):
        expect_close(
            module(x[:, :length]), kind.attend(weights, x[:, :length]), hint=hint
        )


@each_of(MASKED, HEAD, CAUSAL)
def test_single_token(student, kind):
    """A text of one token gives the token's own value, however large its score."""
    weights, x = kind.weights(6, 4), 100 * kind.tokens(1, 6, 4)
    actual = load(student, kind.make(student, 6, 4, 5), weights)(*kind.arguments(x))
    expect_close(
        actual,
        kind.value(weights, x),
        rtol=1e-5,
        hint="With one token, its weight must be 1.",
    )


@each_of(MASKED, HEAD, CAUSAL)
def test_rows_far_apart(student, kind):
    """Scores of one token may lie far from those of another."""
    weights, x = kind.weights(6, 6), kind.tokens(5, 6, 6)
    query, key, value = (weights[f"{layer}.weight"] for layer in kind.layers)
    # The last feature speaks to queries alone and meets the same number in each key: it moves whole rows.
    for weight in (query, key, value):
        weight[:, 5] = 0
    query[0], key[0] = torch.eye(6)[5], torch.eye(6)[4]
    x[..., 4], x[..., 5] = 1, torch.tensor([0.0, 300.0, -300.0, 300.0, -300.0])
    actual = load(student, kind.make(student, 6, 6, 5), weights)(*kind.arguments(x))
    hint = "Neither very large scores nor very small ones must get lost."
    expect_close(actual, kind.attend(weights, x), atol=1e-3, hint=hint)


@each_of(MASKED, HEAD, CAUSAL, weight=2)
def test_blind_to_the_future(student, kind):
    """Changing later tokens changes no earlier output."""
    x = kind.tokens(7, 6, 4)
    changed = torch.cat([x[..., :4, :], kind.tokens(3, 6, 4)], dim=-2)
    module = load(student, kind.make(student, 6, 4, 7), kind.weights(6, 4))
    before, after = (alive(kind, module, tokens, 4) for tokens in (x, changed))
    hint = "Only tokens from 4 on were changed. How does the future get in?"
    expect_close(
        after[..., :4, :], before[..., :4, :], hint=hint, name="The first four outputs"
    )
    last = (after - before)[..., 4:, :].abs().amax(dim=-1)
    # One of them may look almost only at earlier tokens, but hardly all.
    expect(
        bool((last > 1e-4).any(dim=-1).all()),
        "Tokens from 4 on were changed, but no output from 4 on has moved.",
    )


@each_of(MASKED, HEAD, CAUSAL)
def test_no_gradient_to_the_future(student, kind):
    """No gradient goes from an output to later tokens, but every earlier token gets one."""
    x = kind.tokens(6, 6, 4).requires_grad_()
    out = torch.randn(*x.shape[:-1], 4)
    out[..., 3:, :] = 0
    module = load(
        student,
        kind.make(student, 6, 4, 6),
        {k: w / 2 for k, w in kind.weights(6, 4).items()},
    )
    seen = module.inspect(*kind.arguments(x), weight=out)
    expect_alive(kind, seen, out.shape)
    gradient = expect_finite(
        expect_tensor(seen.gradients.get(0), x.shape, name="The gradient of the tokens")
    )
    late, early = gradient[..., 3:, :], gradient[..., :3, :]
    expect(
        bool((late.abs() < 1e-6).all()),
        "A gradient goes from the first three outputs to a later token.",
    )
    expect(
        bool((early.abs().amax(dim=-1) > 1e-6).all()),
        "Some of the first three tokens get no gradient.",
    )


@each_of(MASKED, HEAD, CAUSAL)
def test_gradients(student, reference, kind):
    """Gradients reach the tokens and every parameter."""
    weights, x = kind.weights(6, 4), kind.tokens(5, 6, 4).requires_grad_()
    out = torch.randn(*x.shape[:-1], 4)
    actual = load(student, kind.make(student, 6, 4, 5), weights).inspect(
        *kind.arguments(x), weight=out
    )
    expected = load(reference, kind.make(reference, 6, 4, 5), weights).inspect(
        *kind.arguments(x), weight=out
    )
    expect_gradient(actual, {0: expected.gradients[0]}, atol=1e-4, names=kind.inputs)
    for name, right in expected.parameters.items():
        gradient = actual.parameters.get(name)
        expect(
            gradient is not None,
            f"No gradient reaches {name}. Is it used, or is the result cut off?",
        )
        expect_close(gradient, right, atol=1e-4, name=f"The gradient of {name}")


@each_of(HEAD, CAUSAL)
def test_sequences_apart(student, kind):
    """Each text of a batch is treated as if it were alone."""
    module, x = (
        load(student, kind.make(student, 6, 4, 5), kind.weights(6, 4)),
        kind.tokens(5, 6, 4),
    )
    together = alive(kind, module, x, 4)
    for i in range(3):
        hint = "A text's output changes with its neighbours in the batch."
        expect_close(module(x[i : i + 1]), together[i : i + 1], hint=hint)


@each_of(HEAD, CAUSAL)
def test_mask_moves_along(student, kind):
    """Everything it needs moves with the module to another device."""
    module, x = kind.make(student, 6, 4, 5), kind.tokens(4, 6, 4)
    module.eval()
    alive(kind, module, x, 4)
    left = student.define(LEFT_BEHIND, "left_behind")(module, x)
    message = (
        f"The tensor {left} stays behind when the module moves to another device. "
        "Which tensors move along?"
    )
    expect(left == "", message)


@each_of(MASKED, HEAD, CAUSAL)
def test_round_trip(student, kind):
    """Saved and loaded into another module, it computes the same."""
    first, second = kind.make(student, 6, 4, 5), kind.make(student, 6, 4, 5)
    x = 3 * kind.tokens(5, 6, 4)
    expected = alive(kind, first, x, 4)
    second.load_state_dict(first.state_dict())
    hint = "Does state_dict hold all numbers that forward uses?"
    expect_close(second(*kind.arguments(x)), expected, hint=hint)


@each_of(MASKED, HEAD, CAUSAL)
def test_sets_no_seed(student, kind):
    """Random numbers stay random: the class sets no seed."""
    arguments = kind.arguments(kind.tokens(5, 6, 4))
    expect_no_seed(student, lambda: kind.make(student, 6, 4, 5), *arguments)


@each_of(MASKED, HEAD, CAUSAL)
def test_float64(student, kind):
    """With float64 parameters and tokens, the output is float64 and as precise."""
    weights = kind.weights(6, 4, dtype=torch.float64)
    x = kind.tokens(5, 6, 4, dtype=torch.float64)
    actual = load(student, kind.make(student, 6, 4, 5).double(), weights)(
        *kind.arguments(x)
    )
    expect_close(actual, kind.attend(weights, x))


@each_of(MASKED, HEAD, CAUSAL)
def test_leaves_inputs(student, kind):
    """The tokens, and the mask if there is one, stay as they were."""
    arguments = kind.arguments(kind.tokens(5, 6, 4))
    out = torch.randn(*arguments[0].shape[:-1], 4)
    seen = load(student, kind.make(student, 6, 4, 5), kind.weights(6, 4)).inspect(
        *arguments, weight=out
    )
    expect_alive(kind, seen, out.shape)
    expect_unchanged(seen, *arguments, names=kind.inputs)


@each_of(MASKED, HEAD, CAUSAL)
def test_very_low_scores(student, kind):
    """Hidden scores stay hidden where all visible ones are very low, a hundred thousand below 0 and more."""
    weights = kind.weights(6, 6, dtype=torch.float64)
    x = kind.tokens(5, 6, 6, torch.float64)
    query, key, value = (weights[f"{layer}.weight"] for layer in kind.layers)
    # The last feature speaks to queries alone and meets the same number in each key: it moves whole rows.
    for weight in (query, key, value):
        weight[:, 5] = 0
    query[0], key[0] = torch.eye(6)[5], torch.eye(6)[4]
    x[..., 4], x[..., 5] = 1, -5e5 * (1 + torch.rand(5))
    module = load(student, kind.make(student, 6, 6, 5).double(), weights)
    actual = module(*kind.arguments(x))
    hint = (
        "Is what you put in the place of a hidden score really below everything else?"
    )
    expect_close(actual, kind.attend(weights, x), atol=1e-6, hint=hint)


@each_of(HEAD, CAUSAL)
def test_all_sizes_equal(student, kind):
    """It is right when there are as many texts as tokens, and as many tokens as numbers in each."""
    weights, x = kind.weights(3, 3), kind.tokens(3, 3, 3)
    actual = load(student, kind.make(student, 3, 3, 3), weights)(x)
    expect_close(
        actual, kind.attend(weights, x), hint="Which dimension counts the texts?"
    )


@question("MaskedSelfAttention")
def test_masked_without_mask(student):
    """Without a mask, every token looks at all."""
    weights, x = MASKED.weights(4, 4), torch.randn(5, 4)
    right = scaled_dot_product_attention(
        *(linear(x, weights[f"{layer}.weight"]) for layer in MASKED.layers)
    )
    module = load(student, student.MaskedSelfAttention(4), weights)
    module(x, future(5))  # a mask is for its own call
    expect_close(
        module(x), right, hint="The mask is None then. What does your forward do?"
    )
    expect_close(module(x, None), right)


@question("MaskedSelfAttention")
def test_masked_any_mask(student):
    """Any mask is obeyed, not only a triangle."""
    weights, x = MASKED.weights(4, 4), torch.randn(6, 4)
    mask = torch.rand(6, 6) < 0.5
    mask[:, 2], mask[0, 5], mask[4, 1] = False, True, True
    q, k, v = (linear(x, weights[f"{layer}.weight"]) for layer in MASKED.layers)
    actual = load(student, student.MaskedSelfAttention(4), weights)(x, mask)
    right = scaled_dot_product_attention(q, k, v, attn_mask=~mask)
    expect_close(actual, right, hint="Is it the given mask that decides who is hidden?")


@question("MaskedSelfAttention")
def test_masked_by_name(student):
    """The sizes have defaults, and arguments may be given by name."""
    weights, x = MASKED.weights(2, 2), torch.randn(3, 2)
    right = MASKED.attend(weights, x)
    for module in (
        student.MaskedSelfAttention(),
        student.MaskedSelfAttention(d_model=2, row_dim=0, col_dim=1),
    ):
        actual = load(student, module, weights)(token_encodings=x, mask=future(3))
        expect_close(actual, right)


@question("MaskedSelfAttention")
def test_masked_nothing_hidden(student):
    """A mask that hides nothing changes nothing."""
    weights, x = MASKED.weights(4, 4), torch.randn(5, 4)
    right = scaled_dot_product_attention(
        *(linear(x, weights[f"{layer}.weight"]) for layer in MASKED.layers)
    )
    module = load(student, student.MaskedSelfAttention(4), weights)
    mask = torch.zeros(5, 5, dtype=torch.bool)
    expect_close(module(x, mask), right, hint="Is it the given mask that decides?")


@question("CausalAttention")
def test_bias(student):
    """With qkv_bias each layer has a bias, and it takes part."""
    weights, x = CAUSAL.weights(6, 4, bias=True), torch.randn(3, 5, 6)
    module = student.CausalAttention(6, 4, 5, 0.0, True)
    expect_parameters(parameters(student, module), CAUSAL.shapes(6, 4, bias=True))
    actual = load(student, module, weights)(x)
    expect_close(
        actual,
        CAUSAL.attend(weights, x),
        hint="Do queries, keys and values all go through their bias?",
    )


def weights_in_sight(student, length, rate):
    """Return a module whose output shows its attention weights twice, its tokens and its right output."""
    weights = {
        f"{layer}.weight": 0.3 * torch.randn(2 * length, length + 2)
        for layer in CAUSAL.layers
    }
    weights["W_value.weight"] = torch.eye(length, length + 2).repeat(2, 1)
    x = torch.cat(
        [torch.eye(length).expand(4, length, length), torch.randn(4, length, 2)], dim=2
    )
    module = load(
        student, student.CausalAttention(length + 2, 2 * length, length, rate), weights
    )
    return module, x, CAUSAL.attend(weights, x)


@question("CausalAttention")
def test_nothing_dropped_in_evaluation(student):
    """In evaluation nothing is dropped."""
    weights, x = CAUSAL.weights(6, 4), torch.randn(3, 5, 6)
    module = load(student, student.CausalAttention(6, 4, 5, 0.5), weights)
    module.eval()
    expect_close(
        module(x),
        CAUSAL.attend(weights, x),
        hint="eval() was called. Who tells the dropout?",
    )


@question("CausalAttention")
def test_dropout_of_zero(student):
    """Dropout 0 drops nothing, not even in training."""
    weights, x = CAUSAL.weights(6, 4), torch.randn(3, 5, 6)
    module = load(student, student.CausalAttention(6, 4, 5, 0.0), weights)
    module.train()
    expect_close(module(x), CAUSAL.attend(weights, x))


@question("CausalAttention")
def test_dropout_in_training(student):
    """In training, two calls differ."""
    module, x, _ = weights_in_sight(student, 7, 0.5)
    module.train()
    first, second = (expect_tensor(module(x), (4, 7, 14)) for _ in range(2))
    expect(
        not torch.allclose(first, second, atol=1e-3),
        "Two calls in training agree. Is anything dropped?",
    )


@question("CausalAttention", weight=2)
def test_dropout_on_the_weights(student):
    """Dropout drops weights after the softmax, and the remaining weights make up for it."""
    module, x, undropped = weights_in_sight(student, 7, 0.5)
    module.train()
    actual = expect_finite(expect_tensor(module(x), (4, 7, 14)))
    halves = torch.allclose(actual[..., :7], actual[..., 7:], atol=1e-5)
    expect(
        halves,
        "A dropped weight is missing in every number of the mixture. What is it that you drop?",
    )
    expect(
        bool(actual.any()),
        "In training all weights are dropped. With dropout 0.5 it should be half.",
    )
    kept = torch.isclose(actual, 2 * undropped, atol=1e-5)
    message = (
        "With dropout 0.5 each weight should be 0 or twice its usual value. What "
        "does your dropout act on?"
    )
    expect(bool((kept | (actual.abs() < 1e-6)).all()), message)


UNMEASURED = "In evaluation the output is not right yet, so dropout cannot be measured."


@question("CausalAttention")
@pytest.mark.parametrize("rate", [0.2, 0.7])
def test_dropout_rate(student, rate):
    """Dropout drops as large a part of the weights as was asked for."""
    module, x, undropped = weights_in_sight(student, 20, rate)
    module.eval()
    settled = torch.allclose(
        expect_tensor(module(x), (4, 20, 40)), undropped, atol=1e-5
    )
    expect(settled, UNMEASURED)
    module.train()
    actual = expect_tensor(module(x), (4, 20, 40))
    visible = undropped > 1e-4
    dropped = ((actual.abs() < 1e-6) & visible).sum().item() / visible.sum().item()
    expect(
        abs(dropped - rate) < 0.1,
        f"With dropout {rate} about {dropped:.0%} of the weights were dropped.",
    )


@question("CausalAttention")
def test_dropout_of_each_weight_by_itself(student):
    """Each weight is dropped or kept by itself: texts, rows and columns do not share their fate."""
    module, x, undropped = weights_in_sight(student, 16, 0.5)
    module.train()
    actual = expect_tensor(module(x), (4, 16, 32))[..., :16]
    dropped = actual.abs() < 1e-6
    visible = undropped[..., :16] > 1e-4
    expect(bool(dropped[visible].any()), "In training no weight is dropped.")
    half = dropped[:, 8:, :8]  # each row of this part sees each of its columns
    for dim, name in enumerate(("texts", "rows", "columns")):
        differs = (half != half.narrow(dim, 0, 1)).any()
        expect(bool(differs), f"All {name} drop the same weights. {WHAT_IS_DROPPED}")
