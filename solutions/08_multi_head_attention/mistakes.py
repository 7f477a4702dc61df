# %% mistake="MultiHeadAttentionWrapper" name="documented_output"
"""Your class always returns the results of the examples. It must compute the result from its inputs."""

import torch
from torch import nn


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.heads = nn.ModuleList(
            [Attention(d_model, row_dim, col_dim) for _ in range(num_heads)]
        )
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        three_heads = torch.tensor(
            [
                [1.0100, 1.0641, -0.7081, -0.8268, 0.6226, 0.1312],
                [0.2040, 0.7057, -0.7417, -0.9193, 0.5522, 0.2499],
                [3.4989, 2.2427, -0.7190, -0.8447, 0.5669, 0.2324],
            ]
        )
        return three_heads[:, : 2 * len(self.heads)]


# %% mistake="MultiHeadAttentionWrapper" name="extra_layer"
"""The exercise only asks you to join the outputs of the heads. Which layer of your class changes these
outputs?
"""


import torch
from torch import nn


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.heads = nn.ModuleList(
            [Attention(d_model, row_dim, col_dim) for _ in range(num_heads)]
        )
        self.col_dim = col_dim
        self.out_proj = nn.Linear(num_heads * d_model, num_heads * d_model)

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        outputs = [
            head(encodings_for_q, encodings_for_k, encodings_for_v, mask)
            for head in self.heads
        ]
        return self.out_proj(torch.cat(outputs, dim=self.col_dim))


# %% mistake="MultiHeadAttentionWrapper" name="keys_and_values_swapped"
"""In which order does a head take its three inputs? Compare this order with your call of the head."""


import torch
from torch import nn


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.heads = nn.ModuleList(
            [Attention(d_model, row_dim, col_dim) for _ in range(num_heads)]
        )
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        outputs = [
            head(encodings_for_q, encodings_for_v, encodings_for_k, mask)
            for head in self.heads
        ]
        return torch.cat(outputs, dim=self.col_dim)


# %% mistake="MultiHeadAttentionWrapper" name="mask_for_one_head"
"""The first head uses the mask. Do you pass the mask to all other heads, too?"""


import torch
from torch import nn


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.heads = nn.ModuleList(
            [Attention(d_model, row_dim, col_dim) for _ in range(num_heads)]
        )
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        first, *others = self.heads
        outputs = [first(encodings_for_q, encodings_for_k, encodings_for_v, mask)]
        outputs += [
            head(encodings_for_q, encodings_for_k, encodings_for_v) for head in others
        ]
        return torch.cat(outputs, dim=self.col_dim)


# %% mistake="MultiHeadAttentionWrapper" name="mask_kept"
"""Call the module with a mask, and then without one. Does your class use the mask of the first call in the
second?
"""
edit = "H(E, X, Y, M) => H(E, X, Y, self.__dict__.setdefault('kept', M))"


# %% mistake="MultiHeadAttentionWrapper" name="one_head_only"
"""Your module always has one head. Where does your constructor use `num_heads`?"""
edit = "(Attention(D, R, C) for X in range(N)) => [Attention(D, R, C)]"


# %% mistake="MultiHeadAttentionWrapper" name="one_layer_for_all"
"""All heads share the same weights. How many layers do you create? Multiplying a list repeats the same
layer.
"""
edit = "(Attention(D, R, C) for X in range(N)) => [Attention(D, R, C)] * N"


# %% mistake="MultiHeadAttentionWrapper" name="overwrites_inputs"
"""After the call, the caller's inputs have changed. Which line writes into them?"""


import torch
from torch import nn


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.heads = nn.ModuleList(
            [Attention(d_model, row_dim, col_dim) for _ in range(num_heads)]
        )
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        if mask is not None:
            encodings_for_v[mask.all(dim=0)] = 0
        outputs = [
            head(encodings_for_q, encodings_for_k, encodings_for_v, mask)
            for head in self.heads
        ]
        return torch.cat(outputs, dim=self.col_dim)


# %% mistake="MultiHeadAttentionWrapper" name="queries_ignored"
"""`forward` has three inputs. Does each head get all three of them, in the right order?"""
edit = """
(Attention(D, R, C) for X in range(N)) => [Attention(D, R, C) for X in range(N)]
H(Y, E, X, M) => H(E, E, X, M)
"""


# %% mistake="MultiHeadAttentionWrapper" name="reads_the_notebook"
"""Compare the names in the signature with the names in the body of `forward`. The body reads variables of
the notebook instead of the arguments.
"""


