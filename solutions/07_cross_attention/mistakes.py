# %% mistake="Attention" name="causal_by_default"
"""Without a mask nothing is hidden. What does your class hide when the mask is None?"""

edit = """
if M is not None:
    S = S.masked_fill(M, -torch.inf)
=>
if M is None:
    M = torch.ones_like(S, dtype=torch.bool).triu(1)
S = S.masked_fill(M, -torch.inf)
"""


# %% mistake="Attention" name="documented_output"
"""The check shows one example. What does your class answer to another input?"""


import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        return torch.tensor([[1.0100, 1.0641], [0.2040, 0.7057], [3.4989, 2.2427]])


# %% mistake="Attention" name="keys_not_transposed"
"""A score compares the features of a query with the features of a key. Follow the shapes of the product
when n and m differ.
"""


import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
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
        scores = torch.matmul(q, k)
        scaled_scores = scores / k.size(self.col_dim) ** 0.5
        if mask is not None:
            scaled_scores = scaled_scores.masked_fill(mask, -1e9)
        weights = torch.softmax(scaled_scores, dim=self.col_dim)
        return torch.matmul(weights, v)


# %% mistake="Attention" name="misspelt_parameter"
"""Compare the names in the signature with the names in the body, letter by letter. What a class is given
and what happens to lie around in the notebook are two different things.
"""


import torch
from torch import nn

encodings_for_q = torch.tensor([[1.16, 0.23], [0.57, 1.36], [4.41, -2.16]])


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, encodings_for_Q, encodings_for_k, encodings_for_v, mask=None):
        q = self.W_q(encodings_for_q)
        k = self.W_k(encodings_for_k)
        v = self.W_v(encodings_for_v)
        scores = torch.matmul(q, k.transpose(dim0=self.row_dim, dim1=self.col_dim))
        scaled_scores = scores / k.size(self.col_dim) ** 0.5
        if mask is not None:
            scaled_scores = scaled_scores.masked_fill(mask, -1e9)
        weights = torch.softmax(scaled_scores, dim=self.col_dim)
        return torch.matmul(weights, v)


# %% mistake="Attention" name="misspelt_parameter__undefined" error="NameError"
"""Compare the names in the signature with the names in the body, letter by letter. What a class is given
and what happens to lie around in the notebook are two different things.
"""


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        v = self.W_v(encodings_for_v)
        k = self.W_k(encodings_for_k)
        q = self.W_q(encodings_for_Q)
        s = q @ k.mT / k.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(mask, -1e9)
        return s.softmax(-1) @ v


# %% mistake="Attention" name="no_softmax"
"""Scores may be negative and need not sum to 1. What turns them into weights?"""


import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
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
        scores = torch.matmul(q, k.transpose(dim0=self.row_dim, dim1=self.col_dim))
        scaled_scores = scores / k.size(self.col_dim) ** 0.5
        if mask is not None:
            scaled_scores = scaled_scores.masked_fill(mask, -1e9)
        weights = scaled_scores
        return torch.matmul(weights, v)


# %% mistake="Attention" name="overwrites_inputs"
"""Look at what the caller's inputs hold after the call. Which line writes into them?"""


import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        if mask is not None:
            encodings_for_v[mask.all(dim=0)] = 0
        q = self.W_q(encodings_for_q)
        k = self.W_k(encodings_for_k)
        v = self.W_v(encodings_for_v)
        scores = torch.matmul(q, k.transpose(dim0=self.row_dim, dim1=self.col_dim))
        scaled_scores = scores / k.size(self.col_dim) ** 0.5
        if mask is not None:
            scaled_scores = scaled_scores.masked_fill(mask, -1e9)
        weights = torch.softmax(scaled_scores, dim=self.col_dim)
        return torch.matmul(weights, v)


# %% mistake="Attention" name="renamed_parameter"
"""Compare the names of the arguments with those in the description, letter by letter: other code passes
them by name.
"""


import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, encodings_for_Q, encodings_for_k, encodings_for_v, mask=None):
        q = self.W_q(encodings_for_Q)
        k = self.W_k(encodings_for_k)
        v = self.W_v(encodings_for_v)
        scores = torch.matmul(q, k.transpose(dim0=self.row_dim, dim1=self.col_dim))
        scaled_scores = scores / k.size(self.col_dim) ** 0.5
        if mask is not None:
            scaled_scores = scaled_scores.masked_fill(mask, -1e9)
        weights = torch.softmax(scaled_scores, dim=self.col_dim)
        return torch.matmul(weights, v)


