# %% mistake="causal_average_loop" name="averages_its_own_output"
"""A copy is changed row by row for all sequences at once."""


def causal_average_loop(x):
    y = x.clone()
    for t in range(y.shape[1]):
        y[:, t] = y[:, : t + 1].mean(1)
    return y


# %% mistake="causal_average_loop" name="divided_by_the_length"
"""A running sum, divided by T."""


def causal_average_loop(x):
    n = x.shape[1]
    total = torch.zeros_like(x[:, 0])
    rows = []
    for step in range(n):
        total = total + x[:, step]
        rows.append(total / n)
    return torch.stack(rows, 1)


# %% mistake="causal_average_loop" name="divided_by_the_length__always_t"
"""The sum of the tokens so far is always divided by T instead of by their number."""


def causal_average_loop(x: Tensor) -> Tensor:
    sequences = []
    for sequence in x:
        means = []
        running = torch.zeros_like(sequence[0])
        for token in sequence:
            running = running + token
            means.append(running / len(sequence))
        sequences.append(torch.stack(means))
    return torch.stack(sequences)


# %% mistake="causal_average_loop" name="leaves_itself_out"
"""Fills zeros_like with means of x[b, :t]."""


def causal_average_loop(x):
    bow = torch.zeros_like(x)
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            prev = x[b, :t]
            bow[b, t] = prev.mean(dim=0)
    return bow


# %% mistake="causal_average_loop" name="leaves_itself_out__itself_left_out"
"""Each token is left out of its own average, so row 0 is the mean of nothing."""


def causal_average_loop(x: Tensor) -> Tensor:
    B, T, C = x.shape
    xbow = torch.zeros_like(x)
    for b in range(B):
        for t in range(T):
            xprev = x[b, :t]
            xbow[b, t] = torch.mean(xprev, 0)
    return xbow


# %% mistake="causal_average_loop" name="one_ahead"
"""Sums divided by how many rows the slice holds, stacked from lists."""


def causal_average_loop(x):
    result = []
    for seq in x:
        steps = []
        for t in range(len(seq)):
            seen = seq[0 : t + 2]
            steps.append(seen.sum(0) / len(seen))
        result.append(torch.stack(steps))
    return torch.stack(result)


# %% mistake="causal_average_loop" name="overwrites_while_reading+one_ahead__same_tensor_one_ahead"
"""The averages are written into x itself and each average includes the following token."""


def causal_average_loop(x: Tensor) -> Tensor:
    out = x
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            out[b, t] = x[b, : t + 2].mean(dim=0)
    return out


# %% mistake="causal_average_loop" name="overwrites_while_reading"
"""No clone: the result is another name for x, and the slices use a batch and token index."""


def causal_average_loop(x):
    out = x
    for i in range(x.size(0)):
        for j in range(x.size(1)):
            out[i, j, :] = torch.mean(out[i, : j + 1, :], dim=0)
    return out


# %% mistake="causal_average_loop" name="single_precision__default_zeros"
"""The result is always float32, whatever the dtype of x."""


def causal_average_loop(x: Tensor) -> Tensor:
    B, T, C = x.shape
    xbow = torch.zeros((B, T, C))
    for b in range(B):
        for t in range(T):
            xbow[b, t] = x[b, : t + 1].mean(0)
    return xbow


# %% mistake="causal_average_loop" name="unknown_total_carried_over"
"""The running sum is not reset from one sequence to the next and it is divided by t (at least 1) instead of
by t + 1.
"""


def causal_average_loop(x: Tensor) -> Tensor:
    y = torch.zeros_like(x)
    total = torch.zeros_like(x[0, 0])
    for b in range(x.size(0)):
        for t in range(x.size(1)):
            total = total + x[b, t]
            y[b, t] = total / max(t, 1)
    return y


# %% mistake="causal_average_weights" name="diagonal_hidden+not_normalised__below_the_diagonal_raw"
"""Each token is left out of its own average and the rows are not divided by their sums."""


