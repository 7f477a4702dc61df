"""What goes wrong where attention is computed piece by piece: caches, shared heads, turned pairs, blocks."""

from autograder.diagnosis import Misconception

_TURNED = "torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1)"
_WHOLE = "torch.arange(0, d, 2, ...) => torch.arange(0, d, 2)"  # whole numbers, of which division makes float32
_CAST = "angles.cos() => angles.cos().to(x.dtype) && angles.sin() => angles.sin().to(x.dtype)"

CACHE = (
    Misconception(
        "mask_in_the_corner",
        "The triangle of the mask begins in the top left corner, as if the new tokens were the first of the"
        " text.",
        "At which place does the first new token stand when the cache holds five?",
        "X.triu(diagonal=m - n + 1) => X.triu(diagonal=1)",
    ),
    Misconception(
        "mask_without_a_cache_only",
        "With a cache, new tokens see those that come after them.",
        "When several tokens come after a cache, what hides the later ones from the earlier?",
        "attention(Q, K, V, mask), (A, B) => attention(Q, K, V, mask if cache is None else None), (A, B)",
    ),
    Misconception(
        "keeps_new_tokens_only",
        "The cache that is returned holds the new tokens alone, so the call after the next has forgotten the"
        " beginning.",
        "What must the next call find there?",
        "return X, (keys, values) => return X, (keys[..., -n:, :], values[..., -n:, :])",
    ),
    Misconception(
        "keeps_the_last_few",
        "The cache forgets the beginning of a long text.",
        "How many tokens may the cache hold, and how many does it hold after a hundred of them?",
        "return X, (keys, values) => return X, (keys[..., -64:, :], values[..., -64:, :])"
        " || return X, (keys[..., -32:, :], values[..., -32:, :])",
    ),
    Misconception(
        "new_before_old",
        "The new tokens stand before the old ones.",
        "In which order do they stand in the text, and in which does the mask expect them?",
        "torch.cat([cache[0], A], dim=D) => torch.cat([A, cache[0]], dim=D)"
        " && torch.cat([cache[1], B], dim=E) => torch.cat([B, cache[1]], dim=E)",
    ),
    Misconception(
        "joined_over_heads",
        "Old and new are joined in another dimension than that of the tokens.",
        "Which dimension, counted from the end, is that of the tokens?",
        "torch.cat([cache[0], A], dim=-2) => torch.cat([cache[0], A], dim=-3)"
        " && torch.cat([cache[1], B], dim=-2) => torch.cat([cache[1], B], dim=-3)\n"
        "torch.cat([cache[0], A], dim=-2) => torch.cat([cache[0], A], dim=1)"
        " && torch.cat([cache[1], B], dim=-2) => torch.cat([cache[1], B], dim=1)",
    ),
    Misconception(
        "output_only",
        "The output is returned without the cache.",
        "What shall the next call continue from?",
        "return X, (keys, values) => return X",
    ),
    Misconception(
        "past_not_looked_at",
        "The new tokens look at one another only.",
        "What are the kept keys and values for?",
        "return attention(queries, keys, values, mask), (keys, values) => return attention(queries,"
        " keys[..., -n:, :], values[..., -n:, :], mask[:, -n:]), (keys, values)",
    ),
    Misconception(
        "values_and_keys_swapped",
        "The cache holds the values first and the keys second.",
        "In which order does the next call read them?",
        "return X, (keys, values) => return X, (values, keys)",
    ),
    Misconception(
        "values_in_another_order",
        "New values stand before the old ones, and new keys after them.",
        "Does each key still have its own value?",
        "torch.cat([cache[1], B], dim=E) => torch.cat([B, cache[1]], dim=E)",
    ),
    Misconception(
        "joined_over_another_dimension",
        "Old and new are joined in another dimension than that of the tokens.",
        "Which dimension, counted from the end, is that of the tokens?",
        "torch.cat([cache[0], A], dim=-2) => torch.cat([cache[0], A], dim=-1)"
        " && torch.cat([cache[1], B], dim=-2) => torch.cat([cache[1], B], dim=-1)"
        "\ntorch.cat([cache[0], A], dim=-2) => torch.cat([cache[0], A], dim=0)"
        " && torch.cat([cache[1], B], dim=-2) => torch.cat([cache[1], B], dim=0)",
    ),
    Misconception(
        "old_cache_returned",
        "The cache comes back as it was.",
        "What must the next call find there?",
        "return X, (keys, values) => return X, cache",
    ),
    Misconception(
        "last_output_only",
        "Only the output of the last token comes back.",
        "How many outputs do n new tokens have?",
        "return X, (keys, values) => return X[..., -1:, :], (keys, values)",
    ),
    Misconception(
        "newest_not_kept",
        "The newest token is missing in the cache.",
        "How many tokens are there after the call? So many keys must the cache hold.",
        "return X, (keys, values) => return X, (keys[..., :-1, :], values[..., :-1, :])",
    ),
    Misconception(
        "off_by_one_with_a_cache",
        "With a cache the mask is off by one.",
        "At which place does the first new token stand when the cache holds five?",
        "m - n + 1 => m - n + 1 + (cache is not None) || m - n + 1 - (cache is not None)",
    ),
)

