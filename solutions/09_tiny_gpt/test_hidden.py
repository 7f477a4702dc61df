"""Hidden tests of 09_tiny_gpt.

Layers may have any names, so a Block is tested by its results, and its weights are identified by their
shapes. A TinyGPT is built with a right Block instead of the student's Block. The tests call `generate` and
`train_step` with their own models. Blocks and models get larger weights first, so that a layer whose weights
start small, or at zero, has a visible effect.

Most tests check a single property, so a mistake fails few tests. Many tests set the attention or the
feed-forward network of a block to zero, use a single token or text, or ignore a result's shape and dtype.
"""

import functools
import math

import torch
from shared_tests import expect_no_seed
from torch.nn import functional as F

from autograder.testing import (
    Unmet,
    expect,
    expect_close,
    expect_equal,
    expect_finite,
    expect_no_nan,
    expect_tensor,
    expect_unchanged,
    question,
)

N_EMBD, HEADS, CONTEXT = 12, 3, 15

BLOCKS = """
def enlarge(block):
    # The seed for a weight depends on its shape and its layer, so the order of the layers makes no
    # difference.
    seen = []
    with torch.no_grad():
        for name, parameter in block.named_parameters():
            if parameter.dim() > 1 or parameter.min() < parameter.max():  # not in a LayerNorm
                layers = ("W_query", "W_key", "W_value", "out_proj")
                role = (*parameter.shape, *(layer in name for layer in layers))
                seed = sum(int(size) * 100**place for place, size in enumerate(role)) + 7 * seen.count(role)
                seen.append(role)
                generator = torch.Generator().manual_seed(seed)
                parameter.copy_(0.6 * torch.randn(parameter.shape, generator=generator))
    return block.double().eval()

def parameters(block):
    return dict(block.named_parameters())

def untracked(block, *arguments):
    with torch.no_grad():
        return block(*arguments), arguments

def silenced(block, names, x):
    # Return the output of the block with these parameters at zero.
    own = {name: parameter for name, parameter in block.named_parameters() if name in names}
    kept = {name: parameter.detach().clone() for name, parameter in own.items()}
    with torch.no_grad():
        for parameter in own.values():
            parameter.zero_()
        output = block(x.clone())
        for name, parameter in own.items():
            parameter.copy_(kept[name])
    return output

def effective(block, x):
    # Return the fraction of the parameters that have an effect on the output.
    found = []
    with torch.no_grad():
        before = block(x.clone())
        for parameter in block.parameters():
            kept = parameter.clone()
            parameter.mul_(1.5).add_(0.1)
            found.append(not torch.equal(block(x.clone()), before))
            parameter.copy_(kept)
    return sum(found) / max(len(found), 1)
"""


def tool(student, name):
    return student.define(BLOCKS, name)


def numbers(actual, expected):
    """Return a result in the shape and dtype of `expected`. It must have as many numbers, and no NaN."""
    tensor = expect_tensor(actual)
    if tensor.numel() == expected.numel():
        tensor = tensor.to(expected.dtype).reshape(expected.shape)
    return expect_no_nan(expect_tensor(tensor, expected.shape))


def large_block(student, *dropout):
    """Return a block in float64 and evaluation mode, with weights so large that each half has an effect."""
    block = student.Block(N_EMBD, HEADS, CONTEXT, *dropout)
    tool(student, "enlarge")(block)
    x = tokens_like(1, 4, N_EMBD)
    expect_tensor(block(x))
    # The attention or the feed-forward network alone has 4 or 5 of the 13 parameters, which is less than 0.4.
    expect(
        tool(student, "effective")(block, x) > 0.4,
        "Most of the block's parameters have no effect. Does forward call all layers?",
    )
    return block


class Halves:
    """A block with large weights. A call can set its attention, its feed-forward network, or both to zero."""

    def __init__(self, student):
        self.block, self.silenced = large_block(student), tool(student, "silenced")
        self.parameters = tool(student, "parameters")(self.block)
        matrices = [name for name, p in self.parameters.items() if p.dim() > 1]
        self.first = self.only("first", (4 * N_EMBD, N_EMBD))
        self.second = self.only("second", (N_EMBD, 4 * N_EMBD))
        self.attention = [n for n in matrices if n not in (self.first, self.second)]
        self.biases = [  # all vectors but the LayerNorms' scales
            name
            for name, p in self.parameters.items()
            if p.dim() == 1 and not torch.equal(p, torch.ones_like(p))
        ]

    def only(self, layer, shape):
        """Return the name of the only parameter of this shape."""
        found = [n for n, p in self.parameters.items() if tuple(p.shape) == shape]
        fault = f"must be one Linear with a weight of shape {shape}, but there are {len(found)}."
        expect(
            len(found) == 1, f"The {layer} layer of the feed-forward network {fault}"
        )
        return found[0]

    def __call__(self, x, *, attends=True, thinks=True):
        """Return the output without biases. The attention and the feed-forward network can be left out."""
        names = [
            *([] if attends else self.attention),
            *([] if thinks else [self.second]),
        ]
        return numbers(self.silenced(self.block, [*names, *self.biases], x), x)

    def added(self, x, half):
        """Return the numbers that this half adds to x if the other half is zero."""
        alone = self(x, attends=half == "attention", thinks=half != "attention")
        added = alone - self(x, attends=False, thinks=False)
        fault = f"If the other half of the block gives zeros, the {half} has no effect."
        expect(bool(added.abs().max() > 0.1), f"{fault} What is its output added to?")
        return added


def tokens_like(*shape):
    return 5 * torch.randn(*shape, dtype=torch.float64) + 3


def one_token():
    return tokens_like(1, 1, N_EMBD)


def norm(x):
    return F.layer_norm(x, x.shape[-1:])


@question("Block")
def test_block_form(student):
    """A block keeps the shape (B, T, n_embd), for every T up to context_length, and the dtype."""
    large_block(student)
    block = student.Block(N_EMBD, HEADS, CONTEXT)
    for batch, length in ((2, 1), (1, 4), (2, CONTEXT)):
        x = torch.randn(batch, length, N_EMBD)
        expect_finite(expect_tensor(block(x), x.shape, x.dtype))
    x = tokens_like(2, 3, N_EMBD)
    expect_tensor(large_block(student)(x), x.shape, x.dtype)


@question("Block", basic=True)
def test_block_passes_its_input_on(student):
    """With all weights at zero, the output of the block is its input."""
    block, x = large_block(student), one_token()
    names = list(tool(student, "parameters")(block))
    hint = "Nothing may act on the residual path: the output of each half is added to its unchanged input."
    silent = numbers(tool(student, "silenced")(block, names, x), x)
    expect_close(silent, x, atol=1e-3, hint=hint)


