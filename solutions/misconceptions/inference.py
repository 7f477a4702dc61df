"""Mistakes where attention is computed in parts: caches, grouped heads, rotary positions, blocks."""

from autograder.diagnosis import Misconception

_TURNED = "torch.stack([A * C - B * S, A * S + B * C], dim=-1)"
# Without a dtype, `arange` gives integers, and dividing them gives float32.
_WHOLE = "torch.arange(0, d, 2, ...) => torch.arange(0, d, 2)"
_CAST = "angles.cos() => angles.cos().to(x.dtype) && angles.sin() => angles.sin().to(x.dtype)"

CACHE = (
    Misconception(
        "mask_in_the_corner",
        "The triangle of the mask begins at column 0, as if there were no cache.",
        "If the cache holds five tokens, which position in the text does the first new token have? Which"
        " columns should the mask hide in its row?",
        """
        X.triu(diagonal=m - n + 1) => X.triu(diagonal=1)
        torch.ones(N, M, ...).triu(diagonal=M - N + 1) => torch.ones(N, M, ...).triu(diagonal=1)
        """,
    ),
    Misconception(
        "mask_without_a_cache_only",
        "With a cache, a new token can see new tokens that come after it.",
        "If there is a cache and the call has several new tokens, which columns must the mask hide in the"
        " row of the first new token?",
        "attention(Q, K, V, mask), (A, B) => attention(Q, K, V, mask if cache is None else None), (A, B)",
    ),
    Misconception(
        "keeps_new_tokens_only",
        "The returned cache holds only the new tokens.",
        "Should the next call see the tokens that came before this call? Where would it find their keys and"
        " values?",
        "return X, (keys, values) => return X, (keys[..., -n:, :], values[..., -n:, :])",
        # The second call of this test has one new token, after two tokens in the cache.
        says=r"in the cache must have shape \(2, 3, 3, [46]\), but it has \(2, 3, 1, [46]\)",
    ),
    Misconception(
        "keeps_the_last_few",
        "The returned cache loses the oldest tokens of a long text.",
        "After 1,000 tokens, how many keys should the returned cache hold? How many does yours hold?",
        "return X, (keys, values) => return X, (keys[..., -64:, :], values[..., -64:, :])"
        " || return X, (keys[..., -32:, :], values[..., -32:, :])"
        " || return X, (keys[..., -512:, :], values[..., -512:, :])",
    ),
    Misconception(
        "new_before_old",
        "The new keys and values are concatenated before those of the cache.",
        "Which tokens come first in the text: those in the cache, or the new ones?",
        "torch.cat([cache[0], A], dim=D) => torch.cat([A, cache[0]], dim=D)"
        " && torch.cat([cache[1], B], dim=E) => torch.cat([B, cache[1]], dim=E)",
    ),
    Misconception(
        "joined_over_heads",
        "Old and new keys and values are concatenated along the wrong dimension.",
        "Which dimension of `keys` counts the tokens? Count it from the end.",
        "torch.cat([cache[0], A], dim=-2) => torch.cat([cache[0], A], dim=-3)"
        " && torch.cat([cache[1], B], dim=-2) => torch.cat([cache[1], B], dim=-3)\n"
        "torch.cat([cache[0], A], dim=-2) => torch.cat([cache[0], A], dim=1)"
        " && torch.cat([cache[1], B], dim=-2) => torch.cat([cache[1], B], dim=1)",
    ),
    Misconception(
        "output_only",
        "The function returns the output without the cache.",
        "Which two results does the description name? The next call needs both.",
        "return X, (keys, values) => return X",
    ),
    Misconception(
        "past_not_looked_at",
        "The new tokens do not attend to the tokens in the cache.",
        "Which keys and values go into your attention: only the new ones, or also those in the cache?",
        "return attention(queries, keys, values, mask), (keys, values) => return attention(queries,"
        " keys[..., -n:, :], values[..., -n:, :], mask[:, -n:]), (keys, values)",
    ),
    Misconception(
        "values_and_keys_swapped",
        "The returned cache holds the values first and the keys second.",
        "In which order does the description name the two parts of the cache?",
        "return X, (keys, values) => return X, (values, keys)",
    ),
    Misconception(
        "values_in_another_order",
        "The new keys come after the old keys, but the new values come before the old values.",
        "To which token does row 0 of the keys belong in your cache? To which token does row 0 of the"
        " values belong?",
        "torch.cat([cache[1], B], dim=E) => torch.cat([B, cache[1]], dim=E)",
    ),
    Misconception(
        "joined_over_another_dimension",
        "Old and new keys and values are concatenated along the wrong dimension.",
        "Which dimension of `keys` counts the tokens? Count it from the end.",
        "torch.cat([cache[0], A], dim=-2) => torch.cat([cache[0], A], dim=-1)"
        " && torch.cat([cache[1], B], dim=-2) => torch.cat([cache[1], B], dim=-1)"
        "\ntorch.cat([cache[0], A], dim=-2) => torch.cat([cache[0], A], dim=0)"
        " && torch.cat([cache[1], B], dim=-2) => torch.cat([cache[1], B], dim=0)",
    ),
    Misconception(
        "old_cache_returned",
        "The returned cache is the one that was passed in, without the new tokens.",
        "Should the next call see the new tokens? Where would it find their keys and values?",
        "return X, (keys, values) => return X, cache",
    ),
    Misconception(
        "last_output_only",
        "Only the output of the last new token is returned.",
        "How many rows should `output` have for n new tokens?",
        "return X, (keys, values) => return X[..., -1:, :], (keys, values)",
    ),
    Misconception(
        "newest_not_kept",
        "The newest token is missing in the returned cache.",
        "How many tokens does the text have after this call? The cache must hold a key and a value for each"
        " of them.",
        "return X, (keys, values) => return X, (keys[..., :-1, :], values[..., :-1, :])",
    ),
    Misconception(
        "off_by_one_with_a_cache",
        "With a cache, the diagonal of the mask is off by one.",
        "If the cache holds five tokens, which position in the text does the first new token have? Which is"
        " the last column that this token should see?",
        "m - n + 1 => m - n + 1 + (cache is not None) || m - n + 1 - (cache is not None)",
    ),
)

