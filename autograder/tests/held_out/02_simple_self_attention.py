# %% mistake="pairwise_scores_loop" name="detached__comprehension_of_numbers"
"""No gradients flow from the scores back to the inputs."""


def pairwise_scores_loop(inputs: Tensor) -> Tensor:
    rows = [[float(p @ q) for q in inputs] for p in inputs]
    return torch.tensor(rows, dtype=inputs.dtype)


# %% mistake="pairwise_scores_loop" name="diagonal_counted_twice"
"""Each pair is added at both of its places to save work, so the diagonal is added twice."""


def pairwise_scores_loop(inputs: Tensor) -> Tensor:
    n = inputs.shape[0]
    table = torch.zeros(n, n, dtype=inputs.dtype)
    for i in range(n):
        for j in range(i + 1):  # it is symmetric, half is enough
            s = torch.dot(inputs[i], inputs[j])
            table[i, j] += s
            table[j, i] += s
    return table


# %% mistake="pairwise_scores_loop" name="dimensions_instead_of_tokens__columns"
"""The dot products are those of the columns of the inputs, shape (d, d), instead of those of the rows."""


def pairwise_scores_loop(inputs: Tensor) -> Tensor:
    width = inputs.shape[1]
    scores = torch.zeros(width, width, dtype=inputs.dtype)
    for a in range(width):
        for b in range(width):
            scores[a, b] = inputs[:, a] @ inputs[:, b]
    return scores


# %% mistake="pairwise_scores_loop" name="half_of_them"
"""A dictionary of pairs that were met, with later tokens left out."""


def pairwise_scores_loop(inputs):
    met = {}
    for i, asks in enumerate(inputs):
        for j, asked in enumerate(inputs[: i + 1]):
            met[i, j] = (asks * asked).sum()
    size = len(inputs)
    flat = [
        met.get((i, j), torch.zeros((), dtype=inputs.dtype))
        for i in range(size)
        for j in range(size)
    ]
    return torch.stack(flat).view(size, size)


# %% mistake="pairwise_scores_loop" name="half_of_them__upper_half"
"""Only pairs with j at least i are filled in, everything below the diagonal stays 0."""


def pairwise_scores_loop(inputs: Tensor) -> Tensor:
    n = len(inputs)
    table = torch.zeros(n, n, dtype=inputs.dtype)
    for i in range(n):
        for j in range(i, n):
            table[i, j] = torch.dot(inputs[i], inputs[j])
    return table


# %% mistake="pairwise_scores_loop" name="not_summed"
"""Collects rows of products in lists and stacks them twice."""


def pairwise_scores_loop(inputs):
    table = []
    for p in inputs:
        table.append(torch.stack([p * q for q in inputs]))
    return torch.stack(table)


# %% mistake="pairwise_scores_loop" name="scaled_where_it_should_not_be+diagonal_left_out__no_diagonal_scaled"
"""The score of each token with itself is left at 0 and all other scores are divided by the
square root of d.
"""


def pairwise_scores_loop(inputs: Tensor) -> Tensor:
    n, d = inputs.shape
    scores = inputs.new_zeros(n, n)
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            scores[i][j] = torch.dot(inputs[i], inputs[j]) / d**0.5
    return scores


# %% mistake="pairwise_scores_loop" name="single_precision__default_dtype"
"""The scores are always float32, whatever the dtype of the inputs."""


def pairwise_scores_loop(inputs: Tensor) -> Tensor:
    attn_scores = torch.empty(inputs.shape[0], inputs.shape[0])
    for i, x_i in enumerate(inputs):
        for j, x_j in enumerate(inputs):
            attn_scores[i, j] = torch.dot(x_i, x_j)
    return attn_scores


# %% mistake="pairwise_scores_loop" name="six_tokens"
"""A table for the example's six tokens, by comprehension."""


def pairwise_scores_loop(inputs):
    count = 6
    return torch.stack(
        [
            torch.stack([(inputs[i] * inputs[j]).sum() for j in range(count)])
            for i in range(count)
        ]
    )


# %% mistake="pairwise_scores" name="all_dimensions_reversed"
"""Turns the dimensions with permute, in reversed order."""


def pairwise_scores(inputs):
    dims = list(reversed(range(inputs.dim())))
    return torch.matmul(inputs, inputs.permute(*dims))