@question("Block")
def test_block_drops_nothing_on_the_residual_path(student):
    """With all weights at zero, the output of the block is its input, also in training."""
    block, x = large_block(student, 0.5), one_token()
    names = list(tool(student, "parameters")(block))
    block.train()
    hint = "Dropout may act within a half, but not on the sum of the half's input and output."
    expect_close(numbers(tool(student, "silenced")(block, names, x), x), x, hint=hint)


@question("Block", basic=True)
def test_block_is_causal(student):
    """A row of the output depends on the first token, but not on tokens after its own."""
    block, x = large_block(student), tokens_like(1, 8, N_EMBD)
    before = numbers(block(x), x)
    for place in (1, 4, 7):
        changed = torch.cat([x[:, :place], tokens_like(1, 8 - place, N_EMBD)], dim=1)
        after = numbers(block(changed), x)[:, :place]
        hint = "Which tokens may an earlier row depend on?"
        expect_close(after, before[:, :place], hint=hint)
    changed = torch.cat([tokens_like(1, 1, N_EMBD), x[:, 1:]], dim=1)
    expect(
        not torch.equal(numbers(block(changed), x)[:, -1], before[:, -1]),
        "The last row does not depend on the first token. Is the attention's result used?",
    )


@question("Block", basic=True)
def test_block_keeps_sequences_apart(student):
    """The output for a sequence does not depend on other sequences of the batch."""
    block, x = large_block(student), tokens_like(3, 6, N_EMBD)
    together = numbers(block(x), x)
    alone = numbers(block(x[1:2]), x[1:2])
    expect_close(alone, together[1:2], hint="Which dimension does each layer act on?")


@question("Block", needs_results=True)
def test_block_leaves_its_input_alone(student):
    """The block leaves its input as it was."""
    x = tokens_like(1, 6, N_EMBD)
    _, (after,) = tool(student, "untracked")(large_block(student), x)
    message = "The block writes into its input. x += ... changes x in place; x = x + ... does not."
    expect(torch.equal(expect_tensor(after, x.shape, x.dtype, "The input"), x), message)


@question("Block", basic=True)
def test_block_normalises_before_attention(student):
    """The attention gets normalised tokens: larger or shifted tokens give the same result."""
    halves, x = Halves(student), one_token()
    added = halves.added(x, "attention")
    for other in (20 * x, x + 50):
        hint = "Does the attention get x itself, or the normalised tokens?"
        expect_close(halves.added(other, "attention"), added, atol=1e-3, hint=hint)


@question("Block", basic=True)
def test_block_adds_attention(student):
    """The first half adds attention(norm(x)), from the given MultiHeadAttention."""
    halves, x = Halves(student), tokens_like(1, 6, N_EMBD)
    added = halves.added(x, "attention")
    ends = [f"{layer}.weight" for layer in ("W_query", "W_key", "W_value", "out_proj")]
    matrices = [
        p for end in ends for n, p in halves.parameters.items() if n.endswith(end)
    ]
    if len(matrices) == 4:  # attention with other matrices is left to the other tests
        expect_close(added, attention(norm(x), *matrices), atol=1e-3)


def attention(x, *matrices):
    """Causal multi-head attention without biases."""
    parts = (
        (x @ matrix.T).unflatten(-1, (HEADS, -1)).transpose(1, 2)
        for matrix in matrices[:3]
    )
    mixed = F.scaled_dot_product_attention(*parts, is_causal=True)
    return mixed.transpose(1, 2).flatten(-2) @ matrices[3].T


ACTIVATIONS = (F.gelu, functools.partial(F.gelu, approximate="tanh"), F.relu)
OTHERS = (F.silu, F.elu, F.leaky_relu, F.softplus, torch.tanh, torch.sigmoid)


def expect_feed_forward(student, activations, fault):
    """Expect the second half to add Linear(activation(Linear(norm(h)))), with one of these activations."""
    halves, x = Halves(student), one_token()
    added = halves.added(x, "feed-forward network")
    first, second = (halves.parameters[n] for n in (halves.first, halves.second))
    wide = norm(x) @ first.T
    rights = (activation(wide) @ second.T for activation in activations)
    expect(
        any(torch.allclose(added, right, atol=1e-3, rtol=0) for right in rights), fault
    )


@question("Block", basic=True)
def test_block_adds_feed_forward(student):
    """The second half adds feed_forward(norm(h)), with an activation between its Linear layers."""
    fault = "The second half adds something other than Linear(activation(Linear(norm(h)))) to h."
    hint = "What is the input of the feed-forward network? Is there an activation between its Linear layers?"
    expect_feed_forward(student, ACTIVATIONS + OTHERS, f"{fault} {hint}")


@question("Block")
def test_block_activation(student):
    """The activation between the Linear layers is GELU or ReLU."""
    fault = "The feed-forward part of the block must add Linear(activation(Linear(norm(h))))."
    expect_feed_forward(
        student, ACTIVATIONS, f"{fault} Which activation is between the layers?"
    )


@question("Block", basic=True)
def test_block_halves_follow_each_other(student):
    """The second half uses h, the result of the first half, as its input and on its residual path."""
    halves, x = Halves(student), one_token()
    one_by_one = halves(halves(x, thinks=False), attends=False)
    hint = "The second half needs h twice: as its input and in the sum. Do you use x in one of these places?"
    expect_close(halves(x), one_by_one, atol=1e-3, hint=hint)


@question("Block")
def test_block_has_two_norms(student):
    """Each half has its own LayerNorm."""
    parameters = tool(student, "parameters")(large_block(student))
    scales = [
        p
        for p in parameters.values()
        if torch.equal(p, torch.ones_like(p)) and len(p) == N_EMBD
    ]
    expect(
        len(scales) != 1,
        "One LayerNorm serves both halves; each needs its own, to learn its own scale.",
    )


@question("Block")
def test_block_learns_everywhere(student):
    """A gradient reaches every parameter of the block, and the block's input."""
    large_block(student)
    block = student.Block(N_EMBD, HEADS, CONTEXT)
    x = torch.randn(1, 5, N_EMBD, requires_grad=True)
    inspection = block.inspect(x, weight=torch.randn(1, 5, N_EMBD))
    for name, gradient in inspection.parameters.items():
        expect(
            gradient is not None, f"No gradient reaches {name}. Does forward use it?"
        )
    expect(
        inspection.gradients.get(0) is not None,
        "No gradient reaches the input. Which step detaches it?",
    )


@question("Block", needs_results=True)
def test_block_sets_no_seed(student):
    """The class sets no seed."""
    make = lambda: student.Block(N_EMBD, HEADS, CONTEXT)  # noqa: E731
    expect_no_seed(student, make, torch.randn(1, 5, N_EMBD))


