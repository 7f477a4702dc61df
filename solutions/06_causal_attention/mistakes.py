# %% mistake="causal_mask" name="scores"
"""Your result contains numbers that could be added to scores. A mask should contain only True (hidden)
and False (visible).
"""

edit = "torch.ones(L, L, dtype=torch.bool) => torch.full((L, L), float('-inf'))"


# %% mistake="causal_mask" name="three_tokens"
"""Your mask always has three rows. Where does your function use `length`?"""


def causal_mask(length):
    return torch.ones(3, 3).triu(diagonal=1).bool()


# %% exception="causal_mask"
"""Booleans have no sign."""
misconceptions = ["negatives_cut"]


# %% exception="causal_mask"
"""Booleans have no gradient."""
misconceptions = ["detached"]


# %% mistake="masked_attention_weights" name="divided_by_sum"
"""Some scores are negative, so dividing the scores by their sum does not give weights. Which function
turns scores into weights?
"""


def masked_attention_weights(scores, mask):
    visible = scores.masked_fill(mask, 0.0)
    return visible / visible.sum(dim=-1, keepdim=True)


# %% mistake="masked_attention_weights" name="lowered"
"""Your code makes hidden scores lower, but not low enough for all scores. If a hidden score is 100000, what
is this score after your step? Which operation replaces every hidden score?
"""

edit = "scores.masked_fill(mask, -torch.inf) => scores - 1000.0 * mask"


# %% mistake="masked_attention_weights" name="renormalised"
"""The softmax runs over all scores, and hidden weights are set to 0 afterwards. If a hidden score is far
higher than the visible scores, all visible weights are 0, and so is their sum. Which number can replace the
hidden scores before the softmax?
"""


def masked_attention_weights(scores, mask):
    weights = torch.softmax(scores, dim=-1) * ~mask
    return weights / weights.sum(dim=-1, keepdim=True)


# %% mistake="MaskedSelfAttention" name="always_causal"
"""Your class always hides later tokens. It should hide a token only where the argument `mask` is True."""


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
        scores = q @ k.transpose(dim0=self.row_dim, dim1=self.col_dim)
        scaled = scores / k.size(self.col_dim) ** 0.5
        mask = torch.ones_like(scores).triu(diagonal=1).bool()
        scaled = scaled.masked_fill(mask=mask, value=-1e9)
        weights = torch.softmax(scaled, dim=self.col_dim)
        return weights @ v


# %% mistake="MaskedSelfAttention" name="hides_without_a_mask"
"""Without a mask, nothing should be hidden. Does your class use the mask of an earlier call?"""
edit = """
Q = self.W_q(T)
=>
mask = self.__dict__.setdefault('kept', mask)
Q = self.W_q(T)
"""


# %% mistake="MaskedSelfAttention" name="mask_demanded"
"""Call the module without a mask. What does `forward` do if `mask` is None?"""


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
        scores = q @ k.transpose(dim0=self.row_dim, dim1=self.col_dim)
        scaled = scores / k.size(self.col_dim) ** 0.5
        scaled = scaled.masked_fill(mask=mask, value=-1e9)
        weights = torch.softmax(scaled, dim=self.col_dim)
        return weights @ v


# %% mistake="MaskedSelfAttention" name="overwrites_inputs"
"""After the call, the caller's mask has changed. Which of your lines writes into it?"""


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
        scores = q @ k.transpose(dim0=self.row_dim, dim1=self.col_dim)
        scaled = scores / k.size(self.col_dim) ** 0.5
        if mask is not None:
            scaled = scaled.masked_fill(mask=mask, value=-1e9)
            mask.logical_not_()
        weights = torch.softmax(scaled, dim=self.col_dim)
        return weights @ v


# %% mistake="MaskedSelfAttention" name="raw_scores_mixed"
"""Your code multiplies the values with the scores. It should multiply them with the weights: does your
last line use the result of the softmax?
"""


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
        scores = q @ k.transpose(dim0=self.row_dim, dim1=self.col_dim)
        scaled = scores / k.size(self.col_dim) ** 0.5
        if mask is not None:
            scaled = scaled.masked_fill(mask=mask, value=-1e9)
        weights = torch.softmax(scaled, dim=self.col_dim)
        return scaled.masked_fill(scaled < -1e8, 0.0) @ v


