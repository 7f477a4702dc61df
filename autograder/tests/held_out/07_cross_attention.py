# %% mistake="Attention" name="adds_the_tokens"
"""Adds the queries' tokens to the mixtures."""


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        s = self.W_q(encodings_for_q) @ self.W_k(encodings_for_k).mT
        s = s / s.new_tensor(self.W_k.out_features).sqrt()
        if mask is not None:
            s = s.masked_fill(mask, -torch.inf)
        return encodings_for_q + s.softmax(-1) @ self.W_v(encodings_for_v)


# %% mistake="Attention" name="keys_and_values_swapped__inputs_of_k_and_v_exchanged"
"""The keys are made from the tokens meant for the values and the values from those meant for the keys."""


class Attention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        q = self.W_q(encodings_for_q)
        v = self.W_v(encodings_for_k)
        k = self.W_k(encodings_for_v)
        scaled_sims = (
            torch.matmul(q, k.transpose(self.row_dim, self.col_dim))
            / k.size(self.col_dim) ** 0.5
        )
        if mask is not None:
            scaled_sims = scaled_sims.masked_fill(mask, -1e9)
        return torch.matmul(torch.softmax(scaled_sims, dim=self.col_dim), v)


# %% mistake="Attention" name="mask_inverted__torch_mask_convention"
"""The mask is handed to torch's scaled_dot_product_attention as it is, where True means visible, so it acts
inverted.
"""


class Attention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(
        self,
        encodings_for_q: Tensor,
        encodings_for_k: Tensor,
        encodings_for_v: Tensor,
        mask: Tensor | None = None,
    ) -> Tensor:
        return nn.functional.scaled_dot_product_attention(
            self.W_q(encodings_for_q),
            self.W_k(encodings_for_k),
            self.W_v(encodings_for_v),
            attn_mask=mask,
        )


# %% mistake="Attention" name="masked_after_softmax+not_scaled__late_mask_unscaled"
"""Hidden weights are set to 0 only after the softmax, without sharing the rest anew, and the scores are not
scaled.
"""


class Attention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim, self.col_dim = row_dim, col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        query = self.W_q(encodings_for_q)
        key = self.W_k(encodings_for_k)
        value = self.W_v(encodings_for_v)
        attn = nn.functional.softmax(
            query.matmul(key.transpose(self.row_dim, self.col_dim)), dim=self.col_dim
        )
        if mask is not None:
            attn = attn.masked_fill(mask, 0.0)
        return attn.matmul(value)


# %% mistake="Attention" name="misspelt_parameter" error="NameError"
"""The value's parameter is misspelt, in the last line."""


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.scale = d_model**-0.5

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        att = self.W_q(encodings_for_q) @ self.W_k(encodings_for_k).mT * self.scale
        if mask is not None:
            att = att.masked_fill(mask, -torch.inf)
        return att.softmax(dim=-1) @ self.W_v(encoding_for_v)


# %% mistake="Attention" name="not_masked+scaled_by_length__mask_unused_root_of_keys"
"""The mask is never used and the scores are divided by the root of the number of keys instead of their
size.
"""


class Attention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        q, k, v = (
            self.W_q(encodings_for_q),
            self.W_k(encodings_for_k),
            self.W_v(encodings_for_v),
        )
        kt = k.transpose(self.row_dim, self.col_dim)
        scores = (q @ kt) / len(k) ** 0.5
        return torch.softmax(scores, dim=self.col_dim) @ v