@question("Block")
def test_block_drops_in_training_only(student):
    """Dropout acts only in training, and its rate is 0 by default."""
    x = tokens_like(1, 6, N_EMBD)

    def twice(block):
        return [numbers(block(x), x) for _ in range(2)]

    block = large_block(student, 0.5)
    fault = "In evaluation two calls differ. Does your dropout depend on self.training?"
    expect(torch.equal(*twice(block)), fault)
    block.train()
    fault = "With dropout=0.5, two calls in training gave the same result. Do you pass dropout on?"
    expect(not torch.equal(*twice(block)), fault)
    block = large_block(student)
    resting = numbers(block(x), x)
    block.train()
    hint = "In training the output differs from the output in evaluation, although dropout is 0 by default."
    for output in twice(block):
        expect_close(output, resting, hint=hint)


VOCAB, WIDTH, LENGTH = 17, 24, 10
# The smallest effect of a token on the guesses, as a fraction of the effect of a position.
DROWNED = 0.05

MODELS = """
class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.context_length = context_length
        self.layer = nn.TransformerEncoderLayer(
            n_embd, num_heads, 4 * n_embd, dropout, batch_first=True, norm_first=True
        )

    def forward(self, x):
        length = x.shape[1]
        if length > self.context_length:
            raise ValueError(f"a block for {self.context_length} tokens got {length}")
        return self.layer(x, torch.ones(length, length, dtype=torch.bool).triu(1))

def fresh(model_class, *sizes):
    # Build a model with a right Block instead of the student's, so that a wrong Block costs no points here.
    names = getattr(model_class.__init__, "__globals__", {})
    before = {name: names[name] for name in ("Block",) if name in names}
    names["Block"] = Block
    try:
        model = model_class(*sizes).eval()
        model(torch.zeros(1, 1, dtype=torch.long))
        return model
    except Exception:
        pass
    finally:
        names.pop("Block", None)
        names.update(before)
    return model_class(*sizes).eval()

def stirred(model):
    # The seed for a weight depends on its shape and its layer, so two right models give the same results.
    inside = {id(p) for module in model.modules() if isinstance(module, Block) for p in module.parameters()}
    done, seen = set(), []
    with torch.no_grad():
        for module in model.modules():
            linear = isinstance(module, nn.Linear)
            for parameter in module.parameters(recurse=False):
                if id(parameter) in done:
                    continue
                done.add(id(parameter))
                role = (id(parameter) in inside, linear, *(size for size in parameter.shape if size > 1))
                seed = sum(int(part) * 100**place for place, part in enumerate(role)) + 7 * seen.count(role)
                seen.append(role)
                numbers = torch.randn(parameter.shape, generator=torch.Generator().manual_seed(seed))
                alike = bool(parameter.min() == parameter.max())  # in a LayerNorm, or not initialised yet
                constant = parameter.flatten()[0].item() if alike else 0.0
                bias = linear and parameter.dim() == 1 and id(parameter) not in inside
                # The head may have no bias, so random numbers in its bias would change the results.
                parameter.copy_(constant + (0.0 if bias else 0.3) * numbers)
    return model

def loss_in(result):
    # Return the loss of the pair (logits, loss), in any order.
    return next(part for part in result if isinstance(part, torch.Tensor) and part.numel() == 1)

def build(model_class, *sizes):
    return stirred(fresh(model_class, *sizes))

def with_own_block(model_class, *sizes):
    return stirred(model_class(*sizes).eval())

def with_heads(model_class, num_heads, model, vocab_size, n_embd, _, *sizes):
    # Return another model with the same weights, or None if its weights have other shapes.
    other = fresh(model_class, vocab_size, n_embd, num_heads, *sizes)
    try:
        other.load_state_dict(model.state_dict())
    except RuntimeError:
        return None
    return other

def learning(model_class, vocab_size, n_embd, num_heads, num_layers, context_length, tokens, targets):
    # Return two pairs (number of parameters, number of those with a gradient). The first pair counts
    # parameters with a row for each token. The second pair counts these and the position embeddings, if they
    # have requires_grad. Return also the tokens of the text whose rows get no gradient.
    model = build(model_class, vocab_size, n_embd, num_heads, num_layers, context_length)
    loss_in(model(tokens, targets)).backward()
    places = [p for p in model.parameters() if tuple(p.shape) == (context_length, n_embd)]
    of_tokens = [p for p in model.parameters() if vocab_size in p.shape]
    both = of_tokens, [p for p in of_tokens + places if p.requires_grad]
    counts = [(len(one), sum(p.grad is not None and bool(p.grad.any()) for p in one)) for one in both]
    rows = [
        p.grad.movedim(p.shape.index(vocab_size), 0).reshape(vocab_size, -1)
        for p in of_tokens if p.grad is not None
    ]
    return *counts, [t for t in tokens.unique().tolist() if not all(bool(row[t].any()) for row in rows)]

def without_effect(model, scale, shift):
    # Set the parameter with the index `scale` to ones, and the one with the index `shift` to zeros.
    with torch.no_grad():
        for number, parameter in enumerate(model.parameters()):
            if number in (scale, shift):
                parameter.fill_(float(number == scale))

def parameters(model):
    return [parameter.detach().clone() for parameter in model.parameters()]

def weights(model_class, vocab_size, n_embd, num_heads, num_layers, context_length, tokens, targets):
    # Leave out embeddings and head. Return the number of all other weights, and of those with a gradient.
    model = fresh(model_class, vocab_size, n_embd, num_heads, num_layers, context_length)
    loss_in(model(tokens, targets)).backward()
    kept = [p for p in model.parameters() if not {vocab_size, context_length} & set(p.shape)]
    return sum(p.numel() for p in kept), sum(p.numel() for p in kept if p.grad is not None)
"""

MEASURES = """
def embed_large(model, factor):
    for module in model.modules():
        if isinstance(module, nn.Embedding):
            module.register_forward_hook(lambda module, given, output: output * factor)

class Training:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, fused=True)

    def __call__(self, tokens, targets, steps):
        self.model.train()
        for _ in range(steps):
            self.optimizer.zero_grad()
            losses = [part for part in self.model(tokens, targets) if part.numel() == 1]
            losses[0].backward()
            self.optimizer.step()
        self.model.eval()
"""


def made(student, how, num_layers, *data):
    sizes = (VOCAB, WIDTH, 4, num_layers, LENGTH)
    return student.define(MODELS, how)(student.TinyGPT, *sizes, *data)


def build(student, num_layers=1, how="build"):
    """Return a model with new weights. Its logits must depend on the tokens."""
    model = made(student, how, num_layers)
    expect(
        logits_of(model, random_tokens(1, LENGTH)).std().item() > 1e-4,
        "The logits are the same for all tokens. Does forward use its layers?",
    )
    return model