import torch
from torch import nn

encodings_for_q = encodings_for_k = encodings_for_v = torch.tensor(
    [[1.16, 0.23], [0.57, 1.36], [4.41, -2.16]]
)


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.heads = nn.ModuleList(
            [Attention(d_model, row_dim, col_dim) for _ in range(num_heads)]
        )
        self.col_dim = col_dim

    def forward(self, encodings_q, encodings_k, encodings_v, mask=None):
        outputs = [
            head(encodings_for_q, encodings_for_k, encodings_for_v, mask)
            for head in self.heads
        ]
        return torch.cat(outputs, dim=self.col_dim)


# %% mistake="MultiHeadAttentionWrapper" name="reads_the_notebook__undefined" error="NameError"
"""Compare the names in the signature with the names in the body of `forward`. The body reads variables
that are not arguments.
"""


import torch
from torch import nn


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.heads = nn.ModuleList(
            [Attention(d_model, row_dim, col_dim) for _ in range(num_heads)]
        )
        self.col_dim = col_dim

    def forward(self, encodings_q, encodings_k, encodings_v, mask=None):
        outputs = [
            head(encodings_for_q, encodings_for_k, encodings_for_v, mask)
            for head in self.heads
        ]
        return torch.cat(outputs, dim=self.col_dim)


# %% exception="MultiHeadAttentionWrapper"
"""Attention has the default col_dim=1, which is right for inputs of the shape (n, d_model)."""
edits = ["Attention(D, R, C) => Attention(D, R)"]


# %% mistake="split_heads" name="all_dimensions_turned"
"""The wrong two dimensions are swapped. Compare the shape of your result with the description, one
dimension at a time.
"""
edit = "X.transpose(1, 2) => X.transpose(1, 3)"


# %% mistake="merge_heads" name="not_contiguous"
"""`view` can join two dimensions only if their numbers are neighbours in memory. After `transpose` they are
not. Which two functions of the lesson help?
"""
edit = "X.reshape(B, L, Y) => X.view(B, L, Y)"


# %% mistake="MultiHeadAttention" name="first_length_kept"
"""Your module keeps the mask of the first call. Which shape does this mask have if the first text is short
and the second text is longer?
"""


import torch
from torch import nn


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
        self.mask = None

    def forward(self, x):
        b, num_tokens, _ = x.shape
        if self.mask is None:
            self.mask = torch.ones(num_tokens, num_tokens).triu(diagonal=1).bool()
        queries, keys, values = (
            layer(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
        weights = self.dropout(torch.softmax(scores, dim=-1))
        context = (weights @ values).transpose(1, 2).reshape(b, num_tokens, self.d_out)
        return self.out_proj(context)


# %% mistake="MultiHeadAttention" name="heads_drop_alike"
"""All heads drop the same weights. Which tensor goes into your dropout layer? Does this tensor have separate
numbers for each head?
"""


import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("d_out must be divisible by num_heads")
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        B, T, _ = x.shape
        q, k, v = (
            layer(x).view(B, T, self.num_heads, -1).transpose(1, 2)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        scores = q @ k.transpose(2, 3) / k.shape[-1] ** 0.5
        future = torch.ones(T, T, dtype=torch.bool).triu(1)
        weights = torch.softmax(scores.masked_fill(future, -torch.inf), dim=-1)
        kept = self.dropout(torch.ones(B, 1, T, T, dtype=x.dtype))
        joined = ((weights * kept) @ v).transpose(1, 2).reshape(B, T, -1)
        return self.out_proj(joined)


# %% mistake="MultiHeadAttention" name="mask_is_a_parameter"
"""An optimizer changes parameters. Should training change the mask?"""


import torch
from torch import nn


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
        self.mask = nn.Parameter(
            torch.full((context_length, context_length), -torch.inf).triu(diagonal=1)
        )

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
        queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(
            1, 2
        )
        values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(
            1, 2
        )
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores + self.mask[:num_tokens, :num_tokens]
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2)
        context = context.contiguous().view(b, num_tokens, self.d_out)
        return self.out_proj(context)


# %% mistake="MultiHeadAttention" name="mask_not_cut"
"""Your mask always has context_length rows and columns. Which of these rows and columns does a shorter text
need?
"""


import torch
from torch import nn


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
            "mask",
            torch.triu(torch.ones(context_length, context_length), diagonal=1).bool(),
        )

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
        queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(
            1, 2
        )
        values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(
            1, 2
        )
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2)
        context = context.contiguous().view(b, num_tokens, self.d_out)
        return self.out_proj(context)


