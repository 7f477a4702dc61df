"""Hidden tests of 10: pieces of a text, shared heads, turned pairs, a softmax in blocks of any size."""

import math

import pytest
import torch
from torch.nn import functional

from autograder.testing import (
    draw,
    expect,
    expect_close,
    expect_equal,
    expect_finite,
    expect_gradient,
    expect_no_nan,
    expect_raises,
    expect_tensor,
    expect_unchanged,
    question,
)

TAKE = (
    "def take(function, number, *arguments):\n    return function(*arguments)[number]\n"
)


def expect_parts(answer, count, what):
    """Expect `count` parts, as a tuple or a list."""
    packed = isinstance(answer, tuple | list)
    seen = "neither a tuple nor a list"
    if packed:
        seen = f"{len(answer)} parts"
    elif answer is None or isinstance(answer, torch.Tensor):
        seen = "None" if answer is None else "a single tensor"
    message = f"The result must be {what}, but it is {seen}."
    expect(packed and len(answer) == count, message)
    return tuple(answer)


def text(*shape, d_k=4, d_v=6, dtype=torch.float32):
    """Queries, keys and values of this many texts, heads and tokens."""
    return [torch.randn(*shape, size, dtype=dtype) for size in (d_k, d_k, d_v)]


def causal(queries, keys, values):
    """Causal attention over a whole text."""
    return functional.scaled_dot_product_attention(
        queries, keys, values, is_causal=True
    )


def piece(tensors, begin, end):
    """The tokens from `begin` to `end` of each tensor."""
    return [tensor[..., begin:end, :].clone() for tensor in tensors]


def step(student, tensors, cache=None):
    """One call of cached_attention; without a cache, None is the default."""
    arguments = tensors if cache is None else (*tensors, cache)
    output, cache = expect_parts(
        student.cached_attention(*arguments), 2, "the pair (output, cache)"
    )
    return output, expect_parts(cache, 2, "a cache, a pair of keys and values,")


def expect_pieces(student, tensors, sizes, hint, atol=None):
    """Expect each piece's outputs to be those of the whole text."""
    right, begin, cache = causal(*tensors), 0, None
    for size in sizes:
        output, cache = step(student, piece(tensors, begin, begin + size), cache)
        expected = right[..., begin : begin + size, :]
        expect_close(output, expected, atol=atol, hint=hint)
        begin += size


@question("cached_attention")
def test_cache_prompt(student):
    """Without a cache it is causal attention."""
    for length in (1, draw(5, 9)):
        tensors = text(2, 3, length)
        output, _ = step(student, tensors)
        expect_close(
            output, causal(*tensors), hint="What may a token of the prompt see?"
        )


@question("cached_attention", weight=2)
def test_cache_token_by_token(student):
    """A text that comes token by token has the same outputs, to the last token."""
    length = draw(5, 8)
    expect_pieces(
        student,
        text(2, 3, length),
        [1] * length,
        "What does a new token see of the past?",
    )


@question("cached_attention", weight=2)
def test_cache_several_new_tokens(student):
    """Several new tokens after a cache see all of the cache, and of each other only the past."""
    sizes = [draw(2, 5), draw(2, 5), draw(2, 5)]
    hint = "At which places do the new tokens stand, and what may each of them see?"
    expect_pieces(student, text(2, 2, sum(sizes)), sizes, hint)


@question("cached_attention")
def test_cache_contents(student):
    """The cache holds the keys and the values of all tokens so far, oldest first."""
    tensors, cache = text(2, 3, 7), None
    for begin, end in ((0, 3), (3, 4), (4, 7)):
        _, cache = step(student, piece(tensors, begin, end), cache)
        for name, kept, right in zip(
            ("keys", "values"), cache, tensors[1:], strict=True
        ):
            expect_equal(
                kept, right[..., :end, :], name=f"The cache's tensor of {name}"
            )


@question("cached_attention")
def test_cache_any_dimensions_in_front(student):
    """Texts and heads in front may be any number of dimensions, or none."""
    for front in ((), (3,), (2, 3), (2, 1, 3)):
        expect_pieces(
            student,
            text(*front, 6),
            (2, 1, 3),
            "Which dimension is that of the tokens?",
        )


