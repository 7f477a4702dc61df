# %% mistake="project" name="keys_and_values_swapped__values_before_keys"
"""The values are returned in second place, the keys in third."""


def project(
    x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    queries = x @ W_query
    keys = x @ W_key
    values = x @ W_value
    return queries, values, keys


# %% mistake="project" name="keys_from_queries__keys_copied_from_queries"
"""The keys are made with W_query instead of W_key."""


def project(
    x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    q = torch.matmul(x, W_query)
    k = torch.matmul(x, W_query)
    v = torch.matmul(x, W_value)
    return q, k, v


# %% mistake="project" name="one_layer_for_all"
"""One linear call, its result given three times."""


def project(x, W_query, W_key, W_value):
    h = torch.nn.functional.linear(x, W_query.T)
    return h, h, h


# %% mistake="project" name="order_changed"
"""A loop over the matrices, in the order of the library's attention."""


def project(x, W_query, W_key, W_value):
    return tuple(x.matmul(m) for m in (W_key, W_query, W_value))


# %% mistake="project" name="projected_twice"
"""einsum for queries and keys, and the keys go through the values' matrix."""


def project(x, W_query, W_key, W_value):
    q = torch.einsum("...i,io->...o", x, W_query)
    k = torch.einsum("...i,io->...o", x, W_key)
    v = torch.einsum("...i,io->...o", k, W_value)
    return q, k, v


# %% mistake="project" name="queries_scaled_early__queries_scaled_early"
"""The queries are divided by the square root of d_k already here."""


def project(
    x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    d_k = W_key.shape[1]
    Q = torch.einsum("...i,ij->...j", x, W_query) / d_k**0.5
    K = torch.einsum("...i,ij->...j", x, W_key)
    V = torch.einsum("...i,ij->...j", x, W_value)
    return Q, K, V


# %% mistake="project" name="unknown_values_negated"
"""The values come with the wrong sign."""


def project(x, W_query, W_key, W_value):
    return x @ W_query, x @ W_key, -(x @ W_value)


# %% mistake="project" name="values_from_keys+detached__no_grad_values_from_keys"
"""No gradients flow to the matrices or to x and the values are made from the keys' matrix
instead of W_value.
"""


def project(
    x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    with torch.no_grad():
        queries = x @ W_query
        keys = x @ W_key
        values = x @ W_key
    return queries, keys, values


# %% mistake="project" name="view_of_the_tokens__view"
"""The tokens are flattened with view, which fails on a transposed tensor."""


def project(
    x: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    front = x.shape[:-1]
    flat = x.view(-1, x.shape[-1])
    projected = [
        (flat @ W).view(*front, W.shape[-1]) for W in (W_query, W_key, W_value)
    ]
    return tuple(projected)


# %% mistake="attention_scores" name="first_two_dimensions__transpose_zero_one"
"""The keys are transposed in dimensions 0 with 1, so batches do not work."""


def attention_scores(queries: Tensor, keys: Tensor) -> Tensor:
    keys_t = keys.transpose(0, 1)
    return queries @ keys_t


# %% mistake="attention_scores" name="keys_ignored__queries_with_themselves"
"""The queries are multiplied with themselves, the keys are not used."""


def attention_scores(queries: Tensor, keys: Tensor) -> Tensor:
    scores = torch.einsum("...nd,...md->...nm", queries, queries)
    return scores


# %% mistake="attention_scores" name="keys_not_transposed"
"""torch.matmul with keywords."""


def attention_scores(queries, keys):
    return torch.matmul(input=queries, other=keys)


# %% mistake="attention_scores" name="queries_and_keys_swapped"
"""einsum whose result has the keys first."""


def attention_scores(queries, keys):
    return torch.einsum("...nd,...md->...mn", queries, keys)


# %% mistake="attention_scores" name="queries_and_keys_swapped__keys_ask"
"""The scores are transposed, row i belongs to key i."""


def attention_scores(queries: Tensor, keys: Tensor) -> Tensor:
    return torch.matmul(keys, queries.transpose(-2, -1))


# %% mistake="attention_scores" name="reads_leftover_keys"
"""The argument is called key inside, but keys of the notebook is used."""


def attention_scores(q, k):
    k_t = keys.transpose(-1, -2)
    return torch.matmul(q, k_t)


# %% mistake="attention_scores" name="scaled_where_it_should_not_be__scaled_already"
"""The scores are already divided by the square root of d."""


def attention_scores(queries: Tensor, keys: Tensor) -> Tensor:
    return queries @ keys.mT / keys.shape[-1] ** 0.5


# %% mistake="attention_scores" name="weights_already+scaled_where_it_should_not_be__scaled_softmax"
"""The scores are divided by the square root of d and go through a softmax already."""


def attention_scores(queries: Tensor, keys: Tensor) -> Tensor:
    dk = queries.size(-1)
    raw = torch.matmul(queries, keys.transpose(-2, -1))
    return torch.softmax(raw / (dk**0.5), dim=-1)


# %% mistake="score_variance" name="biased+scaled_when_it_should_not_be__flag_inverted_biased"
"""The flag is inverted, the scores are divided when scaled is False and the variance is the biased one."""


def score_variance(queries: Tensor, keys: Tensor, scaled: bool) -> Tensor:
    scores = queries @ keys.transpose(0, 1)
    if not scaled:
        scores = scores / queries.size(1) ** 0.5
    return scores.var(unbiased=False)


# %% mistake="score_variance" name="biased__biased"
"""The variance is the biased one, divided by the count instead of the count minus 1."""


def score_variance(queries: Tensor, keys: Tensor, scaled: bool) -> Tensor:
    s = queries @ keys.T
    if scaled:
        s = s * keys.size(-1) ** -0.5
    return ((s - s.mean()) ** 2).mean()


# %% mistake="score_variance" name="not_scaled"
"""The variance by its formula; the flag is not read."""


def score_variance(queries, keys, scaled=False):
    flat = (queries @ keys.T).reshape(-1)
    centred = flat - flat.mean()
    return (centred**2).sum() / (flat.numel() - 1)


# %% mistake="score_variance" name="scaled_when_it_should_not_be"
"""The condition is read the wrong way round."""


def score_variance(queries, keys, scaled):
    s = torch.einsum("nd,md->nm", queries, keys)
    if not scaled:
        s = s / queries.size(1) ** 0.5
    return torch.var(s)


# %% mistake="score_variance" name="scaled_without_root+variance_of_rows__row_means_full_dk"
"""The variances of the single rows are averaged instead of taking all scores together and the scores are
divided by d_k instead of its root.
"""


def score_variance(queries: Tensor, keys: Tensor, scaled: bool) -> Tensor:
    wei = queries @ keys.transpose(-2, -1)
    if scaled:
        wei = wei / queries.shape[-1]
    return wei.var(dim=-1).mean()


# %% mistake="score_variance" name="standard_deviation"
"""The root of the variance."""


def score_variance(queries, keys, scaled):
    factor = keys.shape[-1] ** -0.5 if scaled else 1.0
    products = queries.matmul(keys.transpose(0, 1)) * factor
    return products.flatten().var().sqrt()


# %% mistake="score_variance" name="standard_deviation__standard_deviation"
"""The standard deviation is returned instead of the variance."""


def score_variance(queries: Tensor, keys: Tensor, scaled: bool) -> Tensor:
    scores = torch.einsum("nd,md->nm", queries, keys)
    divisor = queries.shape[-1] ** 0.5 if scaled else 1
    return (scores / divisor).std()


# %% mistake="score_variance" name="variance_of_rows"
"""The variance of each row, averaged."""


def score_variance(queries, keys, scaled):
    s = queries @ keys.T
    if scaled:
        s = s / keys.size(-1) ** 0.5
    return s.var(dim=1).mean()


# %% mistake="score_variance" name="wrong_exponent__variance_over_root"
"""With scaling the variance itself is divided by the root of d_k, instead of the scores."""


def score_variance(queries: Tensor, keys: Tensor, scaled: bool) -> Tensor:
    variance = torch.var(torch.mm(queries, keys.t()))
    return variance / queries.shape[1] ** 0.5 if scaled else variance


# %% mistake="scaled_attention_weights" name="not_scaled"
"""By hand, shifted by the maximum."""


def scaled_attention_weights(scores, d_k):
    z = torch.exp(scores - scores.amax(-1, keepdim=True))
    return z / z.sum(-1, keepdim=True)


# %% mistake="scaled_attention_weights" name="overwrites_inputs+exp_overflows__in_place_naive"
"""The scores of the caller are overwritten and the exponential is taken without subtracting the largest, so
large scores overflow.
"""


def scaled_attention_weights(scores: Tensor, d_k: int) -> Tensor:
    scores /= d_k**0.5
    powers = torch.exp(scores)
    return powers / powers.sum(dim=-1, keepdim=True)


# %% mistake="scaled_attention_weights" name="scale_inverted+softmax_over_dim_0__multiplied_dim_zero"
"""The scores are multiplied by the square root of d_k instead of divided and the softmax runs over dimension
0.
"""


def scaled_attention_weights(scores: Tensor, d_k: int) -> Tensor:
    bigger = scores * d_k**0.5
    return torch.softmax(bigger, 0)


# %% mistake="scaled_attention_weights" name="scale_inverted"
"""Divides by the inverse of the root, computed by a negative power."""


def scaled_attention_weights(scores, d_k):
    scale = d_k**-0.5
    return torch.nn.functional.softmax(scores / scale, dim=-1)


# %% mistake="scaled_attention_weights" name="scaled_after_softmax__scaled_after_softmax"
"""The division by the root of d_k comes after the softmax, so the weights do not sum to 1."""


def scaled_attention_weights(scores: Tensor, d_k: int) -> Tensor:
    weights = scores.softmax(dim=-1)
    return weights * d_k**-0.5


# %% mistake="scaled_attention_weights" name="scaled_by_length__number_of_keys"
"""The scores are divided by the square root of the number of keys instead of d_k."""


def scaled_attention_weights(scores: Tensor, d_k: int) -> Tensor:
    d_k = scores.size(-1)
    scaled = scores / torch.sqrt(torch.tensor(d_k, dtype=scores.dtype))
    return torch.nn.functional.softmax(scaled, dim=-1)


# %% mistake="scaled_attention_weights" name="scaled_without_root"
"""Functional softmax, with a keyword for everything."""


def scaled_attention_weights(scores, d_k):
    return torch.nn.functional.softmax(input=scores * (1.0 / d_k), dim=scores.dim() - 1)


# %% mistake="scaled_attention_weights" name="scaled_without_root__no_root"
"""The scores are divided by d_k instead of by its square root."""


def scaled_attention_weights(scores: Tensor, d_k: int) -> Tensor:
    return torch.softmax(scores / d_k, dim=-1)


# %% mistake="scaled_attention_weights" name="softmax_over_dim_1"
"""Exponentials by hand, with dimension 1 in each step."""


def scaled_attention_weights(scores, d_k):
    z = scores * (1 / d_k**0.5)
    z = z - z.max(dim=1, keepdim=True)[0]
    return z.exp() / z.exp().sum(dim=1, keepdim=True)


# %% mistake="scaled_attention_weights" name="unknown_logarithm"
"""The scores are divided by the logarithm of d_k plus 1, and not by its root."""


def scaled_attention_weights(scores, d_k):
    divisor = torch.tensor(float(d_k), dtype=scores.dtype).log() + 1
    return torch.softmax(scores / divisor, dim=-1)


# %% mistake="scaled_attention_weights" name="wrong_exponent"
"""Multiplies with a power of minus 0.05."""


def scaled_attention_weights(scores, d_k):
    return torch.softmax(scores * d_k**-0.05, dim=-1)


# %% mistake="scaled_dot_product_attention" name="all_dimensions_reversed"
"""permute of all dimensions."""


def scaled_dot_product_attention(queries, keys, values):
    turned = keys.permute(tuple(range(keys.dim()))[::-1])
    w = (torch.matmul(queries, turned) / keys.size(-1) ** 0.5).softmax(-1)
    return torch.matmul(w, values)


# %% mistake="scaled_dot_product_attention" name="no_softmax"
"""Scaled einsum, mixed without a softmax."""


def scaled_dot_product_attention(queries, keys, values):
    root = keys.size(-1) ** 0.5
    att = torch.einsum("...nd,...md->...nm", queries / root, keys)
    return torch.matmul(att, values)


# %% mistake="scaled_dot_product_attention" name="not_scaled"
"""Two einsums."""


def scaled_dot_product_attention(queries, keys, values):
    sim = torch.einsum("...qd,...kd->...qk", queries, keys)
    p = sim.softmax(dim=-1)
    return torch.einsum("...qk,...kv->...qv", p, values)


# %% mistake="scaled_dot_product_attention" name="not_scaled__not_scaled"
"""The scores are not divided by the root of d_k."""


def scaled_dot_product_attention(
    queries: Tensor, keys: Tensor, values: Tensor
) -> Tensor:
    p_attn = torch.matmul(queries, keys.transpose(-2, -1)).softmax(dim=-1)
    return torch.matmul(p_attn, values)


# %% mistake="scaled_dot_product_attention" name="one_side_normalised"
"""Keys are brought to length 1 first."""


def scaled_dot_product_attention(queries, keys, values):
    unit = torch.nn.functional.normalize(keys, dim=-1)
    return torch.softmax(queries @ unit.mT / keys.size(-1) ** 0.5, -1) @ values


# %% mistake="scaled_dot_product_attention" name="returns_weights"
"""einsum and nn.Softmax."""


def scaled_dot_product_attention(queries, keys, values):
    scale = queries.shape[-1] ** 0.5
    attn = torch.nn.Softmax(dim=-1)(
        torch.einsum("...ij,...kj->...ik", queries, keys) / scale
    )
    _context = attn @ values
    return attn


# %% mistake="scaled_dot_product_attention" name="scaled_by_length__token_count"
"""The scores are divided by the root of the number of keys instead of d_k."""


def scaled_dot_product_attention(
    queries: Tensor, keys: Tensor, values: Tensor
) -> Tensor:
    attention = torch.einsum("...nd,...md->...nm", queries, keys)
    attention = attention / keys.shape[-2] ** 0.5
    attention = attention.softmax(dim=-1)
    return torch.einsum("...nm,...mv->...nv", attention, values)


# %% mistake="scaled_dot_product_attention" name="scaled_by_values_width"
"""Uses a tensor's sqrt of the last size of values."""


def scaled_dot_product_attention(queries, keys, values):
    dk = torch.tensor(values.size(-1)).sqrt().to(queries.dtype)
    att = (queries @ keys.transpose(-1, -2)).div(dk).softmax(-1)
    return att.matmul(values)


# %% mistake="scaled_dot_product_attention" name="scaled_by_values_width__value_width"
"""The scores are divided by the root of d_v, the width of the values, instead of d_k."""


def scaled_dot_product_attention(
    queries: Tensor, keys: Tensor, values: Tensor
) -> Tensor:
    d_k = values.size(-1)
    scores = queries @ keys.transpose(-2, -1)
    attn = torch.softmax(scores / d_k**0.5, dim=-1)
    return attn @ values


# %% mistake="scaled_dot_product_attention" name="scaled_without_root+softmax_over_queries__full_dk_queries_compete"
"""The scores are divided by d_k instead of its root and the softmax runs over the queries instead of the
keys.
"""


def scaled_dot_product_attention(
    queries: Tensor, keys: Tensor, values: Tensor
) -> Tensor:
    dim = queries.size(-1)
    wei = (queries @ keys.mT) / dim
    wei = torch.nn.functional.softmax(wei, dim=-2)
    return wei @ values


# %% mistake="scaled_dot_product_attention" name="scaled_without_root"
"""Scales the queries before the product."""


def scaled_dot_product_attention(queries, keys, values):
    d = queries.shape[-1]
    q = queries / d
    return torch.softmax(q @ keys.mT, -1) @ values


# %% mistake="scaled_dot_product_attention" name="softmax_over_queries"
"""Exponentials by hand, normalised over the second last dimension."""


def scaled_dot_product_attention(queries, keys, values):
    s = torch.einsum("...nd,...md->...nm", queries, keys) / queries.size(-1) ** 0.5
    e = (s - s.amax(dim=-2, keepdim=True)).exp()
    a = e / e.sum(dim=-2, keepdim=True)
    return a @ values


# %% mistake="scaled_dot_product_attention" name="values_from_keys+not_scaled__mixes_keys_unscaled"
"""The keys are averaged instead of the values and the scores are not divided by the root of d_k."""


def scaled_dot_product_attention(
    queries: Tensor, keys: Tensor, values: Tensor
) -> Tensor:
    weights = torch.softmax(attention_scores(queries, keys), dim=-1)
    return weights @ keys