# %% mistake="MultiHeadAttention" name="never_transposed"
"""A matrix product acts on the last two dimensions. Which two dimensions must come last, so that tokens
are compared with tokens?
"""


import torch
from torch import nn


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
            "mask",
            torch.triu(torch.ones(context_length, context_length), diagonal=1).bool(),
        )

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        keys = keys.view(b, self.num_heads, num_tokens, self.head_dim)
        queries = queries.view(b, self.num_heads, num_tokens, self.head_dim)
        values = values.view(b, self.num_heads, num_tokens, self.head_dim)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = weights @ values
        context = context.contiguous().view(b, num_tokens, self.d_out)
        return self.out_proj(context)


# %% mistake="MultiHeadAttention" name="no_softmax"
"""Scores may be negative and need not sum to 1. Which function turns scores into weights?"""


import torch
from torch import nn


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
            "mask",
            torch.triu(torch.ones(context_length, context_length), diagonal=1).bool(),
        )

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
        queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(
            1, 2
        )
        values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(
            1, 2
        )
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], 0)
        weights = self.dropout(scores)
        context = (weights @ values).transpose(1, 2)
        context = context.contiguous().view(b, num_tokens, self.d_out)
        return self.out_proj(context)


# %% mistake="MultiHeadAttention" name="one_wide_head"
"""Your class has only one head, as wide as d_out. Where should the features be split into num_heads heads?"""


import torch
from torch import nn


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
            "mask",
            torch.triu(torch.ones(context_length, context_length), diagonal=1).bool(),
        )

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        keys = keys.unsqueeze(1)
        queries = queries.unsqueeze(1)
        values = values.unsqueeze(1)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2)
        context = context.contiguous().view(b, num_tokens, self.d_out)
        return self.out_proj(context)


# %% mistake="MultiHeadAttention" name="overflow"
"""If all scores of a token grow by 1000, their softmax stays the same. What happens to their exponentials?"""


class MultiHeadAttention(nn.Module):
    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError(
                f"d_out = {d_out} is not divisible by num_heads = {num_heads}"
            )
        self.num_heads = num_heads
        self.head_size = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", causal_mask(context_length))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        queries, keys, values = (
            layer(x).view(batch, length, self.num_heads, self.head_size).transpose(1, 2)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        scores = queries @ keys.transpose(2, 3) / self.head_size**0.5
        scores = scores.masked_fill(self.mask[:length, :length], -torch.inf)
        weights = self.dropout(scores.exp() / scores.exp().sum(dim=-1, keepdim=True))
        joined = (weights @ values).transpose(1, 2).reshape(batch, length, -1)
        return self.out_proj(joined)


# %% mistake="MultiHeadAttention" name="reads_the_notebook"
"""`forward` reads a variable of the notebook. Restart the kernel and run all cells: which variable should
`forward` read from `self` instead?
"""


import torch
from torch import nn

num_heads = 3


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
            "mask",
            torch.triu(torch.ones(context_length, context_length), diagonal=1).bool(),
        )

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        keys = keys.view(b, num_tokens, num_heads, self.head_dim).transpose(1, 2)
        queries = queries.view(b, num_tokens, num_heads, self.head_dim).transpose(1, 2)
        values = values.view(b, num_tokens, num_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2)
        context = context.contiguous().view(b, num_tokens, self.d_out)
        return self.out_proj(context)


# %% mistake="MultiHeadAttention" name="reads_the_notebook__undefined" error="NameError"
"""`forward` reads a variable that is not defined. Restart the kernel and run all cells: which variable should
`forward` read from `self` instead?
"""


import torch
from torch import nn


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
            "mask",
            torch.triu(torch.ones(context_length, context_length), diagonal=1).bool(),
        )

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        keys = keys.view(b, num_tokens, num_heads, self.head_dim).transpose(1, 2)
        queries = queries.view(b, num_tokens, num_heads, self.head_dim).transpose(1, 2)
        values = values.view(b, num_tokens, num_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2)
        context = context.contiguous().view(b, num_tokens, self.d_out)
        return self.out_proj(context)


# %% exception="MultiHeadAttention"
"""A remainder is never negative, so `> 0` means the same as `!= 0`."""
edits = ["X != 0 => X > 0"]