@question("cached_attention")
def test_cache_continued_twice(student):
    """One cache can be continued twice, with different tokens."""
    shared, one, other = text(2, 3, 4), text(2, 3, 2), text(2, 3, 3)
    _, cache = step(student, shared)
    for new in (one, other, one):
        whole = [torch.cat(parts, dim=-2) for parts in zip(shared, new, strict=True)]
        output, _ = step(student, new, cache)
        expect_close(
            output,
            causal(*whole)[..., 4:, :],
            hint="Does a call change the cache that it is given?",
        )


@question("cached_attention")
def test_cache_two_texts(student):
    """A new text knows nothing of the text before it."""
    for length in (5, 3):
        tensors = text(2, 3, length)
        expect_pieces(
            student,
            tensors,
            (2, length - 2),
            "Where is the past kept, and whose is it?",
        )


@question("cached_attention")
def test_cache_keeps_float64(student):
    """float64 stays float64, in full precision."""
    tensors = text(2, 5, dtype=torch.float64)
    expect_pieces(student, tensors, (2, 3), "Is anything made in another dtype?")


@question("cached_attention")
def test_cache_large_scores(student):
    """Large scores give no NaN."""
    queries, keys, values = text(2, 6)
    large = (15 * queries, 15 * keys, values)
    expect_pieces(student, large, (3, 1, 2), "Which softmax is safe?", atol=1e-3)


@question("cached_attention")
def test_cache_gradients_and_inputs(student):
    """Gradients reach the new queries, keys and values, and no input is changed."""
    past, new = text(2, 3, 4), text(2, 3, 2)
    weight = torch.randn(2, 3, 2, 6)
    leaves = [tensor.requires_grad_() for tensor in new]
    whole = [torch.cat(parts, dim=-2) for parts in zip(past, leaves, strict=True)]
    right = torch.autograd.grad((causal(*whole)[..., 4:, :] * weight).sum(), leaves)
    before = [tensor.detach().clone() for tensor in leaves]
    take = student.define(TAKE, "take")
    step(student, piece(past, 0, 2))
    arguments = (student.cached_attention, 0, *leaves, (past[1], past[2]))
    seen = take.inspect(*arguments, weight=weight)
    expect_close(seen.output, causal(*whole)[..., 4:, :].detach())
    expect_unchanged(seen, *before, names=("the queries", "the keys", "the values"))
    names = ("", "", "the queries", "the keys", "the values")
    expect_gradient(
        seen,
        {2 + i: gradient for i, gradient in enumerate(right)},
        atol=1e-4,
        names=names,
    )


@question("cached_attention")
def test_cache_long_text(student):
    """A long text is remembered from its first token on."""
    hint = "Does the cache hold all tokens so far?"
    length = draw(135, 160)
    expect_pieces(student, text(2, length + 5), (length, 1, 4), hint)


@question("cached_attention")
def test_cache_very_low_scores(student):
    """Later tokens stay hidden where all scores are very low, a hundred thousand below 0 and more."""
    queries, keys, values = text(2, 6, dtype=torch.float64)
    # The last number of a query meets the same number in each key: it moves whole rows.
    queries[..., 3], keys[..., 3] = -5e5 * (1 + torch.rand(6)), 1
    hint = "Is what you put in the place of a hidden score below everything else?"
    expect_pieces(student, (queries, keys, values), (3, 1, 2), hint, atol=1e-6)


def shared(queries, keys, values, hidden=None):
    """Attention of each query head with its own head of keys and values, one after the other."""
    heads, kept = queries.shape[-3], keys.shape[-3]
    visible = None if hidden is None else ~hidden
    outputs = []
    for head in range(heads):
        own = head * kept // heads
        parts = queries[..., head, :, :], keys[..., own, :, :], values[..., own, :, :]
        outputs.append(
            functional.scaled_dot_product_attention(*parts, attn_mask=visible)
        )
    return torch.stack(outputs, dim=-3)


def groups(front, heads, kept, n=5, m=7, dtype=torch.float32):
    """Queries with `heads` heads, keys and values with `kept`."""
    shapes = (heads, n, 4), (kept, m, 4), (kept, m, 6)
    return [torch.randn(*front, *shape, dtype=dtype) for shape in shapes]