# %% mistake="pairwise_scores" name="all_dimensions_reversed__capital_t"
"""The transposition reverses all dimensions, so batches do not work."""


def pairwise_scores(inputs: Tensor) -> Tensor:
    return inputs @ inputs.T


# %% mistake="pairwise_scores" name="detached+cosines__cosine_detached"
"""The tokens are brought to length 1 first, so the scores are cosines and the scores are cut off from the
gradients of the inputs.
"""


def pairwise_scores(inputs: Tensor) -> Tensor:
    x = torch.nn.functional.normalize(inputs.detach(), dim=-1)
    return x @ x.transpose(-1, -2)


# %% mistake="pairwise_scores" name="distances"
"""Distances between the tokens for dot products."""


def pairwise_scores(inputs):
    return torch.cdist(inputs, inputs)


# %% mistake="pairwise_scores" name="keys_not_transposed"
"""Calls matmul as a method, on the inputs themselves."""


def pairwise_scores(inputs):
    keys = inputs
    return inputs.matmul(keys)


# %% mistake="pairwise_scores" name="mixes_sentences"
"""Flattens all but the last dimension and multiplies."""


def pairwise_scores(inputs):
    flat = inputs.flatten(0, -2) if inputs.dim() > 2 else inputs
    return torch.mm(flat, flat.t())


# %% mistake="pairwise_scores" name="mixes_sentences__flattened"
"""All sentences of a batch are put into one long list of tokens, so sentences mix."""


def pairwise_scores(inputs: Tensor) -> Tensor:
    flat = inputs.reshape(-1, inputs.shape[-1])
    return torch.mm(flat, flat.t())


# %% mistake="pairwise_scores" name="needs_a_batch"
"""swapaxes of dimensions 1 and 2, with bmm left out."""


def pairwise_scores(inputs):
    other = torch.swapaxes(inputs, 1, 2)
    return torch.matmul(inputs, other)


# %% mistake="pairwise_scores" name="scaled_where_it_should_not_be__scaled"
"""The scores are divided by the square root of d."""


def pairwise_scores(inputs: Tensor) -> Tensor:
    d_k = inputs.size(-1)
    scores = torch.matmul(inputs, inputs.transpose(-2, -1))
    return scores / (d_k**0.5)


# %% mistake="pairwise_scores" name="three_dimensions_only__bmm"
"""It takes only batches with three dimensions, so a single sentence gives an error."""


def pairwise_scores(inputs: Tensor) -> Tensor:
    swapped = inputs.permute(0, 2, 1)
    return torch.bmm(inputs, swapped)


# %% mistake="pairwise_scores" name="weights_already"
"""einsum, and a softmax at the end."""


def pairwise_scores(inputs):
    raw = torch.einsum("...id,...jd->...ij", inputs, inputs)
    return torch.nn.functional.softmax(raw, dim=-1)


# %% mistake="attention_weights" name="divided_by_sum"
"""Divides with div by a kept sum."""


def attention_weights(scores):
    return scores.div(scores.sum(dim=-1, keepdim=True))


# %% mistake="attention_weights" name="exp_overflows"
"""exp as a method, division by torch.div."""


def attention_weights(scores):
    powers = scores.exp()
    return torch.div(powers, powers.sum(-1, keepdim=True))


# %% mistake="attention_weights" name="exp_overflows__plain_exponentials"
"""The exponential is taken without subtracting the largest score, so large scores overflow to nan."""


def attention_weights(scores: Tensor) -> Tensor:
    e = torch.exp(scores)
    return e / e.sum(-1, keepdim=True)


# %% mistake="attention_weights" name="rounded"
"""Rounds the weights to four decimals: rows no longer sum to 1, and no gradient is left."""


def attention_weights(scores: Tensor) -> Tensor:
    w = torch.softmax(scores, dim=-1)
    return torch.round(w, decimals=4)


# %% mistake="attention_weights" name="scaled_where_it_should_not_be+softmax_over_queries__columns_scaled"
"""The softmax runs over the columns and the scores are divided by the square root of n first."""


def attention_weights(scores: Tensor) -> Tensor:
    n = scores.shape[-1]
    return torch.softmax(scores / n**0.5, dim=-2)


# %% mistake="attention_weights" name="scaled_where_it_should_not_be"
"""Divides by the root of the number of tokens before the softmax."""