GROUPS = (
    Misconception(
        "first_head_for_all",
        "All query heads use the first key/value head.",
        "Each group of query heads has its own key/value head. Which one does the second group use in your"
        " code?",
        "torch.repeat_interleave(X, N, dim=D) => X[..., :1, :, :]",
    ),
    Misconception(
        "heads_dealt_in_turn",
        "The query heads use the key/value heads in turn, for example 0 1 0 1.",
        "Which query heads use key/value head 0 in the table of the lesson, and which ones in your code?",
        "queries.unflatten(-3, (g, h // g)) => queries.unflatten(-3, (h // g, g))"
        " && keys.unsqueeze(-3) => keys.unsqueeze(-4) && values.unsqueeze(-3) => values.unsqueeze(-4)",
    ),
    Misconception(
        "values_dealt_in_turn",
        "Neighbouring query heads use the same key head, but different value heads.",
        "Which key head and which value head does query head 1 use in your code?",
        "torch.repeat_interleave(values, N, dim=D) => torch.cat([values] * N, dim=D)",
    ),
    Misconception(
        "mean_of_all_heads",
        "The key/value heads are averaged, and all query heads use their mean.",
        "In the table of the lesson, which key/value head does each query head use? Is a mean taken there?",
        "torch.repeat_interleave(X, N, dim=D) => X.mean(dim=-3, keepdim=True)",
    ),
    Misconception(
        "tokens_repeated",
        "The tokens of the keys and values are repeated instead of the heads.",
        "Which dimension of `keys` counts the heads? Count it from the end.",
        "torch.repeat_interleave(X, N, dim=-3) => torch.repeat_interleave(X, N, dim=-2)",
    ),
    Misconception(
        "one_output_for_a_group",
        "All query heads of a group get the same output, computed from the mean of their queries.",
        "The query heads of a group share keys and values. Do they share queries, too?",
        "queries.unflatten(-3, (g, N)) => queries.unflatten(-3, (g, N)).mean(dim=-3, keepdim=True)"
        ".expand(*queries.shape[:-3], g, N, *queries.shape[-2:])",
    ),
    Misconception(
        "uneven_groups_accepted",
        "No ValueError is raised if h is not a multiple of g.",
        "Which operator gives the remainder of h divided by g? Check the remainder before you form the"
        " groups.",
        """
        if h % g:
            raise X
        =>
        pass

        if rest:
            raise X
        =>
        pass

        if rest:
            raise X
        keys = torch.repeat_interleave(keys, N, dim=D)
        values = torch.repeat_interleave(values, N, dim=D)
        =>
        owner = torch.arange(queries.shape[-3]) * keys.shape[-3] // queries.shape[-3]
        keys, values = keys[..., owner, :, :], values[..., owner, :, :]
        """,
    ),
    Misconception(
        "keys_dealt_in_turn",
        "Neighbouring query heads use the same value head, but different key heads.",
        "Which key head and which value head does query head 1 use in your code?",
        "torch.repeat_interleave(keys, N, dim=D) => torch.cat([keys] * N, dim=D)",
    ),
    Misconception(
        "needs_a_batch",
        "Without a batch dimension, the code repeats the wrong dimension.",
        "Which negative index does the dimension of the heads have? It is the same with and without a batch"
        " dimension.",
        "torch.repeat_interleave(X, N, dim=-3) => torch.repeat_interleave(X, N, dim=1)",
    ),
    Misconception(
        "first_dimension_repeated",
        "Your code repeats dimension 0, but in a batch this dimension counts the texts.",
        "Which negative index does the dimension of the heads have?",
        "torch.repeat_interleave(X, N, dim=-3) => torch.repeat_interleave(X, N, dim=0)",
    ),
    Misconception(
        "repeated_g_times",
        "Each key/value head is repeated g times, where g is the number of key/value heads.",
        "If 6 query heads share 2 key/value heads, how often must each of the 2 be repeated?",
        "torch.repeat_interleave(X, N, dim=-3) => torch.repeat_interleave(X, keys.shape[-3], dim=-3)",
    ),
    Misconception(
        "groups_backwards",
        "The first query heads use the last key/value head.",
        "Which key/value head should query head 0 use? Which one does it use in your code?",
        "torch.repeat_interleave(X, N, dim=D) => torch.repeat_interleave(X.flip(-3), N, dim=D)",
    ),
    Misconception(
        "groups_not_joined",
        "The result has one dimension for the groups and another one for the heads of a group.",
        "Compare the shape of your result with the description. Which two dimensions should become one?",
        "return X.flatten(-4, -3) => return X",
    ),
    Misconception(
        "tested_the_other_way",
        "The ValueError is raised in the wrong cases.",
        "Should h be a multiple of g, or g a multiple of h? Which of the two does your code check?",
        "h % g => g % h",
    ),
)