@question("grouped_query_attention", weight=2)
def test_groups_of_neighbours(student):
    """Neighbouring query heads share one head of keys and values."""
    for heads, kept in ((6, 2), (6, 3), (8, 2)):
        tensors = groups((2,), heads, kept, n=draw(1, 5))
        expect_close(
            student.grouped_query_attention(*tensors),
            shared(*tensors),
            hint="Which query heads share a head?",
        )


@question("grouped_query_attention")
def test_groups_extremes(student):
    """One head for all is multi-query attention; as many as query heads is plain multi-head attention."""
    for heads, kept in ((4, 1), (4, 4), (1, 1)):
        tensors = groups((2,), heads, kept)
        expect_close(
            student.grouped_query_attention(*tensors),
            shared(*tensors),
            hint="How large is a group here?",
        )


@question("grouped_query_attention")
def test_groups_without_a_batch(student):
    """A single text needs no dimension for the batch."""
    tensors = groups((), 6, 2)
    actual = student.grouped_query_attention(*tensors)
    expect_close(
        actual,
        shared(*tensors),
        hint="Which dimension is that of the heads, counted from the end?",
    )


@question("grouped_query_attention", weight=2)
def test_groups_mask(student):
    """The mask hides keys from every query head."""
    hidden = torch.rand(5, 7) < 0.5
    hidden[:, 3], hidden[0, 0], hidden[1, 6] = False, True, True
    tensors = groups((2,), 6, 2)
    actual = student.grouped_query_attention(*tensors, hidden)
    expect_close(
        actual,
        shared(*tensors, hidden),
        hint="What is the mask used for? True means hidden.",
    )


@question("grouped_query_attention")
def test_groups_indivisible(student):
    """Query heads that cannot be shared evenly are refused with a ValueError."""
    for heads, kept in ((5, 2), (7, 3), (2, 4)):
        tensors = groups((2,), heads, kept)
        because = f"for {heads} query heads and {kept} heads of keys"
        expect_raises(
            "ValueError", student.grouped_query_attention, *tensors, because=because
        )


@question("grouped_query_attention")
def test_groups_keep_float64(student):
    """float64 stays float64, in full precision."""
    tensors = groups((2,), 4, 2, dtype=torch.float64)
    expect_close(student.grouped_query_attention(*tensors), shared(*tensors))


@question("grouped_query_attention")
def test_groups_large_scores(student):
    """Large scores give no NaN."""
    queries, keys, values = groups((2,), 4, 2)
    expect_close(
        student.grouped_query_attention(15 * queries, 15 * keys, values),
        shared(15 * queries, 15 * keys, values),
        atol=1e-3,
    )


@question("grouped_query_attention")
def test_groups_gradients_and_inputs(student):
    """Shared keys and values get the gradients of all their query heads, and no input is changed."""
    leaves = [tensor.requires_grad_() for tensor in groups((2,), 6, 2)]
    weight = torch.randn(2, 6, 5, 6)
    right = torch.autograd.grad((shared(*leaves) * weight).sum(), leaves)
    before = [tensor.detach().clone() for tensor in leaves]
    seen = student.grouped_query_attention.inspect(*leaves, weight=weight)
    names = ("the queries", "the keys", "the values")
    expect_close(seen.output, shared(*leaves).detach())
    expect_unchanged(seen, *before, names=names)
    expect_gradient(seen, dict(enumerate(right)), atol=1e-4, names=names)