def attention_weights(scores):
    return torch.softmax(scores / scores.size(-1) ** 0.5, dim=-1)


# %% mistake="attention_weights" name="softmax_over_dim_1"
"""The functional softmax with a positional dimension."""


def attention_weights(scores):
    w = torch.nn.functional.softmax(scores, 1)
    return w


# %% mistake="attention_weights" name="softmax_over_dim_1__dim_one"
"""The softmax runs over dimension 1, which is right for one sentence only, not for a batch."""


def attention_weights(scores: Tensor) -> Tensor:
    return scores.softmax(dim=1)


# %% mistake="attention_weights" name="softmax_over_everything+overwrites_inputs__in_place_global_total"
"""The exponentials are divided by the sum of the whole table instead of by those of the rows and the scores
of the caller are overwritten.
"""


def attention_weights(scores: Tensor) -> Tensor:
    with torch.no_grad():
        scores -= scores.max()
    powers = torch.exp(scores)
    return powers / powers.sum()


# %% mistake="attention_weights" name="softmax_over_everything__whole_table"
"""One softmax runs over all scores of a sentence together, so the whole table sums to 1
instead of each row.
"""


def attention_weights(scores: Tensor) -> Tensor:
    together = scores.flatten(start_dim=-2)
    weights = torch.softmax(together, dim=-1)
    return weights.reshape(scores.shape)


# %% mistake="attention_weights" name="softmax_over_queries"
"""By hand, shifted, with exponentials summed over the second last dimension."""


def attention_weights(scores):
    top = scores.max(dim=-2, keepdim=True).values
    e = torch.exp(scores - top)
    return e / e.sum(dim=-2, keepdim=True)


# %% mistake="attention_weights" name="sums_lose_their_place"
"""A library-free softmax with the maximum kept and the sum not."""


def attention_weights(scores):
    shifted = scores - scores.amax(dim=-1, keepdim=True)
    ex = shifted.exp()
    norm = ex.sum(dim=-1)
    return ex / norm


# %% mistake="attention_weights" name="unknown_made_symmetric"
"""The weights and the turned weights are averaged, so that both tokens give each other the same."""


def attention_weights(scores):
    weights = torch.softmax(scores, dim=-1)
    return (weights + weights.transpose(-2, -1)) / 2


# %% mistake="context_vectors" name="mean_for_sum__divided_by_n"
"""The weighted sum is divided by the number of tokens."""


def context_vectors(weights: Tensor, inputs: Tensor) -> Tensor:
    weighted = weights.unsqueeze(-1) * inputs.unsqueeze(-3)
    return weighted.mean(dim=-2)


# %% mistake="context_vectors" name="no_batches__single_sentence_only"
"""It takes one sentence only, a batch gives an error."""


def context_vectors(weights: Tensor, inputs: Tensor) -> Tensor:
    rows = []
    for w in weights:
        rows.append(torch.mv(inputs.t(), w))
    return torch.stack(rows)


# %% mistake="context_vectors" name="normalises_again__rows_normalised"
"""The rows of the weights are made to sum to 1 first instead of being taken as they are."""


def context_vectors(weights: Tensor, inputs: Tensor) -> Tensor:
    shares = weights / weights.sum(dim=-1, keepdim=True)
    return torch.matmul(shares, inputs)


# %% mistake="context_vectors" name="softmax_again+weights_transposed__softmax_and_transposed"
"""The weights go through another softmax and they are transposed afterwards, so each column is used in place
of the row.
"""


def context_vectors(weights: Tensor, inputs: Tensor) -> Tensor:
    attn = torch.nn.functional.softmax(weights, dim=-1)
    return attn.transpose(-1, -2) @ inputs


# %% mistake="context_vectors" name="softmax_again"
"""Softmax by hand inside, then einsum."""


def context_vectors(weights, inputs):
    e = (weights - weights.amax(-1, keepdim=True)).exp()
    alpha = e / e.sum(-1, keepdim=True)
    return torch.einsum("...nm,...md->...nd", alpha, inputs)


# %% mistake="context_vectors" name="weights_transposed"
"""einsum that sums over the token that asks."""


def context_vectors(weights, inputs):
    return torch.einsum("...ji,...jd->...id", weights, inputs)


