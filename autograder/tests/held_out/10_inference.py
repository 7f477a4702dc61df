# %% mistake="cached_attention" name="joined_over_heads__joined_along_dimension_one"
"""Old and new keys and values are joined along dimension 1, which counts tokens only if there is exactly one
dimension in front.
"""


def cached_attention(queries, keys, values, cache=None):
    past = 0
    if cache is not None:
        past = cache[0].shape[-2]
        keys = torch.cat([cache[0], keys], dim=1)
        values = torch.cat([cache[1], values], dim=1)
    n = queries.shape[-2]
    mask = torch.ones(n, past + n, dtype=torch.bool).triu(past + 1)
    return attention(queries, keys, values, mask), (keys, values)


# %% mistake="cached_attention" name="keeps_new_tokens_only"
"""Looks at the past, but hands on the new tokens alone."""


def cached_attention(queries, keys, values, cache=None):
    k, v = keys, values
    if cache is not None:
        k, v = torch.cat([cache[0], k], -2), torch.cat([cache[1], v], -2)
    hidden = torch.triu(torch.ones(k.size(-2), k.size(-2)), 1).bool()[
        -queries.size(-2) :
    ]
    return attention(queries, k, v, hidden), (keys, values)


# %% mistake="cached_attention" name="mask_in_the_corner+not_scaled__corner_and_unscaled"
"""The mask's triangle stands in the top left corner and the scores are not scaled."""


def cached_attention(queries, keys, values, cache=None):
    all_keys, all_values = keys, values
    if cache is not None:
        all_keys = torch.cat([cache[0], keys], dim=-2)
        all_values = torch.cat([cache[1], values], dim=-2)
    scores = torch.einsum("...id,...jd->...ij", queries, all_keys)
    i = torch.arange(scores.size(-2)).unsqueeze(-1)
    j = torch.arange(scores.size(-1))
    weights = torch.softmax(scores.masked_fill(j > i, -math.inf), dim=-1)
    return torch.einsum("...ij,...jd->...id", weights, all_values), (
        all_keys,
        all_values,
    )


# %% mistake="cached_attention" name="mask_in_the_corner"
"""Counts rows instead of places."""


def cached_attention(queries, keys, values, cache=None):
    old = keys[..., :0, :], values[..., :0, :]
    cache = old if cache is None else cache
    all_keys = torch.cat((cache[0], keys), -2)
    all_values = torch.cat((cache[1], values), -2)
    rows = torch.arange(queries.size(-2))[:, None]
    hidden = torch.arange(all_keys.size(-2))[None, :] > rows
    return attention(queries, all_keys, all_values, hidden), (all_keys, all_values)


# %% mistake="cached_attention" name="mask_in_the_corner__triangle_top_left"
"""The triangle of the mask stands in the top left corner, so that new tokens miss most of the cache."""


def cached_attention(queries, keys, values, cache=None):
    if cache is not None:
        keys = torch.cat([cache[0], keys], dim=-2)
        values = torch.cat([cache[1], values], dim=-2)
    n, m = queries.shape[-2], keys.shape[-2]
    mask = torch.triu(torch.ones(n, m, dtype=torch.bool), diagonal=1)
    return attention(queries, keys, values, mask), (keys, values)


# %% mistake="cached_attention" name="mask_without_a_cache_only__open_when_cached"
"""With a cache nothing is masked, so that of several new tokens the earlier ones see the later ones."""


def cached_attention(queries, keys, values, cache=None):
    if cache is None:
        out = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        return out, (keys, values)
    k = torch.cat([cache[0], keys], dim=-2)
    v = torch.cat([cache[1], values], dim=-2)
    return F.scaled_dot_product_attention(queries, k, v), (k, v)


# %% mistake="cached_attention" name="new_before_old"
"""The newest token comes first."""


def cached_attention(queries, keys, values, cache=None):
    n = queries.size(-2)
    if cache is not None:
        k_old, v_old = cache
        keys = torch.cat((keys, k_old), -2)
        values = torch.cat((values, v_old), -2)
    m = keys.size(-2)
    hidden = torch.arange(m) > torch.arange(m - n, m)[:, None]
    return attention(queries, keys, values, hidden), (keys, values)