GROUPS = (
    Misconception(
        "first_head_for_all",
        "All query heads look at the first head of keys and values.",
        "What are the others for?",
        "torch.repeat_interleave(X, N, dim=D) => X[..., :1, :, :]",
    ),
    Misconception(
        "heads_dealt_in_turn",
        "The query heads take the heads of keys and values in turn, 0 1 0 1.",
        "Which heads does the table put into one group?",
        "queries.unflatten(-3, (g, h // g)) => queries.unflatten(-3, (h // g, g))"
        " && keys.unsqueeze(-3) => keys.unsqueeze(-4) && values.unsqueeze(-3) => values.unsqueeze(-4)",
    ),
    Misconception(
        "values_dealt_in_turn",
        "The keys are shared by neighbours, but the values are dealt out in turn.",
        "Does a query head find both in the same head?",
        "torch.repeat_interleave(values, N, dim=D) => torch.cat([values] * N, dim=D)",
    ),
    Misconception(
        "mean_of_all_heads",
        "The heads of keys and values are averaged, and all query heads look at the mean.",
        "Which one belongs to each group?",
        "torch.repeat_interleave(X, N, dim=D) => X.mean(dim=-3, keepdim=True)",
    ),
    Misconception(
        "tokens_repeated",
        "Tokens are repeated instead of heads.",
        "Which dimension of keys is that of the heads?",
        "torch.repeat_interleave(X, N, dim=-3) => torch.repeat_interleave(X, N, dim=-2)",
    ),
    Misconception(
        "one_output_for_a_group",
        "The query heads of a group get the same output, that of their mean.",
        "Keys and values are shared; does each head still ask for itself?",
        "queries.unflatten(-3, (g, N)) => queries.unflatten(-3, (g, N)).mean(dim=-3, keepdim=True)"
        ".expand(*queries.shape[:-3], g, N, *queries.shape[-2:])",
    ),
    Misconception(
        "uneven_groups_accepted",
        "Query heads that cannot be shared evenly raise no ValueError.",
        "Who checks that h is a multiple of g?",
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
        "The values are shared by neighbours, but the keys are dealt out in turn.",
        "Does a query head find both in the same head?",
        "torch.repeat_interleave(keys, N, dim=D) => torch.cat([keys] * N, dim=D)",
    ),
    Misconception(
        "needs_a_batch",
        "Without a batch, another dimension is taken for that of the heads.",
        "Which dimension is that of the heads with a batch, and which without one?",
        "torch.repeat_interleave(X, N, dim=-3) => torch.repeat_interleave(X, N, dim=1)",
    ),
    Misconception(
        "first_dimension_repeated",
        "The first dimension is repeated, whatever it counts.",
        "Which dimension is that of the heads with a batch, and which without one?",
        "torch.repeat_interleave(X, N, dim=-3) => torch.repeat_interleave(X, N, dim=0)",
    ),
    Misconception(
        "repeated_g_times",
        "The heads are repeated as often as there are heads of keys.",
        "6 query heads share 2 heads of keys. How often is each of these needed?",
        "torch.repeat_interleave(X, N, dim=-3) => torch.repeat_interleave(X, keys.shape[-3], dim=-3)",
    ),
    Misconception(
        "groups_backwards",
        "The first query heads look at the last head of keys and values.",
        "In which order do the groups stand?",
        "torch.repeat_interleave(X, N, dim=D) => torch.repeat_interleave(X.flip(-3), N, dim=D)",
    ),
    Misconception(
        "groups_not_joined",
        "The groups stand in a dimension of their own.",
        "Compare the sizes of your result with the description, one by one.",
        "return X.flatten(-4, -3) => return X",
    ),
    Misconception(
        "tested_the_other_way",
        "Numbers of heads are refused that fit, or accepted that do not.",
        "Which of the two must be a multiple of the other?",
        "h % g => g % h",
    ),
)