# %% mistake="Attention" name="not_masked"
"""As the video writes it, with the filled scores never assigned."""


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(in_features=d_model, out_features=d_model, bias=False)
        self.W_k = nn.Linear(in_features=d_model, out_features=d_model, bias=False)
        self.W_v = nn.Linear(in_features=d_model, out_features=d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        q = self.W_q(encodings_for_q)
        k = self.W_k(encodings_for_k)
        v = self.W_v(encodings_for_v)
        sims = torch.matmul(q, k.transpose(dim0=self.row_dim, dim1=self.col_dim))
        scaled_sims = sims / torch.tensor(k.size(self.col_dim) ** 0.5, dtype=k.dtype)
        if mask is not None:
            torch.masked_fill(scaled_sims, mask=mask, value=-1e9)
        return torch.matmul(torch.softmax(scaled_sims, dim=self.col_dim), v)


# %% mistake="Attention" name="not_scaled"
"""The library's own attention with a scale of 1 and an inverted mask."""


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        return nn.functional.scaled_dot_product_attention(
            self.W_q(encodings_for_q),
            self.W_k(encodings_for_k),
            self.W_v(encodings_for_v),
            attn_mask=None if mask is None else ~mask,
            scale=1.0,
        )


# %% mistake="Attention" name="not_scaled__root_forgotten"
"""The scores are not scaled."""


class Attention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        queries = self.W_q(encodings_for_q)
        keys = self.W_k(encodings_for_k)
        values = self.W_v(encodings_for_v)
        logits = torch.einsum("...qd,...kd->...qk", queries, keys)
        if mask is not None:
            logits = torch.where(mask, float("-inf"), logits)
        probabilities = logits.softmax(dim=-1)
        return torch.einsum("...qk,...kd->...qd", probabilities, values)


# %% mistake="Attention" name="other_order__key_layer_first"
"""The layers are made in the order W_k, W_q, W_v, so that a seed gives them other weights."""


class Attention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.row_dim = row_dim
        self.col_dim = col_dim
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        k, q, v = (
            self.W_k(encodings_for_k),
            self.W_q(encodings_for_q),
            self.W_v(encodings_for_v),
        )
        dots = q @ k.transpose(self.row_dim, self.col_dim)
        dots = dots / k.size(self.col_dim) ** 0.5
        if mask is not None:
            dots = dots.masked_fill(mask, float("-inf"))
        return dots.softmax(dim=self.col_dim) @ v


# %% mistake="Attention" name="queries_and_keys_swapped"
"""einsum with the keys as rows."""


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim, self.col_dim = row_dim, col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        q = self.W_q(encodings_for_q)
        k = self.W_k(encodings_for_k)
        v = self.W_v(encodings_for_v)
        scores = torch.einsum("...ki,...qi->...kq", k, q) / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask, -torch.inf)
        return torch.matmul(torch.softmax(scores, dim=-1), v)


# %% mistake="Attention" name="scaled_by_length"
"""Divides by the root of the number of keys."""


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        q, k, v = (
            self.W_q(encodings_for_q),
            self.W_k(encodings_for_k),
            self.W_v(encodings_for_v),
        )
        q = q / k.size(-2) ** 0.5
        s = torch.einsum("...nd,...md->...nm", q, k)
        if mask is not None:
            s = torch.where(mask, torch.finfo(s.dtype).min, s)
        return torch.softmax(s, -1) @ v


# %% mistake="Attention" name="scaled_without_root+not_projected+layer_without_a_gradient__no_root_raw_values"
"""The scores are divided by the size of the keys instead of its root and the values skip their layer W_v."""


class Attention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        q = self.W_q(encodings_for_q)
        k = self.W_k(encodings_for_k)
        scores = q @ k.transpose(self.row_dim, self.col_dim) / k.size(self.col_dim)
        if mask is not None:
            scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores, self.col_dim)
        return weights @ encodings_for_v


# %% mistake="Attention" name="values_of_the_wrong_input"
"""Short names, einsum, and the wrong input for the values."""


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        q = self.W_q(encodings_for_q)
        k = self.W_k(encodings_for_k)
        v = self.W_v(encodings_for_k)
        att = torch.einsum("...qd,...kd->...qk", q, k) * q.size(-1) ** -0.5
        if mask is not None:
            att = att.masked_fill(mask, float("-inf"))
        return att.softmax(dim=-1) @ v


# %% mistake="Attention" name="zero_for_hidden"
"""Scores times the visible places, divided by the root afterwards."""


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.d_model = d_model

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        s = self.W_q(encodings_for_q) @ self.W_k(encodings_for_k).mT
        if mask is not None:
            s = s * (~mask).to(s.dtype)
        w = torch.softmax(s / self.d_model**0.5, dim=-1)
        return w @ self.W_v(encodings_for_v)


# %% mistake="Attention" name="zero_for_hidden__hidden_score_is_zero"
"""A hidden score becomes 0 instead of minus infinity, so that hidden keys keep weight."""


class Attention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        q = self.W_q(encodings_for_q)
        k = self.W_k(encodings_for_k)
        v = self.W_v(encodings_for_v)
        s = q @ k.transpose(self.row_dim, self.col_dim) * k.size(self.col_dim) ** -0.5
        if mask is not None:
            s = s * mask.logical_not()
        s = s - s.amax(dim=self.col_dim, keepdim=True)
        e = s.exp()
        return (e / e.sum(dim=self.col_dim, keepdim=True)) @ v