# %% mistake="cached_attention" name="new_before_old__newest_first"
"""The new keys and values are put before the old ones in the cache, newest first; what is seen is right."""


def cached_attention(queries, keys, values, cache=None):
    n = queries.size(-2)
    old = 0
    if cache is not None:
        old = cache[0].size(-2)
        keys = torch.cat((keys, cache[0]), dim=-2)
        values = torch.cat((values, cache[1]), dim=-2)
    mask = torch.zeros(n, n + old, dtype=torch.bool)
    mask[:, :n] = torch.ones(n, n, dtype=torch.bool).triu(1)
    scores = queries @ keys.transpose(-1, -2) / math.sqrt(queries.size(-1))
    weights = scores.masked_fill(mask, float("-inf")).softmax(-1)
    return weights @ values, (keys, values)


# %% mistake="cached_attention" name="not_masked+new_before_old__nothing_hidden_newest_first"
"""No mask is used at all and the new keys and values are put before the old ones in the cache."""


def cached_attention(queries, keys, values, cache=None):
    if cache:
        keys = torch.cat((keys, cache[0]), dim=-2)
        values = torch.cat((values, cache[1]), dim=-2)
    return attention(queries, keys, values), (keys, values)


# %% mistake="cached_attention" name="not_masked"
"""Writes attention out and forgets the future."""


def cached_attention(queries, keys, values, cache=None):
    if cache:
        keys, values = (torch.cat(pair, dim=-2) for pair in zip(cache, (keys, values)))
    weights = torch.softmax(queries @ keys.mT / keys.size(-1) ** 0.5, -1)
    return weights @ values, (keys, values)


# %% mistake="cached_attention" name="scaled_by_length__root_of_cache_length"
"""The scores are divided by the root of the number of keys instead of their size."""


def cached_attention(queries, keys, values, cache=None):
    kept_keys, kept_values = (
        cache if cache is not None else (keys[..., :0, :], values[..., :0, :])
    )
    keys = torch.cat([kept_keys, keys], dim=-2)
    values = torch.cat([kept_values, values], dim=-2)
    n, m = queries.shape[-2], keys.shape[-2]
    scores = queries @ keys.mT / math.sqrt(m)
    scores = scores.masked_fill(torch.ones(n, m).triu(m - n + 1).bool(), -math.inf)
    return scores.softmax(dim=-1) @ values, (keys, values)


# %% mistake="cached_attention" name="unknown_window"
"""Sees the last three tokens only."""


def cached_attention(queries, keys, values, cache=None):
    if cache is not None:
        keys = torch.cat([cache[0], keys], dim=-2)
        values = torch.cat([cache[1], values], dim=-2)
    n, m = queries.shape[-2], keys.shape[-2]
    mask = torch.ones(n, m, dtype=torch.bool).triu(m - n + 1)
    mask = mask | torch.ones(n, m, dtype=torch.bool).tril(m - n - 3)
    return attention(queries, keys, values, mask), (keys, values)


# %% mistake="cached_attention" name="values_and_keys_swapped__pair_exchanged"
"""The cache is returned as (values, keys) instead of (keys, values)."""


def cached_attention(queries, keys, values, cache=None):
    if cache is not None:
        old_values, old_keys = cache
        keys = torch.cat([old_keys, keys], -2)
        values = torch.cat([old_values, values], -2)
    m, n = keys.shape[-2], queries.shape[-2]
    row = torch.arange(m - n, m)[:, None]
    hidden = torch.arange(m)[None, :] > row
    return attention(queries, keys, values, hidden), (values, keys)


# %% mistake="grouped_query_attention" name="first_head_for_all"
"""Multi-query attention, whatever comes in."""


def grouped_query_attention(queries, keys, values, mask=None):
    if queries.size(-3) % keys.size(-3):
        raise ValueError("uneven")
    one = slice(0, 1)
    return attention(queries, keys[..., one, :, :], values[..., one, :, :], mask)


