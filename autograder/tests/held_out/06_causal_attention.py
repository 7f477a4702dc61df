# %% mistake="causal_mask" name="diagonal_hidden"
"""An upper triangle turned boolean by a comparison."""


def causal_mask(length):
    ones = torch.ones((length, length))
    return torch.triu(ones, diagonal=0) == 1


# %% mistake="causal_mask" name="diagonal_hidden__own_place_hidden_compare"
"""The mask hides the diagonal too, so that a token may not look at itself."""


def causal_mask(length: int) -> Tensor:
    t = torch.arange(length)
    return t.unsqueeze(0) >= t.unsqueeze(1)


# %% mistake="causal_mask" name="mask_in_numbers+diagonal_hidden__float_and_diagonal"
"""The mask is of floats instead of boolean and it hides the diagonal too."""


def causal_mask(length: int) -> Tensor:
    return torch.triu(torch.ones(length, length))


# %% mistake="causal_mask" name="mask_in_numbers"
"""The opposite of a lower triangle, as floats."""


def causal_mask(length):
    return 1 - torch.tril(torch.ones(length, length))


# %% mistake="causal_mask" name="mask_in_numbers__numbers_for_booleans"
"""The mask holds ones and zeros as floats instead of being boolean."""


def causal_mask(length: int) -> Tensor:
    full = torch.ones((length, length))
    upper = torch.triu(full, diagonal=1)
    return upper


# %% mistake="causal_mask" name="mask_inverted"
"""Compares positions with <=."""


def causal_mask(length):
    steps = torch.arange(length)
    return steps[None, :] <= steps[:, None]


# %% mistake="causal_mask" name="past_hidden__hides_past_loop"
"""The mask is turned round: it hides the tokens before and lets a token look at those after it."""


def causal_mask(length: int) -> Tensor:
    mask = torch.zeros(length, length, dtype=torch.bool)
    for row in range(length):
        for column in range(length):
            if row > column:
                mask[row, column] = True
    return mask


# %% mistake="causal_mask" name="sees_one_ahead__one_step_too_far"
"""The triangle begins one place too late, so each token may look at the next one."""


def causal_mask(length: int) -> Tensor:
    positions = torch.arange(length)
    i, j = torch.meshgrid(positions, positions, indexing="ij")
    return j > i + 1


# %% mistake="causal_mask" name="unknown_last_column_visible"
"""The loop over the columns ends one too early, so that everybody sees the last token."""


