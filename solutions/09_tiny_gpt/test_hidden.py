"""Hidden tests of 09_tiny_gpt.

Layers may have any names, so a Block is judged by what it does, and its weights are found by their shapes.
A TinyGPT is built with a right Block in the place of the notebook's own. `generate` and `train_step` meet
models of ours only.
"""

import math

import torch
from torch.nn import functional as F

from autograder.expect import (
    Unmet,
    expect,
    expect_close,
    expect_equal,
    expect_finite,
    expect_no_nan,
    expect_tensor,
    expect_unchanged,
)
from autograder.suite import question

N_EMBD, HEADS, CONTEXT = 12, 3, 9

TOOLS = """
def double(module):
    return module.double().eval()

def parameters(module):
    return dict(module.named_parameters())

def multiply(module, factor):
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.dim() > 1:
                parameter.mul_(factor)

def zero(module, names):
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if name in names:
                parameter.zero_()
"""


def tool(student, name):
    return student.define(TOOLS, name)


def large_block(student, dropout=0.0):
    """A block in float64 and evaluation mode, with weights so large that no branch is small."""
    block = student.Block(N_EMBD, HEADS, CONTEXT, dropout)
    tool(student, "multiply")(block, 3.0)
    tool(student, "double")(block)
    return block, tool(student, "parameters")(block)


def one_of_shape(parameters, shape, what):
    names = [name for name, parameter in parameters.items() if tuple(parameter.shape) == shape]
    expect(
        len(names) == 1,
        f"{what} must be one Linear with a weight of shape {shape}; the block has {len(names)}.",
    )
    return names[0]


def widening(parameters):
    """The names of the feed-forward network's first and second weight."""
    wide, narrow = (4 * N_EMBD, N_EMBD), (N_EMBD, 4 * N_EMBD)
    first = one_of_shape(parameters, wide, "The first layer of the feed-forward network")
    return first, one_of_shape(parameters, narrow, "The second layer of the feed-forward network")


def biases(parameters):
    """The names of all vectors but the LayerNorms' scales."""
    return [name for name, p in parameters.items() if p.dim() == 1 and not torch.equal(p, torch.ones_like(p))]


def tokens_like(*shape):
    return 5 * torch.randn(*shape, dtype=torch.float64) + 3


def norm(x):
    return F.layer_norm(x, x.shape[-1:])


@question("Block")
def test_block_keeps_the_shape(student):
    """A block keeps the shape (B, T, n_embd) for every T up to context_length."""
    block = student.Block(N_EMBD, HEADS, CONTEXT)
    for length in (1, 4, CONTEXT):
        output = expect_tensor(block(torch.randn(2, length, N_EMBD)), (2, length, N_EMBD), torch.float32)
        expect_finite(output)


@question("Block")
def test_block_passes_its_input_on(student):
    """With all weights at zero the residual paths hand the input through."""
    block, parameters = large_block(student)
    tool(student, "zero")(block, list(parameters))
    x = tokens_like(2, 5, N_EMBD)
    expect_close(block(x), x, hint="Nothing may stand on the residual path: each half adds to what came in.")


@question("Block")
def test_block_hides_the_future(student):
    """Changing later tokens changes no earlier row of the output."""
    block, _ = large_block(student)
    x = tokens_like(2, 8, N_EMBD)
    before = expect_tensor(block(x), (2, 8, N_EMBD))
    for place in (1, 4, 7):
        changed = x.clone()
        changed[:, place:] = tokens_like(2, 8 - place, N_EMBD)
        after = expect_tensor(block(changed), (2, 8, N_EMBD))
        expect_close(after[:, :place], before[:, :place], hint="What may an earlier row depend on?")


@question("Block")
def test_block_looks_at_the_past(student):
    """Changing the first token changes the last row of the output."""
    block, _ = large_block(student)
    x = tokens_like(2, 6, N_EMBD)
    changed = x.clone()
    changed[:, 0] = tokens_like(2, N_EMBD)
    before, after = (expect_tensor(block(each), (2, 6, N_EMBD)) for each in (x, changed))
    moved = (before - after)[:, -1].abs().max()
    expect(
        bool(moved > 1e-4), "The last row does not depend on the first token. Is the attention's result used?"
    )


