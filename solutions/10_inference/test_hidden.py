"""Hidden tests of 10: a cache for texts in pieces, grouped heads, rotated pairs, a softmax in blocks.

Most tests check a single property, so a mistake fails few tests. Many tests compare two results of one
function, check only the last token, or use inputs for which a wrong scale of the scores makes no difference:
all scores are equal, or marked keys get all the attention. Most tests ignore the shape and dtype of a result,
because one test of each function checks them.
"""

import math

import torch
from torch.nn import functional

from autograder.testing import (
    draw,
    expect,
    expect_close,
    expect_equal,
    expect_finite,
    expect_moved,
    expect_raises,
    expect_tensor,
    expect_unchanged,
    precondition,
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


def numbers(actual, expected):
    """Return a result in the shape and dtype of `expected`. It must have as many numbers."""
    tensor = expect_tensor(actual)
    if tensor.numel() == expected.numel():
        tensor = tensor.to(expected.dtype).reshape(expected.shape)
    return expect_tensor(tensor, expected.shape)


def expect_same(actual, before, **how):
    """Expect the same result as in an earlier call. NaN counts as 0, because other tests check for NaN."""
    actual = numbers(actual, before)
    expect_close(actual.nan_to_num(), before.nan_to_num(), **how)


def expect_slopes(call, inputs, seen, weight, names):
    """Compare gradients of (result * weight).sum() with difference quotients, in float64.

    `inputs` and `names` are indexed by the position of an argument in the call of `inspect`.
    """
    slopes = {place: seen.gradients.get(place) for place in inputs}
    for place, gradient in slopes.items():
        fault = f"No gradient reaches {names[place]}. Which step detaches it?"
        expect(gradient is not None, fault)
        expect_tensor(
            gradient, inputs[place].shape, name=f"The gradient of {names[place]}"
        )
    for _ in range(2):
        steps = {place: 1e-4 * torch.randn_like(x) for place, x in inputs.items()}
        ahead, behind = (
            numbers(call(*(x + way * steps[i] for i, x in inputs.items())), weight)
            for way in (1, -1)
        )
        moved = ((ahead - behind) * weight).sum()
        parts = [2 * slopes[place] * step for place, step in steps.items()]
        fault = "If the inputs change a little, the result changes by another amount than the gradients say."
        expect_moved(
            moved, parts, f"{fault} Is a step detached from the inputs?", atol=1e-9
        )


def text(*shape, d_k=4, d_v=4, dtype=torch.float32):
    """Return random queries, keys and values for these numbers of texts, heads and tokens."""
    return [torch.randn(*shape, size, dtype=dtype) for size in (d_k, d_k, d_v)]


def marked_text(shifts, dtype=torch.float64):
    """Return a text in which every second token is marked, and the right output.

    `shifts` are added to the scores, one number for each row. Marked tokens get all the attention, however
    the scores are scaled, so the output is the mean of the values of the visible marked tokens.
    """
    n = len(shifts)
    queries, keys, values = text(1, n, dtype=dtype)
    marked = (torch.arange(n) % 2 == 0).to(dtype)
    queries[:], keys[:] = 0, 0
    queries[..., 3], keys[..., 3] = shifts.to(dtype), 1
    queries[..., 2], keys[..., 2] = 1, 60 * marked
    weights = marked.expand(n, n).tril()
    right = weights / weights.sum(dim=-1, keepdim=True) @ values
    return (queries, keys, values), right


def causal(queries, keys, values):
    """Return causal attention over a whole text."""
    return functional.scaled_dot_product_attention(
        queries, keys, values, is_causal=True
    )


def piece(tensors, begin, end):
    """Return the tokens from `begin` to `end` of each tensor."""
    return [tensor[..., begin:end, :].clone() for tensor in tensors]


def step(student, tensors, cache=None):
    """Return output and cache of cached_attention. Without a cache, leave its argument out."""
    arguments = tensors if cache is None else (*tensors, cache)
    output, cache = expect_parts(
        student.cached_attention(*arguments), 2, "the pair (output, cache)"
    )
    return output, expect_parts(cache, 2, "a cache, a pair of keys and values,")


def in_pieces(student, tensors, *sizes):
    """Return the output for a text in pieces of these sizes. The last piece is the rest of the text."""
    outputs, begin, cache = [], 0, None
    for size in (*sizes, tensors[0].shape[-2] - sum(sizes)):
        given = piece(tensors, begin, begin + size)
        output, cache = step(student, given, cache)
        outputs.append(numbers(output, given[2]))
        begin += size
    return torch.cat(outputs, dim=-2)


def whole(student, tensors):
    """Return the output for a whole text in one call. The output must depend on keys and values."""
    queries, keys, values = tensors
    output, other = (
        in_pieces(student, (queries, keys + by, values + by)) for by in (0, 1)
    )
    follows = not torch.equal(output.nan_to_num(), other.nan_to_num())
    with precondition():
        expect(follows, "All keys and values changed, but the output stayed the same.")
    return output


@question("cached_attention")
def test_cache_form(student):
    """The result is the pair (output, (keys, values)), with the right shapes and dtypes."""
    for dtype in (torch.float32, torch.float64):
        tensors, cache = text(2, 3, 5, d_v=6, dtype=dtype), None
        whole(student, tensors)
        for begin, end in ((0, 2), (2, 3), (3, 5)):
            output, cache = step(student, piece(tensors, begin, end), cache)
            expect_tensor(output, (2, 3, end - begin, 6), dtype, "The output")
            for size, kept in zip((4, 6), cache, strict=True):
                expect_tensor(kept, (2, 3, end, size), dtype, "A tensor in the cache")


@question("cached_attention", basic=True)
def test_cache_prompt(student):
    """Without a cache, the result is that of causal attention."""
    for length in (1, draw(5, 9)):
        tensors = text(1, length, d_v=6)
        hint = "Which tokens may a token of the prompt see?"
        expect_close(in_pieces(student, tensors), causal(*tensors), hint=hint)


@question("cached_attention", basic=True)
def test_cache_newest_token(student):
    """Token by token, the output of the newest token is that of causal attention over the whole text."""
    length = draw(5, 8)
    tensors = text(1, length, d_v=6)
    last = in_pieces(student, tensors, *[1] * (length - 1))[..., -1, :]
    hint = "Which earlier tokens does a new token see?"
    expect_close(last, causal(*tensors)[..., -1, :], hint=hint)


@question("cached_attention", basic=True)
def test_cache_several_new_tokens(student):
    """Several new tokens after a cache see the whole cache, but no later new tokens."""
    sizes = [draw(2, 5), draw(2, 5)]
    tensors = text(1, sum(sizes) + draw(2, 5))
    right = whole(student, tensors)
    hint = "Which positions do the new tokens have in the text, and which tokens may each of them see?"
    expect_same(in_pieces(student, tensors, *sizes), right, hint=hint)


@question("cached_attention", basic=True)
def test_cache_contents(student):
    """The cache holds the keys and the values of all tokens so far, oldest first."""
    tensors, cache = text(1, 7), None
    for begin, end in ((0, 3), (3, 4), (4, 7)):
        _, cache = step(student, piece(tensors, begin, end), cache)
        for name, kept, right in zip(
            ("keys", "values"), cache, tensors[1:], strict=True
        ):
            right = right[..., :end, :]
            name = f"The cache's tensor of {name}"
            expect_equal(numbers(kept, right), right, name=name)


@question("cached_attention", basic=True)
def test_cache_any_dimensions_in_front(student):
    """There may be any number of dimensions before the tokens, or none, and texts and heads do not mix."""
    for front in ((3,), (2, 3), (2, 1, 3)):
        tensors = text(*front, 6)
        together = whole(student, tensors)[..., -1, :].flatten(0, -2)
        one = [tensor.flatten(0, -3)[2] for tensor in tensors]
        alone = in_pieces(student, one, 2, 1)[..., -1, :]
        hint = "Which dimension counts the tokens?"
        expect_same(alone, together[2], hint=hint)


@question("cached_attention")
def test_cache_continued_twice(student):
    """One cache can be continued twice, with different tokens."""
    past, one, other = text(1, 4), text(1, 2), text(1, 3)
    whole(student, past)
    _, cache = step(student, past)
    first, _, again = (
        numbers(step(student, new, cache)[0], new[2]) for new in (one, other, one)
    )
    expect_same(again, first, hint="Does a call change its argument `cache`?")


@question("cached_attention")
def test_cache_keeps_float64(student):
    """Every step keeps the precision of float64."""
    tensors = text(1, 5, dtype=torch.float64)
    last = in_pieces(student, tensors, 2, 1)[..., -1, :]
    hint = "Is a step computed in float32, such as the root or the scores?"
    expect_close(last, causal(*tensors)[..., -1, :], hint=hint)


@question("cached_attention")
def test_cache_large_scores(student):
    """Large scores do not overflow, and do not change the results of other tokens."""
    shifts = torch.tensor([0.0, 900.0, -900.0, 900.0, -900.0])
    tensors, right = marked_text(shifts, torch.float32)
    last = in_pieces(student, tensors, 1)[..., -1, :]
    expect_close(
        last,
        right[..., -1, :],
        atol=1e-3,
        hint="Do you use torch's softmax, which does not overflow?",
    )


@question("cached_attention")
def test_cache_very_low_scores(student):
    """Later tokens stay hidden if all scores are very low, -100000 or less."""
    tensors, right = marked_text(-5e5 * (1 + torch.rand(6)))
    hint = "Is the number that replaces hidden scores lower than every possible score?"
    expect_close(in_pieces(student, tensors, 3, 1), right, atol=1e-6, hint=hint)


@question("cached_attention")
def test_cache_gradients(student):
    """Gradients reach the new queries, keys and values."""
    past, new = (text(1, size, dtype=torch.float64) for size in (3, 2))
    weight = torch.randn(1, 2, 4, dtype=torch.float64)
    leaves = [tensor.clone().requires_grad_() for tensor in new]
    seen = student.define(TAKE, "take").inspect(
        student.cached_attention, 0, *leaves, tuple(past[1:]), weight=weight
    )
    expect_slopes(
        lambda *changed: step(student, changed, tuple(past[1:]))[0],
        {2 + i: tensor for i, tensor in enumerate(new)},
        seen,
        weight,
        ("", "", "the queries", "the keys", "the values"),
    )


@question("cached_attention", needs_results=True)
def test_cache_leaves_its_inputs(student):
    """Queries, keys and values stay as they were."""
    tensors = text(1, 4)
    whole(student, tensors)
    seen = student.cached_attention.inspect(*tensors)
    expect_unchanged(seen, *tensors, names=("the queries", "the keys", "the values"))


@question("cached_attention")
def test_cache_long_text(student):
    """No token of a long text is lost: if all scores are equal, the last output is the mean of all values."""
    length = draw(1030, 1060)
    queries, keys, values = text(1, length + 5)
    last = in_pieces(student, (0 * queries, keys, values), length, 1)[..., -1, :]
    hint = "Does the returned cache contain all tokens so far?"
    expect_close(last, values.mean(dim=-2), hint=hint)


def groups(front, heads, kept, n=5, m=7, d_v=4, dtype=torch.float32):
    """Return queries with `heads` heads, and keys and values with `kept` heads."""
    shapes = (heads, n, 4), (kept, m, 4), (kept, m, d_v)
    return [torch.randn(*front, *shape, dtype=dtype) for shape in shapes]


def shared(student, queries, keys, values, *mask):
    """Return the output of grouped_query_attention. The output must depend on keys and values."""
    right = torch.empty(*queries.shape[:-1], values.shape[-1], dtype=values.dtype)
    output, other = (
        numbers(
            student.grouped_query_attention(queries, keys + by, values + by, *mask),
            right,
        )
        for by in (0, 1)
    )
    follows = not torch.equal(output.nan_to_num(), other.nan_to_num())
    with precondition():
        expect(follows, "All keys and values changed, but the output stayed the same.")
    return output


def spread(queries, *kept):
    """Repeat each key/value head for the query heads of its group."""
    return [
        tensor.repeat_interleave(queries.shape[-3] // tensor.shape[-3], dim=-3)
        for tensor in kept
    ]


def some_hidden(n=5, m=7):
    """Return a random mask that hides the first key from all queries, and the middle key from none."""
    hidden = torch.rand(n, m) < 0.5
    hidden[:, m // 2], hidden[0, -1], hidden[:, 0] = False, True, True
    return hidden


@question("grouped_query_attention")
def test_groups_form(student):
    """The output has the shape (..., h, n, d_v) and the dtype of the inputs."""
    for front, heads, dtype in (
        ((2,), 6, torch.float32),
        ((), 6, torch.float64),
        ((1,), 1, torch.float32),
    ):
        kept, n = (heads + 1) // 3 or 1, heads
        tensors = groups(front, heads, kept, n, d_v=6, dtype=dtype)
        shared(student, *tensors)
        output = student.grouped_query_attention(*tensors)
        expect_tensor(output, (*front, heads, n, 6), dtype)


@question("grouped_query_attention", basic=True)
def test_groups_of_one(student):
    """If g equals h, the result is attention in each head."""
    for heads in (1, 3):
        tensors = groups((1,), heads, heads, d_v=6)
        right = functional.scaled_dot_product_attention(*tensors)
        expect_close(shared(student, *tensors), right)


@question("grouped_query_attention", basic=True)
def test_groups_of_neighbours(student):
    """Neighbouring query heads share a value head: with a single key, each gets the value of this head."""
    for heads, kept in ((6, 2), (6, 3), (8, 2)):
        tensors = groups((1,), heads, kept, n=1, m=1)
        (right,) = spread(tensors[0], tensors[2])
        hint = "Which query heads share a value head?"
        expect_close(shared(student, *tensors), right, hint=hint)


@question("grouped_query_attention", basic=True)
def test_groups_share_their_keys(student):
    """The result is the same as with a copy of keys and values for each query head."""
    for heads, kept in ((6, 2), (4, 1)):
        queries, *tensors = groups((1,), heads, kept)
        right = shared(student, queries, *spread(queries, *tensors))
        hint = "Which query heads share a key head?"
        expect_same(shared(student, queries, *tensors), right, hint=hint)


@question("grouped_query_attention")
def test_groups_without_a_batch(student):
    """A single text needs no dimension for the batch, and texts of a batch do not mix."""
    tensors = groups((2,), 6, 2)
    together = shared(student, *tensors)
    for number in range(2):
        alone = shared(student, *(tensor[number] for tensor in tensors))
        hint = "If you count dimensions from the end, which number does the dimension of the heads have?"
        expect_same(alone, together[number], hint=hint)


@question("grouped_query_attention", basic=True)
def test_groups_hidden_keys(student):
    """Hidden keys and values have no influence on any query head."""
    queries, keys, values = groups((1,), 6, 2)
    hidden = torch.tensor([True, False, True, False, False, True, True]).expand(5, 7)
    before = shared(student, queries, keys, values, hidden)
    for tensor in (keys, values):
        tensor[..., hidden[0], :] += torch.randn(tensor.shape[-1])
    hint = "Only hidden keys and values changed, but the output changed, too. True means hidden."
    expect_same(shared(student, queries, keys, values, hidden), before, hint=hint)


@question("grouped_query_attention", basic=True)
def test_groups_mask(student):
    """Each query has its own row of the mask: a query of zeros gets the mean of its visible values."""
    queries, keys, values = groups((1,), 4, 2)
    hidden = some_hidden()
    seen = (~hidden).float()
    right = seen / seen.sum(dim=-1, keepdim=True) @ spread(queries, values)[0]
    actual = shared(student, 0 * queries, keys, values, hidden)
    expect_close(
        actual,
        right,
        hint="Does each query use its own row of the mask? True means hidden.",
    )


@question("grouped_query_attention")
def test_groups_indivisible(student):
    """If h is not a multiple of g, a ValueError is raised."""
    shared(student, *groups((1,), 4, 2))
    for heads, kept in ((5, 2), (7, 3), (2, 4)):
        tensors = groups((2,), heads, kept)
        hint = f"There are {heads} query heads and {kept} heads of keys."
        expect_raises(
            "ValueError", student.grouped_query_attention, *tensors, hint=hint
        )


@question("grouped_query_attention")
def test_groups_keep_float64(student):
    """Every step keeps the precision of float64."""
    queries, *tensors = groups((1,), 4, 2, dtype=torch.float64)
    right = functional.scaled_dot_product_attention(queries, *spread(queries, *tensors))
    hint = "Is a step computed in float32, such as the root or the scores?"
    expect_close(shared(student, queries, *tensors), right, hint=hint)


@question("grouped_query_attention")
def test_groups_large_scores(student):
    """Large scores do not overflow, and do not change the results of other tokens."""
    shifts = torch.tensor([0.0, 900.0, -900.0, 900.0, -900.0])
    tensors, right = marked_text(shifts, torch.float32)
    output = shared(student, *(tensor.unsqueeze(0) for tensor in tensors))
    expect_close(
        output[0, :, -1],
        right[:, -1],
        atol=1e-3,
        hint="Do you use torch's softmax, which does not overflow?",
    )


@question("grouped_query_attention")
def test_groups_very_low_scores(student):
    """Hidden keys stay hidden if all scores are very low, -100000 or less."""
    tensors, right = marked_text(-5e5 * (1 + torch.rand(6)))
    later = torch.ones(6, 6, dtype=torch.bool).triu(1)
    output = shared(student, *(tensor.unsqueeze(0) for tensor in tensors), later)
    hint = "Is the number that replaces hidden scores lower than every possible score?"
    expect_close(output[0], right, atol=1e-6, hint=hint)


@question("grouped_query_attention")
def test_groups_gradients(student):
    """Shared keys and values get the gradients of all their query heads."""
    tensors = groups((1,), 4, 2, n=2, m=3, dtype=torch.float64)
    weight = torch.randn(1, 4, 2, 4, dtype=torch.float64)
    leaves = [tensor.clone().requires_grad_() for tensor in tensors]
    seen = student.grouped_query_attention.inspect(*leaves, weight=weight)
    names = ("the queries", "the keys", "the values")
    call = student.grouped_query_attention
    expect_slopes(call, dict(enumerate(tensors)), seen, weight, names)


@question("grouped_query_attention", needs_results=True)
def test_groups_leave_their_inputs(student):
    """Queries, keys, values and the mask stay as they were."""
    tensors, hidden = groups((1,), 4, 2), some_hidden()
    shared(student, *tensors, hidden)
    seen = student.grouped_query_attention.inspect(*tensors, hidden)
    names = ("the queries", "the keys", "the values", "the mask")
    expect_unchanged(seen, *tensors, hidden, names=names)


@question("grouped_query_attention")
def test_groups_equal_sizes(student):
    """The output is also right if sizes are equal or 1, with and without a mask."""
    for front, heads, kept, n, m in (
        ((4,), 4, 2, 4, 4),
        ((2,), 5, 5, 5, 7),
        ((2,), 6, 2, 6, 6),
        ((1,), 2, 1, 1, 3),
        ((1,), 1, 1, 1, 1),
    ):
        queries, *tensors = groups(front, heads, kept, n, m)
        copies = spread(queries, *tensors)
        for hidden in (None, torch.arange(m).expand(n, m) > m // 2):
            visible = None if hidden is None else ~hidden
            right = functional.scaled_dot_product_attention(
                queries, *copies, attn_mask=visible
            )
            hint = "Does your code compare two sizes that may be equal by chance?"
            expect_close(shared(student, queries, *tensors, hidden), right, hint=hint)


def turn(x, positions, base=10_000.0):
    """Rotate pairs as complex numbers, in float64."""
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


def rotated(student, x, places, *base):
    """Return the result of rotate in the shape of x. It must depend on x and differ from x."""
    actual, other = (
        numbers(student.rotate(some, places, *base), some) for some in (x, x + 1)
    )
    turned = not bool(places.any()) or not torch.equal(actual, x)
    with precondition():
        expect(not torch.equal(actual, other), "The result does not depend on x.")
        expect(turned, "The result is x itself. Which step rotates the pairs?")
    return actual


TURNED = (
    1e-4  # tolerance: in float32, an angle below 100 has an error of a few millionths
)


@question("rotate")
def test_turned_form(student):
    """The result has the shape and the dtype of x."""
    for shape, dtype in (
        ((5, 6), torch.float32),
        ((2, 3, 5, 8), torch.float64),
        ((1, 1, 1, 2), torch.float32),
    ):
        x, places = torch.randn(shape, dtype=dtype), some_places(shape[-2])
        rotated(student, x, places)
        expect_tensor(student.rotate(x, places), shape, dtype)


@question("rotate", basic=True)
def test_turned_pairs(student):
    """Each pair of neighbouring features is rotated by the position times the angle of the pair."""
    for size in (2, 4, 8, 12):
        x, places = torch.randn(1, 5, size), some_places(5)
        hint = "Which features are a pair, in which direction is it rotated, and by which angle?"
        actual = rotated(student, x, places)
        expect_close(actual, turn(x, places), atol=TURNED, hint=hint)


@question("rotate")
def test_turned_at_place_zero(student):
    """At position 0, nothing is rotated."""
    x = torch.randn(1, 5, 6)
    rotated(student, x, some_places(5))
    actual = numbers(student.rotate(x, torch.zeros(5, dtype=torch.long)), x)
    expect_close(actual, x, atol=TURNED, hint="What are the sine and cosine of 0?")


@question("rotate", basic=True)
def test_turned_by_the_given_places(student):
    """Each token is rotated by its entry of `positions`, for any order of the positions."""
    x = torch.randn(1, 4, 6)
    for places in (torch.arange(4) + draw(3, 30), torch.randint(30, (4,))):
        actual = rotated(student, x, places)
        for token in range(4):
            single, place = x[:, token : token + 1], places[token : token + 1]
            alone = rotated(student, single, place)
            hint = "Do you read the argument `positions`?"
            expect_same(alone[:, 0], actual[:, token], atol=TURNED, hint=hint)


@question("rotate", basic=True)
def test_turned_base(student):
    """The angles depend on the base: with base 1, all pairs are rotated by the same angle."""
    x, places = torch.randn(1, 5, 2).repeat(1, 1, 3), some_places(5)
    pairs = rotated(student, x, places, 1.0).unflatten(-1, (3, 2))
    for pair in range(3):
        hint = "Do you use the argument `base`?"
        expect_same(pairs[..., pair, :], pairs[..., 0, :], atol=TURNED, hint=hint)


@question("rotate")
def test_turned_scores_depend_on_the_distance(student):
    """If all positions of queries and keys are shifted by the same number, no score changes."""
    queries, keys = torch.randn(2, 1, 6, 8, dtype=torch.float64)
    places, shift = torch.arange(6), draw(10, 900)

    def scores(by, apart=0):
        turned = rotated(student, queries, places + by + apart)
        return turned @ rotated(student, keys, places + by).mT

    before = scores(0)
    hint = "All positions were shifted by the same number, but the scores changed."
    expect_close(scores(shift), before, atol=1e-3, hint=hint)
    expect(
        bool((scores(0, 3) - before).abs().max() > 1e-2),
        "Only the positions of the queries were shifted, but the scores stayed the same.",
    )


@question("rotate", basic=True)
def test_turned_batches(student):
    """Each text and head is rotated in the same way, also if some sizes are equal."""
    for shape in ((3, 5, 6), (2, 3, 5, 6), (4, 4, 8), (4, 4, 4, 4), (2, 3, 3, 6)):
        x, places = torch.randn(shape), some_places(shape[-2])
        together = rotated(student, x, places).flatten(0, -3)
        for number, single in enumerate(x.flatten(0, -3)):
            alone = rotated(student, single, places)
            hint = "Which dimension of x do the positions belong to?"
            expect_same(together[number], alone, atol=TURNED, hint=hint)


@question("rotate")
def test_turned_in_float64(student):
    """With float64, the result has the precision of float64, also at large positions."""
    x, places = torch.randn(1, 5, 8).double(), torch.randint(1000, 100_000, (5,))
    hint = "In which dtype are the angles computed?"
    expect_close(rotated(student, x, places), turn(x, places), atol=1e-8, hint=hint)


@question("rotate")
def test_turned_gradients(student):
    """The gradient reaches x."""
    x, weight = torch.randn(2, 1, 5, 6, dtype=torch.float64)
    places = some_places(5)
    rotated(student, x, places)
    seen = student.rotate.inspect(x.clone().requires_grad_(), places, weight=weight)
    call = lambda changed: student.rotate(changed, places)  # noqa: E731
    expect_slopes(call, {0: x}, seen, weight, ("x",))


@question("rotate", needs_results=True)
def test_turned_leaves_its_inputs(student):
    """Neither x nor the positions are changed."""
    x, places = torch.randn(1, 5, 6), some_places(5)
    rotated(student, x, places)
    seen = student.rotate.inspect(x, places)
    expect_unchanged(seen, x, places, names=("x", "the positions"))


NAMES = ("maximum", "denominator", "output")


def fresh(front, d_v, dtype=torch.float32):
    """Return the state before the first block."""
    return (
        torch.full(front, -math.inf, dtype=dtype),
        torch.zeros(front, dtype=dtype),
        torch.zeros(*front, d_v, dtype=dtype),
    )


def right_state(scores, values):
    """Return the state after all keys. A query that sees no key has the maximum -inf, and sums of 0."""
    maximum = scores.amax(dim=-1)
    parts = torch.exp(
        scores - maximum.masked_fill(maximum == -math.inf, 0.0).unsqueeze(-1)
    )
    return maximum, parts.sum(dim=-1), parts @ values


def expect_state(actual, right, relative=1e-5):
    """Expect this maximum, denominator and output."""
    hints = (
        "It should be the largest score of each query over all blocks so far.",
        "Which maximum is subtracted in each term of this sum?",
        "Which maximum is subtracted in each term of this sum? Is the sum divided too early?",
    )
    for name, part, wanted, hint in zip(NAMES, actual, right, hints, strict=True):
        finite = wanted[wanted.isfinite()]
        scale = max([1.0, *finite.abs().flatten().tolist()])
        expect_close(part, wanted, atol=relative * scale, name=f"The {name}", hint=hint)


def expect_same_state(actual, before, atol=1e-4, **how):
    for name, part, wanted in zip(NAMES, actual, before, strict=True):
        expect_same(part, wanted, atol=atol, name=f"The {name}", **how)


def added(student, state, scores, values):
    """Return the state after one more block, in the shapes of the state before."""
    parts = student.add_block(state, scores.clone(), values.clone())
    parts = expect_parts(parts, 3, "the tuple (maximum, denominator, output)")
    return tuple(numbers(part, was) for part, was in zip(parts, state, strict=True))


def in_blocks(student, scores, values, *sizes):
    """Return the state after blocks of these sizes, and a last block with the remaining keys.

    After each block, the state must depend on the block's scores or values.
    """
    state, begin = fresh(scores.shape[:-1], values.shape[-1], scores.dtype), 0
    for size in (*sizes, scores.shape[-1] - sum(sizes)):
        block = scores[..., begin : begin + size], values[..., begin : begin + size, :]
        others = (
            added(student, state, block[0] + by, block[1] + 1 - by) for by in (0, 1)
        )
        follow = [
            not torch.equal(*map(torch.nan_to_num, two))
            for two in zip(*others, strict=True)
        ]
        seen = bool((block[0] > -math.inf).any())
        message = (
            "Scores or values of a block changed, but the new state stayed the same."
        )
        expect(not seen or follow[0] or follow[2], message)
        state = added(student, state, *block)
        begin += size
    return state


def rising(*shape, dtype=torch.float32):
    """Return random scores that increase from key to key."""
    return torch.randn(*shape, dtype=dtype).sort(dim=-1).values + torch.arange(
        shape[-1]
    )


def falling(*shape, dtype=torch.float32):
    return rising(*shape, dtype=dtype).flip(-1)


@question("add_block", needs_results=True)
def test_block_form(student):
    """The new state has the shapes and the dtype of the state before."""
    for front, dtype in (
        ((4,), torch.float32),
        ((2, 3), torch.float64),
        ((1, 1), torch.float32),
    ):
        scores, values = falling(*front, 5, dtype=dtype), torch.randn(5, 3, dtype=dtype)
        in_blocks(student, scores, values)
        state = student.add_block(fresh(front, 3, dtype), scores, values)
        state = expect_parts(state, 3, "the tuple (maximum, denominator, output)")
        shapes = (front, front, (*front, 3))
        for name, part, shape in zip(NAMES, state, shapes, strict=True):
            expect_tensor(part, shape, dtype, f"The {name}")


@question("add_block", basic=True)
def test_block_first(student):
    """After the first block, the state is the maximum, denominator and output of this block alone."""
    scores, values = 3 * torch.randn(4, 5), torch.randn(5, 3)
    expect_state(in_blocks(student, scores, values), right_state(scores, values))


@question("add_block", basic=True)
def test_block_higher_scores(student):
    """If a block has higher scores, the old sums are rescaled to the new maximum."""
    scores, values = rising(4, 12), torch.randn(12, 3)
    expect_state(in_blocks(student, scores, values, 4, 4), right_state(scores, values))


@question("add_block", basic=True)
def test_block_lower_scores(student):
    """A block of lower scores does not change the maximum."""
    scores, values = falling(4, 12), torch.randn(12, 3)
    expect_state(in_blocks(student, scores, values, 4, 4), right_state(scores, values))


@question("add_block", basic=True)
def test_block_gives_softmax_attention(student):
    """The last output, divided by the denominator, is plain softmax attention, for blocks of any size."""
    length = draw(11, 17)
    scores, values = 3 * torch.randn(6, length), torch.randn(length, 5)
    right = scores.softmax(dim=-1) @ values
    for size in (1, 4, length):
        state = in_blocks(student, scores, values, *[size] * ((length - 1) // size))
        hint = f"The blocks had {size} keys each."
        expect_close(state[2] / state[1].unsqueeze(-1), right, hint=hint)


@question("add_block", basic=True)
def test_block_texts_and_heads(student):
    """Texts and heads do not mix, even if there are as many texts as heads, queries, keys or features."""
    for front, queries, size, d_v in (
        ((3,), 4, 7, 5),
        ((2, 3), 4, 7, 5),
        ((3,), 3, 3, 3),
        ((2, 1), 1, 4, 1),
    ):
        scores, values = falling(*front, queries, size), torch.randn(*front, size, d_v)
        together = [
            part.flatten(0, len(front) - 1)
            for part in in_blocks(student, scores, values)
        ]
        for number in (0, -1):
            one = scores.flatten(0, -3)[number], values.flatten(0, -3)[number]
            alone = in_blocks(student, *one)
            expect_same_state(alone, [part[number] for part in together])


@question("add_block", needs_results=True)
def test_block_huge_scores(student):
    """If all scores are shifted by the same number, the maximum is shifted, too. The sums do not change."""
    scores, values = torch.round(3 * falling(4, 6)), torch.randn(6, 3)
    maximum, *sums = in_blocks(student, scores, values)
    for offset in (20_000.0, -20_000.0):
        state = in_blocks(student, scores + offset, values)
        for part in state:
            expect_finite(part)
        hint = f"All scores were shifted by {offset:.0f}. This should change only the maximum."
        expect_same_state(state, (maximum + offset, *sums), hint=hint)


@question("add_block", needs_results=True)
def test_block_hidden_keys(student):
    """Hidden keys have no influence, if at least one key of a block is visible."""
    scores, values = falling(4, 6), torch.randn(6, 3)
    seen = torch.tensor([False, True, False, True, True, False])
    hidden = scores.masked_fill(~seen, -math.inf)
    right = in_blocks(student, scores[:, seen], values[seen])
    expect_same_state(in_blocks(student, hidden, values), right)


@question("add_block")
def test_block_nothing_seen_yet(student):
    """A query that has not seen any key keeps its state, and later keys count in full."""
    scores, values = falling(4, 6), torch.randn(6, 3)
    right = in_blocks(student, scores, values)
    nothing = torch.full((4, 3), -math.inf)
    state = in_blocks(student, nothing, values[:3])
    for part, before in zip(state, fresh((4,), 3), strict=True):
        hint = "No key was seen. What is -inf - (-inf)?"
        expect_equal(part, before, hint=hint)
    later = torch.cat([nothing, scores], dim=-1), torch.cat([values[:3], values])
    expect_same_state(in_blocks(student, *later, 3), right)


@question("add_block")
def test_block_all_hidden_later(student):
    """A block whose keys are all hidden changes nothing."""
    scores, values = falling(4, 3), torch.randn(3, 3)
    right = in_blocks(student, scores, values)
    scores = torch.cat([scores, torch.full((4, 3), -math.inf)], dim=-1)
    expect_same_state(in_blocks(student, scores, values.repeat(2, 1), 3), right)


@question("add_block")
def test_block_keeps_float64(student):
    """Every step keeps the precision of float64."""
    scores, values = (
        torch.randn(*shape, dtype=torch.float64) for shape in ((4, 5), (5, 3))
    )
    once = in_blocks(student, scores, values)
    other = in_blocks(student, scores + 0.1, values / 3)
    moved = [other[0] - 0.1, other[1], 3 * other[2]]
    expect_same_state(moved, once, atol=1e-12, hint="Is a step computed in float32?")


@question("add_block", needs_results=True)
def test_block_leaves_its_inputs_alone(student):
    """Neither the state nor the block is overwritten."""
    scores, values = rising(4, 6), torch.randn(6, 3)
    in_blocks(student, scores, values, 3)
    state = right_state(scores[:, :3], values[:3])
    given = (*state, scores[:, 3:].clone(), values[3:].clone())
    source = (
        "def spread(add, *given):\n    add(given[:3], *given[3:])\n    return given\n"
    )
    after = student.define(source, "spread")(
        student.add_block, *(tensor.clone() for tensor in given)
    )
    names = *(f"old {name}" for name in NAMES), "scores", "values"
    for name, now, was in zip(names, expect_parts(after, 5, "all"), given, strict=True):
        message = f"The function must leave its inputs alone, but it changed the {name} in place."
        expect(torch.equal(expect_tensor(now, was.shape), was), message)


BLOCKS = """
def in_blocks(add, state, scores, values):
    for i in range(0, scores.shape[-1], 2):
        state = add(state, scores[..., i : i + 2], values[..., i : i + 2, :])
    return state[2] / state[1].unsqueeze(-1)
"""


def expect_block_slopes(student, scores):
    """Pass the keys in blocks of two, and check the gradients of all scores and values."""
    keys = scores.shape[-1]
    values = torch.randn(keys, 3, dtype=torch.float64)
    state, weight = fresh((4,), 3, torch.float64), torch.randn(4, 3).double()
    leaves = [tensor.clone().requires_grad_() for tensor in (scores, values)]
    function = student.define(BLOCKS, "in_blocks")
    seen = function.inspect(student.add_block, state, *leaves, weight=weight)
    expect_slopes(
        lambda *changed: function(student.add_block, state, *changed),
        {2: scores, 3: values},
        seen,
        weight,
        ("", "", "the scores", "the values"),
    )


@question("add_block")
def test_block_gradients(student):
    """Gradients reach scores and values."""
    expect_block_slopes(student, rising(4, 2, dtype=torch.float64))


@question("add_block")
def test_block_gradients_of_earlier_blocks(student):
    """Gradients reach the scores and values of all blocks, through the state."""
    for order in (rising, falling):
        expect_block_slopes(student, order(4, 6, dtype=torch.float64))