# %% mistake="Attention" name="softmax_over_queries"
"""Each query has a budget of 1 to spend over the keys. In the table of scores, which dimension counts
keys?
"""


import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
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
        scores = torch.matmul(q, k.transpose(dim0=self.row_dim, dim1=self.col_dim))
        scaled_scores = scores / k.size(self.col_dim) ** 0.5
        if mask is not None:
            scaled_scores = scaled_scores.masked_fill(mask, -1e9)
        weights = torch.softmax(scaled_scores, dim=self.row_dim)
        return torch.matmul(weights, v)


# %% exception="Attention"
"""Tokens and matrices have two dimensions."""
misconceptions = [
    "all_dimensions_reversed",
    "first_two_dimensions",
    "softmax_over_dim_1",
]


# %% mistake="padding_mask" name="inverted"
"""Read your mask aloud for a sentence of length 2. Does True stand where words are, or where padding is?"""
edit = "torch.arange(M, device=L.device) >= X => torch.arange(M) < X"


# %% mistake="padding_mask" name="longest_in_batch"
"""How wide is your mask when even the longest sentence is shorter than max_length?"""
edit = "torch.arange(M, device=L.device) => torch.arange(int(L.max()))"


# %% mistake="padding_mask" name="negative_slice"
"""Counting from the end works as long as something is left to pad. What does [-0:] select?"""


import torch


def padding_mask(lengths, max_length):
    mask = torch.zeros(len(lengths), max_length, dtype=torch.bool)
    for row, length in enumerate(lengths.tolist()):
        mask[row, -(max_length - length) :] = True
    return mask


# %% mistake="padding_mask" name="not_boolean"
"""Of which type must a mask be, so that masked_fill takes it and ~ inverts it?"""
edit = """
torch.arange(M, device=L.device) >= L.unsqueeze(1)
=>
(torch.arange(M) >= L.unsqueeze(1)).float()
"""


# %% mistake="padding_mask" name="one_too_few"
"""Positions count from 0. At which position does the padding of a sentence of length 2 begin?"""
edit = "torch.arange(M, device=L.device) >= X => torch.arange(M) > X"


# %% mistake="padding_mask" name="one_too_many"
"""Is the last word of each sentence still visible? A sentence of length 2 has words at positions 0 and 1."""
edit = """
torch.arange(M, device=L.device) >= L.unsqueeze(1)
=>
torch.arange(M) >= L.unsqueeze(1) - 1
"""


# %% mistake="padding_mask" name="overwrites_inputs"
"""Look at what the caller's lengths hold after the call. What does -= do to a tensor?"""


import torch


def padding_mask(lengths, max_length):
    lengths -= 1
    return torch.arange(max_length) > lengths.unsqueeze(1)


# %% mistake="padding_mask" name="padded_in_front"
"""Padding follows the words. On which side does your mask hide?"""
edit = """
torch.arange(M, device=L.device) >= L.unsqueeze(1)
=>
torch.arange(M) < M - L.unsqueeze(1)
"""


# %% mistake="padding_mask" name="small_integers"
"""Try a sentence of three hundred words. How large a number can each of your tensors hold?"""
edit = "L.unsqueeze(1) => L.to(torch.uint8).unsqueeze(1)"


# %% exception="padding_mask"
"""No gradient flows through a boolean."""
edits = ["X >= Y => (X >= Y).detach()"]


# %% exception="padding_mask"
"""Whole numbers have no gradient."""
misconceptions = ["detached"]


# %% mistake="CrossAttention" name="all_dimensions_reversed"
"""Only the last two dimensions of the keys change places. Where does your batch dimension end up?"""


import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        queries = self.W_query(x)
        keys = self.W_key(context)
        values = self.W_value(context)
        scores = queries @ keys.permute(2, 1, 0)
        scores = scores / keys.shape[-1] ** 0.5
        if mask is not None:
            if mask.dim() == 2:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        return weights @ values


# %% mistake="CrossAttention" name="batch_flattened"
"""Each sequence has its own context. Can a query of one sequence see tokens of another?"""


import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        queries = self.W_query(x)
        keys = self.W_key(context)
        values = self.W_value(context)
        batch, length, size = keys.shape
        keys = keys.reshape(1, batch * length, size).expand(batch, -1, -1)
        values = values.reshape(1, batch * length, size).expand(batch, -1, -1)
        scores = queries @ keys.transpose(1, 2)
        scores = scores / keys.shape[-1] ** 0.5
        if mask is not None:
            if mask.dim() == 2:
                mask = mask.reshape(1, 1, -1)
            scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        return weights @ values