# %% mistake="padding_mask" name="inverted+one_too_few__words_and_one_more"
"""The mask is inverted, True for words, and it counts one position too many as a word."""


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    index = torch.arange(max_length).unsqueeze(0)
    return index.le(lengths.unsqueeze(-1))


# %% mistake="padding_mask" name="inverted"
"""A comparison by a library function."""


def padding_mask(lengths, max_length):
    places = torch.arange(max_length).expand(lengths.numel(), max_length)
    return torch.lt(places, lengths.unsqueeze(1))


# %% mistake="padding_mask" name="inverted__true_for_words"
"""The mask is inverted: True stands where the words are."""


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    rows = []
    for n in lengths.tolist():
        rows.append([True] * n + [False] * (max_length - n))
    return torch.tensor(rows)


# %% mistake="padding_mask" name="longest_in_batch"
"""Nested lists as wide as the longest sentence."""


def padding_mask(lengths, max_length):
    sizes = [int(n) for n in lengths]
    width = max(sizes)
    return torch.tensor([[j >= n for j in range(width)] for n in sizes])


# %% mistake="padding_mask" name="longest_in_batch__width_of_longest"
"""The mask is only as wide as the longest sentence instead of max_length."""


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    longest = int(lengths.max())
    return torch.arange(longest).expand(len(lengths), longest) >= lengths.unsqueeze(1)


# %% mistake="padding_mask" name="not_boolean+one_too_many__whole_numbers_one_early"
"""The mask holds whole numbers instead of booleans and it hides the last word of each sentence too."""


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    mask = torch.zeros(lengths.shape[0], max_length, dtype=torch.long)
    for row in range(lengths.shape[0]):
        mask[row, lengths[row] - 1 :] = 1
    return mask


# %% mistake="padding_mask" name="not_boolean"
"""A table of ones with zeros written over the words, as whole numbers."""


def padding_mask(lengths, max_length):
    positions = torch.arange(max_length).unsqueeze(0)
    return torch.where(positions >= lengths[:, None], 1, 0)


# %% mistake="padding_mask" name="one_too_few"
"""A loop over the sentences that fills slices."""


def padding_mask(lengths, max_length):
    out = torch.zeros(len(lengths), max_length, dtype=torch.bool)
    for b, n in enumerate(lengths.tolist()):
        out[b, n + 1 :] = True
    return out


# %% mistake="padding_mask" name="one_too_few__strictly_greater"
"""The padding begins one place too late: the first padded position of each sentence stays visible."""


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length)
    return positions[None, :] > lengths[:, None]


# %% mistake="padding_mask" name="overwrites_inputs__lengths_counted_down"
"""The mask is right, but the caller's lengths are changed in place."""


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    columns = []
    for _ in range(max_length):
        columns.append(lengths <= 0)
        lengths -= 1
    return torch.stack(columns, dim=1)


# %% mistake="padding_mask" name="rows_and_columns_swapped"
"""Positions down, sentences across."""


def padding_mask(lengths, max_length):
    rows = torch.arange(max_length)[:, None]
    return rows >= lengths[None, :]


# %% mistake="padding_mask" name="sorted_lengths__sorted"
"""Sorts the sentences by their length."""


def padding_mask(lengths, max_length):
    ordered = lengths.sort(descending=True).values
    return torch.arange(max_length) >= ordered[:, None]


# %% mistake="padding_mask" name="sorted_lengths__sorted_first"
"""The lengths are sorted first, so that the rows no longer belong to their sentences."""


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    ordered, _ = torch.sort(lengths, descending=True)
    mask = torch.ones(len(ordered), max_length, dtype=torch.bool)
    for i, n in enumerate(ordered):
        mask[i, :n] = False
    return mask


# %% mistake="CrossAttention" name="bias_never__for_queries_only"
"""With qkv_bias only the queries get a bias; keys and values have none."""


class CrossAttention(nn.Module):
    def __init__(
        self, d_query: int, d_context: int, d_out: int, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=False)
        self.W_value = nn.Linear(d_context, d_out, bias=False)

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        if mask is not None:
            mask = ~(mask if mask.dim() == 3 else mask.unsqueeze(1))
        return nn.functional.scaled_dot_product_attention(
            self.W_query(x), self.W_key(context), self.W_value(context), attn_mask=mask
        )


# %% mistake="CrossAttention" name="causal_by_default__also_causal"
"""The class hides later context tokens as in causal attention, although each query may see the whole
context.
"""