# %% mistake="grouped_query_attention" name="heads_dealt_in_turn+not_masked__tiled_and_unmasked"
"""The heads of keys and values are tiled instead of shared by neighbours and the mask is ignored."""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.shape[-3], keys.shape[-3]
    if h % g != 0:
        raise ValueError("number of query heads must be a multiple of key/value heads")
    index = torch.arange(h) % g
    k = keys.index_select(-3, index)
    v = values.index_select(-3, index)
    w = torch.softmax(
        torch.matmul(queries, k.transpose(-2, -1)) / math.sqrt(k.size(-1)), dim=-1
    )
    return torch.matmul(w, v)


# %% mistake="grouped_query_attention" name="heads_dealt_in_turn"
"""Cuts the query heads the other way round."""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.size(-3), keys.size(-3)
    if h % g:
        raise ValueError
    grouped = queries.unflatten(-3, (h // g, g))
    return attention(grouped, keys.unsqueeze(-4), values.unsqueeze(-4), mask).flatten(
        -4, -3
    )


# %% mistake="grouped_query_attention" name="heads_dealt_in_turn__tiled"
"""The heads of keys and values are tiled, 0 1 0 1, instead of shared by neighbouring query heads, 0 0 1 1."""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.shape[-3], keys.shape[-3]
    if h % g != 0:
        raise ValueError("h must be a multiple of g")
    keys = torch.cat([keys] * (h // g), dim=-3)
    values = torch.cat([values] * (h // g), dim=-3)
    return attention(queries, keys, values, mask)


# %% mistake="grouped_query_attention" name="keys_dealt_in_turn"
"""The keys are tiled, 0 1 0 1, while the values are shared by neighbours, 0 0 1 1."""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.size(-3), keys.size(-3)
    if h % g:
        raise ValueError(f"{h} is no multiple of {g}")
    outputs = []
    for i in range(h):
        k = keys[..., i % g, :, :]
        v = values[..., i // (h // g), :, :]
        outputs.append(attention(queries[..., i, :, :], k, v, mask))
    return torch.stack(outputs, dim=-3)


# %% mistake="grouped_query_attention" name="mask_inverted+uneven_groups_accepted__visible_mask_no_error"
"""The mask is inverted, since torch's function takes True as visible, and nothing is checked: no ValueError
is raised for a wrong number of heads.
"""


def grouped_query_attention(queries, keys, values, mask=None):
    repeats = queries.shape[-3] // keys.shape[-3]
    k = keys.repeat_interleave(repeats, dim=-3)
    v = values.repeat_interleave(repeats, dim=-3)
    return F.scaled_dot_product_attention(queries, k, v, attn_mask=mask)


# %% mistake="grouped_query_attention" name="needs_a_batch__heads_counted_from_front"
"""The heads are repeated along dimension 1, which counts heads only if there is a batch, so without
one it fails or takes tokens for heads.
"""


def grouped_query_attention(queries, keys, values, mask=None):
    if queries.shape[-3] % keys.shape[-3]:
        raise ValueError("query heads are not a multiple of key heads")
    n_rep = queries.shape[-3] // keys.shape[-3]
    k = torch.repeat_interleave(keys, n_rep, dim=1)
    v = torch.repeat_interleave(values, n_rep, dim=1)
    scores = queries @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, -math.inf)
    return scores.softmax(dim=-1) @ v


# %% mistake="grouped_query_attention" name="not_masked"
"""Writes attention out, without the mask."""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.size(-3), keys.size(-3)
    if h % g:
        raise ValueError(f"{h} and {g}")
    keys, values = (x.repeat_interleave(h // g, -3) for x in (keys, values))
    scores = queries @ keys.mT * keys.size(-1) ** -0.5
    return scores.softmax(-1) @ values


# %% mistake="grouped_query_attention" name="not_scaled"
"""Forgets to divide the scores."""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.shape[-3], keys.shape[-3]
    if h % g != 0:
        raise ValueError("h must be a multiple of g")
    keys = keys.repeat_interleave(h // g, dim=-3)
    values = values.repeat_interleave(h // g, dim=-3)
    scores = queries @ keys.mT
    if mask is not None:
        scores = scores.masked_fill(mask, -math.inf)
    return scores.softmax(dim=-1) @ values


# %% mistake="grouped_query_attention" name="uneven_groups_accepted"
"""Shares as well as it can."""


def grouped_query_attention(queries, keys, values, mask=None):
    h, g = queries.size(-3), keys.size(-3)
    owner = torch.arange(h) * g // h
    return attention(queries, keys[..., owner, :, :], values[..., owner, :, :], mask)


# %% mistake="rotate" name="angles_in_other_units__degrees"
"""Takes angles for degrees."""


def rotate(x, positions, base=10_000.0):
    d = x.shape[-1]
    pairs = torch.arange(0, d, 2, dtype=x.dtype)
    angles = positions.to(x.dtype)[:, None] * base ** (-pairs / d)
    angles = angles * math.pi / 180
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)


# %% mistake="rotate" name="base_ignored+angles_in_float32__base_fixed_single_precision"
"""The base is always 10000, the argument being ignored, and the angles are computed in float32 even for
float64.
"""


def rotate(x, positions, base=10_000.0):
    d = x.shape[-1]
    theta = 10000.0 ** (-torch.arange(0, d, 2).float() / d)
    angles = torch.outer(positions.float(), theta)
    turn = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
    return torch.view_as_real(pairs * turn).flatten(-2).type_as(x)


# %% mistake="rotate" name="halves+turns_backwards__halves_backwards"
"""The halves are paired instead of neighbours and the pairs turn in the opposite direction."""


def rotate(x, positions, base=10_000.0):
    half = x.shape[-1] // 2
    theta = base ** (-torch.arange(half, dtype=x.dtype) / half)
    angle = positions.to(x.dtype)[:, None] * theta
    first, second = x.chunk(2, dim=-1)
    return torch.cat(
        [
            first * angle.cos() + second * angle.sin(),
            second * angle.cos() - first * angle.sin(),
        ],
        dim=-1,
    )


# %% mistake="rotate" name="halves"
"""rotate_half, as one finds it everywhere."""


def _rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def rotate(x, positions, base=10_000.0):
    size = x.size(-1)
    speeds = 1.0 / base ** (torch.arange(0, size, 2, dtype=x.dtype) / size)
    angles = torch.outer(positions.to(x.dtype), speeds)
    angles = torch.cat((angles, angles), dim=-1)
    return x * angles.cos() + _rotate_half(x) * angles.sin()


# %% mistake="rotate" name="halves__rotate_half"
"""The first half of the features is paired with the second half instead of neighbours with each other."""


def rotate(x, positions, base=10_000.0):
    d = x.shape[-1]
    inv_freq = base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    freqs = positions.to(x.dtype)[:, None] * inv_freq
    emb = torch.cat((freqs, freqs), dim=-1)
    x1, x2 = x[..., : d // 2], x[..., d // 2 :]
    rotated = torch.cat((-x2, x1), dim=-1)
    return x * emb.cos() + rotated * emb.sin()


# %% mistake="rotate" name="pairs_torn_apart__not_laced_again"
"""Neighbours are turned rightly, but the results are put together as all first features, then all second
ones, instead of interleaved again.
"""


def rotate(x, positions, base=10_000.0):
    d = x.shape[-1]
    freqs = 1.0 / (base ** (torch.arange(0, d, 2).to(x.dtype) / d))
    angles = positions.to(x.dtype).unsqueeze(-1) * freqs
    cos, sin = angles.cos(), angles.sin()
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.cat([even * cos - odd * sin, even * sin + odd * cos], dim=-1)


# %% mistake="rotate" name="places_not_read"
"""A table from the beginning of the text."""


def rotate(x, positions, base=10_000.0):
    n, size = x.shape[-2:]
    speeds = base ** (-torch.arange(0, size, 2, dtype=x.dtype) / size)
    angles = torch.outer(torch.arange(n, dtype=x.dtype), speeds)
    out = torch.empty_like(x)
    out[..., ::2] = x[..., ::2] * angles.cos() - x[..., 1::2] * angles.sin()
    out[..., 1::2] = x[..., ::2] * angles.sin() + x[..., 1::2] * angles.cos()
    return out


# %% mistake="rotate" name="places_not_read__places_counted_anew"
"""The tokens are turned by their row numbers 0, 1, 2 instead of the positions that are given."""


def rotate(x, positions, base=10_000.0):
    n, d = x.shape[-2:]
    pos = torch.arange(n, dtype=x.dtype)
    theta = base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    angle = pos[:, None] * theta[None, :]
    out = torch.empty_like(x)
    out[..., ::2] = x[..., ::2] * torch.cos(angle) - x[..., 1::2] * torch.sin(angle)
    out[..., 1::2] = x[..., ::2] * torch.sin(angle) + x[..., 1::2] * torch.cos(angle)
    return out


# %% mistake="rotate" name="slow_pairs"
"""A loop over pairs with i / d."""


def rotate(x, positions, base=10_000.0):
    size, columns = x.size(-1), []
    for i in range(size // 2):
        t = positions.to(x.dtype) * base ** (-i / size)
        a, b = x[..., 2 * i], x[..., 2 * i + 1]
        columns += [a * t.cos() - b * t.sin(), a * t.sin() + b * t.cos()]
    return torch.stack(columns, dim=-1)


# %% mistake="rotate" name="slow_pairs__exponent_without_two"
"""The pair number i turns by base ** (-i / d) instead of base ** (-2 * i / d)."""


def rotate(x, positions, base=10_000.0):
    d = x.size(-1)
    i = torch.arange(d // 2, dtype=x.dtype, device=x.device)
    theta = base ** (-i / d)
    t = torch.outer(positions.to(x.dtype), theta)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack(
        [a * t.cos() - b * t.sin(), a * t.sin() + b * t.cos()], dim=-1
    ).flatten(-2)


# %% mistake="rotate" name="turns_backwards"
"""Complex numbers, conjugated."""


def rotate(x, positions, base=10_000.0):
    size = x.size(-1)
    speeds = base ** (-torch.arange(0, size, 2, dtype=x.dtype) / size)
    angles = torch.outer(positions.to(x.dtype), speeds)
    turns = torch.polar(torch.ones_like(angles), -angles)
    return torch.view_as_real(
        torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) * turns
    ).flatten(-2)


# %% mistake="add_block" name="divided_too_early"
"""FlashAttention's first version, which divides each time."""


def add_block(state, scores, values):
    m, total, o = state
    m_new = torch.maximum(m, scores.max(dim=-1).values)
    shift = torch.where(m_new.isinf(), torch.zeros_like(m_new), m_new)
    p = (scores - shift.unsqueeze(-1)).exp()
    scale = (m - shift).exp()
    l_new = scale * total + p.sum(-1)
    weights = (scale.unsqueeze(-1) * o + p @ values) / torch.where(
        l_new == 0, 1, l_new
    ).unsqueeze(-1)
    return m_new, l_new, weights


# %% mistake="add_block" name="divided_too_early__divided_and_nan"
"""The output is divided by the denominator already and a block with all keys hidden gives NaN."""


def add_block(state, scores, values):
    old_max, old_sum, old_out = state
    new_max = torch.maximum(old_max, scores.max(dim=-1).values)
    correction = torch.exp(old_max - new_max)
    exp_scores = torch.exp(scores - new_max.unsqueeze(-1))
    new_sum = old_sum * correction + exp_scores.sum(dim=-1)
    new_out = (
        old_out * (old_sum * correction).unsqueeze(-1) + exp_scores @ values
    ) / new_sum.unsqueeze(-1)
    return new_max, new_sum, new_out


# %% mistake="add_block" name="maximum_of_the_block__maximum_of_block_only"
"""The new maximum is that of the block alone, even where the maximum so far is higher."""


def add_block(state, scores, values):
    m, l, o = state  # noqa: E741
    m_new = scores.max(dim=-1).values
    m_new = torch.where(m_new.isinf(), m, m_new)
    shift = m_new.masked_fill(m_new.isinf(), 0.0)
    alpha = (m - shift).exp()
    w = (scores - shift[..., None]).exp()
    return m_new, l * alpha + w.sum(dim=-1), o * alpha[..., None] + w @ values


# %% mistake="add_block" name="no_maximum"
"""Keeps a maximum and does not use it."""


def add_block(state, scores, values):
    m, total, o = state
    e = scores.exp()
    return (
        torch.maximum(m, scores.max(dim=-1).values),
        e.sum(dim=-1) + total,
        e @ values + o,
    )


# %% mistake="add_block" name="no_maximum__nothing_subtracted"
"""The scores are exponentiated without subtracting the maximum, so sums are measured from 0 and overflow."""


def add_block(state, scores, values):
    maximum, denominator, output = state
    weights = scores.exp()
    return (
        torch.maximum(maximum, scores.max(dim=-1)[0]),
        denominator + weights.sum(dim=-1),
        output + weights @ values,
    )


# %% mistake="add_block" name="nothing_seen_yet"
"""The textbook's three lines."""


def add_block(state, scores, values):
    m, total, o = state
    m_new = torch.maximum(m, scores.max(dim=-1).values)
    p = (scores - m_new.unsqueeze(-1)).exp()
    scale = (m - m_new).exp()
    return m_new, scale * total + p.sum(-1), scale.unsqueeze(-1) * o + p @ values


# %% mistake="add_block" name="old_sums_not_rescaled+nothing_seen_yet__never_rescaled_nan"
"""What was summed so far is not multiplied when the maximum rises and a block with all keys hidden gives
NaN.
"""


def add_block(state, scores, values):
    m, d, o = state
    m2 = torch.maximum(m, scores.amax(dim=-1))
    e = torch.exp(scores - m2.unsqueeze(-1))
    return m2, d + e.sum(dim=-1), o + torch.einsum("...nb,...bd->...nd", e, values)


# %% mistake="add_block" name="old_sums_not_rescaled"
"""Sums as they come."""


def add_block(state, scores, values):
    m, total, o = state
    m_new = torch.maximum(m, scores.max(dim=-1).values)
    shift = torch.where(m_new.isinf(), torch.zeros_like(m_new), m_new)
    p = (scores - shift.unsqueeze(-1)).exp()
    return m_new, total + p.sum(-1), torch.add(o, p @ values)


# %% mistake="add_block" name="output_not_rescaled"
"""Forgets the output's factor."""


def add_block(state, scores, values):
    m, total, o = state
    m_new = torch.maximum(m, scores.max(dim=-1).values)
    shift = torch.where(m_new.isinf(), torch.zeros_like(m_new), m_new)
    p = (scores - shift.unsqueeze(-1)).exp()
    total = total * (m - shift).exp() + p.sum(-1)
    return m_new, total, o + p @ values


# %% mistake="add_block" name="output_not_rescaled__old_output_kept"
"""When the maximum rises only the denominator is multiplied by the factor; the output so far is not."""


def add_block(state, scores, values):
    maximum, denominator, output = state
    new_max = torch.maximum(maximum, scores.amax(dim=-1))
    safe = torch.where(new_max == -math.inf, torch.zeros_like(new_max), new_max)
    p = torch.exp(scores - safe.unsqueeze(-1))
    factor = torch.exp(maximum - safe)
    return new_max, denominator * factor + p.sum(-1), output + p @ values


# %% mistake="add_block" name="overwrites_inputs__state_updated_in_place"
"""The result is right, but the old state's tensors are changed in place."""


def add_block(state, scores, values):
    maximum, denominator, output = state
    new = torch.maximum(maximum, scores.amax(-1))
    base = torch.nan_to_num(new, neginf=0.0)
    scale = torch.exp(maximum - base)
    w = torch.exp(scores - base[..., None])
    denominator.mul_(scale).add_(w.sum(-1))
    output.mul_(scale[..., None]).add_(w @ values)
    return new, denominator, output


# %% mistake="add_block" name="unknown_plain_mean"
"""Adds the values without weights."""


def add_block(state, scores, values):
    maximum, denominator, output = state
    higher = torch.maximum(maximum, scores.amax(dim=-1))
    safe = higher.masked_fill(higher == -math.inf, 0.0)
    factor = torch.exp(maximum - safe)
    parts = torch.exp(scores - safe[..., None])
    denominator = denominator * factor + parts.sum(dim=-1)
    return (
        higher,
        denominator,
        output * factor[..., None] + values.sum(dim=-2, keepdim=True),
    )