# %% mistake="CrossAttention" name="keys_of_x"
"""One side asks, the other answers. From which side come the keys, and how wide are its tokens?"""


import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(context)
        scores = queries @ keys.transpose(1, 2)
        scores = scores / keys.shape[-1] ** 0.5
        if mask is not None:
            if mask.dim() == 2:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        return weights @ values


# %% mistake="CrossAttention" name="kind_of_mask_by_size"
"""Let there be as many queries as context tokens. What tells a mask (B, n, m) from a mask (B, m),
whatever the sizes are?
"""


import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        queries = self.W_query(x)
        keys = self.W_key(context)
        values = self.W_value(context)
        scores = queries @ keys.transpose(1, 2) / keys.shape[-1] ** 0.5
        if mask is not None:
            if mask.shape[1] == keys.shape[1]:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        return weights @ values


# %% mistake="CrossAttention" name="kind_of_mask_by_size__of_queries"
"""Let there be as many queries as context tokens. What tells a mask (B, n, m) from a mask (B, m),
whatever the sizes are?
"""


import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        queries = self.W_query(x)
        keys = self.W_key(context)
        values = self.W_value(context)
        scores = queries @ keys.transpose(1, 2) / keys.shape[-1] ** 0.5
        if mask is not None:
            if mask.shape[1] != queries.shape[1]:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        return weights @ values


# %% mistake="CrossAttention" name="mask_of_first_sequence"
"""Each sequence has its own length. Whose row of the mask do the others get?"""


import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        queries = self.W_query(x)
        keys = self.W_key(context)
        values = self.W_value(context)
        scores = queries @ keys.transpose(1, 2)
        scores = scores / keys.shape[-1] ** 0.5
        if mask is not None:
            if mask.dim() == 2:
                mask = mask[0]
            scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        return weights @ values


# %% mistake="CrossAttention" name="mask_of_sequences_as_queries"
"""Write the shapes of scores and mask under each other, aligned on the right. Do sequences meet sequences?"""


import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        queries = self.W_query(x)
        keys = self.W_key(context)
        values = self.W_value(context)
        scores = queries @ keys.transpose(1, 2)
        scores = scores / keys.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        return weights @ values


# %% mistake="CrossAttention" name="no_softmax"
"""Scores may be negative and need not sum to 1. What turns them into weights?"""


import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        queries = self.W_query(x)
        keys = self.W_key(context)
        values = self.W_value(context)
        scores = queries @ keys.transpose(1, 2)
        scores = scores / keys.shape[-1] ** 0.5
        if mask is not None:
            if mask.dim() == 2:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask, -torch.inf)
        weights = scores.masked_fill(scores == -torch.inf, 0)
        return weights @ values


# %% mistake="CrossAttention" name="overwrites_inputs"
"""Look at what the caller's inputs hold after the call. Which line writes into them?"""


import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        if mask is not None and mask.dim() == 2:
            context.masked_fill_(mask.unsqueeze(-1), 0)
        queries = self.W_query(x)
        keys = self.W_key(context)
        values = self.W_value(context)
        scores = queries @ keys.transpose(1, 2)
        scores = scores / keys.shape[-1] ** 0.5
        if mask is not None:
            if mask.dim() == 2:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        return weights @ values


# %% mistake="CrossAttention" name="padding_mask_only"
"""Two kinds of mask are allowed. What happens to one that has all three dimensions already?"""


import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        queries = self.W_query(x)
        keys = self.W_key(context)
        values = self.W_value(context)
        scores = queries @ keys.transpose(1, 2)
        scores = scores / keys.shape[-1] ** 0.5
        if mask is not None:
            mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        return weights @ values


# %% mistake="CrossAttention" name="padding_vectors_zeroed"
"""What score does a vector of zeros get, and what weight follows from that score? Also look at what
became of the caller's context.
"""


import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, d_query, d_context, d_out, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_query, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_context, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_context, d_out, bias=qkv_bias)

    def forward(self, x, context, mask=None):
        if mask is not None and mask.dim() == 2:
            context[mask] = 0
        queries = self.W_query(x)
        keys = self.W_key(context)
        values = self.W_value(context)
        scores = queries @ keys.transpose(1, 2)
        scores = scores / keys.shape[-1] ** 0.5
        if mask is not None and mask.dim() == 3:
            scores = scores.masked_fill(mask, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        return weights @ values
