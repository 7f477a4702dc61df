"""Hidden tests of 05: results with given weights, parameters and gradients of modules, and copied weights.

Numbers are compared in any shape and dtype: one test of each class checks shape and dtype. Tests also set the
weights of layers that are not registered, so such a module fails only the tests of registration.
Most tests of `copy_weights` check only the layers that it copied, and fail if it copied none.
"""

from dataclasses import dataclass

import pytest
import torch
from shared_tests import expect_no_seed, expect_parameters, parameters
from torch.nn.functional import linear, scaled_dot_product_attention

from autograder.testing import (
    draw,
    expect,
    expect_close,
    expect_equal,
    expect_gradient,
    expect_numbers,
    expect_tensor,
    expect_unchanged,
    question,
)

LOAD = """
def kept_tensors(part, path=""):
    # Yield the path and the tensor of each parameter of a module, and of tensors in its lists and dicts.
    if isinstance(part, torch.Tensor):
        yield path, part
    elif isinstance(part, nn.Module):
        plain = {key: value for key, value in vars(part).items() if not key.startswith("_")}
        for attributes in (part._parameters, part._buffers, part._modules, plain):
            yield from kept_tensors(attributes, path)
    elif isinstance(part, (dict, list, tuple)):
        for key, value in part.items() if isinstance(part, dict) else enumerate(part):
            yield from kept_tensors(value, f"{path}.{key}")

def letter(path):
    # Return the last of the letters q, k and v in the name of a layer.
    return "".join(c for c in path.lower() if c in "qkv")[-1:]

def places(module, names, dimensions):
    # Return the tensors that the module keeps for queries, keys and values, by these names.
    tensors = [(path, part) for path, part in kept_tensors(module) if part.dim() == dimensions]
    by_name = {name: part for path, part in tensors for name in names if path.endswith(f".{name}")}
    by_letter = {letter(path): part for path, part in tensors}
    if len(by_name) == len(names):
        return by_name
    if len(tensors) == len(names) == len(by_letter) and "" not in by_letter:
        return {name: by_letter[letter(name)] for name in names}
    if len(tensors) == len(names):
        return dict(zip(names, (part for _, part in tensors)))
    if len(tensors) == 1:  # queries, keys and values in one: the longer dimension holds all three
        part = tensors[0][1]
        return dict(zip(names, part.chunk(3, dim=int(part.dim() > 1 and part.shape[1] > part.shape[0]))))
    return by_name

def write(part, weight):
    if part.shape != weight.shape:
        weight = weight.mT if weight.dim() > 1 else weight
    if part.shape == weight.shape:
        part.copy_(weight)

def fill_later(module, weights):
    # Fill the layers that forward makes, in the order of their calls.
    def begin(*_):
        left = list(dict.fromkeys(name.removesuffix(".weight").removesuffix(".bias") for name in weights))
        def fill(layer, *_):
            if isinstance(layer, nn.Linear) and left:
                name = left.pop(0)
                with torch.no_grad():
                    write(layer.weight, weights.get(f"{name}.weight", weights.get(name)))
                    if layer.bias is not None and f"{name}.bias" in weights:
                        write(layer.bias, weights[f"{name}.bias"])
        hooks.append(nn.modules.module.register_module_forward_pre_hook(fill))
    hooks = []
    module.register_forward_pre_hook(begin)
    module.register_forward_hook(lambda *_: hooks.pop().remove(), always_call=True)

def load(module, weights):
    # Write these weights wherever the module keeps its parameters, which get the dtype of the weights.
    dtype = next(iter(weights.values())).dtype
    if isinstance(module, nn.Module):
        module.to(dtype)
    for _, part in kept_tensors(module):
        if part.dim() and part.is_floating_point():
            part.data = part.data.to(dtype)
    with torch.no_grad():
        for dimensions in (2, 1):
            names = [name for name, weight in weights.items() if weight.dim() == dimensions]
            for name, part in places(module, names, dimensions).items() if names else ():
                write(part, weights[name])
    if isinstance(module, nn.Module) and not any(part.dim() == 2 for _, part in kept_tensors(module)):
        fill_later(module, weights)

def weights_of(module, names):
    return {name: part.detach() for name, part in places(module, names, 2).items()}
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

def reordered(weights):
    source, target = pair(weights)
    reordered_source = nn.Module()
    for name in ("W_value", "W_query", "W_key"):
        reordered_source.register_module(name, getattr(source, name))
    return reordered_source, target

def untrainable(module):
    # Return the names of parameters that are frozen or the result of a recorded operation.
    return [name for name, p in module.named_parameters() if not (p.is_leaf and p.requires_grad)]

def overwrite(module):
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(1)
"""