PAIRS = (
    Misconception(
        "halves",
        "Each feature of the first half is paired with a feature of the second half.",
        "In this exercise the pairs are neighbours: (0, 1), (2, 3). Which two features are your first pair?",
        "x[..., 0::2] => x[..., :d // 2] && x[..., 1::2] => x[..., d // 2:]"
        " && torch.stack([A, B], dim=-1).flatten(-2) => torch.cat([A, B], dim=-1)",
    ),
    Misconception(
        "pairs_torn_apart",
        "In the result, the first features of all pairs come before all second features.",
        "Features 0 and 1 of the result should be the first pair. Which pairs do they belong to in your"
        " result?",
        "torch.stack([A, B], dim=-1).flatten(-2) => torch.cat([A, B], dim=-1)",
    ),
    Misconception(
        "half_turned_already",
        "The second feature of a pair is computed from a first feature that is already rotated.",
        "Both formulas need the old values of a and b. Which line overwrites a before your second formula"
        " reads it?",
        f"{_TURNED} => torch.stack([A * C - B * S, (A * C - B * S) * S + B * C], dim=-1)",
    ),
    Misconception(
        "turns_backwards",
        "Each pair is rotated in the wrong direction.",
        "In which of your two formulas does the sine have a minus sign? In which formula should it have one?",
        f"{_TURNED} => torch.stack([A * C + B * S, B * C - A * S], dim=-1)\n"
        "A * C - B * S => A * C + B * S && A * S + B * C => B * C - A * S",
    ),
    Misconception(
        "base_ignored",
        "The argument `base` has no effect.",
        "Which number does your code raise to a power to get the angles? Where does this number come from?",
        "base ** X => 10000.0 ** X",
    ),
    Misconception(
        "one_speed_for_all",
        "All pairs are rotated by the same angle.",
        "How does the angle in the formula depend on the index i of the pair?",
        "X * base ** (-pairs / d) => X * torch.ones_like(pairs)",
    ),
    Misconception(
        "slow_pairs",
        "The angles decrease too slowly from pair to pair.",
        "Which exponent does `base` have in your code? Compare it with the formula for pair i = 1.",
        "torch.arange(0, d, 2, ...) => torch.arange(0, d // 2, ...)",
    ),
    Misconception(
        "speeds_grow",
        "The angles increase from pair to pair, but they should decrease.",
        "Which sign does the exponent of `base` have in your code, and which in the formula?",
        "base ** (-X / d) => base ** (X / d)",
    ),
    Misconception(
        "places_not_read",
        "The argument `positions` is not used: the tokens are counted from 0.",
        "With a cache, x has only one new token. Which position does your code use for this token?",
        """
        positions.to(x.dtype) => torch.arange(x.shape[-2]).to(x.dtype)
        positions.to(x.dtype) => torch.arange(x.shape[-2], dtype=x.dtype)
        """,
    ),
    Misconception(
        "places_added",
        "Sines and cosines are added to x, as in the Transformer of 2017.",
        "In this exercise each pair of features is rotated. Which numbers does the formula multiply a and b by?",
        f"{_TURNED}.flatten(-2) => x + torch.stack([S, C], dim=-1).flatten(-2)",
    ),
    Misconception(
        "angles_in_float32",
        "The angles are less precise than x.",
        "If x is float64, which dtype do your angles have? Check also the dtype of the tensors from which"
        " you compute the angles.",
        f"{_WHOLE} && positions.to(x.dtype) => positions && {_CAST}\n"
        f"{_WHOLE} && positions.to(x.dtype) => positions.double() && {_CAST}\n"
        f"{_WHOLE} && positions.to(x.dtype) => positions.double()"
        f" && base ** (-X / Y) => 1.0 / base ** (X / Y) && {_CAST}",
    ),
    Misconception(
        "one_sign_wrong",
        "One of the two signs in the rotation is wrong.",
        "A rotation does not change the length of a pair. Compare the sign in each of your two lines with"
        " the formula.",
        f"{_TURNED} => torch.stack([A * C + B * S, A * S + B * C], dim=-1)"
        " || torch.stack([A * C - B * S, A * S - B * C], dim=-1)",
    ),
    Misconception(
        "fast_pairs",
        "The angles decrease too fast from pair to pair.",
        "Which exponent does `base` have in your code? Compare it with the formula for pair i = 1.",
        "base ** (-X / d) => base ** (-2 * X / d)",
    ),
    Misconception(
        "places_from_one",
        "The positions are off by one.",
        "By which angle should a token at position 0 be rotated? By which angle does your code rotate it?",
        "positions.to(x.dtype) => (positions + 1).to(x.dtype) || (positions - 1).to(x.dtype)",
    ),
    Misconception(
        "places_from_the_first",
        "The positions are counted from the first token of x.",
        "With a cache, x has only one new token. Which position does your code use for this token?",
        "positions.to(x.dtype) => (positions - positions[0]).to(x.dtype)",
    ),
    Misconception(
        "places_one_after_the_other",
        "The positions are treated as consecutive numbers.",
        "Which angles does your code compute if `positions` is 0, 5, 3?",
        "positions.to(x.dtype) => (positions[0] + torch.arange(len(positions))).to(x.dtype)",
    ),
    Misconception(
        "sine_for_cosine",
        "Sine and cosine are swapped.",
        "At position 0, a pair (a, b) should stay (a, b). What does your code return for this pair?",
        f"{_TURNED} => torch.stack([A * S - B * C, A * C + B * S], dim=-1)",
    ),
    Misconception(
        "features_swapped",
        "The two features of each pair are swapped.",
        "At position 0, a pair (a, b) should stay (a, b). What does your code return for this pair?",
        f"{_TURNED} => torch.stack([B * C - A * S, B * S + A * C], dim=-1)"
        " || torch.stack([A * S + B * C, A * C - B * S], dim=-1)",
    ),
    Misconception(
        "second_not_turned",
        "Only one feature of each pair is rotated.",
        "The rotation has two formulas, one for each feature of a pair. Which formula is missing in your"
        " code?",
        f"{_TURNED} => torch.stack([A * C - B * S, B], dim=-1) || torch.stack([A, A * S + B * C], dim=-1)",
    ),
    Misconception(
        "angles_in_other_units",
        "The angles are multiplied by a number that is not in the formula.",
        "Do `cos` and `sin` expect degrees or radians? Which unit does the angle in the formula have?",
        "base ** (-X / d) => base ** (-X / d) * math.pi / 180 || base ** (-X / d) * 2 * math.pi || base ** (-X / d) * math.pi",
    ),
    Misconception(
        "angles_in_halves",
        "Neighbouring features are paired, but the two features of a pair are rotated by different angles.",
        "Features 0 and 1 are one pair. Which angle does your code use for feature 0, and which for feature"
        " 1?",
        f"{_TURNED}.flatten(-2) => x * torch.cat([C, C], dim=-1)"
        " + torch.stack([-B, A], dim=-1).flatten(-2) * torch.cat([S, S], dim=-1)",
    ),
    Misconception(
        "partners_in_halves",
        "Each feature is combined with a feature of the other half of x. The angles are right, but they belong to"
        " neighbouring pairs.",
        "In this exercise the pairs are neighbours: (0, 1), (2, 3). Which feature does your code combine"
        " with feature 0?",
        f"{_TURNED}.flatten(-2) => x * torch.stack([C, C], dim=-1).flatten(-2)"
        " + torch.cat([-x[..., d // 2:], x[..., :d // 2]], dim=-1) * torch.stack([S, S], dim=-1).flatten(-2)",
    ),
    Misconception(
        "read_in_halves",
        "The pairs are read from the two halves of x, but written to neighbouring features.",
        "In this exercise the pairs are neighbours: (0, 1), (2, 3). Which two features does your code read"
        " as the first pair?",
        "x[..., 0::2] => x[..., :d // 2] && x[..., 1::2] => x[..., d // 2:]",
    ),
)