@question("grouped_query_attention")
def test_groups_equal_sizes(student):
    """Sizes that happen to be equal, and sizes of 1, make no difference, with a mask and without."""
    for front, heads, kept, n, m in (
        ((4,), 4, 2, 4, 4),
        ((2,), 5, 5, 5, 7),
        ((2,), 6, 2, 6, 6),
        ((1,), 2, 1, 1, 3),
        ((1,), 1, 1, 1, 1),
    ):
        tensors = groups(front, heads, kept, n, m)
        hint = "Is anything decided by sizes that are only equal by chance?"
        expect_close(
            student.grouped_query_attention(*tensors), shared(*tensors), hint=hint
        )
        hidden = torch.rand(n, m) < 0.5
        hidden[0], hidden[:, m // 2], hidden[-1, 0] = True, False, False
        expect_close(
            student.grouped_query_attention(*tensors, hidden),
            shared(*tensors, hidden),
            hint=hint,
        )


@question("grouped_query_attention")
def test_groups_very_low_scores(student):
    """Hidden keys stay hidden where all scores are very low, a hundred thousand below 0 and more."""
    queries, keys, values = groups((2,), 4, 2, dtype=torch.float64)
    # The last number of a query meets the same number in each key: it moves whole rows.
    queries[..., 3], keys[..., 3] = -5e5 * (1 + torch.rand(5)), 1
    hidden = torch.rand(5, 7) < 0.5
    hidden[:, 3], hidden[:, 0] = False, True
    hint = "Is what you put in the place of a hidden score below everything else?"
    expect_close(
        student.grouped_query_attention(queries, keys, values, hidden),
        shared(queries, keys, values, hidden),
        atol=1e-6,
        hint=hint,
    )


@question("grouped_query_attention")
def test_groups_leave_the_mask(student):
    """The mask stays as it was."""
    tensors, hidden = groups((2,), 4, 2), torch.rand(5, 7) < 0.5
    hidden[:, 2], hidden[0, 0] = False, True
    seen = student.grouped_query_attention.inspect(*tensors, hidden)
    expect_close(seen.output, shared(*tensors, hidden))
    names = ("the queries", "the keys", "the values", "the mask")
    expect_unchanged(seen, *tensors, hidden, names=names)


def turn(x, positions, base=10_000.0):
    """Turn pairs as complex numbers, in float64."""
    size = x.shape[-1]
    speeds = torch.tensor(
        [base ** (-2 * i / size) for i in range(size // 2)], dtype=torch.float64
    )
    angles = positions.double()[:, None] * speeds
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    return (
        torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles))
        .flatten(-2)
        .to(x.dtype)
    )


def some_places(count, highest=40):
    return torch.randperm(highest)[:count] + 1


TURNED = 1e-4  # in float32, angles of some tens are exact to some millionths


@question("rotate", weight=2)
def test_turned_pairs(student):
    """Each pair of neighbours is turned by its place times its own angle."""
    for size in (2, 8, 12):
        x, places = torch.randn(5, size), some_places(5)
        hint = "Which features are a pair, which way does it turn, and how fast?"
        expect_close(student.rotate(x, places), turn(x, places), atol=TURNED, hint=hint)


@question("rotate")
def test_turned_by_the_given_places(student):
    """The given places count, wherever a text begins and in whatever order they come."""
    x = torch.randn(4, 6)
    for places in (
        torch.arange(4) + draw(3, 30),
        some_places(4),
        torch.randint(30, (4,)),
    ):
        expect_close(
            student.rotate(x, places),
            turn(x, places),
            atol=TURNED,
            hint="Where does a token stand?",
        )


@question("rotate")
def test_turned_base(student):
    """The base decides how fast the pairs turn."""
    x, places = torch.randn(5, 8), some_places(5)
    for base in (100.0, 500_000.0):
        hint = "Is the given base used?"
        expect_close(
            student.rotate(x, places, base),
            turn(x, places, base),
            atol=TURNED,
            hint=hint,
        )


@question("rotate")
def test_turned_scores_depend_on_the_distance(student):
    """Moving queries and keys by the same number of places changes no score."""
    queries, keys = torch.randn(2, 6, 8, dtype=torch.float64)
    places, shift = torch.arange(6), draw(10, 900)

    def scores(by):
        rotated = [
            expect_tensor(student.rotate(x, places + by), (6, 8))
            for x in (queries, keys)
        ]
        return rotated[0].double() @ rotated[1].double().T

    before = scores(0)
    expect_close(
        scores(shift),
        before,
        atol=1e-3,
        hint="Queries and keys moved together, and scores changed.",
    )
    apart = expect_tensor(student.rotate(queries, places + 3), (6, 8)).double()
    moved = apart @ expect_tensor(student.rotate(keys, places), (6, 8)).double().T
    expect(
        bool((moved - before).abs().max() > 1e-2),
        "Queries moved alone, but the scores stayed the same.",
    )


@question("rotate")
@pytest.mark.parametrize("front", [(3,), (2, 3)])
def test_turned_batches(student, front):
    """Every text and head is turned alike."""
    x, places = torch.randn(*front, 5, 6), some_places(5)
    expect_close(
        student.rotate(x, places),
        turn(x, places),
        atol=TURNED,
        hint="Whose places are these?",
    )
    single, place = torch.randn(*front, 1, 6), some_places(1)
    expect_close(student.rotate(single, place), turn(single, place), atol=TURNED)


@question("rotate")
def test_turned_in_float64(student):
    """float64 stays float64, and angles are as exact, also far into a text."""
    x, places = (
        torch.randn(5, 8, dtype=torch.float64),
        torch.randint(1000, 100_000, (5,)),
    )
    hint = "In which dtype are the angles computed?"
    expect_close(student.rotate(x, places), turn(x, places), atol=1e-8, hint=hint)


@question("rotate")
def test_turned_gradients_and_inputs(student):
    """The gradient is turned back, and neither x nor the places are changed."""
    x, places = torch.randn(2, 5, 6), some_places(5)
    weight = torch.randn(2, 5, 6)
    leaf = x.clone().requires_grad_()
    seen = student.rotate.inspect(leaf, places, weight=weight)
    expect_close(seen.output, turn(x, places), atol=TURNED)
    expect_unchanged(seen, x, places, names=("x", "the places"))
    expect_gradient(seen, {0: turn(weight, -places)}, atol=1e-3, names=("x",))


@question("rotate")
def test_turned_equal_sizes(student):
    """Sizes that happen to be equal, and sizes of 1, make no difference."""
    for shape in (
        (4, 4, 8),
        (4, 4, 4, 4),
        (2, 3, 3, 6),
        (3, 6),
        (1, 4, 6),
        (1, 1, 1, 2),
    ):
        x, places = torch.randn(shape), some_places(shape[-2])
        hint = "Which dimension counts the tokens?"
        expect_close(student.rotate(x, places), turn(x, places), atol=TURNED, hint=hint)


NAMES = ("maximum", "denominator", "output")


def fresh(front, d_v, dtype=torch.float32):
    """The state before the first block."""
    return (
        torch.full(front, -math.inf, dtype=dtype),
        torch.zeros(front, dtype=dtype),
        torch.zeros(*front, d_v, dtype=dtype),
    )


def right_state(scores, values):
    """The state over all of these keys, taken at once; a query that sees nothing has -inf, 0 and 0."""
    maximum = scores.amax(dim=-1)
    parts = torch.exp(
        scores - maximum.masked_fill(maximum == -math.inf, 0.0).unsqueeze(-1)
    )
    return maximum, parts.sum(dim=-1), parts @ values


def expect_state(actual, right, relative=1e-5):
    """Expect this maximum, denominator and output."""
    parts = expect_parts(actual, 3, "the tuple (maximum, denominator, output)")
    for name, part, wanted in zip(NAMES, parts, right, strict=True):
        expect_no_nan(
            expect_tensor(part, wanted.shape, wanted.dtype, f"The {name}"),
            f"The {name}",
        )
    hints = (
        "Over which scores is it the largest?",
        "From which maximum is each of its terms measured?",
        "From which maximum is each of its terms measured, and is it divided too early?",
    )
    for name, part, wanted, hint in zip(NAMES, parts, right, hints, strict=True):
        scale = max(
            1.0,
            wanted[wanted.isfinite()].abs().max().item()
            if wanted.isfinite().any()
            else 1.0,
        )
        expect_close(part, wanted, atol=relative * scale, name=f"The {name}", hint=hint)
    return parts


def run_blocks(student, scores, values, sizes, relative=1e-5):
    """Hand the keys over in blocks, and expect the right state after each."""
    state, end = fresh(scores.shape[:-1], values.shape[-1], scores.dtype), 0
    for size in sizes:
        begin, end = end, end + size
        state = student.add_block(
            state, scores[..., begin:end].clone(), values[..., begin:end, :].clone()
        )
        state = expect_state(
            state, right_state(scores[..., :end], values[..., :end, :]), relative
        )
    return state


def rising(*shape, dtype=torch.float32):
    """Scores whose maximum rises again and again."""
    return 2 * torch.randn(*shape, dtype=dtype) + torch.arange(shape[-1]) / 3


@question("add_block")
def test_block_first(student):
    """The first block gives its own maximum, denominator and output."""
    scores, values = 3 * torch.randn(4, 5), torch.randn(5, 3)
    run_blocks(student, scores, values, [5])


@question("add_block", weight=2)
def test_block_higher_scores(student):
    """When a block brings higher scores, what was summed so far is measured anew."""
    run_blocks(student, rising(4, 12), torch.randn(12, 3), [4, 4, 4])


@question("add_block")
def test_block_lower_scores(student):
    """A block of lower scores leaves the maximum as it was."""
    run_blocks(student, rising(4, 12).flip(-1), torch.randn(12, 3), [4, 4, 4])


@question("add_block", weight=2)
def test_block_gives_softmax_attention(student):
    """Divided at the end, the output is that of plain softmax attention, for blocks of any size."""
    length = draw(11, 17)
    queries, keys, values = (
        torch.randn(6, 8) * 3,
        torch.randn(length, 8),
        torch.randn(length, 5),
    )
    scores = queries @ keys.T / math.sqrt(8)
    right = functional.scaled_dot_product_attention(
        queries[None], keys[None], values[None]
    )[0]
    for size in (1, 4, length):
        state = fresh((6,), 5)
        for block, some in zip(scores.split(size, -1), values.split(size), strict=True):
            state = expect_parts(
                student.add_block(state, block.clone(), some.clone()),
                3,
                "the new state",
            )
        for part, shape in zip(state, ((6,), (6,), (6, 5)), strict=True):
            expect_finite(expect_tensor(part, shape))
        expect_close(
            state[2] / state[1].unsqueeze(-1),
            right,
            hint=f"The blocks had {size} keys each.",
        )


@question("add_block")
def test_block_texts_and_heads(student):
    """Texts and heads in front may be any number of dimensions."""
    for front, queries in (((3,), 4), ((2, 3), 4), ((2,), 1)):
        scores, values = rising(*front, queries, 7), torch.randn(*front, 7, 5)
        run_blocks(student, scores, values, [3, 3, 1])


@question("add_block", weight=2)
def test_block_huge_scores(student):
    """Huge scores, positive or negative, neither overflow nor vanish."""
    for offset in (20_000.0, -20_000.0):
        scores = torch.round(2 * torch.randn(4, 9)) + offset
        run_blocks(student, scores, torch.randn(9, 3), [4, 4, 1])
    scores = torch.cat(
        [torch.randn(4, 3) - 9000, torch.randn(4, 3) + 9000, torch.randn(4, 3)], dim=-1
    )
    run_blocks(student, scores, torch.randn(9, 3), [3, 3, 3])


@question("add_block")
def test_block_hidden_keys(student):
    """Hidden keys count for nothing, if at least one key of a block is seen."""
    scores = rising(4, 9)
    hidden = torch.rand(4, 9) < 0.5
    hidden[:, 1::3] = False
    hidden[:, 0] = True
    run_blocks(
        student, scores.masked_fill(hidden, -math.inf), torch.randn(9, 3), [3, 3, 3]
    )


@question("add_block", weight=2)
def test_block_nothing_seen_yet(student):
    """A query that has seen no key yet keeps its state, and what it sees later counts in full."""
    scores = rising(4, 9)
    scores[0, :3], scores[1, :6], scores[2] = -math.inf, -math.inf, -math.inf
    run_blocks(student, scores, torch.randn(9, 3), [3, 3, 3])


@question("add_block")
def test_block_all_hidden_later(student):
    """A block that is all hidden changes nothing."""
    scores = rising(4, 9)
    scores[:, 3:6] = -math.inf
    run_blocks(student, scores, torch.randn(9, 3), [3, 3, 3])


@question("add_block")
def test_block_keeps_float64(student):
    """float64 stays float64, in full precision."""
    scores, values = (
        rising(4, 9, dtype=torch.float64),
        torch.randn(9, 3, dtype=torch.float64),
    )
    run_blocks(student, scores, values, [4, 4, 1], relative=1e-11)


@question("add_block")
def test_block_leaves_its_inputs_alone(student):
    """Neither the state nor the block is overwritten."""
    scores, values = rising(4, 6), torch.randn(6, 3)
    state = right_state(scores[:, :3], values[:3])
    block = scores[:, 3:].clone(), values[3:].clone()
    spread = student.define(
        "def spread(add, maximum, denominator, output, scores, values):\n"
        "    add((maximum, denominator, output), scores, values)\n"
        "    return maximum, denominator, output\n",
        "spread",
    )
    after = spread(
        student.add_block,
        *(part.clone() for part in state),
        *(part.clone() for part in block),
    )
    for name, now, was in zip(
        NAMES, expect_parts(after, 3, "the old state"), state, strict=True
    ):
        message = f"The function must leave the old state alone, but it changed the {name} in place."
        expect(torch.equal(expect_tensor(now, was.shape), was), message)
    seen = student.define(TAKE, "take").inspect(
        student.add_block, 2, state, *block, weight=torch.randn(4, 3)
    )
    expect_unchanged(seen, *block, names=("the scores", "the values"))
    expect_close(seen.output, right_state(scores, values)[2], atol=1e-4)


@question("add_block")
def test_block_gradients(student):
    """Gradients reach scores and values."""
    whole, values = rising(4, 6), torch.randn(6, 3)
    state = right_state(whole[:, :3], values[:3])
    leaves = [part.clone().requires_grad_() for part in (whole[:, 3:], values[3:])]
    weight = torch.randn(4, 3)
    source = (
        "def divided(add, state, scores, values):\n"
        "    _, denominator, output = add(state, scores, values)\n"
        "    return output / denominator.unsqueeze(-1)\n"
    )
    seen = student.define(source, "divided").inspect(
        student.add_block, state, *leaves, weight=weight
    )
    joined = torch.cat([whole[:, :3], leaves[0]], dim=-1)
    output = torch.softmax(joined, dim=-1) @ torch.cat([values[:3], leaves[1]])
    expect_close(seen.output, output.detach())
    right = torch.autograd.grad((output * weight).sum(), leaves)
    names = ("", "", "the scores", "the values")
    expect_gradient(seen, {2: right[0], 3: right[1]}, atol=1e-4, names=names)


@question("add_block")
def test_block_gradients_of_earlier_blocks(student):
    """Gradients reach the scores and values of all blocks, through the state."""
    leaves = rising(4, 6).requires_grad_(), torch.randn(6, 3, requires_grad=True)
    source = (
        "def in_blocks(add, state, scores, values):\n"
        "    for i in (0, 2, 4):\n"
        "        block = scores[..., i : i + 2], values[..., i : i + 2, :]\n"
        "        state = add(state, *block)\n"
        "    return state[2] / state[1].unsqueeze(-1)\n"
    )
    weight = torch.randn(4, 3)
    seen = student.define(source, "in_blocks").inspect(
        student.add_block, fresh((4,), 3), *leaves, weight=weight
    )
    output = torch.softmax(leaves[0], dim=-1) @ leaves[1]
    expect_close(seen.output, output.detach())
    right = torch.autograd.grad((output * weight).sum(), leaves)
    names = ("", "", "the scores", "the values")
    expect_gradient(seen, {2: right[0], 3: right[1]}, atol=1e-4, names=names)


@question("add_block")
def test_block_equal_sizes(student):
    """Sizes that happen to be equal, and sizes of 1, make no difference."""
    for front, queries, size, d_v in (
        ((3,), 3, 3, 3),
        ((), 4, 4, 4),
        ((2,), 3, 3, 2),
        ((1,), 3, 2, 2),
        ((1, 1), 1, 1, 1),
    ):
        scores = rising(*front, queries, 2 * size)
        run_blocks(student, scores, torch.randn(*front, 2 * size, d_v), [size, size])