@question("Block")
def test_block_keeps_sequences_apart(student):
    """A sequence's output does not depend on the others in the batch."""
    block, _ = large_block(student)
    x = tokens_like(3, 6, N_EMBD)
    together = expect_tensor(block(x), (3, 6, N_EMBD))
    expect_close(block(x[1:2]), together[1:2], hint="Over which dimension does each layer work?")


@question("Block", weight=2)
def test_block_normalises_before_attention(student):
    """The attention reads normalised tokens: larger or shifted tokens give the same addition."""
    block, parameters = large_block(student)
    tool(student, "zero")(block, [widening(parameters)[1]])  # the feed-forward network is silent
    x = tokens_like(2, 6, N_EMBD)
    added = expect_tensor(block(x), x.shape) - x
    for other in (20 * x, x + 50):
        now = expect_tensor(block(other), x.shape) - other
        expect_close(
            now, added, atol=1e-3, hint="What does the attention get, and what is its result added to?"
        )


@question("Block", weight=2)
def test_block_adds_attention(student):
    """The first half is x + attention(norm(x)), with the given MultiHeadAttention."""
    block, parameters = large_block(student)
    tool(student, "zero")(block, [widening(parameters)[1], *biases(parameters)])
    x = tokens_like(2, 6, N_EMBD)
    first_half = expect_tensor(block(x), x.shape)
    weights = {".".join(name.split(".")[-2:]): p for name, p in parameters.items()}
    layers = [f"{name}.weight" for name in ("W_query", "W_key", "W_value", "out_proj")]
    if all(layer in weights for layer in layers):  # attention of another make is judged by the other tests
        expect_close(first_half, x + attention(norm(x), *(weights[layer] for layer in layers)), atol=1e-3)
    expect(bool((first_half - x).abs().max() > 0.1), "The attention adds nothing. Is its result used?")


def attention(x, *matrices):
    """Causal multi-head attention without biases."""
    queries, keys, values = (
        (x @ matrix.T).unflatten(-1, (HEADS, -1)).transpose(1, 2) for matrix in matrices[:3]
    )
    mixed = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    return mixed.transpose(1, 2).flatten(-2) @ matrices[3].T


@question("Block", weight=2)
def test_block_adds_feed_forward(student):
    """The second half is h + feed_forward(norm(h)): four times as wide, with GELU or ReLU between."""
    block, parameters = large_block(student)
    first, second = widening(parameters)
    tool(student, "zero")(block, biases(parameters))
    x = tokens_like(2, 6, N_EMBD)
    whole = expect_no_nan(expect_tensor(block(x), x.shape, x.dtype))
    tool(student, "zero")(block, [second])
    h = expect_no_nan(expect_tensor(block(x), x.shape, x.dtype))
    wide = norm(h) @ parameters[first].T
    bends = (F.gelu(wide), F.gelu(wide, approximate="tanh"), F.relu(wide))
    right = (torch.allclose(whole, h + bent @ parameters[second].T, atol=1e-3, rtol=0) for bent in bends)
    expect(
        any(right),
        "Given what the first half hands on, the second half adds something else than "
        "Linear(GELU or ReLU(Linear(norm(h)))). What goes into it, and what is it added to?",
    )


@question("Block")
def test_block_has_two_norms(student):
    """Each half has a LayerNorm of its own."""
    parameters = tool(student, "parameters")(student.Block(N_EMBD, HEADS, CONTEXT))
    scales = [p for p in parameters.values() if torch.equal(p, torch.ones(N_EMBD))]
    expect(
        len(scales) != 1, "One LayerNorm serves both halves; each half needs its own, to learn its own scale."
    )


@question("Block")
def test_block_learns_everywhere(student):
    """A gradient reaches every parameter of the block."""
    block = student.Block(N_EMBD, HEADS, CONTEXT)
    x = torch.randn(2, 5, N_EMBD)
    inspection = block.inspect(x, weight=torch.randn(2, 5, N_EMBD))
    expect_unchanged(inspection, x)
    expect(len(inspection.parameters) > 0, "The block has no parameters. Are its layers attributes of self?")
    for name, gradient in inspection.parameters.items():
        expect(gradient is not None, f"No gradient reaches {name}. Does forward use it?")