class CrossAttention(nn.Module):
    def __init__(
        self, d_query: int, d_context: int, d_out: int, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        B, n, _ = x.shape
        m = context.shape[1]
        q, k, v = self.W_query(x), self.W_key(context), self.W_value(context)
        scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
        scores = scores.masked_fill(torch.ones(n, m, dtype=torch.bool).triu(1), -1e9)
        if mask is not None:
            scores = scores.masked_fill(mask.view(B, -1, m), -1e9)
        return scores.softmax(dim=-1) @ v


# %% mistake="CrossAttention" name="mask_inverted+bias_never__mask_inverted_no_bias"
"""The mask is inverted, so what should be hidden is visible, and qkv_bias is ignored: there is never a
bias.
"""


class CrossAttention(nn.Module):
    def __init__(
        self, d_query: int, d_context: int, d_out: int, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_query, d_out, bias=False)
        self.W_key = nn.Linear(d_context, d_out, bias=False)
        self.W_value = nn.Linear(d_context, d_out, bias=False)

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        q = self.W_query(x)
        k = self.W_key(context)
        v = self.W_value(context)
        energy = torch.matmul(q, k.permute(0, 2, 1)) / self.d_out**0.5
        if mask is not None:
            if mask.dim() == 2:
                mask = mask.unsqueeze(1)
            energy = energy.masked_fill(mask == 0, -1e10)
        attention = torch.softmax(energy, dim=-1)
        return torch.matmul(attention, v)


# %% mistake="CrossAttention" name="mask_inverted"
"""torch.where that keeps the scores of hidden places."""


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        s = (
            self.W_query(x).matmul(self.W_key(context).transpose(-1, -2))
            / self.d_out**0.5
        )
        if mask is not None:
            visible = mask.reshape(mask.shape[0], -1, mask.shape[-1])
            s = torch.where(visible, s, -torch.inf)
        return s.softmax(dim=-1).matmul(self.W_value(context))


# %% mistake="CrossAttention" name="mask_of_sequences_as_queries__mask_not_widened"
"""A mask (B, m) meets the scores as it is, without a dimension of size 1 for the queries."""


class CrossAttention(nn.Module):
    def __init__(
        self, d_query: int, d_context: int, d_out: int, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        q = self.W_query(x)
        k = self.W_key(context)
        v = self.W_value(context)
        scores = q @ k.transpose(1, 2) / k.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask, -torch.inf)
        return scores.softmax(-1) @ v


# %% mistake="CrossAttention" name="mask_turned_up"
"""A mask (B, m) gets its extra dimension at the end, so it hides whole queries instead of context tokens."""


class CrossAttention(nn.Module):
    def __init__(
        self, d_query: int, d_context: int, d_out: int, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        q = self.W_query(x)
        k = self.W_key(context)
        v = self.W_value(context)
        scores = (q @ k.transpose(1, 2)) / k.size(2) ** 0.5
        if mask is not None:
            if mask.dim() == 2:
                mask = mask.unsqueeze(-1)
            scores = scores.masked_fill(mask, -1e9)
        return torch.softmax(scores, dim=2) @ v


# %% mistake="CrossAttention" name="masked_after_softmax+not_scaled__unscaled_and_mask_late"
"""The scores are not scaled and the mask sets weights to 0 only after the softmax, so rows do not sum
to 1.
"""


class CrossAttention(nn.Module):
    def __init__(
        self, d_query: int, d_context: int, d_out: int, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = self.W_query(x), self.W_key(context), self.W_value(context)
        weights = (q @ k.transpose(-1, -2)).softmax(dim=-1)
        if mask is not None:
            visible = ~mask if mask.dim() == 3 else ~mask[:, None]
            weights = weights * visible.to(weights.dtype)
        return weights @ v


# %% mistake="CrossAttention" name="not_masked"
"""Two kinds of masks are unified, and the result of where is not kept."""


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        q, k, v = self.W_query(x), self.W_key(context), self.W_value(context)
        att = torch.einsum("bnd,bmd->bnm", q, k) / q.size(-1) ** 0.5
        if mask is not None:
            if len(mask.shape) == 2:
                mask = mask[:, None, :]
            torch.where(mask, -1e9, att)
        return att.softmax(-1) @ v


# %% mistake="CrossAttention" name="not_scaled"
"""A helper class inside the cell does the weights."""


class Weigher(nn.Module):
    def forward(self, q, k, hidden):
        s = torch.einsum("bqd,bkd->bqk", q, k)
        return (s if hidden is None else s.masked_fill(hidden, -1e9)).softmax(-1)


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.weigh = Weigher()

    def forward(self, x, context, mask=None):
        if mask is not None and mask.ndim == 2:
            mask = mask.unsqueeze(1)
        return self.weigh(self.W_query(x), self.W_key(context), mask) @ self.W_value(
            context
        )


# %% mistake="CrossAttention" name="scaled_by_input_width+softmax_over_queries__queries_root_and_softmax"
"""The scores are divided by the root of d_query instead of d_out and the softmax runs over the queries."""


class CrossAttention(nn.Module):
    def __init__(
        self, d_query: int, d_context: int, d_out: int, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = self.W_query(x), self.W_key(context), self.W_value(context)
        scores = torch.bmm(q, k.transpose(-2, -1)) / x.size(-1) ** 0.5
        if mask is not None:
            mask = mask.unsqueeze(1) if mask.dim() == 2 else mask
            scores = scores.masked_fill(mask, -1e9)
        return torch.bmm(torch.softmax(scores, dim=1), v)


# %% mistake="CrossAttention" name="scaled_by_input_width"
"""Width taken from x, division done on the queries."""


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        q = self.W_query(x) / x.size(-1) ** 0.5
        scores = torch.bmm(q, self.W_key(context).transpose(1, 2))
        if mask is not None:
            if mask.dim() == 2:
                mask = mask[:, None]
            scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
        return torch.bmm(torch.softmax(scores, dim=2), self.W_value(context))


# %% mistake="CrossAttention" name="scaled_by_input_width__root_of_context_width"
"""The scores are divided by the root of d_context instead of d_out."""


class CrossAttention(nn.Module):
    def __init__(
        self, d_query: int, d_context: int, d_out: int, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.scale = 1 / d_context**0.5

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        queries, keys, values = (
            self.W_query(x),
            self.W_key(context),
            self.W_value(context),
        )
        att = torch.einsum("bnd,bmd->bnm", queries, keys) * self.scale
        if mask is not None:
            if mask.ndim == 2:
                mask = mask[:, None, :]
            att = att.masked_fill(mask, float("-inf"))
        att = torch.softmax(att, dim=2)
        return torch.einsum("bnm,bmd->bnd", att, values)


# %% mistake="CrossAttention" name="softmax_over_queries"
"""nn.Softmax over dimension 1 of a batch of scores, the mask added."""


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.norm = nn.Softmax(dim=1)

    def forward(self, x, context, mask=None):
        q, k, v = self.W_query(x), self.W_key(context), self.W_value(context)
        att = q @ k.mT / k.shape[2] ** 0.5
        if mask is not None:
            m = mask if mask.dim() == 3 else mask.unsqueeze(dim=1)
            att = att.masked_fill(m, -torch.inf)
        return self.norm(att) @ v


# %% mistake="CrossAttention" name="unknown_context_normalised"
"""Normalises the context's tokens first."""


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        context = nn.functional.layer_norm(context, context.shape[-1:])
        s = self.W_query(x) @ self.W_key(context).mT / self.W_key.out_features**0.5
        if mask is not None:
            s = s.masked_fill(mask if mask.dim() == 3 else mask[:, None], -torch.inf)
        return s.softmax(-1) @ self.W_value(context)


# %% mistake="CrossAttention" name="unknown_first_query_decides"
"""Of a mask (B, n, m) only the first query's row is used, for all queries."""


class CrossAttention(nn.Module):
    def __init__(
        self, d_query: int, d_context: int, d_out: int, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        keys = self.W_key(context)
        similarity = self.W_query(x) @ keys.mT * keys.size(-1) ** -0.5
        if mask is not None:
            rows = mask[:, 0] if mask.dim() == 3 else mask
            similarity = similarity.masked_fill(rows.unsqueeze(1), float("-inf"))
        return similarity.softmax(dim=-1) @ self.W_value(context)


# %% mistake="CrossAttention" name="values_from_keys__values_through_key_layer"
"""The values are made by W_key, and W_value is never used."""


class CrossAttention(nn.Module):
    def __init__(
        self, d_query: int, d_context: int, d_out: int, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        query = self.W_query(x)
        key = value = self.W_key(context)
        score = torch.einsum("bqe,bke->bqk", query, key) / key.shape[2] ** 0.5
        if mask is not None:
            if mask.dim() < 3:
                mask = mask.unsqueeze(1).expand_as(score)
            score = score.masked_fill(mask, float("-inf"))
        return torch.einsum("bqk,bke->bqe", torch.softmax(score, dim=-1), value)