@dataclass(frozen=True)
class Kind:
    """One of the three classes: its name, and the names of its layers for queries, keys and values."""

    name: str
    layers: tuple[str, str, str]
    linear: bool = True
    square: bool = False

    @property
    def argument(self):
        """Return the name of forward's argument for the tokens."""
        return "token_encodings" if self.square else "x"

    def make(self, side, d_in, d_out, *more):
        """Return a new module of `side`, the student or the reference. SelfAttention takes only d_out."""
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
        """Return large random parameters, so that every mistake changes the result."""
        shapes = self.shapes(d_in, d_out, bias)
        return {name: torch.randn(shape, dtype=dtype) for name, shape in shapes.items()}

    def tokens(self, n, d_in, d_out, dtype=torch.float32):
        """Return n random tokens."""
        return torch.randn(n, d_out if self.square else d_in, dtype=dtype)

    def attend(self, weights, x):
        """Return the right output, computed by torch's scaled_dot_product_attention."""
        return scaled_dot_product_attention(
            *(self._project(weights, layer, x) for layer in self.layers)
        )

    def value(self, weights, x):
        """Return the values, without attention."""
        return self._project(weights, self.layers[2], x)

    def _project(self, weights, layer, x):
        if not self.linear:
            return x @ weights[layer]
        return linear(x, weights[f"{layer}.weight"], weights.get(f"{layer}.bias"))


V1 = Kind("SelfAttention_v1", ("W_query", "W_key", "W_value"), linear=False)
V2 = Kind("SelfAttention_v2", ("W_query", "W_key", "W_value"))
SQUARE = Kind("SelfAttention", ("W_q", "W_k", "W_v"), square=True)


def each_class(*, given=False, **how):
    """Run a test once for each of the three classes, as a test of the question with this name.

    `given` marks a test that the stub of SelfAttention passes. For SelfAttention, it needs right results.
    """
    marked = []
    for kind in (V1, V2, SQUARE):
        more = {"needs_results": True} if given and kind.square else how
        mark = question(kind.name, **more)
        marked.append(pytest.param(kind, marks=mark, id=kind.name))
    return pytest.mark.parametrize("kind", marked)


def expect_no_others(actual, shapes):
    """Expect no parameters except those in `shapes`."""
    surplus = ", ".join(sorted(set(actual) - set(shapes)))
    expect(
        not surplus, f"The module has parameters that were not asked for: {surplus}."
    )


def load(student, module, weights):
    """Write `weights` into a module's layers, registered or not. Other parameters stay unchanged."""
    student.define(LOAD, "load")(module, weights)
    return module


@each_class(given=True)
def test_parameters(student, kind):
    """The parameters have the right names and shapes, and can be trained."""
    for bias in (False, True) if kind == V2 else (False,):
        options = (bias,) if kind == V2 else ()
        actual = parameters(student, kind.make(student, 5, 3, *options))
        shapes = kind.shapes(5, 3, bias)
        expect_parameters(actual, shapes)
        expect_no_others(actual, shapes)


@each_class(needs_results=True)
def test_shape_and_dtype(student, kind):
    """The output has d_out features for each token, in the dtype of the tokens."""
    for n in (5, 1):
        output = kind.make(student, 6, 4)(kind.tokens(n, 6, 4))
        expect_tensor(output, (n, 4), torch.float32)


@each_class(given=True)
def test_seeded_start(student, reference, kind):
    """With a given seed, the parameters start as in the course; the class sets no seed."""
    hint = "Are the numbers drawn by the right function, and in the right order?"
    for options in ((), (True,)) if kind == V2 else ((),):
        seed, names = draw(1, 9999), list(kind.shapes(5, 3))
        weights = []
        for side in (student, reference):
            side.seed(seed)
            module = kind.make(side, 5, 3, *options)
            weights.append(side.define(LOAD, "weights_of")(module, names))
        actual, expected = weights
        for name, right in expected.items():
            expect(name in actual, f"The module stores no tensor with the name {name}.")
            expect_close(actual[name], right, hint=hint, name=name)
    expect_no_seed(student, lambda: kind.make(student, 6, 4), kind.tokens(5, 6, 4))


