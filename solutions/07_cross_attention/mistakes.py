# %% mistake="Attention" name="causal_by_default"
"""Without a mask, nothing should be hidden. What does your class hide if `mask` is None?"""

edit = """
if M is not None:
    S = S.masked_fill(M, -torch.inf)
=>
if M is None:
    M = torch.ones_like(S, dtype=torch.bool).triu(1)
S = S.masked_fill(M, -torch.inf)
"""


# %% mistake="Attention" name="documented_output"
"""Your class always returns the result of the example. It must compute the result from its inputs."""


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
"""Each score should be the dot product of a query and a key. Write down the shapes of the two tensors that
you multiply, for n queries and m keys. Do the inner sizes fit?
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
"""Compare the names in the signature with the names in the body of `forward`, letter by letter. The body
reads a variable of the notebook instead of an argument.
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
"""Compare the names in the signature with the names in the body of `forward`, letter by letter. The body
reads a variable that is not an argument.
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
"""Scores may be negative and need not sum to 1. Which function turns scores into weights?"""


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
"""After the call, the caller's inputs have changed. Which line writes into them?"""


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
"""Other code passes the arguments by name. Compare the names of your arguments with the description,
letter by letter.
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
"""The weights of each query should sum to 1. Which dimension of the scores counts the keys?"""


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
"""All tensors have two dimensions, so dimension 1 is the last, and reversing all dimensions is right."""
misconceptions = [
    "all_dimensions_reversed",
    "first_two_dimensions",
    "softmax_over_dim_1",
]


# %% mistake="padding_mask" name="inverted"
"""In a sentence of length 2, is your mask True for the words, or for the padding?"""
edit = "torch.arange(M, device=L.device) >= X => torch.arange(M) < X"


# %% mistake="padding_mask" name="longest_in_batch"
"""How many columns does your mask have if all sentences are shorter than max_length?"""
edit = "torch.arange(M, device=L.device) => torch.arange(int(L.max()))"


# %% mistake="padding_mask" name="negative_slice"
"""Counting from the end fails if a sentence has no padding. What does the slice [-0:] select?"""


import torch


def padding_mask(lengths, max_length):
    mask = torch.zeros(len(lengths), max_length, dtype=torch.bool)
    for row, length in enumerate(lengths.tolist()):
        mask[row, -(max_length - length) :] = True
    return mask


# %% mistake="padding_mask" name="not_boolean"
"""Which dtype must a mask have, so that masked_fill accepts it and ~ inverts it?"""
edit = """
torch.arange(M, device=L.device) >= L.unsqueeze(1)
=>
(torch.arange(M) >= L.unsqueeze(1)).float()
"""


# %% mistake="padding_mask" name="one_too_few"
"""Positions are counted from 0. At which position does the padding of a sentence of length 2 start?"""
edit = "torch.arange(M, device=L.device) >= X => torch.arange(M) > X"


# %% mistake="padding_mask" name="one_too_many"
"""Is the last word of each sentence still visible? A sentence of length 2 has words at positions 0 and 1."""
edit = """
torch.arange(M, device=L.device) >= L.unsqueeze(1)
=>
torch.arange(M) >= L.unsqueeze(1) - 1
"""


# %% mistake="padding_mask" name="overwrites_inputs"
"""After the call, the caller's `lengths` have changed. What does -= do to a tensor?"""


import torch


def padding_mask(lengths, max_length):
    lengths -= 1
    return torch.arange(max_length) > lengths.unsqueeze(1)


# %% mistake="padding_mask" name="padded_in_front"
"""The padding comes after the words. Which end of the sentence does your mask hide?"""
edit = """
torch.arange(M, device=L.device) >= L.unsqueeze(1)
=>
torch.arange(M) < M - L.unsqueeze(1)
"""


# %% mistake="padding_mask" name="small_integers"
"""Try a sentence of three hundred words. What is the largest number that the dtype of each integer tensor
in your code can store?
"""
edit = "L.unsqueeze(1) => L.to(torch.uint8).unsqueeze(1)"


# %% exception="padding_mask"
"""A boolean mask has no gradient, so `detach` changes nothing."""
edits = ["X >= Y => (X >= Y).detach()"]


# %% exception="padding_mask"
"""Lengths are integers without a gradient, so `detach` changes nothing."""
misconceptions = ["detached"]


# %% mistake="CrossAttention" name="all_dimensions_reversed"
"""Your code reverses all dimensions of the keys. Only the last two should be swapped."""


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
"""Each sequence has its own context. Can a query see the context of another sequence in your code?"""


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
"""The keys are computed from x. Which argument of `forward` should they be computed from?"""


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
"""Call your module with as many queries as context tokens, so that n equals m. How does your code then
distinguish a mask (B, n, m) from a mask (B, m)?
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
"""Call your module with as many queries as context tokens, so that n equals m. How does your code then
distinguish a mask (B, n, m) from a mask (B, m)?
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
"""Each sequence has its own row of the mask. Which row does your code use for the second sequence?"""


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
"""Broadcasting aligns a mask (B, m) with the scores (B, n, m) from the right. Which size of the scores is
then compared with the B of the mask?
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
"""Scores may be negative and need not sum to 1. Which function turns scores into weights?"""


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
"""After the call, the caller's inputs have changed. Which line writes into them?"""


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
"""A mask may have two or three dimensions. What does your code do with a mask of three dimensions?"""


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
"""Your code sets hidden tokens of `context` to zeros. Which score does such a token get? Is its weight 0
after the softmax? Your code also changes the caller's `context`.
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


# %% exception="CrossAttention"
"""The scores of the visible check are close together, so a small number in the denominator changes little."""
shares = ["added_to_the_sum"]