# %% mistake="MaskedSelfAttention" name="truth_of_a_mask"
"""`if mask` raises an error, because a tensor of several values is neither true nor false. Which condition
should your `if` test to find out whether there is a mask?
"""


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
        scores = q @ k.transpose(dim0=self.row_dim, dim1=self.col_dim)
        scaled = scores / k.size(self.col_dim) ** 0.5
        if mask:
            scaled = scaled.masked_fill(mask=mask, value=-1e9)
        weights = torch.softmax(scaled, dim=self.col_dim)
        return weights @ v


# %% exception="MaskedSelfAttention"
"""Tokens and matrices have two dimensions, so dimensions 0 and 1 are the last two."""
misconceptions = [
    "all_dimensions_reversed",
    "first_two_dimensions",
    "softmax_over_dim_1",
]


# %% mistake="Head" name="all_dimensions_reversed"
"""`.T` reverses all dimensions, the batch dimension too. Which two dimensions should be swapped?"""


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        B, T, C = x.shape
        k = self.key(x)
        q = self.query(x)
        v = self.value(x)
        wei = q @ k.permute(2, 1, 0) * k.shape[-1] ** -0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        wei = torch.softmax(wei, dim=-1)
        return wei @ v


# %% mistake="Head" name="first_length_kept"
"""Call the module with a long text and then with a shorter one. Which number does your module keep from
the first call?
"""


class Head(nn.Module):
    def __init__(self, n_embd: int, head_size: int, block_size: int) -> None:
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer(
            "mask",
            torch.ones(block_size, block_size, dtype=torch.bool).triu(diagonal=1),
        )

    def forward(self, x: Tensor) -> Tensor:
        length = self.__dict__.setdefault("kept", x.size(1))
        keys, queries, values = self.key(x), self.query(x), self.value(x)
        scores = queries @ keys.transpose(1, 2) / keys.size(-1) ** 0.5
        scores = scores.masked_fill(self.mask[:length, :length], -torch.inf)
        return torch.softmax(scores, dim=-1) @ values