@each_class(basic=True)
@pytest.mark.parametrize(
    ("n", "d_in", "d_out"), [(3, 2, 3), (7, 5, 3), (4, 3, 6), (4, 4, 3)]
)
def test_values(student, kind, n, d_in, d_out):
    """With given weights, the output is the scaled attention of queries, keys and values."""
    d_out = (
        4 if kind.square and n == d_in else d_out
    )  # square sizes, where the shapes of wrong products also fit
    weights, x = kind.weights(d_in, d_out), kind.tokens(n, d_in, d_out)
    actual = load(student, kind.make(student, d_in, d_out), weights)(x)
    hint = (
        "Row i is a weighted sum of the values. Its weights are "
        "softmax(scores of query i / sqrt(d_out))."
    )
    expect_numbers(actual, kind.attend(weights, x), atol=5e-5, hint=hint)


@each_class()
def test_single_token(student, kind):
    """The output for a single token is its value."""
    weights, x = kind.weights(6, 4), kind.tokens(1, 6, 4)
    actual = load(student, kind.make(student, 6, 4), weights)(x)
    expect_numbers(
        actual,
        kind.value(weights, x),
        hint="If there is only one token, its weight must be 1.",
    )


@each_class()
def test_gradients(student, reference, kind):
    """Gradients reach the tokens and all parameters of the module."""
    weights, out = kind.weights(6, 4), torch.randn(5, 4)
    x = kind.tokens(5, 6, 4).requires_grad_()
    actual, expected = (
        load(side, kind.make(side, 6, 4), weights).inspect(x, weight=out)
        for side in (student, reference)
    )
    expect_gradient(
        actual, expected=expected.gradients, atol=1e-4, names=(kind.argument,)
    )
    for name, gradient in actual.parameters.items():
        expect(
            gradient is not None,
            f"No gradient reaches {name}. Is it used, or is the result detached?",
        )
        right = expected.parameters.get(name, gradient)
        if right.shape == gradient.shape:  # other tests check names and shapes
            of = f"The gradient of {name}"
            expect_close(gradient, right, atol=1e-4, rtol=1e-4, name=of)


@each_class(needs_results=True)
def test_round_trip(student, kind):
    """A second module that loads the state_dict of the first gives the same output."""
    first, second = kind.make(student, 6, 4), kind.make(student, 6, 4)
    x = kind.tokens(5, 6, 4)
    output = expect_tensor(first(x)).detach()
    second.load_state_dict(first.state_dict())
    hint = "Does state_dict contain all tensors that forward uses?"
    expect_numbers(second(x), output, hint=hint)


@each_class()
def test_float64(student, kind):
    """With float64 parameters and tokens, the output has the dtype and the precision of float64."""
    weights = kind.weights(6, 3, dtype=torch.float64)
    x = kind.tokens(5, 6, 3, dtype=torch.float64)
    actual = load(student, kind.make(student, 6, 3), weights)(x)
    hint = (
        "float64 has 15 digits. Is a step of your code, such as the root, in float32?"
    )
    expect_numbers(actual, kind.attend(weights, x), hint=hint)
    if isinstance(actual, torch.Tensor):  # other tests check the type
        expect_tensor(actual, dtype=torch.float64)


PRINTED = {  # tokens whose results the lesson prints, by `Kind.square`
    False: [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64]]
    + [[0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]],
    True: [[1.16, 0.23], [0.57, 1.36], [4.41, -2.16]],
}


@each_class()
def test_lesson_s_tokens(student, kind):
    """For the lesson's tokens, too, the result is computed from the weights."""
    x = torch.tensor(PRINTED[kind.square])
    weights = kind.weights(x.shape[1], 2)
    actual = load(student, kind.make(student, x.shape[1], 2), weights)(x)
    hint = "If the weights change, the result for these tokens must change, too."
    expect_numbers(actual, kind.attend(weights, x), hint=hint)


@each_class()
def test_large_scores(student, kind):
    """Large scores do not overflow."""
    weights, x = kind.weights(6, 4), kind.tokens(5, 6, 4)
    query = next(iter(weights))
    # Each token attends to a single token, whether scores are scaled or not.
    weights[query] *= 1e5
    actual = load(student, kind.make(student, 6, 4), weights)(x)
    expect_numbers(actual, kind.attend(weights, x), atol=1e-3)