PAIRS = (
    Misconception(
        "halves",
        "A feature of the first half is paired with one of the second.",
        "Here the pairs are neighbours: 0 and 1, 2 and 3.",
        "x[..., 0::2] => x[..., :d // 2] && x[..., 1::2] => x[..., d // 2:]"
        " && torch.stack([A, B], dim=-1).flatten(-2) => torch.cat([A, B], dim=-1)",
    ),
    Misconception(
        "pairs_torn_apart",
        "In the result all first features of pairs stand before all second ones.",
        "How do they get back to their places?",
        "torch.stack([A, B], dim=-1).flatten(-2) => torch.cat([A, B], dim=-1)",
    ),
    Misconception(
        "half_turned_already",
        "The second feature is computed from a first one that has been turned already.",
        "Which of the two must be kept until both are done?",
        f"{_TURNED} => torch.stack([a * cos - b * sin, (a * cos - b * sin) * sin + b * cos], dim=-1)",
    ),
    Misconception(
        "turns_backwards",
        "The arrows turn the other way.",
        "Which of the two sines bears the minus?",
        f"{_TURNED} => torch.stack([a * cos + b * sin, b * cos - a * sin], dim=-1)",
    ),
    Misconception(
        "base_ignored",
        "Another base changes nothing.",
        "Which argument says it, and where is it read?",
        "base ** X => 10000.0 ** X",
    ),
    Misconception(
        "one_speed_for_all",
        "All pairs turn by the same angle.",
        "How does the angle depend on the pair?",
        "X * base ** (-pairs / d) => X * torch.ones_like(pairs)",
    ),
    Misconception(
        "slow_pairs",
        "The pairs slow down half as much as they should.",
        "Is it i / d or 2 * i / d in the exponent?",
        "torch.arange(0, d, 2, ...) => torch.arange(0, d // 2, ...)",
    ),
    Misconception(
        "speeds_grow",
        "Later pairs turn faster and faster.",
        "Which sign has the exponent of the base?",
        "base ** (-X / d) => base ** (X / d)",
    ),
    Misconception(
        "places_not_read",
        "The tokens are counted from 0, and their places are not read.",
        "Where does the next token stand when it comes alone, with a cache?",
        "positions.to(x.dtype) => torch.arange(x.shape[-2]).to(x.dtype)",
    ),
    Misconception(
        "places_added",
        "Sines and cosines are added to x, as the Transformer of 2017 does.",
        "Here x is turned: each pair is multiplied with them.",
        f"{_TURNED}.flatten(-2) => x + torch.stack([sin, cos], dim=-1).flatten(-2)",
    ),
    Misconception(
        "angles_in_float32",
        "The angles are less exact than x.",
        "In which dtype are they computed, and what they are made of, when x is float64?",
        f"{_WHOLE} && positions.to(x.dtype) => positions && {_CAST}\n"
        f"{_WHOLE} && positions.to(x.dtype) => positions.double() && {_CAST}\n"
        f"{_WHOLE} && positions.to(x.dtype) => positions.double()"
        f" && base ** (-X / Y) => 1.0 / base ** (X / Y) && {_CAST}",
    ),
    Misconception(
        "one_sign_wrong",
        "One of the two signs is wrong.",
        "A turn keeps the length of each pair. Does yours?",
        f"{_TURNED} => torch.stack([a * cos + b * sin, a * sin + b * cos], dim=-1)"
        " || torch.stack([a * cos - b * sin, a * sin - b * cos], dim=-1)",
    ),
    Misconception(
        "fast_pairs",
        "The pairs slow down twice as much as they should.",
        "How often does the 2 stand in your exponent? Is the d below the line a whole one?",
        "base ** (-X / d) => base ** (-2 * X / d)",
    ),
    Misconception(
        "places_from_one",
        "The places are moved by one.",
        "By which angle is the token at place 0 turned?",
        "positions.to(x.dtype) => (positions + 1).to(x.dtype) || (positions - 1).to(x.dtype)",
    ),
    Misconception(
        "places_from_the_first",
        "The places are counted from the first token.",
        "Where does the next token stand when it comes alone, with a cache?",
        "positions.to(x.dtype) => (positions - positions[0]).to(x.dtype)",
    ),
    Misconception(
        "places_one_after_the_other",
        "The places are taken for numbers that follow one another.",
        "What if positions are 0, 5 and 3?",
        "positions.to(x.dtype) => (positions[0] + torch.arange(len(positions))).to(x.dtype)",
    ),
    Misconception(
        "sine_for_cosine",
        "Sine and cosine have changed places.",
        "What should become of a token at place 0?",
        f"{_TURNED} => torch.stack([a * sin - b * cos, a * cos + b * sin], dim=-1)",
    ),
    Misconception(
        "features_swapped",
        "The two features of a pair have changed places.",
        "What should become of a token at place 0?",
        f"{_TURNED} => torch.stack([b * cos - a * sin, b * sin + a * cos], dim=-1)"
        " || torch.stack([a * sin + b * cos, a * cos - b * sin], dim=-1)",
    ),
    Misconception(
        "second_not_turned",
        "Only one feature of each pair is turned.",
        "Which of the two lines of the formula is missing in yours?",
        f"{_TURNED} => torch.stack([a * cos - b * sin, b], dim=-1) || torch.stack([a, a * sin + b * cos], dim=-1)",
    ),
    Misconception(
        "angles_in_other_units",
        "The angles are multiplied by a number.",
        "In which unit do cos and sin take an angle, and what does the formula say?",
        "base ** (-X / d) => base ** (-X / d) * math.pi / 180 || base ** (-X / d) * 2 * math.pi || base ** (-X / d) * math.pi",
    ),
    Misconception(
        "angles_in_halves",
        "The features are paired with their neighbours, but the angles are laid out in halves.",
        "Which angle does feature 1 get in yours, and which feature 0?",
        f"{_TURNED}.flatten(-2) => x * torch.cat([cos, cos], dim=-1)"
        " + torch.stack([-b, a], dim=-1).flatten(-2) * torch.cat([sin, sin], dim=-1)",
    ),
    Misconception(
        "partners_in_halves",
        "The angles belong to neighbours, but each feature is mixed with one of the other half.",
        "Here the pairs are neighbours: 0 and 1, 2 and 3.",
        f"{_TURNED}.flatten(-2) => x * torch.stack([cos, cos], dim=-1).flatten(-2)"
        " + torch.cat([-x[..., d // 2:], x[..., :d // 2]], dim=-1) * torch.stack([sin, sin], dim=-1).flatten(-2)",
    ),
    Misconception(
        "read_in_halves",
        "The features are read in halves, but put back as neighbours.",
        "Here the pairs are neighbours: 0 and 1, 2 and 3.",
        "x[..., 0::2] => x[..., :d // 2] && x[..., 1::2] => x[..., d // 2:]",
    ),
)

