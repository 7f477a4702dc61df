"""What goes wrong where attention is computed piece by piece: caches, shared heads, turned pairs, blocks."""

from autograder.grading import Misconception

_TURNED = "torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1)"

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
        "Only the prompt is masked.",
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
        "new_before_old",
        "The new tokens stand before the old ones.",
        "In which order do they stand in the text, and in which does the mask expect them?",
        "torch.cat([cache[0], A], dim=D) => torch.cat([A, cache[0]], dim=D)"
        " && torch.cat([cache[1], B], dim=E) => torch.cat([B, cache[1]], dim=E)",
    ),
    Misconception(
        "joined_over_heads",
        "Old and new are joined in the dimension of the heads.",
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
        no_slip="the cache is not used",
    ),
    Misconception(
        "values_and_keys_swapped",
        "The cache holds the values first and the keys second.",
        "In which order does the next call read them?",
        "return X, (keys, values) => return X, (values, keys)",
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
        "The pairs are turned rightly, but in the result all first features stand before all second ones.",
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
        "The base is a number that is written into the function, so another base changes nothing.",
        "Which argument says it?",
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
        no_slip="nothing is turned",
    ),
    Misconception(
        "angles_in_float32",
        "The angles are computed in float32, although x is float64.",
        "In which dtype does arange count when the division begins?",
        "torch.arange(0, d, 2, ...) => torch.arange(0, d, 2) && positions.to(x.dtype) => positions"
        " && angles.cos() => angles.cos().to(x.dtype) && angles.sin() => angles.sin().to(x.dtype)",
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
        no_slip="nothing is added",
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
        "The scores are exponentiated as they are, and huge ones overflow.",
        "What is the maximum kept for?",
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
        no_slip="the blocks are not joined",
    ),
)

MISCONCEPTIONS = (*CACHE, *GROUPS, *PAIRS, *BLOCKS)