def random_tokens(*shape):
    """Return random tokens that are also valid positions."""
    return torch.randint(LENGTH, shape)


def others(tokens):
    """Return tokens that differ from these at every position."""
    return (tokens + 1 + torch.arange(tokens.shape[1]) % (LENGTH - 1)) % LENGTH


def parts(result):
    return result if isinstance(result, tuple | list) else (result,)


def logits_of(model, tokens, *targets):
    """Return the logits of these texts. They may be any part of the result, and have any shape."""
    for part in parts(model(tokens, *targets)):
        if isinstance(part, torch.Tensor) and part.numel() % (len(tokens) * VOCAB) == 0:
            logits = part.reshape(len(tokens), -1, VOCAB)
            return expect_finite(logits.float(), "The logits")
    raise Unmet(f"The model returned no logits for a vocabulary of {VOCAB} tokens.")


def loss_of(model, tokens, targets):
    for part in parts(model(tokens, targets)):
        if isinstance(part, float) or (
            isinstance(part, torch.Tensor) and part.numel() == 1
        ):
            return torch.as_tensor(part).reshape(())
    raise Unmet("The model returned no loss, although targets were passed.")


def moved(model, tokens, changed):
    """Return the largest change of the last guess if the tokens change."""
    last, other = (logits_of(model, each)[:, -1] for each in (tokens, changed))
    return (last - other).abs().max().item()


@question("TinyGPT")
def test_model_form(student):
    """The model returns (logits, loss). Logits have the shape (B, T, vocab_size), with or without targets."""
    model = build(student, num_layers=2)
    for length in (1, 6, LENGTH):
        tokens, plain = random_tokens(3, length), None
        for targets in ((), (random_tokens(3, length),)):
            result = model(tokens, *targets)
            is_pair = isinstance(result, tuple | list) and len(result) == 2
            expect(
                is_pair,
                "forward must return the pair (logits, loss), with or without targets.",
            )
            logits = expect_tensor(
                result[0], (3, length, VOCAB), torch.float32, "The logits"
            )
            plain = logits if plain is None else plain
            expect_close(logits, plain, name="The logits with targets")


@question("TinyGPT", basic=True)
def test_logits_are_scores(student):
    """The logits are scores of any size, before any softmax."""
    logits = logits_of(build(student), random_tokens(2, 7)).detach()
    shares = (logits > 0).all() and torch.allclose(
        logits.sum(-1), torch.ones(2, 7), atol=1e-3
    )
    fault = "The logits are probabilities: each row sums to 1."
    expect(not shares, f"{fault} What does the cross-entropy expect?")


@question("TinyGPT")
def test_loss_is_none_without_targets(student):
    """Without targets the loss is None."""
    result = build(student)(random_tokens(1, 5))
    expect(
        any(part is None for part in parts(result)),
        "Without targets there is nothing to compare with: the loss must be None.",
    )


@question("TinyGPT", basic=True)
def test_loss_is_the_mean_cross_entropy(student):
    """The loss is the mean cross-entropy of all guesses. Target 0 counts like any other target."""
    model = build(student)
    for targets in (random_tokens(3, 7), random_tokens(1, 1), torch.zeros(2, 5).long()):
        tokens = random_tokens(*targets.shape)
        logits = expect_tensor(logits_of(model, tokens), (*tokens.shape, VOCAB))
        hint = "It should be the mean cross-entropy of the logits that you return."
        expect_close(
            loss_of(model, tokens, targets),
            F.cross_entropy(logits.flatten(0, 1), targets.flatten()),
            atol=1e-4,
            name="The loss",
            hint=hint,
        )


@question("TinyGPT")
def test_loss_starts_near_log_vocab(student):
    """An untrained model's loss is near log(vocab_size)."""
    build(student)
    model, targets = made(student, "fresh", 2), random_tokens(6, LENGTH)
    loss = expect_finite(loss_of(model, random_tokens(6, LENGTH), targets), "The loss")
    fault = (
        f"With {VOCAB} tokens the loss should start near log({VOCAB}), but it starts "
        f"at {loss.item():.2f}."
    )
    expect(abs(loss.item() - math.log(VOCAB)) < 4, fault)


@question("TinyGPT", basic=True)
def test_model_is_causal(student):
    """Changing later tokens changes no earlier guess."""
    model, tokens = build(student, num_layers=2), random_tokens(1, LENGTH)
    before = logits_of(model, tokens)
    for place in (1, 4, 9):
        changed = torch.cat([tokens[:, :place], others(tokens)[:, place:]], dim=1)
        expect_close(
            logits_of(model, changed)[:, :place],
            before[:, :place],
            atol=1e-4,
            name="The earlier logits",
            hint="Which layer uses later tokens?",
        )


@question("TinyGPT", basic=True)
def test_places_are_counted_from_the_beginning(student):
    """The guesses at the beginning of a text stay the same if the text gets longer."""
    model, tokens = build(student), random_tokens(1, LENGTH)
    hint = "The longer text has the same beginning. Do you count positions from the beginning?"
    expect_close(
        logits_of(model, tokens[:, :4]),
        logits_of(model, tokens)[:, :4],
        atol=1e-4,
        name="The logits of the shorter text",
        hint=hint,
    )


@question("TinyGPT")
def test_sizes_are_those_given(student):
    """The model works for all sizes: any of the arguments may be the largest."""
    build(student)
    for vocab_size, context_length in ((40, 12), (7, 20)):
        model = student.define(MODELS, "fresh")(
            student.TinyGPT, vocab_size, WIDTH, 4, 1, context_length
        )
        tokens = torch.randint(vocab_size, (1, context_length))
        tokens[0, 3], tokens[0, 0] = vocab_size - 1, 0
        for part in parts(model(tokens)):
            if part is not None:
                logits = expect_finite(expect_tensor(part), "The logits")
                found = logits.shape[-1] == vocab_size
                fault = f"Each guess must have vocab_size = {vocab_size} logits."
                expect(found, f"{fault} The logits have shape {tuple(part.shape)}.")


@question("TinyGPT", basic=True)
def test_heads_are_those_given(student):
    """The number of heads has an effect on the logits."""
    model, tokens = build(student), random_tokens(1, LENGTH)
    other = student.define(MODELS, "with_heads")(
        student.TinyGPT, 1, model, VOCAB, WIDTH, 4, 1, LENGTH
    )
    if other is not None:
        same = torch.allclose(
            logits_of(model, tokens), logits_of(other, tokens), 0, 1e-5
        )
        fault = "With the same weights, 4 heads give the same logits as 1 head."
        expect(not same, f"{fault} Where do you pass num_heads on?")