@question("Block")
def test_block_drops_in_training_only(student):
    """Dropout acts in training and rests in evaluation."""
    block = student.Block(N_EMBD, HEADS, CONTEXT, 0.5)
    x = torch.randn(2, 6, N_EMBD)
    one, two = (expect_tensor(block(x), x.shape) for _ in range(2))
    expect(
        not torch.equal(one, two),
        "With dropout=0.5 two calls in training gave the same. Is dropout handed on?",
    )
    block.eval()
    one, two = (expect_tensor(block(x), x.shape) for _ in range(2))
    expect(torch.equal(one, two), "In evaluation two calls differ. Does dropout ask self.training?")


@question("Block")
def test_block_needs_no_dropout(student):
    """Without the argument dropout nothing is dropped, in training either."""
    block = student.Block(N_EMBD, HEADS, CONTEXT)
    x = torch.randn(2, 6, N_EMBD)
    one, two = (expect_tensor(block(x), x.shape) for _ in range(2))
    expect(torch.equal(one, two), "Two calls differ although dropout is 0 by default.")


VOCAB, WIDTH, LENGTH = 17, 24, 10

MODELS = """
import math
from torch.nn import functional as F

class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.norm1, self.norm2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)
        self.into, self.out_of = nn.Linear(n_embd, 3 * n_embd, bias=False), nn.Linear(n_embd, n_embd)
        self.network = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd))

    def forward(self, x):
        parts = self.into(self.norm1(x)).chunk(3, dim=-1)
        parts = [part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in parts]
        mixed = F.scaled_dot_product_attention(*parts, is_causal=True)
        h = x + self.out_of(mixed.transpose(1, 2).flatten(-2))
        return h + self.network(self.norm2(h))

def own(model_class, *sizes):
    return model_class(*sizes).eval()

def build(model_class, *sizes):
    # With a right Block in the place of the notebook's, so that a mistake there costs nothing here.
    names = getattr(model_class.__init__, "__globals__", {})
    before = {name: names[name] for name in ("Block",) if name in names}
    names["Block"] = Block
    try:
        model = own(model_class, *sizes)
        model(torch.zeros(1, 1, dtype=torch.long))
        return model
    except Exception:
        pass
    finally:
        names.pop("Block", None)
        names.update(before)
    return own(model_class, *sizes)

def embed_large(model, factor):
    for module in model.modules():
        if isinstance(module, nn.Embedding):
            module.register_forward_hook(lambda module, given, output: output * factor)

def count(model):
    return sum(parameter.numel() for parameter in model.parameters())

def reached(model, tokens, targets):
    model(tokens, targets)[1].backward()
    return sum(parameter.numel() for parameter in model.parameters() if parameter.grad is not None)

def learn(model, tokens, targets, steps):
    # The loss at the last places after training, to one decimal.
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    model.train()
    for _ in range(steps):
        optimizer.zero_grad()
        model(tokens, targets)[1].backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        logits = model(tokens, targets)[0]
    return round(F.cross_entropy(logits[:, -1], targets[:, -1]).item(), 1)
"""


def build(student, num_layers=2, context_length=LENGTH, how="build"):
    sizes = (VOCAB, WIDTH, 4, num_layers, context_length)
    return student.define(MODELS, how)(student.TinyGPT, *sizes)


def random_tokens(*shape):
    return torch.randint(VOCAB, shape)


def answer(model, *arguments):
    """Call the model and return (logits, loss), sure to be a pair."""
    result = model(*arguments)
    if not (isinstance(result, tuple | list) and len(result) == 2):
        raise Unmet("forward must return the pair (logits, loss), with or without targets.")
    return result


def logits_of(model, tokens):
    logits = expect_tensor(answer(model, tokens)[0], (*tokens.shape, VOCAB), torch.float32, "The logits")
    return expect_finite(logits, "The logits")


@question("TinyGPT")
def test_logits_have_their_shape(student):
    """Logits are (B, T, vocab_size) for every T up to context_length."""
    model = build(student)
    for length in (1, 6, LENGTH):
        logits_of(model, random_tokens(3, length))