def causal_mask(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        mask[i, i + 1 : length - 1] = True
    return mask


# %% mistake="masked_attention_weights" name="hidden_tokens_have_weight__keeps_and_rescales"
"""The mask is inverted, so that what should be hidden is visible, and the scores are divided once more by
the root of their number.
"""


def masked_attention_weights(scores: Tensor, mask: Tensor) -> Tensor:
    s = scores / scores.shape[-1] ** 0.5
    s = torch.where(mask, s, torch.full_like(s, -1e9))
    return torch.softmax(s, dim=-1)


# %% mistake="masked_attention_weights" name="mask_inverted"
"""torch.where with the two branches exchanged."""


def masked_attention_weights(scores, mask):
    low = torch.full_like(scores, float("-inf"))
    return nn.functional.softmax(torch.where(mask, scores, low), dim=-1)


# %% mistake="masked_attention_weights" name="masked_after_softmax"
"""Multiplies the weights with the inverted mask."""


def masked_attention_weights(scores, mask):
    keep = (~mask).to(scores.dtype)
    return torch.softmax(scores, dim=-1) * keep


# %% mistake="masked_attention_weights" name="masked_after_softmax__zeroed_later"
"""The softmax runs over all scores and hidden weights are set to 0 afterwards, so that rows do not sum
to 1.
"""


def masked_attention_weights(scores: Tensor, mask: Tensor) -> Tensor:
    probs = nn.functional.softmax(scores, dim=-1)
    keep = (~mask).to(probs.dtype)
    return probs * keep


# %% mistake="masked_attention_weights" name="not_masked+softmax_over_queries__dropped_result_columns"
"""The result of masked_fill is not kept, so nothing is hidden, and the softmax runs down the columns."""


def masked_attention_weights(scores: Tensor, mask: Tensor) -> Tensor:
    scores.masked_fill(mask, float("-inf"))
    attn = scores.softmax(-2)
    return attn


# %% mistake="masked_attention_weights" name="not_masked"
"""A clone is filled, with a method that returns a new tensor."""


def masked_attention_weights(scores, mask):
    s = scores.clone()
    s.masked_fill(mask, value=-1e9)
    e = (s - s.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


# %% mistake="masked_attention_weights" name="softmax_over_dim_1__second_dimension"
"""The softmax runs over dimension 1, which in a batch counts the tokens that look and not those looked at."""


def masked_attention_weights(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = scores.masked_fill(mask, float("-inf"))
    return torch.softmax(hidden, dim=1)


# %% mistake="masked_attention_weights" name="unknown_clamped"
"""The sum of a row is kept above a bound."""


def masked_attention_weights(scores, mask):
    e = torch.exp(scores - scores.amax(-1, keepdim=True))
    e = e.masked_fill(mask, 0.0)
    return e / e.sum(-1, keepdim=True).clamp(min=0.75)


# %% mistake="masked_attention_weights" name="zero_for_hidden"
"""Multiplies the scores with the visible places."""


def masked_attention_weights(scores, mask):
    visible = mask.logical_not()
    return (scores * visible).softmax(dim=-1)


# %% mistake="masked_attention_weights" name="zero_for_hidden__minus_tiny"
"""Hidden scores become -1e-9, a slip for -1e9, which is nearly 0, so hidden tokens keep weight."""


def masked_attention_weights(scores: Tensor, mask: Tensor) -> Tensor:
    scores = scores.masked_fill(mask == True, -1e-9)  # noqa: E712
    return nn.Softmax(dim=-1)(scores)


# %% mistake="MaskedSelfAttention" name="adds_the_tokens"
"""Adds the tokens to the result."""


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, token_encodings, mask=None):
        q, k, v = (
            self.W_q(token_encodings),
            self.W_k(token_encodings),
            self.W_v(token_encodings),
        )
        s = q @ k.mT / k.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(mask, -torch.inf)
        return s.softmax(-1) @ v + token_encodings


# %% mistake="MaskedSelfAttention" name="always_causal__always_triangle"
"""Whatever mask is given, the class hides the future with a triangle of its own."""


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = (
            self.W_q(token_encodings),
            self.W_k(token_encodings),
            self.W_v(token_encodings),
        )
        sims = torch.matmul(q, k.transpose(self.row_dim, self.col_dim))
        sims = sims / torch.tensor(k.size(self.col_dim) ** 0.5)
        if mask is not None:
            n = token_encodings.size(self.row_dim)
            sims = sims.masked_fill(
                torch.triu(torch.ones(n, n, dtype=torch.bool), 1), -1e9
            )
        return torch.matmul(torch.softmax(sims, dim=self.col_dim), v)


# %% mistake="MaskedSelfAttention" name="hides_without_a_mask__causal_by_default"
"""Without a mask the class hides the future instead of nothing."""


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings: Tensor, mask: Tensor | None = None) -> Tensor:
        if mask is None:
            mask = causal_mask(token_encodings.size(0))
        q = self.W_q(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        scaled = (
            q @ k.transpose(self.row_dim, self.col_dim) / k.size(self.col_dim) ** 0.5
        )
        return masked_attention_weights(scaled, mask) @ v


# %% mistake="MaskedSelfAttention" name="mask_inverted+not_scaled__visible_means_true_unscaled"
"""The mask is read the other way round, True as visible, and the scores are not scaled."""


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(in_features=d_model, out_features=d_model, bias=False)
        self.W_k = nn.Linear(in_features=d_model, out_features=d_model, bias=False)
        self.W_v = nn.Linear(in_features=d_model, out_features=d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings: Tensor, mask: Tensor | None = None) -> Tensor:
        q = self.W_q(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        sims = q @ k.transpose(dim0=self.row_dim, dim1=self.col_dim)
        if mask is not None:
            sims = sims.masked_fill(mask=~mask, value=-1e9)
        attention_percents = torch.nn.functional.softmax(sims, dim=self.col_dim)
        return attention_percents @ v


# %% mistake="MaskedSelfAttention" name="not_masked"
"""Scales first, masks with a finite number, and forgets to assign."""


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings, mask=None):
        q = self.W_q(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        sims = torch.matmul(q, k.transpose(dim0=self.row_dim, dim1=self.col_dim))
        scaled_sims = sims / torch.tensor(k.size(self.col_dim) ** 0.5, dtype=sims.dtype)
        if mask is not None:
            scaled_sims.masked_fill(mask=mask, value=-1e9)
        attention_percents = nn.functional.softmax(scaled_sims, dim=self.col_dim)
        return torch.matmul(attention_percents, v)


# %% mistake="MaskedSelfAttention" name="not_scaled"
"""Shorter names, einsum, and where for the mask."""


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q, self.W_k, self.W_v = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(3)
        )
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings, mask=None):
        q = self.W_q(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        s = torch.einsum("...qd,...kd->...qk", q, k)
        if mask is not None:
            s = torch.where(mask, -torch.inf, s)
        return s.softmax(dim=-1) @ v


# %% mistake="MaskedSelfAttention" name="plus_infinity_for_hidden__adds_large_number"
"""A large positive number is added where the mask is True, so hidden tokens get all the weight."""


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.dims = (row_dim, col_dim)

    def forward(self, token_encodings: Tensor, mask: Tensor | None = None) -> Tensor:
        k = self.W_k(token_encodings)
        scores = (
            self.W_q(token_encodings)
            @ k.transpose(*self.dims)
            / k.shape[self.dims[1]] ** 0.5
        )
        if mask is not None:
            scores = scores + mask * 1e9
        return scores.softmax(dim=self.dims[1]) @ self.W_v(token_encodings)


# %% mistake="MaskedSelfAttention" name="scaled_by_length__root_of_tokens"
"""The scores are divided by the root of the number of tokens instead of the size of the keys."""


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        for name in ("W_q", "W_k", "W_v"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))
        self.row_dim, self.col_dim = row_dim, col_dim

    def forward(self, token_encodings: Tensor, mask: Tensor | None = None) -> Tensor:
        q = self.W_q(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        scores = torch.einsum("id,jd->ij", q, k) / k.size(self.row_dim) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask, -torch.inf)
        return torch.einsum("ij,jd->id", scores.softmax(self.col_dim), v)


# %% mistake="Head" name="bias_left_on+scaled_by_input_width__biases_and_wrong_root"
"""The three layers have a bias and the scores are divided by the root of n_embd instead of head_size."""


class Head(nn.Module):
    def __init__(self, n_embd: int, head_size: int, block_size: int) -> None:
        super().__init__()
        self.key = nn.Linear(n_embd, head_size)
        self.query = nn.Linear(n_embd, head_size)
        self.value = nn.Linear(n_embd, head_size)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        future = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        scores = self.query(x) @ self.key(x).mT / width**0.5
        return scores.masked_fill(future, -torch.inf).softmax(-1) @ self.value(x)


# %% mistake="Head" name="mask_not_cut"
"""A boolean buffer as long as the block, used whole by torch.where."""


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        hidden = torch.ones(block_size, block_size).triu(diagonal=1).bool()
        self.register_buffer("hidden", hidden)

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        sim = q @ k.mT / k.size(-1) ** 0.5
        sim = torch.where(self.hidden, -torch.inf, sim)
        return torch.softmax(sim, dim=-1) @ v


# %% mistake="Head" name="mask_not_cut__mask_of_full_size"
"""The mask of block_size is not cut to the length of the text, so that shorter texts fail."""


class Head(nn.Module):
    def __init__(self, n_embd: int, head_size: int, block_size: int) -> None:
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("mask", causal_mask(block_size))
        self.scale = head_size**-0.5

    def forward(self, x: Tensor) -> Tensor:
        k, q, v = self.key(x), self.query(x), self.value(x)
        att = torch.bmm(q, k.transpose(1, 2)) * self.scale
        att = att.masked_fill(self.mask, float("-inf")).softmax(dim=2)
        return torch.bmm(att, v)


# %% mistake="Head" name="not_masked"
"""Fills a view by a method without underscore, in a helper function."""


def hide(scores):
    t = scores.size(-1)
    future = torch.ones(t, t, dtype=torch.bool).triu(diagonal=1)
    scores.masked_fill(future, float("-inf"))
    return scores


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)

    def forward(self, x):
        k = self.key(x)
        return hide(self.query(x) @ k.mT / k.size(2) ** 0.5).softmax(2) @ self.value(x)