@question("TinyGPT")
def test_nothing_is_dropped_in_training(student):
    """There is no dropout: in training the logits are those of evaluation."""
    model, tokens = build(student), random_tokens(1, LENGTH - 1)
    right = logits_of(model, tokens)
    model.train()
    expect_close(
        logits_of(model, tokens),
        right,
        atol=1e-4,
        name="The logits in training",
        hint="Which layer acts only in training?",
    )


def learning(student):
    """Return the result of the other `learning`, in MODELS. No token is the last one of both texts."""
    build(student)
    text = torch.randperm(LENGTH)
    batch = torch.stack([text, text.flip(0)]), random_tokens(2, LENGTH)
    return made(student, "learning", 1, *batch)


@question("TinyGPT")
def test_embeddings_and_head_learn(student):
    """A gradient of the loss reaches the head, and the embeddings of tokens and positions."""
    (count, reached), (wanted, got), missed = learning(student)
    fault = f"{count} parameters have a row for each token, and a gradient reaches {reached} of them."
    expect(
        reached == count, f"{fault} Which of these parameters does not learn, and why?"
    )
    fault = f"{wanted} embeddings of tokens or positions have requires_grad, but {got} get a gradient."
    expect(got == wanted, f"{fault} Which step detaches the others?")
    for token in missed[:1]:
        fault = f"Token {token} is in the text, but no gradient reaches its row of a parameter."
        raise Unmet(f"{fault} Does your code treat this token as padding?")


@question("TinyGPT", needs_results=True)
def test_tokens_stay(student):
    """The tokens and the targets are left as they were."""
    model, tokens, targets = build(student), random_tokens(1, 6), random_tokens(1, 6)
    seen = model.inspect(tokens, targets)
    expect_unchanged(seen, tokens, targets, names=("the tokens", "the targets"))


@question("TinyGPT", needs_results=True)
def test_model_sets_no_seed(student):
    """The class sets no seed."""
    expect_no_seed(student, lambda: made(student, "fresh", 1), random_tokens(1, 5))


@question("TinyGPT", basic=True)
def test_guess_depends_on_its_token_and_the_past(student):
    """The last guess depends on the last token, and on the first one."""
    tokens = random_tokens(1, 6)
    for place, message in (
        (5, "The guess at a position does not depend on the token there."),
        (0, "The last guess does not depend on the first token. Are the blocks used?"),
    ):
        changed = tokens.clone()
        changed[:, place] = others(tokens)[:, place]
        expect(moved(build(student, num_layers=2), tokens, changed) > 1e-4, message)


@question("TinyGPT", basic=True)
def test_sequences_stay_apart(student):
    """The guesses for a sequence do not depend on other sequences, even if B equals T."""
    model, tokens = build(student), random_tokens(6, 6)
    together = logits_of(model, tokens)
    for row in (0, 4):
        alone = logits_of(model, tokens[row : row + 1])
        name = "The logits of one sequence"
        expect_close(alone, together[row : row + 1], atol=1e-4, name=name)


@question("TinyGPT", basic=True)
def test_order_matters(student):
    """The last guess depends on the order of the earlier tokens, even with a single block."""
    tokens = torch.randperm(LENGTH)[None, :7]
    other = tokens[:, [5, 4, 3, 2, 1, 0, 6]]
    # The student's Block may add the positions, so the model is built without it and with it.
    hows = ("build", "with_own_block")
    expect(
        any(moved(build(student, how=how), tokens, other) > 1e-4 for how in hows),
        "The last guess stays the same if earlier tokens are swapped. Does your model use positions?",
    )


@question("TinyGPT", basic=True)
def test_layers_have_weights_of_their_own(student):
    """Each block has its own parameters, which are registered in the model and get a gradient."""
    batch = random_tokens(2, 6), random_tokens(2, 6)
    found = (made(student, "weights", layers, *batch) for layers in (1, 2, 3))
    (one, two, three), reached = zip(*found, strict=True)
    expect(
        two > one,
        "Two blocks have no more parameters than one. Is each block new, and are all blocks registered?",
    )
    expect(
        three - two == two - one,
        "The number of parameters must grow by the same amount with every block.",
    )
    fault = (
        "The number of weights with a gradient must grow with every block. Does each block "
        "get the output of the previous block?"
    )
    expect(reached[0] < reached[1] < reached[2], fault)


@question("TinyGPT", basic=True)
def test_final_norm(student):
    """There is a LayerNorm before the head: very large embeddings do not give very large logits."""
    model = build(student)
    student.define(MEASURES, "embed_large")(model, 1e4)
    largest = logits_of(model, random_tokens(1, 6)).abs().max().item()
    fault = "With embeddings 10,000 times as large the logits explode. Is there a LayerNorm before the head?"
    expect(largest < 100, fault)


def read_by_head(parameters, logits):
    """For each parameter that may be the head's weight, compute the head's input from the logits."""
    shifts = [
        torch.zeros(VOCAB),
        *(p for p in parameters if tuple(p.shape) == (VOCAB,)),
    ]
    matrices = [
        p
        for p in parameters
        if p.dim() == 2 and VOCAB in p.shape and p.shape[0] != p.shape[1]
    ]
    for matrix in (p.double() if len(p) == VOCAB else p.double().T for p in matrices):
        for shift in shifts:
            right = logits.double() - shift
            read = torch.linalg.lstsq(matrix, right.T).solution.T
            if torch.allclose(read @ matrix.T, right, atol=1e-4):
                yield read


def factor_of_norm(read, scale, shift):
    """If `read` is a multiple of a LayerNorm's output with this scale and shift, return the factor, else 0.

    Without a shift, return 1 for any multiple.
    """
    plain, size = read / scale, read.shape[-1]
    factor = (plain.mean() / (shift / scale).mean()).item() if shift.any() else 1.0
    plain = plain / factor - shift / scale
    squares = plain.square().mean(dim=-1)
    level = squares.mean().item()
    if bool(
        (plain.mean(dim=-1).abs() > 2e-3).any()
        or ((squares - level).abs() > 2e-3).any()
    ):
        return 0.0
    unbiased = abs(level - (size - 1) / size) < 5e-3
    return (
        factor if not unbiased and (abs(level - 1) < 5e-3 or not shift.any()) else 0.0
    )


