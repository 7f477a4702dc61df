# %% accepted="by_data"
"""The weights are written into .data, in a loop over the three names."""


def copy_weights(source, target):
    for name in ["W_query", "W_key", "W_value"]:
        getattr(target, name).data = (
            getattr(source, name).weight.data.transpose(0, 1).clone()
        )
    return target


# %% accepted="by_einsum"
"""Every product by einsum, the softmax by hand with its maximum subtracted, d_out as an attribute."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Parameter(torch.rand(d_in, d_out), requires_grad=True)
        self.W_key = nn.Parameter(torch.rand(d_in, d_out), requires_grad=True)
        self.W_value = nn.Parameter(torch.rand(d_in, d_out), requires_grad=True)

    def forward(self, x):
        queries = torch.einsum("ni,io->no", x, self.W_query)
        keys = torch.einsum("ni,io->no", x, self.W_key)
        values = torch.einsum("ni,io->no", x, self.W_value)
        scores = torch.einsum("no,mo->nm", queries, keys) * self.d_out**-0.5
        powers = (scores - scores.amax(dim=1, keepdim=True)).exp()
        return torch.einsum(
            "nm,mo->no", powers / powers.sum(dim=1, keepdim=True), values
        )


class SelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q, self.W_k, self.W_v = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(3)
        )

    def forward(self, token_encodings):
        q, k, v = (
            self.W_q(token_encodings),
            self.W_k(token_encodings),
            self.W_v(token_encodings),
        )
        scores = torch.einsum("...nd,...md->...nm", q, k) / q.shape[-1] ** 0.5
        return torch.einsum("...nm,...md->...nd", scores.softmax(-1), v)


# %% accepted="by_state_dict"
"""The weights are copied with a state_dict."""


def copy_weights(source, target):
    weights = {
        name.removesuffix(".weight"): weight.t()
        for name, weight in source.state_dict().items()
    }
    target.load_state_dict(weights)
    return target


# %% accepted="extra_buffer"
"""The scale as a buffer, the weights kept for pictures, layers set in a loop, dimensions from the end."""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            setattr(self, name, nn.Linear(d_in, d_out, bias=qkv_bias))
        self.register_buffer("root", torch.tensor(d_out**0.5, dtype=torch.float64))

    def forward(self, x):
        scores = self.W_query(x) @ self.W_key(x).mT / self.root
        self.last_weights = torch.softmax(scores, dim=-1)
        return self.last_weights @ self.W_value(x)


class SelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.d_model = d_model

    def forward(self, token_encodings):
        x = token_encodings
        scores = (
            self.W_q(x)
            .matmul(self.W_k(x).mT)
            .div(torch.tensor(self.d_model).double().sqrt())
        )
        return scores.softmax(dim=-1).matmul(self.W_v(x))


# %% accepted="fused_product"
"""One product for all three projections, from the named parameters; the library's attention; any batch.

One large product uses a processor better than three small ones, so large models are written in this way.
The three matrices are still separate parameters.
"""

import torch.nn.functional as F


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        joint = torch.cat([self.W_query, self.W_key, self.W_value], dim=1)
        return F.scaled_dot_product_attention(*(x @ joint).chunk(3, dim=-1))


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, qkv_bias)

    def forward(self, x):
        layers = (self.W_query, self.W_key, self.W_value)
        weight = torch.cat([layer.weight for layer in layers])
        bias = (
            torch.cat([layer.bias for layer in layers])
            if self.W_query.bias is not None
            else None
        )
        return F.scaled_dot_product_attention(
            *F.linear(x, weight, bias).chunk(3, dim=-1)
        )


# %% accepted="new_parameters"
"""The target gets new parameters, cloned from the source's weights, instead of new values in the old ones."""


def copy_weights(source, target):
    target.W_query = nn.Parameter(source.W_query.weight.T.clone())
    target.W_key = nn.Parameter(source.W_key.weight.T.clone())
    target.W_value = nn.Parameter(source.W_value.weight.T.clone())
    return target


# %% accepted="token_by_token"
"""Loops over tokens, rows stacked at the end; scaling of the queries instead of the scores.

`look` computes the attention of one token, and both classes call it. It is slow, but easy to follow.
"""


def look(query, keys, values):
    scores = torch.stack([torch.dot(query, key) for key in keys])
    weights = torch.softmax(scores, dim=0)
    return sum(weight * value for weight, value in zip(weights, values, strict=True))


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries = x @ self.W_query / self.W_query.shape[1] ** 0.5
        keys, values = x @ self.W_key, x @ self.W_value
        return torch.stack([look(query, keys, values) for query in queries])


class SelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(in_features=d_model, out_features=d_model, bias=False)
        self.W_k = nn.Linear(in_features=d_model, out_features=d_model, bias=False)
        self.W_v = nn.Linear(in_features=d_model, out_features=d_model, bias=False)

    def forward(self, token_encodings):
        rows = []
        for token in token_encodings:
            query = self.W_q(token) / len(token) ** 0.5
            rows.append(
                look(query, self.W_k(token_encodings), self.W_v(token_encodings))
            )
        return torch.stack(rows)