BLOCKS = (
    Misconception(
        "denominator_not_rescaled",
        "The output is brought to the new maximum, but not the denominator.",
        "From which maximum is each measured?",
        "denominator * factor + X => denominator + X",
    ),
    Misconception(
        "output_not_rescaled",
        "The denominator is brought to the new maximum, but not the output.",
        "From which maximum is each measured?",
        "output * F + parts @ values => output + parts @ values",
    ),
    Misconception(
        "old_sums_not_rescaled",
        "The old sums are added as they are, though they were measured from a lower maximum.",
        "Which factor brings them to the new one?",
        "denominator * factor + X => denominator + X && output * F + Y => output + Y",
    ),
    Misconception(
        "old_sums_thrown_away",
        "The newest block's sums are returned alone.",
        "What becomes of the blocks before it?",
        "denominator * factor + X => X && output * F + Y => Y",
    ),
    Misconception(
        "divided_too_early",
        "The output is divided by the denominator in each block.",
        "Who divides, and when?",
        "return A, denominator, output"
        " => return A, denominator, output / denominator.clamp(min=1e-30).unsqueeze(-1)",
    ),
    Misconception(
        "factor_inverted",
        "The factor is the inverse of the right one: the old sums grow where they should shrink.",
        "A higher maximum makes each old term smaller.",
        "torch.exp(maximum - X) => torch.exp((X - maximum).masked_fill(maximum == -torch.inf, 0.0))",
    ),
    Misconception(
        "maximum_of_the_block",
        "The maximum is that of the newest block alone.",
        "What if an earlier block had a higher score?",
        "torch.maximum(maximum, X) => X",
    ),
    Misconception(
        "one_maximum_for_all",
        "There is one maximum over all queries, and queries far below it lose all their scores.",
        "How does each query get a maximum of its own?",
        "torch.maximum(maximum, X) => torch.maximum(maximum, scores.amax().expand_as(maximum))",
    ),
    Misconception(
        "no_maximum",
        "Huge scores overflow.",
        "What is the maximum kept for, and from what is it subtracted?",
        "torch.exp(maximum - X) => torch.ones_like(maximum) && torch.exp(scores - Y) => torch.exp(scores)",
    ),
    Misconception(
        "nothing_seen_yet",
        "A query that has seen no key yet has the maximum -inf, and -inf - (-inf) is NaN.",
        "What could be subtracted instead, as long as nothing has been seen?",
        "higher.masked_fill(M, 0.0) => higher",
    ),
    Misconception(
        "old_maximum_returned",
        "The maximum that came in is returned, so the next block measures from a point that no longer holds.",
        "Which one belongs to the new sums?",
        "return A, denominator, output => return maximum, denominator, output",
    ),
    Misconception(
        "softmax_in_each_block",
        "Each block takes a softmax of its own, so that each block weighs as much as any other.",
        "Which sums must be kept apart until the end?",
        "torch.exp(maximum - X) => torch.exp(maximum - X)"
        " && torch.exp(scores - Y) => torch.softmax(scores.clamp(min=-1e30), dim=-1)",
    ),
    Misconception(
        "state_detached",
        "No right gradient reaches the blocks before.",
        "The state is all that joins the blocks. Where is it cut off from what made it?",
        "maximum, denominator, output = state"
        " => maximum, denominator, output = (part.detach() for part in state)"
        " || maximum, denominator, output = state[0], state[1].detach(), state[2].detach()",
    ),
    Misconception(
        "zero_for_nothing_seen",
        "The maximum that comes back is 0 where nothing has been seen.",
        "The 0 only helps to subtract. Which maximum has a query without any key?",
        "return A, denominator, output => return reference, denominator, output",
    ),
    Misconception(
        "old_denominator_thrown_away",
        "The denominator holds the newest block alone.",
        "What becomes of the sums of the blocks before it?",
        "denominator * factor + X => X",
    ),
    Misconception(
        "old_output_thrown_away",
        "The output holds the newest block alone.",
        "What becomes of the sums of the blocks before it?",
        "output * F + parts @ values => parts @ values",
    ),
    Misconception(
        "new_sums_rescaled",
        "The new sums are multiplied by the factor, and not the old ones.",
        "From which maximum is each measured? Which of them must be brought to the new one?",
        "denominator * factor + X => denominator + factor * X"
        " && output * F + Y => output + F * Y",
    ),
    Misconception(
        "smallest_for_largest",
        "The smallest score is kept, and not the largest.",
        "Which number must be subtracted so that no exponential overflows?",
        "torch.maximum(maximum, X) => torch.minimum(maximum, X) || torch.minimum(maximum, scores.amin(dim=-1))",
    ),
    Misconception(
        "numbers_for_sums",
        "The weights are counted or averaged, and not added up.",
        "What is the denominator the sum of?",
        "parts.sum(dim=-1) => torch.full_like(higher, parts.shape[-1]) || parts.mean(dim=-1)",
    ),
)

MISCONCEPTIONS = (*CACHE, *GROUPS, *PAIRS, *BLOCKS)