@question("TinyGPT")
def test_targets_leave_the_logits_alone(student):
    """With targets the logits are the same as without."""
    model, tokens = build(student), random_tokens(3, 7)
    logits, _ = answer(model, tokens, random_tokens(3, 7))
    expect_close(logits, logits_of(model, tokens), name="The logits with targets")


@question("TinyGPT")
def test_loss_is_none_without_targets(student):
    """Without targets the loss is None."""
    _, loss = answer(build(student), random_tokens(2, 5))
    expect(loss is None, "Without targets there is nothing to compare with: the loss must be None.")


@question("TinyGPT", weight=2)
def test_loss_is_the_mean_cross_entropy(student):
    """The loss is the mean cross-entropy of all guesses, with the targets as they come."""
    model = build(student)
    for shape in ((3, 7), (1, 1), (2, LENGTH)):
        tokens, targets = random_tokens(*shape), random_tokens(*shape)
        _, loss = answer(model, tokens, targets)
        expected = F.cross_entropy(logits_of(model, tokens).flatten(0, 1), targets.flatten())
        expect_close(
            loss, expected, name="The loss", hint="Which guess belongs to which target, and is it a mean?"
        )


@question("TinyGPT")
def test_loss_starts_near_log_vocab(student):
    """An untrained model's loss is near log(vocab_size)."""
    tokens, targets = random_tokens(6, LENGTH), random_tokens(6, LENGTH)
    _, loss = answer(build(student), tokens, targets)
    loss = expect_finite(expect_tensor(loss, (), torch.float32, "The loss"), "The loss")
    expect(
        abs(loss.item() - math.log(VOCAB)) < 1,
        f"With {VOCAB} tokens the loss should start near log({VOCAB}), but it starts at {loss.item():.2f}.",
    )


@question("TinyGPT", weight=2)
def test_model_is_causal(student):
    """Changing later tokens changes no earlier guess."""
    model, tokens = build(student), random_tokens(3, LENGTH)
    before = logits_of(model, tokens)
    for place in range(1, LENGTH, 2):
        changed = tokens.clone()
        changed[:, place:] = (changed[:, place:] + 1 + torch.arange(LENGTH - place)) % VOCAB
        after = logits_of(model, changed)
        expect_close(
            after[:, :place], before[:, :place], name="The earlier logits", hint="Something looks ahead."
        )


@question("TinyGPT")
def test_model_looks_at_the_past(student):
    """Changing the first token changes the last guess."""
    model, tokens = build(student), random_tokens(3, LENGTH)
    changed = tokens.clone()
    changed[:, 0] = (changed[:, 0] + 1) % VOCAB
    moved = (logits_of(model, tokens) - logits_of(model, changed))[:, -1].abs().max()
    expect(
        bool(moved > 1e-4), "The last guess does not depend on the first token. Do the blocks' results count?"
    )


@question("TinyGPT")
def test_guess_depends_on_its_token(student):
    """The guess at each place depends on the token at that place."""
    model, tokens = build(student), random_tokens(1, 6)
    changed = tokens.clone()
    changed[:, 3] = (changed[:, 3] + 1) % VOCAB
    moved = (logits_of(model, tokens) - logits_of(model, changed))[:, 3].abs().max()
    expect(bool(moved > 1e-3), "The guess at place 3 does not depend on token 3.")


@question("TinyGPT")
def test_sequences_stay_apart(student):
    """A sequence's guesses do not depend on the others in the batch."""
    model, tokens = build(student), random_tokens(4, 6)
    together = logits_of(model, tokens)
    for row in range(4):
        expect_close(
            logits_of(model, tokens[row : row + 1]),
            together[row : row + 1],
            name="The logits of one sequence",
        )


@question("TinyGPT", weight=2)
def test_order_matters(student):
    """The order of the earlier tokens matters, even to a single block."""
    tokens = torch.tensor([[3, 14, 1, 5, 9, 2, 6]])
    other = torch.tensor([[2, 9, 5, 1, 14, 3, 6]])
    for how in ("build", "own"):  # positions may also be known inside the notebook's own Block
        model = build(student, num_layers=1, how=how)
        moved = (logits_of(model, tokens) - logits_of(model, other))[:, -1].abs().max()
        if moved > 1e-5:
            return
    expect(
        False, "The last guess is the same when earlier tokens change places. Does the model know positions?"
    )