def causal_average_weights(length: int) -> Tensor:
    rows = torch.arange(length).unsqueeze(1)
    columns = torch.arange(length).unsqueeze(0)
    return (columns < rows).float()


# %% mistake="causal_average_weights" name="double_precision__float64"
"""The weights are float64 instead of float32."""


def causal_average_weights(length: int) -> Tensor:
    counts = torch.arange(1, length + 1, dtype=torch.float64)
    return torch.tril(torch.ones(length, length, dtype=torch.float64)) / counts.reshape(
        -1, 1
    )


# %% mistake="causal_average_weights" name="not_normalised"
"""Compares positions and turns the answer into numbers."""


def causal_average_weights(length):
    pos = torch.arange(length)
    return (pos.unsqueeze(1) >= pos.unsqueeze(0)).float()


# %% mistake="causal_average_weights" name="past_hidden+divided_by_the_length__upper_over_t"
"""The upper triangle is kept instead of the lower and each entry is divided by T instead of by the sum of its
row.
"""


def causal_average_weights(length: int) -> Tensor:
    weights = torch.zeros(length, length)
    for t in range(length):
        weights[t, t:] = 1 / length
    return weights


# %% mistake="causal_average_weights" name="past_hidden"
"""An upper triangle, normalised with keepdim."""


def causal_average_weights(length):
    m = torch.triu(torch.ones((length, length)))
    m = m / torch.sum(m, dim=1, keepdim=True)
    return m


# %% mistake="causal_average_weights" name="past_hidden__upper_triangle"
"""The upper triangle is kept, so each token averages itself with the future."""


def causal_average_weights(length: int) -> Tensor:
    triangle = torch.ones(length, length).triu()
    return triangle / triangle.sum(1, keepdim=True)


# %% mistake="causal_average_weights" name="sums_lose_their_place"
"""Counts of the rows by hand, which lie down along the columns."""


def causal_average_weights(length):
    counts = torch.arange(1, length + 1, dtype=torch.float32)
    lower = torch.ones(length, length).tril()
    return lower / counts


# %% mistake="causal_average_weights" name="sums_lose_their_place__no_keepdim"
"""The row sums are not kept as a column, so column j is divided by j + 1 instead of row t by t + 1."""


def causal_average_weights(length: int) -> Tensor:
    wei = torch.tril(torch.ones(length, length))
    return wei / wei.sum(dim=1)


# %% mistake="causal_average_weights" name="unknown_decaying"
"""Weights nearer tokens more."""


def causal_average_weights(length):
    i = torch.arange(length, dtype=torch.float32)
    w = (0.5 ** (i[:, None] - i[None, :])).tril()
    return w / w.sum(1, keepdim=True)


# %% mistake="causal_average" name="not_normalised"
"""cumsum along the tokens."""


def causal_average(x):
    return x.cumsum(dim=-2)


# %% mistake="causal_average" name="not_normalised__not_divided"
"""The tokens so far are added up but not divided by their number."""


def causal_average(x: Tensor) -> Tensor:
    T = x.size(-2)
    lower = torch.tril(torch.ones(T, T, dtype=x.dtype, device=x.device))
    return lower @ x


# %% mistake="causal_average" name="short_window__two_tokens_only"
"""The mean of a token and the one before it."""


def causal_average(x):
    earlier = torch.cat([x[..., :1, :], x[..., :-1, :]], dim=-2)
    return (x + earlier) / 2


# %% mistake="causal_average" name="three_dimensions_only+sees_one_ahead__second_dim_one_ahead"
"""T is read from dimension 1, which is wrong without exactly one batch dimension and the triangle reaches one
column too far, so each average includes the following token.
"""


def causal_average(x: Tensor) -> Tensor:
    T = x.shape[1]
    mask = torch.tril(torch.ones(T, T, dtype=x.dtype), diagonal=1)
    mask = mask / mask.sum(1, keepdim=True)
    return mask @ x


# %% mistake="causal_average" name="three_dimensions_only"
"""Unpacks the shape under other names and builds the weights by comparison."""


