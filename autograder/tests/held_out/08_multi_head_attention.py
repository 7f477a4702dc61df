# %% mistake="MultiHeadAttentionWrapper" name="features_interleaved__features_shuffled_together"
"""The features of the heads are interleaved, first features of all heads, then second ones, instead of head
after head.
"""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(
        self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1, num_heads: int = 1
    ) -> None:
        super().__init__()
        self.heads = nn.ModuleList(
            [Attention(d_model, row_dim, col_dim) for i in range(num_heads)]
        )

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        stacked = torch.stack(
            [
                head(encodings_for_q, encodings_for_k, encodings_for_v, mask)
                for head in self.heads
            ],
            dim=-1,
        )
        return stacked.flatten(-2)


# %% mistake="MultiHeadAttentionWrapper" name="joined_below_each_other"
"""vstack of a generator's results."""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.heads = nn.ModuleList(
            [Attention(d_model, row_dim, col_dim) for _ in range(num_heads)]
        )

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        inputs = (encodings_for_q, encodings_for_k, encodings_for_v, mask)
        return torch.vstack([h(*inputs) for h in self.heads])


# %% mistake="MultiHeadAttentionWrapper" name="joined_below_each_other__below_each_other"
"""The heads' outputs are joined along the tokens, below each other, instead of side by side."""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(
        self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1, num_heads: int = 1
    ) -> None:
        super().__init__()
        self.row_dim = row_dim
        self.heads = nn.ModuleList()
        for _ in range(num_heads):
            self.heads.append(Attention(d_model, row_dim, col_dim))

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        results = [
            head(encodings_for_q, encodings_for_k, encodings_for_v, mask=mask)
            for head in self.heads
        ]
        return torch.cat(results, dim=self.row_dim)


# %% mistake="MultiHeadAttentionWrapper" name="keys_and_values_of_x+mask_not_handed_on__queries_for_all_no_mask"
"""Keys and values are made from the tokens that ask, their own inputs being ignored, and the mask is
not handed on.
"""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(
        self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1, num_heads: int = 1
    ) -> None:
        super().__init__()
        self.heads = nn.ModuleList(
            Attention(d_model, row_dim, col_dim) for _ in range(num_heads)
        )
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        x = encodings_for_q
        return torch.cat([head(x, x, x) for head in self.heads], dim=self.col_dim)


# %% mistake="MultiHeadAttentionWrapper" name="mask_for_one_head+heads_backwards"
"""Only the first head gets the mask and the outputs stand in reverse order, the last head's features
first.
"""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(
        self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1, num_heads: int = 1
    ) -> None:
        super().__init__()
        self.heads = nn.ModuleList(
            [Attention(d_model, row_dim, col_dim) for _ in range(num_heads)]
        )
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        output = None
        for head in self.heads:
            one = head(encodings_for_q, encodings_for_k, encodings_for_v, mask)
            output = (
                one if output is None else torch.cat((one, output), dim=self.col_dim)
            )
            mask = None
        return output


# %% mistake="MultiHeadAttentionWrapper" name="mask_not_handed_on"
"""Loops and appends; the mask's argument is there and stays unused."""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.heads = nn.ModuleList()
        for _ in range(num_heads):
            self.heads.append(
                Attention(d_model=d_model, row_dim=row_dim, col_dim=col_dim)
            )

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        results = []
        for head in self.heads:
            results.append(
                head(
                    encodings_for_q=encodings_for_q,
                    encodings_for_k=encodings_for_k,
                    encodings_for_v=encodings_for_v,
                )
            )
        return torch.cat(tensors=results, dim=-1)


# %% mistake="MultiHeadAttentionWrapper" name="mask_not_handed_on__mask_stops_here"
"""The mask is taken and not handed on to the heads."""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(
        self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1, num_heads: int = 1
    ) -> None:
        super().__init__()
        self.heads = nn.ModuleList(
            [Attention(d_model, row_dim, col_dim) for _ in range(num_heads)]
        )
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        outs = []
        for head in self.heads:
            outs.append(head(encodings_for_q, encodings_for_k, encodings_for_v))
        return torch.cat(outs, dim=self.col_dim)


# %% mistake="MultiHeadAttentionWrapper" name="one_head_only"
"""A ModuleList with one layer, joined by hstack."""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.num_heads = num_heads
        self.heads = nn.ModuleList()
        self.heads.append(Attention(d_model, row_dim, col_dim))

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        outs = tuple(
            h(encodings_for_q, encodings_for_k, encodings_for_v, mask)
            for h in self.heads
        )
        return torch.cat(outs, dim=-1)