@question("TinyGPT")
def test_layers_have_weights_of_their_own(student):
    """Each block brings parameters of its own, and the model knows them."""
    count = student.define(MODELS, "count")
    one, two, four = (count(build(student, num_layers=layers)) for layers in (1, 2, 4))
    expect(
        two > one, "Two blocks have no more parameters than one. Are they registered, and is each a new one?"
    )
    expect(four - two == 2 * (two - one), "The number of parameters must grow alike with every block.")


@question("TinyGPT")
def test_every_layer_works(student):
    """A gradient reaches every block."""
    reached = student.define(MODELS, "reached")
    tokens, targets = random_tokens(2, 6), random_tokens(2, 6)
    one, two, three = (reached(build(student, num_layers=layers), tokens, targets) for layers in (1, 2, 3))
    expect(
        one < two < three,
        "More blocks, but no more weights that get a gradient. Does each block read the last one's output?",
    )


@question("TinyGPT", weight=2)
def test_final_norm(student):
    """A LayerNorm stands before the head: huge embeddings give no huge logits."""
    model = build(student)
    student.define(MODELS, "embed_large")(model, 1e4)
    largest = logits_of(model, random_tokens(2, 6)).abs().max().item()
    expect(
        largest < 100,
        "With embeddings 10,000 times as large the logits explode. Is there a LayerNorm before the head?",
    )


@question("TinyGPT")
def test_context_length_is_kept(student):
    """The model keeps context_length as an attribute."""
    expect(
        build(student, context_length=7).context_length == 7,
        "model.context_length must be the context_length given.",
    )


@question("TinyGPT", weight=2)
def test_small_text_is_learnt(student):
    """70 steps are enough to learn a small text in which the last token alone does not tell the next."""
    text = torch.tensor([0, 1, 0, 2, 0, 3, 0, 4, 5, 4, 6, 4, 7, 4] * 3)
    places = torch.arange(14)[:, None] + torch.arange(LENGTH)
    left = student.define(MODELS, "learn")(build(student), text[places], text[places + 1], 70)
    if not isinstance(left, float):
        raise Unmet("The loss must be one number.")
    expect(
        left <= 0.3,
        f"After 70 steps the loss is still {left:.1f}. Does it know tokens, places and past?",
    )


RECORDER = """
class Recorder(nn.Module):
    # Expects the sum of the tokens that it is given, modulo vocab_size, and errs in training.
    def __init__(self, vocab_size, context_length):
        super().__init__()
        self.vocab_size, self.context_length = vocab_size, context_length
        self.weight = nn.Parameter(torch.ones(()))
        self.lengths, self.modes = [], []

    def forward(self, tokens, targets=None):
        self.lengths.append(tokens.shape[1])
        self.modes.append(self.training)
        expected = (tokens.cumsum(dim=1) + 5 * self.training) % self.vocab_size
        distance = torch.arange(self.vocab_size) - expected[..., None]
        return -0.2 * distance.abs() * self.weight, None
"""


def recorder(student, vocab_size=13, context_length=5):
    model = student.define(RECORDER, "Recorder")(vocab_size, context_length)
    model.eval()
    return model


def continued(tokens, count, vocab_size=13, context_length=5):
    """What a greedy continuation by the Recorder must be."""
    for _ in range(count):
        newest = tokens[:, -context_length:].sum(dim=1, keepdim=True) % vocab_size
        tokens = torch.cat([tokens, newest], dim=1)
    return tokens


@question("generate", weight=2)
def test_greedy_continuation(student):
    """Each new token is the likeliest after all tokens so far."""
    tokens = torch.tensor([[1, 4], [7, 3], [0, 11]])
    new = student.generate(recorder(student), tokens, 3)
    expect_equal(
        new, continued(tokens, 3), hint="Which place's logits tell the token to come, and which is likeliest?"
    )