@each_class(needs_results=True)
def test_leaves_tokens(student, kind):
    """The tokens stay as they were, and a second call gives the same output."""
    x, module = kind.tokens(5, 6, 4), kind.make(student, 6, 4)
    load(student, module, kind.weights(6, 4))
    seen = module.inspect(x)
    expect_unchanged(seen, x, names=(kind.argument,))
    output = expect_tensor(seen.output).detach()
    hint = "Does forward keep a result from an earlier call?"
    expect_numbers(module(x), output, hint=hint)


@question("SelfAttention_v2", basic=True)
def test_bias_values(student):
    """With qkv_bias, passed by position or by name, the biases are used."""
    weights, x = V2.weights(5, 3, bias=True), torch.randn(7, 5)
    by_name = student.SelfAttention_v2(d_in=5, d_out=3, qkv_bias=True)
    for module in (student.SelfAttention_v2(5, 3, True), by_name):
        actual = load(student, module, weights)(x)
        expect_numbers(
            actual,
            V2.attend(weights, x),
            atol=5e-5,
            hint="Do queries, keys and values all get their bias?",
        )


@question("SelfAttention", basic=True)
def test_defaults(student):
    """By default, d_model is 2, row_dim is 0 and col_dim is 1; arguments may be passed by name."""
    by_name = student.SelfAttention(d_model=2, row_dim=0, col_dim=1)
    for module in (student.SelfAttention(), by_name):
        weights, x = SQUARE.weights(2, 2), 2 * torch.randn(3, 2)
        actual = load(student, module, weights)(x)
        expect_numbers(actual, SQUARE.attend(weights, x), atol=1e-4)


def pair(student, d_in, d_out, dtype=torch.float32):
    """Return a source with random weights, a target, and the weights."""
    weights = V2.weights(d_in, d_out, dtype=dtype)
    source, target = student.define(STAND_INS, "pair")(weights)
    return source, target, weights


def copied(student, target, weights, layers=V1.layers, hint=""):
    """Return the target's parameters, by layer, that contain the source's numbers. Fail if there are none."""
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
    hint = f"For any x, x @ target.{layer} must equal source.{layer}(x)."
    right = weights[f"{layer}.weight"].T
    actual = actual.to(right.dtype)
    expect_equal(actual, right, hint=hint, name=f"{layer} of the target")


@question("copy_weights", basic=True)
@pytest.mark.parametrize("layer", V1.layers)
def test_copies(student, layer):
    """The target's parameter is the transposed weight of the source's layer with the same name."""
    for d_in, d_out in ((5, 3), (2, 6)):
        source, target, weights = pair(student, d_in, d_out)
        student.copy_weights(source, target)
        found = copied(student, target, weights, [layer])
        expect_transposed(found[layer], weights, layer)


@question("copy_weights", basic=True)
def test_copies_square_matrices(student):
    """Square matrices are transposed, too, although a missing transpose raises no error."""
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
    hint = "The result must be the object that was passed as `target`. Do you return a copy?"
    copied(student, target, changed, hint=hint)


@question("copy_weights")
def test_leaves_the_source(student):
    """The target gets the weights, and the source stays as it was."""
    source, target, weights = pair(student, 5, 3)
    student.copy_weights(source, target)
    expect_source(
        student, source, weights, "Does your function change the numbers of the source?"
    )
    copied(student, target, weights)


def expect_source(student, source, weights, hint):
    """Expect the source to have `weights`, in parameters that can be trained."""
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
    fault = (
        "The target's parameters can no longer be trained. Is requires_grad of a parameter "
        "False, or is a parameter the result of a recorded operation?"
    )
    expect(student.define(STAND_INS, "untrainable")(target) == [], fault)


@question("copy_weights")
def test_numbers_of_its_own(student):
    """Changing the target afterwards changes nothing in the source."""
    source, target, weights = pair(student, 5, 3)
    student.copy_weights(source, target)
    copied(student, target, weights)
    student.define(STAND_INS, "overwrite")(target)
    hint = "When the target was changed, the source changed, too. Do both share their memory?"
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
    """Layers are matched by name, for any order of the layers in the source."""
    weights = V2.weights(4, 3)
    source, target = student.define(STAND_INS, "reordered")(weights)
    student.copy_weights(source, target)
    found = copied(student, target, weights)
    hint = "Do you match layers by name, or by their order in the source?"
    expect(len(found) == 3, f"The target holds only {', '.join(found)}. {hint}")