# %% mistake="Head" name="not_scaled+softmax_over_queries__rows_unscaled"
"""The softmax runs over the tokens that look, dimension 1, and the scores are not scaled."""


class Head(nn.Module):
    def __init__(self, n_embd: int, head_size: int, block_size: int) -> None:
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer(
            "mask", torch.triu(torch.ones(block_size, block_size), diagonal=1).bool()
        )

    def forward(self, x: Tensor) -> Tensor:
        T = x.size(1)
        scores = torch.einsum("bid,bjd->bij", self.query(x), self.key(x))
        scores = scores.masked_fill(self.mask[:T, :T], float("-inf"))
        weights = torch.softmax(scores, dim=1)
        return torch.einsum("bij,bjd->bid", weights, self.value(x))


# %% mistake="Head" name="not_scaled"
"""A mask made in forward and added as minus infinity."""


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)

    def forward(self, x):
        t = x.size(1)
        blocked = torch.full((t, t), -torch.inf, dtype=x.dtype, device=x.device).triu(
            diagonal=1
        )
        att = torch.einsum("bqd,bkd->bqk", self.query(x), self.key(x)) + blocked
        return torch.einsum("bqk,bkd->bqd", att.softmax(-1), self.value(x))


# %% mistake="Head" name="reads_global_keys" error="NameError"
"""Short names, and a batched product with a variable of another cell."""


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.size = head_size

    def forward(self, x):
        t = x.size(1)
        q, k, v = self.query(x), self.key(x), self.value(x)
        s = torch.bmm(q, K.transpose(1, 2)) / self.size**0.5
        s = s + torch.full((t, t), -torch.inf).triu(1)
        return torch.bmm(s.softmax(2), v)