# %% mistake="MultiHeadAttentionWrapper" name="one_layer_for_all"
"""A list multiplied inside the ModuleList, joined by concat."""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        layers = [Attention(d_model, row_dim, col_dim)] * num_heads
        self.heads = nn.ModuleList(layers)
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        return torch.concat(
            [
                m(encodings_for_q, encodings_for_k, encodings_for_v, mask)
                for m in self.heads
            ],
            dim=self.col_dim,
        )


# %% mistake="MultiHeadAttentionWrapper" name="one_layer_for_all__same_layer_repeated"
"""All heads are one and the same layer, put into the list several times."""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(
        self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1, num_heads: int = 1
    ) -> None:
        super().__init__()
        head = Attention(d_model=d_model, row_dim=row_dim, col_dim=col_dim)
        self.heads = nn.ModuleList([head] * num_heads)

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        return torch.cat(
            [
                h(encodings_for_q, encodings_for_k, encodings_for_v, mask)
                for h in self.heads
            ],
            -1,
        )


# %% mistake="MultiHeadAttentionWrapper" name="unknown_mean"
"""The mean of the heads, repeated."""


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.heads = nn.ModuleList(
            [Attention(d_model, row_dim, col_dim) for _ in range(num_heads)]
        )

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        outs = [
            h(encodings_for_q, encodings_for_k, encodings_for_v, mask)
            for h in self.heads
        ]
        return torch.cat([sum(outs) / len(outs)] * len(outs), dim=-1)