@question("TinyGPT")
def test_final_norm_is_a_layer_norm(student):
    """The input of the head is the output of a LayerNorm: mean 0, variance 1, then a scale and a shift."""
    width, tokens = 8, random_tokens(2, LENGTH)
    model = student.define(MODELS, "build")(student.TinyGPT, VOCAB, width, 2, 2, LENGTH)
    parameters = [p.detach() for p in student.define(MODELS, "parameters")(model)]
    found = list(
        read_by_head(parameters, logits_of(model, tokens).detach().flatten(0, 1))
    )
    vectors = {
        i: p.double() for i, p in enumerate(parameters) if tuple(p.shape) == (width,)
    }
    # Numbers are divided by a scale, so no scale may contain 0.
    scales = {i: p for i, p in vectors.items() if p.all()} | {-1: torch.ones(width)}
    shifts = vectors | {-1: torch.zeros(width)}
    norms = [
        (read, factor, i, j)
        for read in found
        for i, scale in scales.items()
        for j, shift in shifts.items()
        if i != j and (factor := factor_of_norm(read, scale, shift))
    ]
    fault = "The input of the head is not the output of a LayerNorm."
    hint = "Is the mean subtracted? Is the variance the mean of the squares?"
    expect(bool(norms) or not found, f"{fault} {hint}")
    for read, factor, i, j in norms[:1]:
        student.define(MODELS, "without_effect")(model, i, j)
        plain = read_by_head(
            parameters, logits_of(model, tokens).detach().flatten(0, 1)
        )
        once = any(
            torch.allclose(p * scales[i] + factor * shifts[j], read, atol=2e-2)
            for p in plain
        )
        expect(
            once,
            "The last LayerNorm must be applied exactly once, just before the head. How often is it called?",
        )


@question("TinyGPT", needs_results=True)
def test_context_length_is_kept(student):
    """The model stores context_length as an attribute."""
    kept = build(student).context_length
    expect(
        kept == LENGTH,
        "model.context_length must be the context_length given to the constructor.",
    )


@question("TinyGPT")
def test_untrained_guesses_depend_on_the_token(student):
    """Tokens and positions start at about the same size: the token has an effect before training."""
    model = student.define(MODELS, "fresh")(student.TinyGPT, VOCAB, 96, 4, 1, LENGTH)
    # Each row repeats one token, so that only positions make a difference within a row.
    repeated = torch.arange(VOCAB)[:, None].expand(VOCAB, LENGTH).contiguous()
    logits = logits_of(model, repeated).detach().double()
    by_token, by_place = (
        (logits - logits.mean(dim=i, keepdim=True)).std().item() for i in (0, 1)
    )
    fault = "At the start, the guesses depend on the position, and hardly on the token."
    expect(
        by_token + 1e-9 >= DROWNED * by_place,
        f"{fault} How large are the numbers of each embedding at the start?",
    )


@question("TinyGPT")
def test_small_text_is_learnt(student):
    """240 steps are enough to learn a small text in which a token depends on several tokens before it."""
    text = torch.randperm(VOCAB)[
        torch.tensor([0, 1, 0, 2, 0, 3, 0, 4, 5, 4, 6, 4, 7, 4] * 3)
    ]
    places = torch.arange(14)[:, None] + torch.arange(LENGTH)
    model = made(student, "fresh", 1)
    train = student.define(MEASURES, "Training")(model)
    # A model that sees only the last token chooses among four tokens in half of all guesses, so its loss is
    # at least log(4) / 2, about 0.7. Most models need forty steps, models with small tied embeddings all 240.
    for steps in (20, 20, 20, 60, 60, 60):
        train(text[places], text[places + 1], steps)
        guesses = logits_of(model, text[places])[:, -1]
        if F.cross_entropy(guesses, text[places + 1][:, -1]) < 0.4:
            return
    raise Unmet(
        "After 240 steps the loss is still above 0.4. Does the model use all tokens and positions?"
    )


RECORDER = """
class Recorder(nn.Module):
    # Predicts 1 + (sum of its tokens) % (vocab_size - 1). In training mode, it predicts a wrong token.
    def __init__(self, vocab_size, context_length, training):
        super().__init__()
        self.vocab_size, self.context_length = vocab_size, context_length
        self.weight = nn.Parameter(torch.ones(()))
        self.shapes, self.modes = [], []
        self.train(training)

    def forward(self, tokens, targets=None):
        self.shapes.append(list(tokens.shape))
        self.modes.append(self.training)
        expected = 1 + (tokens.cumsum(dim=1) + 5 * self.training) % (self.vocab_size - 1)
        distance = torch.arange(self.vocab_size) - expected[..., None]
        return -0.2 * distance.abs() * self.weight, None

def draw_near(model):
    with torch.no_grad():
        model.weight.fill_(0.01)
"""
STUBBORN = """
class Stubborn(nn.Module):
    # Predicts the same token for every input.
    def __init__(self, likeliest, vocab_size):
        super().__init__()
        self.context_length = 5
        self.logits = nn.Parameter(torch.zeros(vocab_size))
        with torch.no_grad():
            self.logits[likeliest] = 1

    def forward(self, tokens, targets=None):
        return self.logits.expand(*tokens.shape, -1), None
"""
PARTS = """
class InParts(nn.Module):
    # Has nested parts, and records the mode of each part at each call.
    def __init__(self, training):
        super().__init__()
        self.context_length, self.seen = 5, []
        self.table = nn.Parameter(torch.eye(5))
        self.parts = nn.Sequential(nn.Dropout(0.5), nn.Sequential(nn.Dropout(0.5)))
        self.train(training)

    def forward(self, tokens, targets=None):
        self.seen += [part.training for part in self.modules()]
        return self.parts(self.table[tokens]), None

def modes(model):
    return model.seen, [part.training for part in model.modules()]
"""


def recorder(student, *, vocab_size=13, context_length=5, training=False):
    return student.define(RECORDER, "Recorder")(vocab_size, context_length, training)


def written(student, model, tokens, count):
    """Call generate, expect that it called the model, and return the new tokens."""
    new = expect_tensor(student.generate(model, tokens, count))
    expect(len(model.modes) > 0, "The model was never called.")
    rows = new.reshape(len(tokens), -1) if new.numel() % len(tokens) == 0 else new
    begin = tokens.shape[1] if rows.shape[-1] >= tokens.shape[1] + count else 0
    return rows[..., begin:][..., :count].long()


def expect_written(student, model, tokens, count, right, hint):
    """Expect generate to append the new tokens of `right`, which begins with `tokens`."""
    new, right = written(student, model, tokens, count), right[:, tokens.shape[1] :]
    expect_equal(new, right, hint=hint, name="The new tokens")


def continued(tokens, count, vocab_size=13, context_length=5):
    """Return the text that generate must return for these tokens and a Recorder."""
    for _ in range(count):
        total = tokens[:, -context_length:].sum(dim=1, keepdim=True)
        newest = 1 + total % (vocab_size - 1)
        tokens = torch.cat([tokens, newest], dim=1)
    return tokens