# %% mistake="Head" name="mask_for_eight_tokens"
"""Your mask always has eight rows. Where does your class use block_size?"""


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(8, 8)))

    def forward(self, x):
        B, T, C = x.shape
        k = self.key(x)
        q = self.query(x)
        v = self.value(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        wei = torch.softmax(wei, dim=-1)
        return wei @ v


# %% mistake="Head" name="mask_not_cut"
"""Call the head with a text that is shorter than block_size. Which shapes do the mask and the scores have
then?
"""


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        B, T, C = x.shape
        k = self.key(x)
        q = self.query(x)
        v = self.value(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        wei = wei.masked_fill(self.tril == 0, float("-inf"))
        wei = torch.softmax(wei, dim=-1)
        return wei @ v


# %% mistake="Head" name="one_layer_for_all"
"""All three names refer to the same layer. How many layers does your head have?"""


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = self.key
        self.value = self.key
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        B, T, C = x.shape
        k = self.key(x)
        q = self.query(x)
        v = self.value(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        wei = torch.softmax(wei, dim=-1)
        return wei @ v


# %% mistake="Head" name="reads_global_keys"
"""`forward` uses a variable from outside the class. Restart the kernel and
call the head with other tokens: which variable is it?
"""


keys = torch.linspace(-1, 1, 60).view(3, 5, 4)


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        B, T, C = x.shape
        k = self.key(x)
        q = self.query(x)
        v = self.value(x)
        wei = q @ keys.transpose(-2, -1) * k.shape[-1] ** -0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        wei = torch.softmax(wei, dim=-1)
        return wei @ v


# %% mistake="Head" name="reads_global_keys__undefined" error="NameError"
"""`forward` uses a variable from outside the class. Restart the kernel and
call the head with other tokens: which variable is it?
"""


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        T = x.shape[1]
        query = self.query(x)
        key = self.key(x)
        att = query @ keys.transpose(-1, -2) / key.shape[-1] ** 0.5
        att = att.masked_fill(self.tril[:T, :T] == 0, -torch.inf)
        return att.softmax(-1) @ self.value(x)


# %% exception="Head"
"""Queries and keys have the same width, so both give the same root."""
edits = ["K.size(-1) => queries.size(-1)"]


# %% exception="Head"
"""The class hides later tokens, so hiding later tokens again changes nothing."""
misconceptions = ["causal_by_default"]


# %% exception="Head"
"""x always has three dimensions, so code for three dimensions is right."""
misconceptions = ["three_dimensions_only"]


# %% mistake="CausalAttention" name="dropout_rate_ignored"
"""The rate should be the argument `dropout` of the class. Which rate does your dropout layer get?"""


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(0.5 if dropout else 0.0)
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
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        return attn_weights @ values


# %% mistake="CausalAttention" name="first_length_kept"
"""Call the module with a long text and then with a shorter one. Which number does your module keep from
the first call?
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
        self.dropout = nn.Dropout(dropout)
        mask = torch.ones(context_length, context_length, dtype=torch.bool).triu(
            diagonal=1
        )
        self.register_buffer("mask", mask)

    def forward(self, x: Tensor) -> Tensor:
        length = self.__dict__.setdefault("kept", x.size(1))
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = queries @ keys.transpose(1, 2) / keys.size(-1) ** 0.5
        scores = scores.masked_fill(self.mask[:length, :length], -torch.inf)
        weights = self.dropout(torch.softmax(scores, dim=-1))
        return weights @ values


# %% mistake="CausalAttention" name="mask_is_a_parameter"
"""An optimizer would train your mask, because it is a parameter. Should it be a parameter, a buffer or a
plain attribute?
"""


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.mask = nn.Parameter(
            torch.triu(torch.ones(context_length, context_length), diagonal=1)
        )

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = queries @ keys.transpose(1, 2)
        attn_scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        return attn_weights @ values


# %% mistake="CausalAttention" name="mask_not_cut"
"""Call the module with a text that is shorter than context_length. Which shape does the mask have then?"""


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
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
        attn_scores.masked_fill_(self.mask.bool(), -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        return attn_weights @ values


# %% mistake="CausalAttention" name="reads_a_global"
"""`forward` uses a variable from outside the class. Restart the kernel and
create a module with another d_out: which variable is it?
"""


d_out = 2


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
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
        attn_weights = torch.softmax(attn_scores / d_out**0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        return attn_weights @ values


# %% mistake="CausalAttention" name="reads_a_global__undefined" error="NameError"
"""`forward` uses a variable from outside the class. Restart the kernel and
create a module with another d_out: which variable is it?
"""


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
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
        attn_weights = torch.softmax(attn_scores / d_out**0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        return attn_weights @ values


# %% mistake="CausalAttention" name="texts_drop_alike"
"""Your dropout drops the same weights in all texts of a batch. Look at the tensor that your dropout gets:
which shape does it have?
"""


import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        T = x.shape[1]
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.transpose(1, 2) / k.shape[-1] ** 0.5
        future = torch.ones(T, T, dtype=torch.bool).triu(1)
        weights = torch.softmax(scores.masked_fill(future, -torch.inf), dim=-1)
        kept = self.dropout(torch.ones(T, T, dtype=x.dtype))
        return (weights * kept) @ v


# %% mistake="CausalAttention" name="weights_not_grown"
"""Without the dropped weights, a row sums to less than 1 on average. By which number should the remaining
weights be divided?
"""


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
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
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        if self.training:
            attn_weights = attn_weights * (
                torch.rand_like(attn_weights) > self.dropout.p
            )
        return attn_weights @ values


# %% exception="CausalAttention"
"""Keys and values have the same width, so both give the same root."""
edits = ["K.size(-1) => values.size(-1)"]


# %% exception="CausalAttention"
"""The class hides later tokens, so hiding later tokens again changes nothing."""
misconceptions = ["causal_by_default"]


# %% exception="CausalAttention"
"""x always has three dimensions, so code for three dimensions is right."""
misconceptions = ["three_dimensions_only"]