# %% mistake="Head" name="scaled_by_input_width"
"""The video's head: C is the size of the input, the mask is a buffer tril."""


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        B, T, C = x.shape
        k, q = self.key(x), self.query(x)
        wei = q @ k.transpose(-2, -1) * C**-0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        wei = nn.functional.softmax(wei, dim=-1)
        return wei @ self.value(x)


# %% mistake="Head" name="scaled_by_input_width__root_of_n_embd"
"""The scores are scaled by the root of n_embd, the width of a token, instead of head_size."""


class Head(nn.Module):
    def __init__(self, n_embd: int, head_size: int, block_size: int) -> None:
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        k = self.key(x)
        q = self.query(x)
        wei = q @ k.transpose(-2, -1) * C**-0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        wei = nn.functional.softmax(wei, dim=-1)
        v = self.value(x)
        return wei @ v


# %% mistake="Head" name="short_window__two_tokens"
"""Sees two tokens back only."""


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)

    def forward(self, x):
        i = torch.arange(x.shape[1])
        gap = i[:, None] - i[None, :]
        s = self.query(x) @ self.key(x).mT / self.key.out_features**0.5
        return s.masked_fill((gap < 0) | (gap > 2), -torch.inf).softmax(
            -1
        ) @ self.value(x)


# %% mistake="Head" name="softmax_over_queries"
"""Exponentials by hand over dimension 1, with a finite mask."""


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.head_size = head_size

    def forward(self, x):
        n = x.shape[1]
        scores = (
            torch.bmm(self.query(x), self.key(x).transpose(1, 2)) / self.head_size**0.5
        )
        future = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        scores = scores.masked_fill(future, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, 1)
        return torch.bmm(weights, self.value(x))


# %% mistake="Head" name="values_from_keys__mixes_keys"
"""The weights mix the keys instead of the values, and the layer value is never used."""


class Head(nn.Module):
    def __init__(self, n_embd: int, head_size: int, block_size: int) -> None:
        super().__init__()
        self.head_size = head_size
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        k = self.key(x)
        q = self.query(x)
        v = self.key(x)
        return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


# %% mistake="CausalAttention" name="dropout_before_softmax"
"""A dropout layer called att_drop, on the masked scores."""


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.att_drop = nn.Dropout(p=dropout)
        self.register_buffer(
            "bias", torch.tril(torch.ones(context_length, context_length))
        )

    def forward(self, x):
        _, t, _ = x.shape
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        att = (q @ k.transpose(-2, -1)) * (1.0 / k.size(-1) ** 0.5)
        att = att.masked_fill(self.bias[:t, :t] == 0, float("-inf"))
        att = self.att_drop(att)
        return torch.softmax(att, dim=-1) @ v


# %% mistake="CausalAttention" name="dropout_before_softmax__drops_scores"
"""Dropout acts on the scores before the softmax instead of on the weights."""


class CausalAttention(nn.Module):
    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer(
            "mask", torch.triu(torch.ones(context_length, context_length), diagonal=1)
        )

    def forward(self, x: Tensor) -> Tensor:
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = self.dropout(queries @ keys.transpose(1, 2))
        attn_scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        return attn_weights @ values


# %% mistake="CausalAttention" name="dropout_in_evaluation"
"""The functional dropout without the module's mode, after a where."""


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.p = dropout

    def forward(self, x):
        t = x.shape[1]
        idx = torch.arange(t, device=x.device)
        s = self.W_query(x) @ self.W_key(x).mT
        s = (
            s.masked_fill(idx[None, :] > idx[:, None], -1e20)
            / self.W_key.out_features**0.5
        )
        return nn.functional.dropout(s.softmax(-1), self.p) @ self.W_value(x)