@question("generate", basic=True)
def test_greedy_continuation(student):
    """Each new token is the likeliest after all tokens so far."""
    tokens = torch.randint(13, (3, 2))
    hint = (
        "Which position's logits predict the next token, and which token is likeliest?"
    )
    right = continued(tokens, 3)
    expect_written(student, recorder(student), tokens, 3, right, hint)


@question("generate")
def test_form_of_the_result(student):
    """The result is int64, and longer than `tokens` by max_new_tokens, even if max_new_tokens is 0 or 1."""
    model, tokens = recorder(student), torch.randint(13, (2, 3))
    written(student, model, tokens, 7)
    for count in (7, 1, 0):
        for some in (tokens, tokens[:1]):
            new = student.generate(model, some, count)
            expect_tensor(new, (len(some), 3 + count), torch.int64)


@question("generate")
def test_beginning_stays(student):
    """The result begins with the argument `tokens`, even if it is long, and `tokens` stays as it was."""
    for length in (3, 8):
        model, tokens = recorder(student), torch.randint(13, (1, length))
        inspection = student.generate.inspect(model, tokens, 4)
        new = expect_tensor(inspection.output).reshape(1, -1).long()
        expect_equal(new[:, :length], tokens, name="The beginning of the result")
        expect_unchanged(inspection, tokens)
        expect(len(model.modes) > 0, "The model was never called.")


@question("generate")
def test_crops_to_the_context(student):
    """In each call, the model gets the whole batch, and as many of the last tokens as it can take."""
    model = recorder(student)
    written(student, model, torch.randint(13, (2, 3)), 6)
    rows, lengths = (list(each) for each in zip(*model.shapes, strict=True))
    fault = (
        f"The batch has 2 sequences, but the calls of the model got {rows} sequences."
    )
    expect(
        set(rows) == {2},
        f"{fault} Call the model once for each new token, with the whole batch.",
    )
    expect(
        max(lengths) <= 5, f"The model takes 5 tokens, but was given {max(lengths)}."
    )
    fault = f"For 3 tokens, 6 new tokens and context_length 5, the calls of the model got {lengths} tokens."
    expect(
        lengths == [3, 4, 5, 5, 5, 5],
        f"{fault} Which tokens should the model get in each call?",
    )


@question("generate", basic=True)
def test_crops_from_the_front(student):
    """Of a long text the last tokens count, not the first."""
    tokens = torch.randint(13, (1, 8))
    hint = "Which context_length tokens of the text does the model get?"
    expect_written(student, recorder(student), tokens, 6, continued(tokens, 6), hint)


@question("generate")
def test_context_length_is_the_models(student):
    """The text is cropped to the context_length of the model that is passed."""
    tokens = torch.randint(7, (1, 80))
    model = recorder(student, vocab_size=7, context_length=70)
    hint = "To which length does your code crop the text? Where does it get this length from?"
    expect_written(student, model, tokens, 5, continued(tokens, 5, 7, 70), hint)


@question("generate")
def test_every_token_may_come(student):
    """No token ends a text: all new tokens are appended, also token 0 and repeated tokens."""
    for likeliest in range(4):
        model = student.define(STUBBORN, "Stubborn")(likeliest, 4)
        tokens = torch.randint(4, (1, 3))
        new = expect_tensor(student.generate(model, tokens, 4)).reshape(-1).long()
        hint = "Does a condition end the loop early, or skip a token?"
        expect_equal(new[-4:], torch.full((4,), likeliest), hint=hint)


@question("generate")
def test_close_guesses(student):
    """The likeliest token is taken, even if it is only a little more likely."""
    tokens, model = torch.randint(13, (1, 3)), recorder(student)
    student.define(RECORDER, "draw_near")(model)
    hint = "Do you take the token with the largest logit, or do you draw one at random?"
    expect_written(student, model, tokens, 6, continued(tokens, 6), hint)


def modes(student, training):
    """Return the modes of the model's parts at all calls, and their modes after generate."""
    model = student.define(PARTS, "InParts")(training)
    student.generate(model, torch.randint(5, (1, 2)), 3)
    seen, after = student.define(PARTS, "modes")(model)
    expect(len(seen) > 0, "The model was never called.")
    return seen, after


@question("generate")
def test_evaluation_while_writing(student):
    """The model and all its parts are in evaluation mode at every call."""
    for training in (True, False):
        seen, _ = modes(student, training)
        message = "At a call the model, or its dropout, was in training mode."
        hint = "eval() changes all parts; setting `training` changes only the model itself."
        expect(not any(seen), f"{message} {hint}")


@question("generate")
def test_mode_comes_back(student):
    """Afterwards, the model and all its parts are in the same mode as before."""
    for training, came in ((True, "training"), (False, "evaluation")):
        _, after = modes(student, training)
        message = f"The model was in {came} mode before the call. Now it, or a part, is in the other mode."
        hint = "train(mode) changes all parts; setting `training` changes only the model itself."
        expect(all(mode is training for mode in after), f"{message} {hint}")


BIGRAM = """
from torch.nn import functional as F

class Bigram(nn.Module):
    # A table with a row of logits for each token.
    def __init__(self, table):
        super().__init__()
        self.table = nn.Parameter(table.clone())
        self.context_length = 64
        self.backwards, self.modes = 0, []
        self.table.register_hook(self.count)

    def count(self, gradient):
        self.backwards += 1

    def forward(self, tokens, targets=None):
        self.modes += [self.training] * torch.is_grad_enabled()
        logits = self.table[tokens]
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())

def stain(model):
    model.table.grad = torch.full_like(model.table, 3.0)

def has_gradient(model):
    return model.table.grad is not None
"""

STEEP = """
from torch.nn import functional as F

class Steep(nn.Module):
    # A table with a row for each token. The logits are 400 times this row.
    def __init__(self, table):
        super().__init__()
        self.table = nn.Parameter(table.clone())
        self.context_length = 64

    def forward(self, tokens, targets=None):
        logits = 400 * self.table[tokens]
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())
"""

PENALISED = """
from torch.nn import functional as F

class Penalised(nn.Module):
    # A table with a row of logits for each token. The loss has a penalty for large numbers in the table.
    def __init__(self, table):
        super().__init__()
        self.table = nn.Parameter(table.clone())
        self.context_length = 64

    def forward(self, tokens, targets):
        logits = self.table[tokens]
        entropy = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        return logits, entropy + self.table.square().mean()
"""