@question("generate")
def test_length_of_the_result(student):
    """The result has max_new_tokens more tokens than the beginning, for 0 and 1 too."""
    tokens = torch.randint(13, (2, 3))
    for count in (0, 1, 7):
        expect_tensor(student.generate(recorder(student), tokens, count), (2, 3 + count), torch.int64)


@question("generate")
def test_beginning_stays(student):
    """The result begins with the beginning, a long one too, and the argument is left as it is."""
    for length in (3, 8):
        tokens = torch.randint(13, (2, length))
        inspection = student.generate.inspect(recorder(student), tokens, 4)
        new = expect_tensor(inspection.output, (2, length + 4), torch.int64)
        expect_equal(new[:, :length], tokens, name="The beginning of the result")
        expect_unchanged(inspection, tokens)


@question("generate", weight=2)
def test_crops_to_the_context(student):
    """The model never gets more than context_length tokens, and as many as it can take."""
    model = recorder(student)
    student.generate(model, torch.randint(13, (2, 3)), 6)
    lengths = model.lengths
    expect(
        max(lengths, default=0) <= 5, f"The model takes 5 tokens, but was given {max(lengths, default=0)}."
    )
    expect(
        lengths == [3, 4, 5, 5, 5, 5],
        f"The model was given {lengths} tokens in turn; what should it see each time?",
    )


@question("generate", weight=2)
def test_crops_from_the_front(student):
    """Of a long text the last tokens count, not the first."""
    tokens = torch.tensor([[2, 9, 4, 7, 1, 12, 3, 8], [5, 5, 0, 6, 10, 1, 1, 2]])
    new = student.generate(recorder(student), tokens, 6)
    expect_equal(new, continued(tokens, 6), hint="Which context_length tokens of the text go in?")


@question("generate")
def test_evaluation_while_writing(student):
    """The model is in evaluation mode at every call."""
    model = recorder(student)
    model.train()
    student.generate(model, torch.randint(13, (2, 3)), 4)
    expect(not any(model.modes), "The model was asked in training mode, where dropout would act.")
    expect(len(model.modes) > 0, "The model was never asked.")


@question("generate")
def test_training_mode_comes_back(student):
    """A model that came in training mode goes back to it."""
    model = recorder(student)
    model.train()
    student.generate(model, torch.randint(13, (2, 3)), 2)
    expect(model.training is True, "The model came in training mode and was left in evaluation.")


@question("generate")
def test_evaluation_mode_stays(student):
    """A model that came in evaluation mode stays there."""
    model = recorder(student)
    student.generate(model, torch.randint(13, (2, 3)), 2)
    expect(model.training is False, "The model came in evaluation mode and was left in training.")


@question("generate")
def test_context_length_is_the_models(student):
    """The context is the given model's own, whatever else the notebook holds."""
    tokens = torch.randint(7, (3, 80))
    new = student.generate(recorder(student, 7, 70), tokens, 5)
    expect_equal(new, continued(tokens, 5, 7, 70), hint="Where does the length to crop to come from?")


@question("generate")
def test_result_is_repeatable(student):
    """Greedy means no chance: two calls give the same."""
    tokens, model = torch.randint(13, (4, 3)), recorder(student)
    first = expect_tensor(student.generate(model, tokens, 8), (4, 11), torch.int64)
    expect_equal(
        student.generate(model, tokens, 8),
        first,
        name="The second result",
        hint="Is a token drawn at random?",
    )


BIGRAM = """
from torch.nn import functional as F

class Bigram(nn.Module):
    # A table with a row of logits for each token.
    def __init__(self, table):
        super().__init__()
        self.table = nn.Parameter(table.clone())
        self.context_length = 64
        self.backwards = 0
        self.table.register_hook(self.count)

    def count(self, gradient):
        self.backwards += 1

    def forward(self, tokens, targets=None):
        logits = self.table[tokens]
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())

def stain(model):
    model.table.grad = torch.full_like(model.table, 3.0)

def has_gradient(model):
    return model.table.grad is not None
"""