# %% mistake="context_vectors" name="weights_transposed__weights_transposed"
"""The weights are transposed, so the columns are used as weights instead of the rows."""


def context_vectors(weights: Tensor, inputs: Tensor) -> Tensor:
    return torch.einsum("...ji,...jd->...id", weights, inputs)


# %% mistake="context_vectors" name="wrong_order"
"""matmul with the two arguments the other way round."""


def context_vectors(weights, inputs):
    return torch.matmul(inputs, weights)


# %% mistake="simple_self_attention" name="adds_the_tokens"
"""Adds the inputs to the context vectors."""


def simple_self_attention(inputs):
    w = torch.softmax(inputs @ inputs.transpose(-1, -2), dim=-1)
    return inputs + w @ inputs


# %% mistake="simple_self_attention" name="no_softmax"
"""All in one einsum."""


def simple_self_attention(inputs):
    return torch.einsum("...id,...jd,...je->...ie", inputs, inputs, inputs)


# %% mistake="simple_self_attention" name="returns_weights"
"""Computes the result as well and returns the other variable."""


def simple_self_attention(inputs):
    energy = torch.einsum("...qd,...kd->...qk", inputs, inputs)
    attn = energy.softmax(dim=-1)
    mixed = attn @ inputs
    return attn


# %% mistake="simple_self_attention" name="returns_weights__weights_returned"
"""The weights are returned instead of the context vectors."""


def simple_self_attention(inputs: Tensor) -> Tensor:
    scores = torch.einsum("...id,...jd->...ij", inputs, inputs)
    weights = torch.softmax(scores, dim=-1)
    context = weights @ inputs
    return weights


# %% mistake="simple_self_attention" name="scaled_where_it_should_not_be+causal_by_default__gpt_head"
"""Each token sees only itself with the tokens before it and the scores are divided by the
square root of d.
"""


def simple_self_attention(inputs: Tensor) -> Tensor:
    T, C = inputs.shape[-2:]
    wei = inputs @ inputs.transpose(-2, -1) * C**-0.5
    tril = torch.tril(torch.ones(T, T))
    wei = wei.masked_fill(tril == 0, float("-inf"))
    wei = torch.softmax(wei, dim=-1)
    return wei @ inputs


# %% mistake="simple_self_attention" name="scaled_where_it_should_not_be__scaled"
"""The scores are divided by the square root of d."""


def simple_self_attention(inputs: Tensor) -> Tensor:
    scores = inputs @ inputs.transpose(-2, -1)
    attn_weights = torch.softmax(scores / inputs.shape[-1] ** 0.5, dim=-1)
    return attn_weights @ inputs


# %% mistake="simple_self_attention" name="softmax_over_dim_1"
"""A softmax layer made inside, and mT for the transposed inputs."""


def simple_self_attention(inputs):
    norm = torch.nn.Softmax(dim=1)
    attn = norm(inputs @ inputs.mT)
    return attn @ inputs


# %% mistake="simple_self_attention" name="softmax_over_queries+divided_by_sum__sum_over_columns"
"""The scores are divided by a sum instead of going through a softmax and that sum is the one of the columns,
not of the rows.
"""


def simple_self_attention(inputs: Tensor) -> Tensor:
    s = inputs @ inputs.transpose(-1, -2)
    w = s / torch.sum(s, dim=-2, keepdim=True)
    return w @ inputs


# %% mistake="simple_self_attention" name="softmax_over_queries"
"""Softmax by hand with logsumexp over the second last dimension."""


def simple_self_attention(inputs):
    omega = torch.einsum("...id,...jd->...ij", inputs, inputs)
    alpha = (omega - omega.logsumexp(dim=-2, keepdim=True)).exp()
    return torch.einsum("...ij,...jd->...id", alpha, inputs)


# %% mistake="simple_self_attention" name="softmax_over_queries__columns_sum_to_one"
"""The softmax runs over the columns instead of the rows."""


def simple_self_attention(inputs: Tensor) -> Tensor:
    attn = torch.matmul(inputs, inputs.mT)
    attn = torch.nn.functional.softmax(attn, -2)
    return torch.matmul(attn, inputs)


# %% mistake="simple_self_attention" name="unknown_features_look"
"""The features look at each other, and not the tokens."""


def simple_self_attention(inputs):
    scores = inputs.mT @ inputs
    return inputs @ scores.softmax(dim=-1)