class Trial:
    """A small model with its optimizer and a batch. It also computes the right table after some steps."""

    def __init__(self, student, rate=0.5, momentum=0.0):
        self.step = student.train_step
        self.start, self.rate, self.momentum = 2 * torch.randn(6, 6), rate, momentum
        self.model = student.define(BIGRAM, "Bigram")(self.start)
        self.optimizer = student.torch.optim.SGD(
            self.model.parameters(), lr=rate, momentum=momentum
        )
        self.tokens, self.targets = torch.randint(6, (3, 5)), torch.randint(6, (3, 5))

    def train(self):
        return self.step(self.model, self.optimizer, self.tokens, self.targets)

    @property
    def table(self):
        return expect_tensor(
            self.model.table, (6, 6), torch.float32, "The model's parameter"
        ).detach()

    def loss(self, table):
        return F.cross_entropy(table[self.tokens].flatten(0, 1), self.targets.flatten())

    def expect_steps(self, count, hint):
        """Expect the table's values after `count` steps."""
        table, speed = self.start, torch.zeros(6, 6)
        for _ in range(count):
            leaf = table.clone().requires_grad_()
            speed = (
                self.momentum * speed + torch.autograd.grad(self.loss(leaf), leaf)[0]
            )
            table = table - self.rate * speed
        expect_close(
            self.table, table, name=f"The parameter after {count} step(s)", hint=hint
        )


@question("train_step", basic=True)
def test_one_step_down(student):
    """The parameters move once, against the gradient of the loss."""
    trial = Trial(student)
    trial.train()
    waits = student.define(BIGRAM, "has_gradient")(trial.model)
    nudge = (
        "There is a gradient. Does your code call optimizer.step()?"
        if waits
        else "Was there a gradient when you called optimizer.step()?"
    )
    expect(
        not torch.equal(trial.table, trial.start),
        f"The parameters have not moved. {nudge}",
    )
    trial.expect_steps(
        1, "The parameters should move by one step against the gradient."
    )


@question("train_step")
def test_one_gradient(student):
    """Each call computes the gradient once."""
    trial = Trial(student)
    trial.train()
    count = trial.model.backwards
    expect(
        count == 1,
        f"`backward` should run once in each call, but it ran {count} times.",
    )


@question("train_step")
def test_model_stays_in_training(student):
    """The model is in training mode when the gradient is computed, and afterwards."""
    trial = Trial(student)
    trial.train()
    at_calls = trial.model.modes
    expect(len(at_calls) > 0, "The model was never called with gradients.")
    message = (
        "Before the call, the model was in training mode. {} it is in evaluation mode."
    )
    expect(all(at_calls), message.format("When the gradient is computed,"))
    expect(trial.model.training, message.format("Afterwards,"))


@question("train_step")
def test_old_gradients_do_not_count(student):
    """Gradients from before the call do not count."""
    trial = Trial(student)
    student.define(BIGRAM, "stain")(trial.model)
    trial.train()
    trial.expect_steps(1, "When do you clear the old gradients?")


@question("train_step", basic=True)
def test_two_calls_take_two_steps(student):
    """Two calls take two steps, each with a fresh gradient."""
    trial = Trial(student)
    trial.train()
    trial.train()
    trial.expect_steps(2, "Do you clear the gradients in each call?")


@question("train_step", basic=True)
def test_given_optimizer_takes_the_step(student):
    """The step is taken by the argument `optimizer`: with momentum, the second step is longer."""
    trial = Trial(student, momentum=0.9)
    trial.train()
    trial.train()
    trial.expect_steps(2, "Which optimizer takes the step?")


@question("train_step", basic=True)
def test_returns_the_loss_before(student):
    """train_step returns the loss that the batch has before the step."""
    trial = Trial(student)
    value = trial.train()
    value = (
        float(value) if isinstance(value, torch.Tensor) and value.dim() == 0 else value
    )
    expect(
        isinstance(value, float),
        "The loss must be returned as one number. Is a return missing?",
    )
    expect(
        abs(value - trial.loss(trial.start).item()) < 1e-5,
        "The returned number is not the loss before the step.",
    )


@question("train_step")
def test_returns_a_python_float(student):
    """The loss is returned as a Python float."""
    trial = Trial(student)
    value = trial.train()
    kind = "0-d tensor" if isinstance(value, torch.Tensor) else type(value).__name__
    fault = f"A Python float was expected, not a {kind}: a tensor would keep the whole graph alive."
    expect(type(value) is float, fault)
    near = min(
        abs(value - trial.loss(table).item()) for table in (trial.start, trial.table)
    )
    expect(near < 1e-5, "The returned float is not the loss of this batch.")


@question("train_step")
def test_the_model_s_own_loss_counts(student):
    """The step minimises and returns the loss of the model, even if it is not only a cross-entropy."""
    start = 0.5 * torch.randn(6, 6)
    model = student.define(PENALISED, "Penalised")(start)
    optimizer = student.torch.optim.SGD(model.parameters(), lr=0.5)
    tokens, targets = torch.randint(6, (3, 5)), torch.randint(6, (3, 5))
    value = student.train_step(model, optimizer, tokens, targets)
    leaf = start.clone().requires_grad_()
    entropy = F.cross_entropy(leaf[tokens].flatten(0, 1), targets.flatten())
    loss = entropy + leaf.square().mean()
    right = start - 0.5 * torch.autograd.grad(loss, leaf)[0]
    table = expect_tensor(
        model.table, (6, 6), torch.float32, "The model's parameter"
    ).detach()
    hint = "The model returns logits and a loss. Do you call backward on this loss?"
    expect_close(table, right, name="The parameter after one step", hint=hint)
    is_wrong = isinstance(value, float) and abs(value - loss.item()) > 1e-4
    expect(not is_wrong, "The returned number is not the loss that the model returned.")


@question("train_step")
def test_large_gradients_count_in_full(student):
    """A large gradient is used unchanged: the optimizer gets the gradient of the loss."""
    # Logits are the table times 400: gradients are 400 times as large, so the learning rate is much smaller.
    start = 2 * torch.randn(6, 6)
    model = student.define(STEEP, "Steep")(start / 400)
    optimizer = student.torch.optim.SGD(model.parameters(), lr=0.5 / 400**2)
    tokens, targets = torch.randint(6, (3, 5)), torch.randint(6, (3, 5))
    student.train_step(model, optimizer, tokens, targets)
    leaf = start.clone().requires_grad_()
    loss = F.cross_entropy(leaf[tokens].flatten(0, 1), targets.flatten())
    right = start - 0.5 * torch.autograd.grad(loss, leaf)[0]
    table = expect_tensor(
        model.table, (6, 6), torch.float32, "The model's parameter"
    ).detach()
    expect(not torch.equal(table, start / 400), "The parameters have not moved.")
    hint = (
        "Do you change the gradient between backward and step, for example by clipping?"
    )
    expect_close(
        400 * table, right, atol=1e-4, name="The parameter after a step", hint=hint
    )