def causal_average(x):
    bs, n, _ = x.size()
    row = torch.arange(n).view(n, 1)
    w = (torch.arange(n) <= row).to(x.dtype)
    w = w / w.sum(dim=1, keepdim=True)
    return torch.einsum("ij,bjc->bic", w, x)


# %% mistake="causal_average" name="three_dimensions_only__cumsum_dim_one"
"""The tokens are summed along dimension 1, which is T only if x has exactly three dimensions."""


def causal_average(x: Tensor) -> Tensor:
    counts = torch.arange(1, x.shape[-2] + 1, dtype=x.dtype).unsqueeze(-1)
    return torch.cumsum(x, dim=1) / counts


# %% mistake="causal_average" name="weights_always_float32"
"""Softmax of a masked table, made without a dtype."""


def causal_average(x):
    t = x.size(-2)
    blocked = torch.full((t, t), float("-inf")).triu(1)
    return torch.matmul(torch.softmax(blocked, dim=-1), x)


# %% mistake="causal_average" name="weights_always_float32__float32_weights"
"""The weights are always float32, so a float64 input gives an error."""


def causal_average(x: Tensor) -> Tensor:
    T = x.shape[-2]
    a = torch.tril(torch.ones(T, T))
    a = a / torch.sum(a, 1, keepdim=True)
    return torch.matmul(a, x)


# %% mistake="causal_average" name="weights_transposed"
"""einsum with the two indices of the weights exchanged."""


def causal_average(x):
    t = x.shape[-2]
    tri = torch.tril(torch.ones(t, t, dtype=x.dtype))
    avg = tri / tri.sum(1, keepdim=True)
    return torch.einsum("...ji,...jc->...ic", avg, x)


# %% mistake="causal_average" name="whole_sequence__all_tokens"
"""Every token gets the mean of all tokens, those of the future included."""


def causal_average(x: Tensor) -> Tensor:
    length = x.shape[-2]
    wei = torch.ones(length, length, dtype=x.dtype)
    wei = wei / wei.sum(dim=-1, keepdim=True)
    return wei @ x


# %% mistake="causal_mask_scores" name="diagonal_hidden__diagonal_masked"
"""The diagonal is masked as well, so each token is hidden from itself."""


def causal_mask_scores(length: int) -> Tensor:
    return torch.triu(torch.full((length, length), float("-inf")))


# %% mistake="causal_mask_scores" name="merely_low+mask_inverted__past_with_diagonal_large_number"
"""The mask is inverted, so that it hides the past with the diagonal instead of the future and it uses -1e9
instead of minus infinity.
"""


def causal_mask_scores(length: int) -> Tensor:
    i = torch.arange(length)[:, None]
    j = torch.arange(length)[None, :]
    return torch.where(j <= i, torch.tensor(-1e9), torch.tensor(0.0))


# %% mistake="causal_mask_scores" name="merely_low"
"""torch.where with -1e9 for the future."""


def causal_mask_scores(length):
    i = torch.arange(length)
    return torch.where(i[None, :] > i[:, None], torch.tensor(-1e9), torch.tensor(0.0))


# %% mistake="causal_mask_scores" name="merely_low__billion"
"""The future is masked with a large negative number instead of minus infinity."""


def causal_mask_scores(length: int) -> Tensor:
    future = torch.ones(length, length).triu(1).bool()
    return torch.zeros(length, length).masked_fill(future, -1e9)


# %% mistake="causal_mask_scores" name="not_masked"
"""masked_fill of a triangular comparison, called for its own sake."""


def causal_mask_scores(length):
    grid = torch.zeros((length, length))
    keep = torch.ones(length, length).tril()
    torch.masked_fill(grid, keep == 0, -torch.inf)
    return grid


# %% mistake="causal_mask_scores" name="ones_left__ones_kept"
"""The scores on or below the diagonal are 1 instead of 0."""


def causal_mask_scores(length: int) -> Tensor:
    tril = torch.tril(torch.ones(length, length))
    return tril.masked_fill(tril == 0, float("-inf"))


# %% mistake="causal_mask_scores" name="past_hidden"
"""Boolean indexing of the wrong side."""