class Trial:
    """A small model on the student's side, its optimizer, a batch, and the same computed here."""

    def __init__(self, student, rate=0.5, **settings):
        self.step = student.train_step
        self.start, self.rate = 2 * torch.randn(6, 6), rate
        self.model = student.define(BIGRAM, "Bigram")(self.start)
        self.optimizer = student.torch.optim.SGD(self.model.parameters(), lr=rate, **settings)
        self.tokens, self.targets = torch.randint(6, (3, 5)), torch.randint(6, (3, 5))

    def train(self):
        return self.step(self.model, self.optimizer, self.tokens, self.targets)

    @property
    def table(self):
        return expect_tensor(self.model.table, (6, 6), torch.float32, "The model's parameter").detach()

    def loss(self, table):
        return F.cross_entropy(table[self.tokens].flatten(0, 1), self.targets.flatten())

    def gradient(self, table):
        leaf = table.clone().requires_grad_()
        return torch.autograd.grad(self.loss(leaf), leaf)[0]


@question("train_step", weight=2)
def test_one_step_down(student):
    """The parameters move once, against the gradient of the loss."""
    trial = Trial(student)
    trial.train()
    waits = student.define(BIGRAM, "has_gradient")(trial.model)
    nudge = (
        "A gradient is there; who uses it?" if waits else "Was a gradient there when the optimizer stepped?"
    )
    expect(not torch.equal(trial.table, trial.start), f"The parameters have not moved. {nudge}")
    expected = trial.start - trial.rate * trial.gradient(trial.start)
    expect_close(
        trial.table, expected, name="The parameter after a step", hint="One gradient, one step, downwards."
    )


@question("train_step")
def test_one_gradient(student):
    """Each call computes the gradient once."""
    trial = Trial(student)
    trial.train()
    count = trial.model.backwards
    expect(count == 1, f"One backward a call was expected, but there were {count}.")


@question("train_step", weight=2)
def test_old_gradients_do_not_count(student):
    """Gradients left over from before do not count."""
    trial = Trial(student)
    student.define(BIGRAM, "stain")(trial.model)
    trial.train()
    expected = trial.start - trial.rate * trial.gradient(trial.start)
    expect_close(
        trial.table, expected, name="The parameter after a step", hint="When are old gradients cleared?"
    )


@question("train_step")
def test_two_calls_take_two_steps(student):
    """Two calls take two steps, each with the gradient of its own moment."""
    trial, table = Trial(student), None
    for _ in range(2):
        trial.train()
        before = trial.start if table is None else table
        table = before - trial.rate * trial.gradient(before)
    expect_close(trial.table, table, name="The parameter after two steps", hint="Do gradients pile up?")


@question("train_step")
def test_given_optimizer_takes_the_step(student):
    """The step is the given optimizer's: with momentum the second step is longer."""
    trial = Trial(student, momentum=0.9)
    table, speed = trial.start, torch.zeros(6, 6)
    for _ in range(2):
        trial.train()
        speed = 0.9 * speed + trial.gradient(table)
        table = table - trial.rate * speed
    expect_close(trial.table, table, name="The parameter after two steps", hint="Who decides how far to go?")


@question("train_step", weight=2)
def test_returns_the_loss_before(student):
    """It returns the loss that the batch had before the step."""
    trial = Trial(student)
    value = trial.train()
    value = float(value) if isinstance(value, torch.Tensor) and value.dim() == 0 else value
    if not isinstance(value, float):
        raise Unmet("The loss must be returned as one number. Is a return missing?")
    expect(abs(value - trial.loss(trial.start).item()) < 1e-5, "That is not the loss before the step.")


@question("train_step")
def test_returns_a_python_float(student):
    """The loss comes back as a Python float."""
    value = Trial(student).train()
    kind = "0-d tensor" if isinstance(value, torch.Tensor) else type(value).__name__
    expect(
        type(value) is float,
        f"A Python float was expected, not a {kind}: a tensor would keep the whole graph alive.",
    )


@question("train_step")
def test_steps_lower_the_loss(student):
    """Thirty steps on one batch lower its loss."""
    trial = Trial(student, rate=2.0)
    for _ in range(30):
        trial.train()
    left = trial.loss(trial.table).item()
    expect(
        left < 0.8 * trial.loss(trial.start).item(),
        "Thirty steps on the same batch have hardly lowered its loss.",
    )