BLOCKS = (
    Misconception(
        "denominator_not_rescaled",
        "The old output is rescaled to the new maximum, but the old denominator is not.",
        "The old denominator is a sum of exponentials. Which maximum was subtracted from their scores? By"
        " which factor must you multiply the old denominator so that it fits the new maximum?",
        "X * F + P.sum(...) => X + P.sum(...)",
        where="def add_block",
    ),
    Misconception(
        "output_not_rescaled",
        "The old denominator is rescaled to the new maximum, but the old output is not.",
        "The old output is a sum of values, each multiplied by an exponential. Which maximum was subtracted"
        " from the scores? By which factor must you multiply the old output so that it fits the new maximum?",
        "X * F + P @ V => X + P @ V",
        where="def add_block",
    ),
    Misconception(
        "old_sums_not_rescaled",
        "The old denominator and the old output are not rescaled to the new maximum.",
        "By which factor must you multiply both, so that they fit the new maximum?",
        "denominator * factor + X => denominator + X && output * F + Y => output + Y",
    ),
    Misconception(
        "old_sums_thrown_away",
        "The new denominator and the new output contain only the newest block.",
        "`state` holds the sums over the earlier blocks. Where does your code add these sums?",
        "denominator * factor + X => X && output * F + Y => Y",
    ),
    Misconception(
        "divided_too_early",
        "The output is divided by the denominator in each block.",
        "Read the description: is `output` divided by the denominator in this function, or only once, after"
        " the last block?",
        "return A, denominator, output"
        " => return A, denominator, output / denominator.clamp(min=1e-30).unsqueeze(-1)",
    ),
    Misconception(
        "factor_inverted",
        "The factor for the old sums is inverted: the old sums grow when they should shrink.",
        "If the new maximum is higher than the old one, is your factor less than 1? In which order do you"
        " subtract the two maxima?",
        "torch.exp(maximum - X) => torch.exp((X - maximum).masked_fill(maximum == -torch.inf, 0.0))",
    ),
    Misconception(
        "maximum_of_the_block",
        "The new maximum is the maximum of the newest block only.",
        "If an earlier block had a higher score, what should the new maximum be?",
        "torch.maximum(maximum, X) => X",
    ),
    Misconception(
        "one_maximum_for_all",
        "One maximum is used for all queries. If the scores of a query are far below this maximum, all their"
        " exponentials become 0.",
        "Each query needs its own maximum. Over which dimension of `scores` should you take it?",
        "torch.maximum(maximum, X) => torch.maximum(maximum, scores.amax().expand_as(maximum))",
    ),
    Misconception(
        "no_maximum",
        "The exponentials of very large scores overflow.",
        "Which number should be subtracted from each score before you apply `exp`?",
        "torch.exp(maximum - X) => torch.ones_like(maximum) && torch.exp(scores - Y) => torch.exp(scores)",
    ),
    Misconception(
        "nothing_seen_yet",
        "A query that has not seen any key has the maximum -inf, and -inf - (-inf) is NaN.",
        "Which finite number could you subtract for such a query instead of its maximum?",
        "higher.masked_fill(M, 0.0) => higher",
    ),
    Misconception(
        "maximum_with_a_lower_limit",
        "If all scores of a query are very low, the number that is subtracted is far above their maximum, and all"
        " exponentials become 0.",
        "Which step changes the maximum before it is subtracted?",
        "higher.masked_fill(M, 0.0) => higher.clamp(min=-10_000.0)",
        where="def add_block",
    ),
    Misconception(
        "old_maximum_returned",
        "The old maximum is returned, although the new sums were computed with the new one.",
        "The sums that you return contain exponentials. Which maximum did you subtract from their scores?",
        "return A, denominator, output => return maximum, denominator, output",
    ),
    Misconception(
        "softmax_in_each_block",
        "Each block has its own softmax, so all blocks get the same total weight.",
        "Do you divide the exponentials of a block by their sum? When should the only division happen?",
        "torch.exp(maximum - X) => torch.exp(maximum - X)"
        " && torch.exp(scores - Y) => torch.softmax(scores.clamp(min=-1e30), dim=-1)",
    ),
    Misconception(
        "state_detached",
        "The gradients of the earlier blocks are wrong or missing.",
        "Gradients reach the earlier blocks only through `state`. Where does your code detach a part of `state`?",
        "maximum, denominator, output = state"
        " => maximum, denominator, output = (part.detach() for part in state)"
        " || maximum, denominator, output = state[0], state[1].detach(), state[2].detach()",
    ),
    Misconception(
        "zero_for_nothing_seen",
        "For a query that has not seen any key, the returned maximum is 0.",
        "For such a query, you may subtract 0 from the scores. But which maximum should the state contain for it?",
        "return A, denominator, output => return reference, denominator, output",
    ),
    Misconception(
        "old_denominator_thrown_away",
        "The new denominator contains only the newest block.",
        "`state` holds the sums over the earlier blocks. Where does your code add the old denominator?",
        "denominator * factor + X => X",
    ),
    Misconception(
        "old_output_thrown_away",
        "The new output contains only the newest block.",
        "`state` holds the sums over the earlier blocks. Where does your code add the old output?",
        "output * F + parts @ values => parts @ values",
    ),
    Misconception(
        "new_sums_rescaled",
        "The factor is applied to the sums of the new block instead of the old sums.",
        "Which sums were computed with the old maximum? Only these need the factor.",
        "denominator * factor + X => denominator + factor * X"
        " && output * F + Y => output + F * Y",
    ),
    Misconception(
        "smallest_for_largest",
        "The code takes a minimum where it should take a maximum.",
        "Which number must be subtracted from the scores so that no exponential overflows?",
        "torch.maximum(maximum, X) => torch.minimum(maximum, X) || torch.minimum(maximum, scores.amin(dim=-1))",
    ),
    Misconception(
        "numbers_for_sums",
        "The denominator counts or averages the exponentials of a block instead of adding them up.",
        "Read the description of the denominator: which numbers does it add up?",
        "parts.sum(dim=-1) => torch.full_like(higher, parts.shape[-1]) || parts.mean(dim=-1)",
    ),
)

MISCONCEPTIONS = (*CACHE, *GROUPS, *PAIRS, *BLOCKS)
