"""Hidden tests of 05: weights loaded by name, sizes that all differ, and what training needs of a module.

Numbers are read in whatever shape and dtype they come: one test of each class looks at the form. A class that
mixes up its layers passes what does not depend on them, and a copy of one layer what holds for each.
"""

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
    expect_tensor,
    expect_unchanged,
    precondition,
    question,
)

LOAD = """
def spelt(module, name):
    # The tensor that a name spells, also in a plain list. A plain tensor is used as x @ W, and a layer as
    # W of x: where the exercise asks for the other, it is transposed.
    found = module
    for part in name.split("."):
        if isinstance(found, (list, tuple)) and part.isdigit():
            found = found[int(part)] if int(part) < len(found) else None
        elif part == "weight" and isinstance(found, torch.Tensor):
            return found.T
        else:
            found = getattr(found, part, None)
    if isinstance(found, nn.Linear):
        return found.weight.T
    return found if isinstance(found, torch.Tensor) else None

def tensors_in(value, seen):
    # All tensors that a module keeps, wherever and under whatever names, in their order.
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
    # Return the names of the weights that found a place: that of their name, or the next of their shape.
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
PARAMETERS = """
def parameters(module):
    return dict(module.named_parameters()) if isinstance(module, nn.Module) else None
"""
STAND_INS = """
class Layers(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

class Matrices(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

def pair(weights):
    (d_out, d_in), dtype = weights["W_query.weight"].shape, weights["W_query.weight"].dtype
    source, target = Layers(d_in, d_out).to(dtype), Matrices(d_in, d_out).to(dtype)
    source.load_state_dict(weights)
    return source, target

def turned(weights):
    source, target = pair(weights)
    turned_source = nn.Module()
    for name in ("W_value", "W_query", "W_key"):
        turned_source.register_module(name, getattr(source, name))
    return turned_source, target

def refused(module):
    # The names of parameters that an optimizer refuses: frozen ones, and those computed from others.
    return [name for name, p in module.named_parameters() if not (p.is_leaf and p.requires_grad)]

def overwrite(module):
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(1)
"""


@dataclass(frozen=True)
class Kind:
    """One of the three classes: its name and its layers, queries, keys and values."""

    name: str
    layers: tuple[str, str, str]
    linear: bool = True
    square: bool = False

    @property
    def argument(self):
        """Return the name of forward's argument for the tokens."""
        return "token_encodings" if self.square else "x"

    def make(self, side, d_in, d_out, *more):
        """Return a new module of `side`, the student or the reference; a square one takes only d_out."""
        sizes = (d_out,) if self.square else (d_in, d_out)
        return getattr(side, self.name)(*sizes, *more)

    def shapes(self, d_in, d_out, bias=False):
        """Return the shape of each parameter by name."""
        d_in = d_out if self.square else d_in
        if not self.linear:
            return dict.fromkeys(self.layers, (d_in, d_out))
        weights = {f"{layer}.weight": (d_out, d_in) for layer in self.layers}
        return weights | {f"{layer}.bias": (d_out,) for layer in self.layers if bias}

    def weights(self, d_in, d_out, *, bias=False, dtype=torch.float32):
        """Return parameters large enough that every slip shows."""
        shapes = self.shapes(d_in, d_out, bias)
        return {name: torch.randn(shape, dtype=dtype) for name, shape in shapes.items()}

    def tokens(self, n, d_in, d_out, dtype=torch.float32):
        """Return n random tokens."""
        return torch.randn(n, d_out if self.square else d_in, dtype=dtype)

    def attend(self, weights, x):
        """Return the module's right output, computed by the library's own function."""
        return scaled_dot_product_attention(
            *(self._project(weights, layer, x) for layer in self.layers)
        )

    def value(self, weights, x):
        """Return the values alone."""
        return self._project(weights, self.layers[2], x)

    def _project(self, weights, layer, x):
        if not self.linear:
            return x @ weights[layer]
        return linear(x, weights[f"{layer}.weight"], weights.get(f"{layer}.bias"))


V1 = Kind("SelfAttention_v1", ("W_query", "W_key", "W_value"), linear=False)
V2 = Kind("SelfAttention_v2", ("W_query", "W_key", "W_value"))
SQUARE = Kind("SelfAttention", ("W_q", "W_k", "W_v"), square=True)


def each_class(**how):
    """Run a test for each of the three classes, as a test of that question."""
    marked = [
        pytest.param(kind, marks=question(kind.name, **how), id=kind.name)
        for kind in (V1, V2, SQUARE)
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


def expect_no_others(actual, shapes):
    """Expect no parameters but these."""
    surplus = ", ".join(sorted(set(actual) - set(shapes)))
    expect(
        not surplus, f"The module has parameters that were not asked for: {surplus}."
    )


def numbers(actual, expected):
    """Return a result in the form of `expected`, if it has as many numbers."""
    tensor = expect_tensor(actual)
    if tensor.numel() == expected.numel():
        tensor = tensor.to(expected.dtype).reshape(expected.shape)
    return expect_tensor(tensor, expected.shape)


def expect_numbers(actual, expected, **how):
    """Expect the values of `expected`, in whatever shape and dtype."""
    expect_close(numbers(actual, expected), expected, **how)


@precondition()
def alive(kind, module, x, size):
    """Return what `inspect` sees, and the output; this must depend on two of the parameters at least."""
    weight = torch.randn(len(x), size, dtype=x.dtype)
    seen = module.inspect(x, weight=weight)
    output = expect_finite(numbers(seen.output, weight)).detach()
    gradients = seen.parameters.values()
    count = sum(gradient is not None and bool(gradient.any()) for gradient in gradients)
    fault = f"Gradients reach {count} of the parameters."
    message = f"{fault} Are all used, or is the result cut off from them?"
    expect(count > 1 or not gradients, message)
    return seen, output


def load(student, module, weights):
    """Give a module these parameters, and return it.

    They go wherever the module keeps them: one test alone looks at names and registration.
    """
    taken = student.define(LOAD, "load")(module, weights, {})
    expect(isinstance(taken, list), "The class must be an nn.Module.")
    for name, weight in weights.items():
        fault = f'The module has no parameter "{name}" of shape {tuple(weight.shape)}.'
        expect(name in taken, fault)
    return module


def expect_no_seed(student, make, x):
    """Expect that random numbers go on being random after a module was made and called."""
    numbers = []
    for seed in torch.randperm(1000)[:2].tolist():
        student.seed(seed)
        make()(x)
        numbers.append(student.torch.rand(4))
    message = (
        "After your class was made and called, random numbers are the same whatever the seed was before. "
        "Whoever uses the class sets the seed, not the class."
    )
    expect(not torch.equal(*numbers), message)


def attempted(kind, module):
    """Return a module; where the stub already has the layers, call it, which a stub cannot be."""
    if kind.square:
        module(kind.tokens(4, 5, 3))
    return module


@each_class()
def test_parameters(student, kind):
    """Its parameters have the right names and shapes, and all of them can learn."""
    module = attempted(kind, kind.make(student, 5, 3))
    actual, shapes = parameters(student, module), kind.shapes(5, 3)
    expect_parameters(actual, shapes)
    expect_no_others(actual, shapes)


@each_class()
def test_form(student, kind):
    """The output has d_out features for each token, in the dtype of the tokens."""
    module = kind.make(student, 6, 4)
    for n in (5, 1):
        output = expect_tensor(module(kind.tokens(n, 6, 4)), (n, 4), torch.float32)
        expect(bool(expect_finite(output).any()), "The output is 0 everywhere.")


@each_class()
def test_seeded_start(student, reference, kind):
    """With a seed, it starts with the same numbers as in the course."""
    hint = "A seed fixes the numbers only together with how, and in which order, they are drawn."
    for more in ((), (True,)) if kind is V2 else ((),):
        seed = draw(1, 9999)
        for side in (student, reference):
            side.seed(seed)
        module = attempted(kind, kind.make(student, 5, 3, *more))
        expected = parameters(reference, kind.make(reference, 5, 3, *more))
        actual = student.define(LOAD, "read")(module, list(expected))
        for name, right in expected.items():
            tensor = expect_tensor(actual.get(name), name=name)
            expect_close(tensor.detach(), right.detach(), hint=hint, name=name)


@each_class(basic=True)
@pytest.mark.parametrize(("n", "d_in", "d_out"), [(3, 2, 3), (7, 5, 3), (4, 3, 6)])
def test_values(student, kind, n, d_in, d_out):
    """With given weights, the output is the scaled attention of queries, keys and values."""
    weights, x = kind.weights(d_in, d_out), kind.tokens(n, d_in, d_out)
    actual = load(student, kind.make(student, d_in, d_out), weights)(x)
    hint = (
        "Row i is the sum of the values, weighted by the softmax of query i's "
        "scores over the root of d_out."
    )
    expect_numbers(actual, kind.attend(weights, x), atol=5e-5, hint=hint)


@each_class(basic=True)
def test_square(student, kind):
    """It is right when a token has as many numbers as there are tokens, where wrong products fit too."""
    weights, x = kind.weights(4, 4), kind.tokens(4, 4, 4)
    actual = load(student, kind.make(student, 4, 4), weights)(x)
    expect_numbers(
        actual,
        kind.attend(weights, x),
        atol=5e-5,
        hint="Which rows meet which columns in your products?",
    )


@each_class()
def test_single_token(student, kind):
    """A single token gets its own value."""
    weights, x = kind.weights(6, 4), kind.tokens(1, 6, 4)
    actual = load(student, kind.make(student, 6, 4), weights)(x)
    expect_numbers(
        actual,
        kind.value(weights, x),
        atol=1e-3,
        hint="With one token, its weight must be 1.",
    )


@each_class()
def test_gradients(student, reference, kind):
    """Gradients reach the tokens and every parameter."""
    weights, x, out = (
        kind.weights(6, 4),
        kind.tokens(5, 6, 4).requires_grad_(),
        torch.randn(5, 4),
    )
    actual = load(student, kind.make(student, 6, 4), weights).inspect(x, weight=out)
    expected = load(reference, kind.make(reference, 6, 4), weights).inspect(
        x, weight=out
    )
    expect_gradient(actual, expected.gradients, atol=1e-4, names=(kind.argument,))
    registered = actual.parameters.keys() & expected.parameters.keys()
    for name in sorted(registered):  # one test alone looks at the registration
        gradient, right = actual.parameters[name], expected.parameters[name]
        expect(
            gradient is not None,
            f"No gradient reaches {name}. Is it used, or is the result cut off?",
        )
        expect_close(
            gradient, right, atol=1e-4, rtol=1e-4, name=f"The gradient of {name}"
        )


@each_class()
def test_round_trip(student, kind):
    """Saved and loaded into another module, it computes the same, at each call."""
    first, second = kind.make(student, 6, 4), kind.make(student, 6, 4)
    x = kind.tokens(5, 6, 4)
    _, expected = alive(kind, first, x, 4)
    second.load_state_dict(first.state_dict())
    for _ in range(2):
        hint = "Does state_dict hold all numbers that forward uses?"
        expect_numbers(second(x), expected, hint=hint)


@each_class(needs_results=True)
def test_sets_no_seed(student, kind):
    """Random numbers stay random: the class sets no seed."""
    expect_no_seed(student, lambda: kind.make(student, 6, 4), kind.tokens(5, 6, 4))


@each_class()
def test_float64(student, kind):
    """With float64 parameters and tokens, the output is float64 and as precise."""
    weights = kind.weights(6, 3, dtype=torch.float64)
    x = kind.tokens(5, 6, 3, dtype=torch.float64)
    actual = load(student, kind.make(student, 6, 3).double(), weights)(x)
    actual = expect_tensor(actual, dtype=torch.float64)
    hint = "Is anything computed in float32, such as the root?"
    expect_numbers(actual, kind.attend(weights, x), hint=hint)


PRINTED = {  # what the lesson prints results for: a sentence for two classes, encodings for the third
    False: [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64]]
    + [[0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]],
    True: [[1.16, 0.23], [0.57, 1.36], [4.41, -2.16]],
}


@each_class()
def test_lesson_s_tokens(student, kind):
    """The lesson's own tokens, too, get what the weights make of them."""
    x = torch.tensor(PRINTED[kind.square])
    weights = kind.weights(x.shape[1], 2)
    actual = load(student, kind.make(student, x.shape[1], 2), weights)(x)
    hint = "Other weights give another result, for these tokens as for any."
    expect_numbers(actual, kind.attend(weights, x), atol=1e-3, hint=hint)


@each_class()
def test_large_scores(student, kind):
    """Large scores do not overflow."""
    weights, x = kind.weights(6, 4), kind.tokens(5, 6, 4)
    query = next(iter(weights))
    weights[query] *= 1000  # so that each token looks at one, whatever the scale
    actual = load(student, kind.make(student, 6, 4), weights)(x)
    expect_numbers(actual, kind.attend(weights, x), atol=1e-3)


@each_class(needs_results=True)
def test_leaves_tokens(student, kind):
    """The tokens stay as they were."""
    x = kind.tokens(5, 6, 4)
    module = load(student, kind.make(student, 6, 4), kind.weights(6, 4))
    seen, _ = alive(kind, module, x, 4)
    expect_unchanged(seen, x, names=(kind.argument,))


@question("SelfAttention_v2")
def test_bias_parameters(student):
    """With qkv_bias each layer has a bias, without it none."""
    expect_parameters(
        parameters(student, student.SelfAttention_v2(5, 3, True)),
        V2.shapes(5, 3, bias=True),
    )
    without = parameters(student, student.SelfAttention_v2(5, 3, False))
    expect_parameters(without, V2.shapes(5, 3))
    biases = ", ".join(
        f"{layer}.bias" for layer in V2.layers if f"{layer}.bias" in without
    )
    expect(
        not biases, f"With qkv_bias=False there must be no bias, but there is {biases}."
    )


@question("SelfAttention_v2", basic=True)
def test_bias_values(student):
    """With qkv_bias the biases take part."""
    weights, x = V2.weights(5, 3, bias=True), torch.randn(7, 5)
    for module in (
        student.SelfAttention_v2(5, 3, True),
        student.SelfAttention_v2(d_in=5, d_out=3, qkv_bias=True),
    ):
        actual = load(student, module, weights)(x)
        hint = "Do queries, keys and values all go through their bias?"
        expect_numbers(actual, V2.attend(weights, x), atol=5e-5, hint=hint)


@question("SelfAttention")
def test_names_and_defaults(student):
    """Sizes may be given by name; by default tokens have two numbers, and each row is a token."""
    named = student.SelfAttention(d_model=3, row_dim=0, col_dim=1)
    for module, size in ((student.SelfAttention(), 2), (named, 3)):
        weights, x = SQUARE.weights(size, size), 2 * torch.randn(4, size)
        actual = load(student, module, weights)(x)
        expect_numbers(actual, SQUARE.attend(weights, x), atol=1e-4)


def pair(student, d_in, d_out, dtype=torch.float32):
    """Return a source with random weights, a target, and the weights."""
    weights = V2.weights(d_in, d_out, dtype=dtype)
    source, target = student.define(STAND_INS, "pair")(weights)
    return source, target, weights


def copied(student, target, weights, layers=V1.layers, hint=""):
    """Return which of these layers the target holds, transposed or not; there must be one."""
    held = parameters(student, target)
    found = {}
    for layer in layers:
        right, actual = weights[f"{layer}.weight"], held.get(layer)
        fits = actual is not None and actual.numel() == right.numel()
        if fits and torch.equal(
            *(x.detach().flatten().sort()[0] for x in (actual, right))
        ):
            found[layer] = actual.detach()
    fault = f"The target does not hold the numbers of {' or '.join(layers)}."
    expect(bool(found), f"{fault} {hint}".strip())
    return found


def expect_transposed(actual, weights, layer):
    hint = f"x @ {layer} must be what the layer {layer} of the source makes of x."
    right = weights[f"{layer}.weight"].T
    actual = actual.to(right.dtype)
    expect_equal(actual, right, hint=hint, name=f"{layer} of the target")


@question("copy_weights", basic=True)
@pytest.mark.parametrize("layer", V1.layers)
def test_copies(student, layer):
    """The target computes the source's queries, keys and values."""
    for d_in, d_out in ((5, 3), (2, 6)):
        source, target, weights = pair(student, d_in, d_out)
        student.copy_weights(source, target)
        found = copied(student, target, weights, [layer])
        expect_transposed(found[layer], weights, layer)


@question("copy_weights", basic=True)
def test_copies_square_matrices(student):
    """It is right for square matrices too, where a missing step gives no error."""
    source, target, weights = pair(student, 4, 4)
    student.copy_weights(source, target)
    for layer, actual in copied(student, target, weights).items():
        expect_transposed(actual, weights, layer)


@question("copy_weights")
def test_returns_the_target(student):
    """The result is the target itself."""
    source, target, weights = pair(student, 5, 3)
    result = student.copy_weights(source, target)
    expect(result is not None, "The function returns nothing.")
    parameters(student, result)
    student.define(STAND_INS, "overwrite")(result)
    changed = {name: weight + 1 for name, weight in weights.items()}
    hint = "The result must be the very object that was given as target, not another."
    copied(student, target, changed, hint=hint)


@question("copy_weights")
def test_leaves_the_source(student):
    """The target gets the weights, and the source stays as it was."""
    source, target, weights = pair(student, 5, 3)
    student.copy_weights(source, target)
    expect_source(student, source, weights, "Does the source keep its own numbers?")
    copied(student, target, weights)


def expect_source(student, source, weights, hint):
    """Expect the source to hold these weights, as parameters that can learn."""
    actual = parameters(student, source)
    expect_parameters(actual, V2.shapes(5, 3))
    for name, before in weights.items():
        name_of = f"{name} of the source"
        expect_equal(actual[name].detach(), before, hint=hint, name=name_of)


@question("copy_weights")
def test_target_can_learn(student):
    """The target's parameters can be trained afterwards."""
    source, target, weights = pair(student, 5, 3)
    student.copy_weights(source, target)
    copied(student, target, weights)
    fault = "The target's parameters can no longer be trained. Are they frozen, or computed from others?"
    expect(student.define(STAND_INS, "refused")(target) == [], fault)


@question("copy_weights")
def test_numbers_of_its_own(student):
    """Changing the target afterwards changes nothing in the source."""
    source, target, weights = pair(student, 5, 3)
    student.copy_weights(source, target)
    copied(student, target, weights)
    student.define(STAND_INS, "overwrite")(target)
    hint = "The target was changed, and the source with it. Do both keep their numbers in one place?"
    expect_source(student, source, weights, hint)


@question("copy_weights")
def test_copies_keep_their_dtype(student):
    """float32 stays float32, and float64 weights are copied in full precision."""
    for dtype in (torch.float32, torch.float64):
        source, target, weights = pair(student, 5, 3, dtype)
        student.copy_weights(source, target)
        for layer, actual in copied(student, target, weights).items():
            expect_tensor(actual, dtype=dtype, name=f"{layer} of the target")


@question("copy_weights")
def test_copies_by_name(student):
    """Layers go by their names, in whatever order the source has made them."""
    weights = V2.weights(4, 3)
    source, target = student.define(STAND_INS, "turned")(weights)
    student.copy_weights(source, target)
    found = copied(student, target, weights)
    hint = "Do layers find their partners by name, or by the order they were made in?"
    expect(len(found) == 3, f"The target holds {', '.join(found)} alone. {hint}")