# %% mistake="split_heads" name="every_hth_feature+never_transposed__interleaved_and_not_swapped"
"""The features are dealt out in turn instead of in neighbouring pieces and heads and tokens are not
swapped.
"""


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    b, t, d = x.shape
    return x.view(b, t, d // num_heads, num_heads).transpose(2, 3)


# %% mistake="split_heads" name="every_hth_feature"
"""Head i gets every h-th feature instead of neighbouring ones."""


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    heads = [x[:, :, i::num_heads] for i in range(num_heads)]
    return torch.stack(heads, dim=1)


# %% mistake="split_heads" name="heads_backwards"
"""The last head's features come first."""


def split_heads(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2).flip(1)


# %% mistake="split_heads" name="never_transposed"
"""unflatten without the swap."""


def split_heads(x, num_heads):
    return x.unflatten(dim=-1, sizes=(num_heads, x.size(-1) // num_heads))


# %% mistake="split_heads" name="never_transposed__tokens_stay_in_front"
"""The features are cut, but heads and tokens are not swapped: the result is (B, T, h, s)."""


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (num_heads, x.shape[-1] // num_heads))


# %% mistake="split_heads" name="tokens_last__heads_transposed"
"""The dimensions end in a wrong order: (B, h, s, T), each head transposed."""


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch, tokens, width = x.size()
    x = x.view(batch, tokens, num_heads, width // num_heads)
    return x.permute(0, 2, 3, 1)


# %% mistake="split_heads" name="view_only"
"""reshape to the final sizes, with -1."""


def split_heads(x, num_heads):
    n, t = x.size(0), x.size(1)
    return torch.reshape(x, (n, num_heads, t, -1))


# %% mistake="split_heads" name="view_only__final_shape_at_once"
"""The final shape is asked for at once, without transposing, so that tokens and features are mixed up."""


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, d = x.shape
    return x.reshape(B, num_heads, T, d // num_heads)


# %% mistake="merge_heads" name="features_interleaved__feature_major"
"""The features are interleaved: for each token the first features of all heads, then the second ones."""


def merge_heads(x: Tensor) -> Tensor:
    return torch.einsum("bhts->btsh", x).flatten(2)


# %% mistake="merge_heads" name="heads_added__sum_of_heads"
"""The heads are added up instead of being joined side by side."""


def merge_heads(x: Tensor) -> Tensor:
    joined = x[:, 0]
    for head in range(1, x.shape[1]):
        joined = joined + x[:, head]
    return joined


# %% mistake="merge_heads" name="joined_below_each_other__along_tokens"
"""The heads are joined along the tokens, so that the result has h times as many tokens."""


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=1)


# %% mistake="merge_heads" name="merged_without_transposing"
"""flatten after a contiguous that does nothing here."""


def merge_heads(x):
    batch, _, tokens, _ = x.size()
    return x.contiguous().view(batch, tokens, -1)


# %% mistake="merge_heads" name="merged_without_transposing__no_swap_contiguous"
"""The heads are joined without swapping heads and tokens first, so tokens get features of other tokens."""


def merge_heads(x: Tensor) -> Tensor:
    b, h, t, s = x.size()
    return x.contiguous().view(b, t, h * s)


# %% mistake="merge_heads" name="not_contiguous"
"""permute, then view."""


def merge_heads(x):
    b, h, t, s = x.shape
    return x.permute(0, 2, 1, 3).view(b, t, h * s)


# %% mistake="merge_heads" name="unknown_overlapping"
"""Each head is written one place further, over the features of the one before."""


def merge_heads(x):
    batch, heads, length, size = x.shape
    merged = torch.zeros(batch, length, heads * size, dtype=x.dtype)
    for i in range(heads):
        merged[:, :, i : i + size] = x[:, i]
    return merged


# %% mistake="MultiHeadAttention" name="dropout_before_softmax__scores_dropped"
"""Dropout acts on the scores before the softmax instead of on the weights."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError(
                f"{d_out} features cannot be shared among {num_heads} heads"
            )
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.num_heads = num_heads

    def forward(self, x):
        B, T, _ = x.shape

        def cut(t):
            return t.reshape(B, T, self.num_heads, -1).permute(0, 2, 1, 3)

        q, k, v = cut(self.W_query(x)), cut(self.W_key(x)), cut(self.W_value(x))
        scores = self.dropout(q @ k.transpose(-1, -2) / q.size(-1) ** 0.5)
        hidden = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)
        mixed = (weights @ v).permute(0, 2, 1, 3).reshape(B, T, -1)
        return self.out_proj(mixed)


# %% mistake="MultiHeadAttention" name="indivisible_accepted"
"""Heads of the rounded size, without a check, and layers made as usual."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = int(d_out / num_heads)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, t, _ = x.shape
        size = (b, t, self.num_heads, self.head_dim)
        q, k, v = (
            w(x).view(size).transpose(1, 2)
            for w in (self.W_query, self.W_key, self.W_value)
        )
        hide = torch.triu(torch.ones(t, t), diagonal=1).bool()
        s = (q @ k.mT / self.head_dim**0.5).masked_fill(hide, -1e9)
        y = self.drop(torch.softmax(s, -1)) @ v
        return self.out_proj(y.transpose(1, 2).flatten(2))


# %% mistake="MultiHeadAttention" name="last_layer_not_applied"
"""einsum over all heads; out_proj is made and forgotten."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.heads, self.size = num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(in_features=d_out, out_features=d_out)
        self.attn_dropout = nn.Dropout(dropout)

    def split(self, t):
        return t.reshape(t.size(0), t.size(1), self.heads, self.size)

    def forward(self, x):
        n = x.size(1)
        q, k, v = (
            self.split(self.W_query(x)),
            self.split(self.W_key(x)),
            self.split(self.W_value(x)),
        )
        logits = torch.einsum("bihs,bjhs->bhij", q, k) / self.size**0.5
        where = torch.arange(n)
        logits = torch.where(
            where[:, None] >= where, logits, torch.finfo(logits.dtype).min
        )
        probs = self.attn_dropout(torch.softmax(logits, dim=3))
        return torch.einsum("bhij,bjhs->bihs", probs, v).flatten(2)


# %% mistake="MultiHeadAttention" name="last_layer_twice"
"""Applies the last layer two times."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        q, k, v = (
            w(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for w in (self.W_query, self.W_key, self.W_value)
        )
        s = q @ k.mT / k.size(-1) ** 0.5
        s = s.masked_fill(torch.ones_like(s, dtype=torch.bool).triu(1), -torch.inf)
        y = (self.dropout(s.softmax(-1)) @ v).transpose(1, 2).flatten(2)
        return self.out_proj(self.out_proj(y))


# %% mistake="MultiHeadAttention" name="last_layer_without_bias+scaled_by_input_width__last_bias_and_root_of_d_in"
"""out_proj has a bias only if qkv_bias says so and the scores are divided by the root of d_in."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError("not divisible")
        self.num_heads, self.head_size = num_heads, d_out // num_heads
        self.scale = d_in**-0.5
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        B, T, _ = x.shape
        shape = (B, T, self.num_heads, self.head_size)
        q = self.W_query(x).view(shape).transpose(1, 2)
        k = self.W_key(x).view(shape).transpose(1, 2)
        v = self.W_value(x).view(shape).transpose(1, 2)
        dots = torch.matmul(q, k.transpose(-1, -2)) * self.scale
        dots = dots.masked_fill(
            torch.triu(torch.ones(T, T, device=x.device), 1).bool(), -torch.inf
        )
        out = torch.matmul(self.dropout(dots.softmax(dim=-1)), v)
        return self.out_proj(out.transpose(1, 2).reshape(B, T, -1))


# %% mistake="MultiHeadAttention" name="mask_is_a_parameter"
"""A mask of infinities as nn.Parameter without a gradient."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        hidden = torch.full((context_length, context_length), -torch.inf).triu(1)
        self.hidden = nn.Parameter(hidden, requires_grad=False)

    def forward(self, x):
        t = x.size(1)
        q, k, v = (
            w(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for w in (self.W_query, self.W_key, self.W_value)
        )
        s = q @ k.mT / k.size(-1) ** 0.5 + self.hidden[:t, :t]
        return self.out_proj(
            (self.dropout(s.softmax(-1)) @ v).transpose(1, 2).flatten(2)
        )


# %% mistake="MultiHeadAttention" name="mask_not_cut"
"""A full additive mask of minus infinity as a buffer."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer(
            "blocked", torch.full((context_length, context_length), -torch.inf).triu(1)
        )

    def forward(self, x):
        b, t, _ = x.shape
        q = self.W_query(x).reshape(b, t, self.num_heads, -1).permute(0, 2, 1, 3)
        k = self.W_key(x).reshape(b, t, self.num_heads, -1).permute(0, 2, 1, 3)
        v = self.W_value(x).reshape(b, t, self.num_heads, -1).permute(0, 2, 1, 3)
        s = q @ k.mT / q.size(-1) ** 0.5 + self.blocked
        y = self.dropout(s.softmax(-1)) @ v
        return self.out_proj(y.permute(0, 2, 1, 3).reshape(b, t, -1))


# %% mistake="MultiHeadAttention" name="merged_without_transposing"
"""The library's attention function, and reshape right after it."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError
        self.n_head, self.p = num_heads, dropout
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, x):
        B, T, _ = x.shape
        q, k, v = (
            f(x).view(B, T, self.n_head, -1).transpose(1, 2)
            for f in (self.W_query, self.W_key, self.W_value)
        )
        p = self.p if self.training else 0.0
        y = nn.functional.scaled_dot_product_attention(
            q, k, v, dropout_p=p, is_causal=True
        )
        return self.out_proj(y.reshape(B, T, -1))


# %% mistake="MultiHeadAttention" name="merged_without_transposing__joined_without_swap"
"""The heads' results are reshaped to (B, T, d_out) without swapping heads and tokens back."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.n_head = num_heads
        self.dropout = dropout
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, x):
        B, T, C = x.size()
        q = self.W_query(x).view(B, T, self.n_head, -1).transpose(1, 2)
        k = self.W_key(x).view(B, T, self.n_head, -1).transpose(1, 2)
        v = self.W_value(x).view(B, T, self.n_head, -1).transpose(1, 2)
        y = nn.functional.scaled_dot_product_attention(
            q, k, v, dropout_p=self.dropout if self.training else 0, is_causal=True
        )
        return self.out_proj(y.reshape(B, T, -1))


# %% mistake="MultiHeadAttention" name="not_masked"
"""The book's class, with the underscore of masked_fill_ forgotten."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
        self.d_out = d_out
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer(
            "mask", torch.triu(torch.ones(context_length, context_length), diagonal=1)
        )

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = (
            self.W_key(x)
            .view(b, num_tokens, self.num_heads, self.head_dim)
            .transpose(1, 2)
        )
        queries = (
            self.W_query(x)
            .view(b, num_tokens, self.num_heads, self.head_dim)
            .transpose(1, 2)
        )
        values = (
            self.W_value(x)
            .view(b, num_tokens, self.num_heads, self.head_dim)
            .transpose(1, 2)
        )
        attn_scores = queries @ keys.transpose(2, 3)
        mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
        attn_scores.masked_fill(mask_bool, -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        context_vec = (attn_weights @ values).transpose(1, 2)
        context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
        return self.out_proj(context_vec)


# %% mistake="MultiHeadAttention" name="not_masked__everyone_sees_all"
"""There is no causal mask: tokens look into the future."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("d_out must be divisible by num_heads")
        self.h, self.p = num_heads, dropout
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, x):
        q, k, v = (
            layer(x).unflatten(-1, (self.h, -1)).transpose(1, 2)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        y = nn.functional.scaled_dot_product_attention(
            q, k, v, dropout_p=self.p if self.training else 0.0
        )
        return self.out_proj(y.transpose(1, 2).flatten(2))


# %% mistake="MultiHeadAttention" name="not_scaled+last_layer_not_applied__unscaled_no_last_layer"
"""The scores are not scaled and out_proj is made but not applied."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError("d_out is not divisible by num_heads")
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        T = x.shape[1]
        q = split_heads(self.W_query(x), self.num_heads)
        k = split_heads(self.W_key(x), self.num_heads)
        v = split_heads(self.W_value(x), self.num_heads)
        scores = torch.einsum("bhid,bhjd->bhij", q, k)
        scores = scores.masked_fill(causal_mask(T).to(x.device), -torch.inf)
        weights = self.dropout(scores.softmax(dim=-1))
        return merge_heads(torch.einsum("bhij,bhjd->bhid", weights, v))


# %% mistake="MultiHeadAttention" name="not_scaled"
"""A loop over the heads' slices."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer(
            "tril", torch.tril(torch.ones(context_length, context_length))
        )

    def forward(self, x):
        t = x.shape[1]
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        outs = []
        for i in range(self.num_heads):
            part = slice(i * self.head_dim, (i + 1) * self.head_dim)
            att = q[..., part] @ k[..., part].transpose(1, 2)
            att = att.masked_fill(self.tril[:t, :t] == 0, float("-inf"))
            att = self.dropout(torch.softmax(att, dim=-1))
            outs.append(att @ v[..., part])
        return self.out_proj(torch.cat(outs, dim=-1))


# %% mistake="MultiHeadAttention" name="past_hidden+dropout_on_the_output__past_hidden_results_dropped"
"""The mask hides the past instead of the future and dropout acts on the heads' results instead of the
weights.
"""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0, "not divisible"
        self.num_heads = num_heads
        self.head_size = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        past = torch.tril(
            torch.ones(context_length, context_length, dtype=torch.bool), diagonal=-1
        )
        self.register_buffer("mask", past)

    def forward(self, x):
        B, T, _ = x.shape
        q = self.W_query(x).view(B, T, self.num_heads, self.head_size).transpose(1, 2)
        k = self.W_key(x).view(B, T, self.num_heads, self.head_size).transpose(1, 2)
        v = self.W_value(x).view(B, T, self.num_heads, self.head_size).transpose(1, 2)
        scores = q @ k.mT / self.head_size**0.5
        weights = scores.masked_fill(self.mask[:T, :T], -torch.inf).softmax(-1)
        mixed = self.dropout(weights @ v)
        return self.out_proj(mixed.transpose(1, 2).reshape(B, T, -1))


# %% mistake="MultiHeadAttention" name="reads_the_notebook" error="NameError"
"""The book's class, which reads the batch size and length from the notebook."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        shape = (batch_size, num_tokens, self.num_heads, self.head_dim)
        q, k, v = (
            w(x).view(shape).transpose(1, 2)
            for w in (self.W_query, self.W_key, self.W_value)
        )
        s = (q @ k.mT / self.head_dim**0.5) + torch.full(
            (x.size(1),) * 2, -torch.inf
        ).triu(1)
        return self.out_proj(
            (self.dropout(s.softmax(-1)) @ v).transpose(1, 2).flatten(2)
        )


# %% mistake="MultiHeadAttention" name="scaled_by_all_heads"
"""The usual class, with queries scaled before the product."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError(f"{d_out} is not divisible by {num_heads}")
        self.h, self.d_out = num_heads, d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        q, k, v = (
            layer(x).unflatten(-1, (self.h, -1))
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        q = q * self.d_out**-0.5
        s = torch.einsum("bqhd,bkhd->bhqk", q, k)
        future = torch.ones(x.size(1), x.size(1), dtype=torch.bool).triu(1)
        p = self.drop(s.masked_fill(future, -1e9).softmax(-1))
        return self.out_proj(torch.einsum("bhqk,bkhd->bqhd", p, v).flatten(-2))


# %% mistake="MultiHeadAttention" name="scaled_by_all_heads__root_of_full_width"
"""The scores are divided by the root of d_out instead of the head's size."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
        self.d_out = d_out
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer(
            "mask", torch.triu(torch.ones(context_length, context_length), diagonal=1)
        )

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = (
            self.W_key(x)
            .view(b, num_tokens, self.num_heads, self.head_dim)
            .transpose(1, 2)
        )
        queries = (
            self.W_query(x)
            .view(b, num_tokens, self.num_heads, self.head_dim)
            .transpose(1, 2)
        )
        values = (
            self.W_value(x)
            .view(b, num_tokens, self.num_heads, self.head_dim)
            .transpose(1, 2)
        )
        attn_scores = queries @ keys.transpose(2, 3)
        mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
        attn_scores.masked_fill_(mask_bool, -torch.inf)
        attn_weights = torch.softmax(attn_scores / self.d_out**0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        context_vec = (attn_weights @ values).transpose(1, 2)
        context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
        return self.out_proj(context_vec)


# %% mistake="MultiHeadAttention" name="sees_one_ahead+scaled_without_root__sees_next_flat_weights"
"""Each token also sees the next one, the triangle beginning one place too late, and the scores are
divided by the head's size instead of its root.
"""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError("d_out % num_heads must be 0")
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        q = self.W_query(x).chunk(self.num_heads, dim=-1)
        k = self.W_key(x).chunk(self.num_heads, dim=-1)
        v = self.W_value(x).chunk(self.num_heads, dim=-1)
        places = torch.arange(x.shape[1], device=x.device)
        hidden = places[None, :] > places[:, None] + 1
        results = []
        for qi, ki, vi in zip(q, k, v):
            scores = qi @ ki.transpose(1, 2) / ki.shape[-1]
            weights = scores.masked_fill(hidden, -torch.inf).softmax(dim=-1)
            results.append(self.dropout(weights) @ vi)
        return self.out_proj(torch.cat(results, dim=-1))


# %% mistake="MultiHeadAttention" name="softmax_over_queries"
"""A list of heads with einsum, softmax over dimension 2."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("d_out")
        self.h = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, t, _ = x.shape
        q = self.W_query(x).reshape(b, t, self.h, -1)
        k = self.W_key(x).reshape(b, t, self.h, -1)
        v = self.W_value(x).reshape(b, t, self.h, -1)
        s = torch.einsum("bihd,bjhd->bhij", q, k) / q.size(-1) ** 0.5
        s = s.masked_fill(torch.ones(t, t).triu(1).bool(), -torch.inf)
        w = self.drop(torch.softmax(s, dim=2))
        return self.out_proj(torch.einsum("bhij,bjhd->bihd", w, v).reshape(b, t, -1))


# %% mistake="MultiHeadAttention" name="softmax_over_queries__softmax_down_columns"
"""The softmax runs over the queries, the last dimension but one, instead of the keys."""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.num_heads = num_heads
        self.size = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.attn_drop = nn.Dropout(dropout)
        self.register_buffer(
            "tril", torch.tril(torch.ones(context_length, context_length))
        )

    def forward(self, x):
        B, T, C = x.size()
        q = self.W_query(x).view(B, T, self.num_heads, self.size).transpose(1, 2)
        k = self.W_key(x).view(B, T, self.num_heads, self.size).transpose(1, 2)
        v = self.W_value(x).view(B, T, self.num_heads, self.size).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * self.size**-0.5
        att = att.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        att = nn.functional.softmax(att, dim=-2)
        y = self.attn_drop(att) @ v
        return self.out_proj(y.transpose(1, 2).contiguous().view(B, T, -1))


# %% mistake="MultiHeadAttention" name="view_only__cut_without_swap"
"""Queries, keys and values are viewed as (B, h, T, s) at once, without swapping tokens and heads, so that
heads hold other tokens' features.
"""


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("mask", causal_mask(context_length))

    def forward(self, x):
        b, t, _ = x.shape
        q = self.W_query(x).view(b, self.num_heads, t, self.head_dim)
        k = self.W_key(x).view(b, self.num_heads, t, self.head_dim)
        v = self.W_value(x).view(b, self.num_heads, t, self.head_dim)
        s = q @ k.transpose(2, 3) / self.head_dim**0.5
        s = s.masked_fill(self.mask[:t, :t], -torch.inf)
        w = self.drop(torch.softmax(s, dim=-1))
        return self.out_proj((w @ v).transpose(1, 2).reshape(b, t, -1))