# %% mistake="CausalAttention" name="dropout_in_evaluation__never_rests"
"""Dropout is active in evaluation too, because the functional dropout is called without saying whether the
module trains.
"""


class CausalAttention(nn.Module):
    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.p = dropout

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.transpose(-1, -2) / k.shape[-1] ** 0.5
        weights = scores.masked_fill(causal_mask(T).to(x.device), -torch.inf).softmax(
            dim=-1
        )
        return nn.functional.dropout(weights, self.p) @ v


# %% mistake="CausalAttention" name="dropout_never+scaled_by_input_width__no_dropout_wrong_root"
"""No dropout is ever applied and the scores are divided by the root of d_in instead of d_out."""


class CausalAttention(nn.Module):
    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.d_in = d_in
        self.W_query = nn.Linear(d_in, d_out, qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", causal_mask(context_length), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        B, T, _ = x.size()
        scores = torch.matmul(self.W_query(x), self.W_key(x).transpose(1, 2)) / (
            self.d_in**0.5
        )
        scores = scores.masked_fill(self.mask[:T, :T], float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        return torch.matmul(weights, self.W_value(x))


# %% mistake="CausalAttention" name="dropout_on_the_values+bias_never+dropped_numbers__bias_ignored_values_dropped"
"""The layers never have a bias, whatever qkv_bias says, and dropout acts on the values instead of the
weights.
"""


class CausalAttention(nn.Module):
    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.drop = nn.Dropout(p=dropout)

    def forward(self, x: Tensor) -> Tensor:
        values = self.drop(self.W_value(x))
        return nn.functional.scaled_dot_product_attention(
            self.W_query(x), self.W_key(x), values, is_causal=True
        )


# %% mistake="CausalAttention" name="mask_is_a_plain_tensor"
"""A plain attribute called future, built from positions."""


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.future = (
            torch.arange(context_length)[None, :]
            > torch.arange(context_length)[:, None]
        )

    def forward(self, x):
        n = x.shape[1]
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        s = torch.einsum("bqd,bkd->bqk", q, k) / k.shape[-1] ** 0.5
        s[:, self.future[:n, :n]] = -torch.inf
        return self.drop(s.softmax(-1)) @ v


# %% mistake="CausalAttention" name="mask_not_cut"
"""masked_fill_ with a boolean buffer of the full size, and einsum."""


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.drop = nn.Dropout(dropout)
        self.register_buffer(
            "causal", torch.ones(context_length, context_length).tril() == 0
        )

    def forward(self, x):
        sim = torch.einsum("bid,bjd->bij", self.W_query(x), self.W_key(x))
        sim.masked_fill_(self.causal, -torch.inf)
        w = self.drop((sim / self.W_key.out_features**0.5).softmax(-1))
        return torch.einsum("bij,bjd->bid", w, self.W_value(x))


# %% mistake="CausalAttention" name="masked_after_softmax"
"""tril of the weights."""


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.scale = d_out**-0.5

    def forward(self, x):
        w = torch.softmax(self.scale * self.W_query(x) @ self.W_key(x).mT, dim=-1)
        return self.dropout(w.tril()) @ self.W_value(x)


# %% mistake="CausalAttention" name="scaled_by_input_width"
"""Keeps d_in and divides after the mask."""


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.d_in = d_in
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer(
            "mask", torch.triu(torch.ones(context_length, context_length), diagonal=1)
        )

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = queries @ keys.transpose(1, 2)
        attn_scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        attn_weights = torch.softmax(attn_scores / self.d_in**0.5, dim=-1)
        return self.dropout(attn_weights) @ values


# %% mistake="CausalAttention" name="weights_not_grown__kept_weights_not_enlarged"
"""Dropout is written by hand and does not divide the remaining weights by 1 - p."""


class CausalAttention(nn.Module):
    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.rate = dropout
        self.register_buffer(
            "hidden", torch.ones(context_length, context_length).triu(1) == 1
        )

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[-2]
        k = self.W_key(x)
        att = (self.W_query(x) @ k.transpose(-2, -1)) * k.size(-1) ** -0.5
        att = att.masked_fill(self.hidden[:T, :T], float("-inf"))
        att = att.softmax(dim=-1)
        if self.training:
            att = att * (torch.rand_like(att) >= self.rate)
        return att @ self.W_value(x)