def causal_mask_scores(length):
    m = torch.zeros(length, length)
    r = torch.arange(length)
    m[r[:, None] > r[None, :]] = -torch.inf
    return m


# %% mistake="causal_mask_scores" name="past_hidden__past_masked"
"""The mask is inverted, the past is hidden instead of the future."""


def causal_mask_scores(length: int) -> Tensor:
    scores = torch.zeros(length, length)
    tril = torch.tril(torch.ones(length, length), diagonal=-1)
    return scores.masked_fill(tril == 1, float("-inf"))


# %% mistake="causal_mask_scores" name="zero_times_infinity"
"""Subtracts a triangle of ones times infinity."""


def causal_mask_scores(length):
    future = torch.triu(torch.ones(length, length), diagonal=1)
    return future * -torch.inf


# %% mistake="causal_softmax_weights" name="diagonal_hidden"
"""A triangle that begins at the diagonal, by triu of infinities."""


def causal_softmax_weights(length):
    return torch.full((length, length), float("-inf")).triu().softmax(dim=1)


# %% mistake="causal_softmax_weights" name="masked_after_softmax+diagonal_hidden__strict_and_afterwards"
"""The token itself is hidden as well and the mask is multiplied onto the weights after the softmax, so the
rows do not sum to 1.
"""


def causal_softmax_weights(length: int) -> Tensor:
    scores = torch.zeros(length, length)
    visible = torch.tril(torch.ones(length, length), -1)
    return scores.softmax(-1) * visible


# %% mistake="causal_softmax_weights" name="masked_after_softmax"
"""Even weights for all, and the future struck out by a product."""


def causal_softmax_weights(length):
    even = torch.softmax(torch.zeros(length, length), dim=1)
    lower = torch.tril(torch.ones(length, length))
    return even * lower


# %% mistake="causal_softmax_weights" name="masked_after_softmax__masked_afterwards"
"""The softmax of all scores is taken first, then the future is set to 0, so the rows do not sum to 1."""


def causal_softmax_weights(length: int) -> Tensor:
    weights = torch.softmax(torch.zeros(length, length), dim=-1)
    return weights.tril()


# %% mistake="causal_softmax_weights" name="past_hidden+double_precision__past_hidden_double"
"""The mask is inverted, it hides the past instead of the future and the weights are float64 instead of
float32.
"""


def causal_softmax_weights(length: int) -> Tensor:
    scores = torch.zeros(length, length, dtype=torch.double)
    for i in range(length):
        for j in range(length):
            if j < i:
                scores[i, j] = -float("inf")
    return torch.softmax(scores, dim=1)


# %% mistake="causal_softmax_weights" name="softmax_over_queries"
"""nn.Softmax over the first dimension of a masked table."""


def causal_softmax_weights(length):
    tbl = torch.zeros(length, length)
    tbl[torch.ones(length, length, dtype=torch.bool).triu(1)] = float("-inf")
    return torch.nn.Softmax(dim=0)(tbl)


# %% mistake="causal_softmax_weights" name="softmax_over_queries__dim_zero"
"""The softmax runs over dimension 0, so columns sum to 1 instead of rows."""


def causal_softmax_weights(length: int) -> Tensor:
    wei = torch.zeros((length, length))
    wei = wei.masked_fill(torch.tril(torch.ones(length, length)) == 0, float("-inf"))
    return torch.softmax(wei, dim=0)


# %% mistake="causal_softmax_weights" name="unknown_diagonal_doubled"
"""Scores a token's own place with 1."""


def causal_softmax_weights(length):
    s = torch.eye(length).masked_fill(
        torch.ones(length, length).triu(1) == 1, -torch.inf
    )
    return s.softmax(-1)


# %% mistake="causal_softmax_weights" name="zero_for_minus_infinity__softmax_of_the_triangle"
"""The future has a score of 0 instead of minus infinity, so hidden tokens still get a weight."""


def causal_softmax_weights(length: int) -> Tensor:
    tril = torch.tril(torch.ones(length, length))
    return torch.nn.functional.softmax(tril, dim=-1)
