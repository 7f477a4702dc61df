# %% mistake="SelfAttention_v1" name="not_scaled+softmax_over_queries__unscaled_columns"
"""The scores are not divided by the root of d_out and the softmax runs over dimension 0."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x: Tensor) -> Tensor:
        scores = (x @ self.W_query) @ (x @ self.W_key).T
        attention = torch.softmax(scores, dim=0)
        return attention @ (x @ self.W_value)


# %% mistake="SelfAttention_v1" name="not_scaled"
"""einsum everywhere, parameters made from a size."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        shape = (d_in, d_out)
        self.W_query = nn.Parameter(torch.rand(size=shape))
        self.W_key = nn.Parameter(torch.rand(size=shape))
        self.W_value = nn.Parameter(torch.rand(size=shape))

    def forward(self, x):
        q = torch.einsum("...i,io->...o", x, self.W_query)
        k = torch.einsum("...i,io->...o", x, self.W_key)
        v = torch.einsum("...i,io->...o", x, self.W_value)
        att = torch.einsum("...qo,...ko->...qk", q, k).softmax(dim=-1)
        return torch.einsum("...qk,...ko->...qo", att, v)


# %% mistake="SelfAttention_v1" name="other_order__value_made_first"
"""The matrices are drawn in the order value, key, query."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x: Tensor) -> Tensor:
        return scaled_dot_product_attention(
            x @ self.W_query, x @ self.W_key, x @ self.W_value
        )


# %% mistake="SelfAttention_v1" name="parameters_turned__matrices_the_other_way"
"""The matrices have the shape (d_out, d_in) instead of (d_in, d_out)."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_out, d_in))
        self.W_key = nn.Parameter(torch.rand(d_out, d_in))
        self.W_value = nn.Parameter(torch.rand(d_out, d_in))

    def forward(self, x: Tensor) -> Tensor:
        q = x @ self.W_query.T
        k = x @ self.W_key.T
        v = x @ self.W_value.T
        return nn.functional.scaled_dot_product_attention(q, k, v)


# %% mistake="SelfAttention_v1" name="plain_tensors"
"""torch.rand with requires_grad, in a loop with setattr, for nn.Parameter."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        for name in ["W_query", "W_key", "W_value"]:
            setattr(self, name, torch.rand(d_in, d_out, requires_grad=True))

    def forward(self, x):
        q = x @ self.W_query
        k = x @ self.W_key
        weights = torch.softmax(q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5, dim=-1)
        return weights @ (x @ self.W_value)


# %% mistake="SelfAttention_v1" name="plain_tensors__plain_tensors"
"""The three matrices are plain tensors, not parameters, so they are not trained."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = torch.rand(d_in, d_out)
        self.W_key = torch.rand(d_in, d_out)
        self.W_value = torch.rand(d_in, d_out)

    def forward(self, x: Tensor) -> Tensor:
        keys = x @ self.W_key
        queries = x @ self.W_query
        values = x @ self.W_value
        attn_scores = queries @ keys.T
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        return attn_weights @ values


# %% mistake="SelfAttention_v1" name="queries_and_keys_swapped"
"""The names are right, the scores are transposed before the softmax."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.d_out = d_out
        for name in ("W_query", "W_key", "W_value"):
            setattr(self, name, nn.Parameter(torch.rand(d_in, d_out)))

    def forward(self, x):
        queries, keys, values = x @ self.W_query, x @ self.W_key, x @ self.W_value
        attn_scores = torch.matmul(keys, torch.transpose(queries, -1, -2))
        attn_weights = torch.softmax(attn_scores / self.d_out**0.5, dim=-1)
        return torch.matmul(attn_weights, values)


# %% mistake="SelfAttention_v1" name="randn"
"""A parameter made empty and filled with normal numbers."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.empty(d_in, d_out).normal_())
        self.W_key = nn.Parameter(torch.empty(d_in, d_out).normal_())
        self.W_value = nn.Parameter(torch.empty(d_in, d_out).normal_())

    def forward(self, x):
        q, k, v = (x @ w for w in (self.W_query, self.W_key, self.W_value))
        return torch.nn.functional.scaled_dot_product_attention(q, k, v)


# %% mistake="SelfAttention_v1" name="randn__randn"
"""The matrices are drawn with torch.randn instead of torch.rand."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.randn(d_in, d_out))
        self.W_key = nn.Parameter(torch.randn(d_in, d_out))
        self.W_value = nn.Parameter(torch.randn(d_in, d_out))

    def forward(self, x: Tensor) -> Tensor:
        queries, keys, values = (
            x @ w for w in (self.W_query, self.W_key, self.W_value)
        )
        weights = attention_weights(queries, keys)
        return weights @ values


# %% mistake="SelfAttention_v1" name="returns_weights"
"""A helper method for the weights, whose result is returned."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def weigh(self, x):
        dots = torch.einsum("...ia,...ja->...ij", x @ self.W_query, x @ self.W_key)
        return torch.softmax(dots / self.W_key.shape[1] ** 0.5, -1)

    def forward(self, x):
        w = self.weigh(x)
        out = w @ (x @ self.W_value)
        return w


# %% mistake="SelfAttention_v1" name="scaled_by_input_width"
"""Keeps d_in and scales the queries with math."""


import math


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.scale = 1 / math.sqrt(d_in)
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        q = x.matmul(self.W_query) * self.scale
        k = x.matmul(self.W_key)
        v = x.matmul(self.W_value)
        return torch.einsum("...nm,...md->...nd", (q @ k.mT).softmax(-1), v)


# %% mistake="SelfAttention_v1" name="scaled_by_input_width__root_of_d_in"
"""The scores are divided by the root of d_in, the width of the tokens, instead of the width of the keys."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.d_in = d_in
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.d_in)
        return torch.matmul(nn.functional.softmax(scores, dim=-1), v)


# %% mistake="SelfAttention_v1" name="seed_in_constructor+values_from_keys+layer_without_a_gradient__own_seed_mixes_keys"
"""The class sets a seed of its own and the keys are mixed instead of the values."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        torch.manual_seed(123)
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x: Tensor) -> Tensor:
        queries = x @ self.W_query
        keys = x @ self.W_key
        values = x @ self.W_value
        attn_weights = torch.softmax(
            queries @ keys.transpose(-2, -1) / self.W_key.shape[1] ** 0.5, dim=-1
        )
        return attn_weights @ keys


# %% mistake="SelfAttention_v2" name="bias_always__bias_not_for_the_value"
"""The layer for the values always has a bias, whatever qkv_bias says."""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out)

    def forward(self, x: Tensor) -> Tensor:
        return scaled_dot_product_attention(
            self.W_query(x), self.W_key(x), self.W_value(x)
        )


# %% mistake="SelfAttention_v2" name="bias_by_default+not_scaled__bias_by_default_unscaled"
"""The layers have a bias by default and the scores are not divided by the root of d_out."""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = True) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x: Tensor) -> Tensor:
        scores = torch.einsum("...id,...jd->...ij", self.W_query(x), self.W_key(x))
        weights = scores.softmax(-1)
        return torch.einsum("...ij,...jd->...id", weights, self.W_value(x))


# %% mistake="SelfAttention_v2" name="bias_never"
"""Takes the flag, keeps it and forgets it."""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.qkv_bias = qkv_bias
        self.d_out = d_out

        def make():
            return nn.Linear(d_in, d_out, bias=False)

        self.W_query, self.W_key, self.W_value = make(), make(), make()

    def forward(self, x):
        att = self.W_query(x).matmul(self.W_key(x).transpose(-1, -2)) * self.d_out**-0.5
        return att.softmax(-1).matmul(self.W_value(x))


# %% mistake="SelfAttention_v2" name="bias_never__bias_ignored"
"""The argument qkv_bias is ignored, the layers never have a bias."""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        scores = queries @ keys.transpose(-2, -1)
        return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values


# %% mistake="SelfAttention_v2" name="not_projected__mixes_tokens"
"""The tokens themselves are mixed instead of their values, so W_value has no part in the output."""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x: Tensor) -> Tensor:
        weights = attention_weights(self.W_query(x), self.W_key(x))
        return weights @ x


# %% mistake="SelfAttention_v2" name="not_scaled"
"""The layers are made with the keyword bias and the scores by a method of its own."""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(in_features=d_in, out_features=d_out, bias=qkv_bias)
        self.W_key = nn.Linear(in_features=d_in, out_features=d_out, bias=qkv_bias)
        self.W_value = nn.Linear(in_features=d_in, out_features=d_out, bias=qkv_bias)

    def attend(self, x):
        scores = torch.einsum("...nd,...md->...nm", self.W_query(x), self.W_key(x))
        return nn.functional.softmax(scores, dim=-1)

    def forward(self, x):
        return torch.matmul(self.attend(x), self.W_value(x))


# %% mistake="SelfAttention_v2" name="scale_inverted"
"""Multiplies with the root."""


import math


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.root = math.sqrt(d_out)

    def forward(self, x):
        att = torch.matmul(self.W_query(x) * self.root, self.W_key(x).transpose(-2, -1))
        return torch.matmul(nn.functional.softmax(att, dim=-1), self.W_value(x))


# %% mistake="SelfAttention_v2" name="scaled_by_input_width+other_order__key_first_root_of_d_in"
"""The layers are made in the order key, query, value and the scores are divided by the root of d_in instead
of d_out.
"""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x: Tensor) -> Tensor:
        k, q, v = self.W_key(x), self.W_query(x), self.W_value(x)
        C = x.shape[-1]
        wei = q @ k.transpose(-2, -1) * C**-0.5
        wei = torch.softmax(wei, dim=-1)
        return wei @ v


# %% mistake="SelfAttention_v2" name="softmax_over_queries"
"""An nn.Softmax over the second last dimension, kept as a layer."""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, qkv_bias)
        self.soft = nn.Softmax(dim=-2)

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        alpha = self.soft(q @ k.mT / q.size(-1) ** 0.5)
        return alpha @ v


# %% mistake="SelfAttention_v2" name="softmax_over_queries__columns"
"""The softmax runs over the queries instead of the keys, so columns of the weights sum to 1."""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        attn = nn.Softmax(dim=-2)(q @ k.mT * self.d_out**-0.5)
        return attn @ v


# %% mistake="SelfAttention_v2" name="unknown_output_layer_norm"
"""Normalises the result at the end."""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        y = torch.softmax(q @ k.mT / k.size(-1) ** 0.5, dim=-1) @ v
        return nn.functional.layer_norm(y, y.shape[-1:])


# %% mistake="SelfAttention_v2" name="values_from_keys"
"""The values are the keys, passed on as one variable."""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super(SelfAttention_v2, self).__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        query, key = self.W_query(x), self.W_key(x)
        value = key
        return nn.functional.scaled_dot_product_attention(query, key, value)


# %% mistake="copy_weights" name="a_copy_is_changed__deep_copy"
"""The weights go into a copy of the target, so the target itself stays as it was."""


def copy_weights(source: nn.Module, target: nn.Module) -> nn.Module:
    import copy

    result = copy.deepcopy(target)
    with torch.no_grad():
        result.W_query.copy_(source.W_query.weight.T)
        result.W_key.copy_(source.W_key.weight.T)
        result.W_value.copy_(source.W_value.weight.T)
    return result


# %% mistake="copy_weights" name="frozen__frozen"
"""The copied parameters need no gradient, so they cannot be trained afterwards."""


def copy_weights(source: nn.Module, target: nn.Module) -> nn.Module:
    for name, layer in source.named_children():
        setattr(
            target, name, nn.Parameter(layer.weight.t().clone(), requires_grad=False)
        )
    return target


# %% mistake="copy_weights" name="memory_shared"
"""Sets .data to the transposed weight without a copy, name by name."""


def copy_weights(source, target):
    target.W_query.data = source.W_query.weight.data.t()
    target.W_key.data = source.W_key.weight.data.t()
    target.W_value.data = source.W_value.weight.data.t()
    return target


# %% mistake="copy_weights" name="memory_shared__shared_memory"
"""The parameters share their memory with the source, so training the target changes the source."""


def copy_weights(source: nn.Module, target: nn.Module) -> nn.Module:
    for name in ("W_query", "W_key", "W_value"):
        layer = getattr(source, name)
        getattr(target, name).data = layer.weight.data.T
    return target


# %% mistake="copy_weights" name="not_transposed"
"""Assigns nn.Parameter objects with the weights as they are."""


def copy_weights(source, target):
    for name in ("W_query", "W_key", "W_value"):
        w = getattr(source, name).weight.detach().clone()
        setattr(target, name, nn.Parameter(w))
    return target


# %% mistake="copy_weights" name="not_transposed__not_transposed"
"""The weights are copied without being transposed, so the parameters get the shape (d_out, d_in)."""


def copy_weights(source: nn.Module, target: nn.Module) -> nn.Module:
    target.W_query = nn.Parameter(source.W_query.weight.detach().clone())
    target.W_key = nn.Parameter(source.W_key.weight.detach().clone())
    target.W_value = nn.Parameter(source.W_value.weight.detach().clone())
    return target


# %% mistake="copy_weights" name="one_forgotten__values_left_out"
"""Copies queries and keys only."""


def copy_weights(source, target):
    with torch.no_grad():
        target.W_query.copy_(source.W_query.weight.T)
        target.W_key.copy_(source.W_key.weight.T)
    return target


# %% mistake="copy_weights" name="returns_nothing__nothing_returned"
"""Nothing is returned instead of the target."""


def copy_weights(source: nn.Module, target: nn.Module) -> nn.Module:
    state = {
        f"{name}": layer.weight.data.T.contiguous()
        for name, layer in source.named_children()
    }
    target.load_state_dict(state)


# %% mistake="copy_weights" name="returns_the_source+one_forgotten__value_forgotten_source_returned"
"""W_value is not copied and the source is returned instead of the target."""


def copy_weights(source: nn.Module, target: nn.Module) -> nn.Module:
    with torch.no_grad():
        target.W_query.copy_(source.W_query.weight.transpose(0, 1))
        target.W_key.copy_(source.W_key.weight.transpose(0, 1))
    return source


# %% mistake="copy_weights" name="without_no_grad"
"""In-place copies in a loop, without any no_grad."""


def copy_weights(source, target):
    for key in ("W_query", "W_key", "W_value"):
        param = getattr(target, key)
        param.copy_(getattr(source, key).weight.T)
    return target


# %% mistake="SelfAttention" name="adds_the_tokens__residual"
"""The tokens themselves are added to the mixtures."""


class SelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings: Tensor) -> Tensor:
        x = token_encodings
        mixed = scaled_dot_product_attention(self.W_q(x), self.W_k(x), self.W_v(x))
        return x + mixed


# %% mistake="SelfAttention" name="bias_left_on+not_scaled__biased_unscaled"
"""The layers have a bias and the scores are not divided by the root of the width."""


class SelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(in_features=d_model, out_features=d_model)
        self.W_k = nn.Linear(in_features=d_model, out_features=d_model)
        self.W_v = nn.Linear(in_features=d_model, out_features=d_model)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings: Tensor) -> Tensor:
        q = self.W_q(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        sims = torch.matmul(q, k.transpose(self.row_dim, self.col_dim))
        percents = torch.softmax(sims, dim=self.col_dim)
        return torch.matmul(percents, v)


# %% mistake="SelfAttention" name="bias_left_on"
"""Layers in a loop with add_module, and the defaults of nn.Linear."""


class SelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        for letter in "qkv":
            self.add_module("W_" + letter, nn.Linear(d_model, d_model))
        self.r, self.c = row_dim, col_dim

    def forward(self, token_encodings):
        x = token_encodings
        energy = self.W_q(x) @ self.W_k(x).transpose(self.r, self.c)
        return torch.softmax(energy / x.size(self.c) ** 0.5, self.c) @ self.W_v(x)


# %% mistake="SelfAttention" name="dropout_where_none_belongs__dropout"
"""A dropout of 0.1 is applied to the weights, so the output is random while training."""


class SelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.dropout = nn.Dropout(0.1)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings: Tensor) -> Tensor:
        q, k, v = (
            self.W_q(token_encodings),
            self.W_k(token_encodings),
            self.W_v(token_encodings),
        )
        att = (q @ k.transpose(self.row_dim, self.col_dim)) * (
            1.0 / math.sqrt(k.size(self.col_dim))
        )
        att = nn.functional.softmax(att, dim=self.col_dim)
        att = self.dropout(att)
        return att @ v


# %% mistake="SelfAttention" name="keys_from_queries+causal_by_default__causal_keys_from_queries"
"""Each token sees only itself with the tokens before it and the keys are made with W_q instead of W_k."""


class SelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.row_dim = row_dim
        self.col_dim = col_dim
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, token_encodings: Tensor) -> Tensor:
        q = self.W_q(token_encodings)
        k = self.W_q(token_encodings)
        v = self.W_v(token_encodings)
        return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


# %% mistake="SelfAttention" name="projected_twice"
"""The values go through their layer a second time."""


class SelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim, self.col_dim = row_dim, col_dim

    def forward(self, token_encodings):
        q, v = self.W_q(token_encodings), self.W_v(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(v)
        att = q @ k.transpose(self.row_dim, self.col_dim) / k.size(self.col_dim) ** 0.5
        return att.softmax(self.col_dim) @ v


# %% mistake="SelfAttention" name="scaled_by_length"
"""Scales by the root of the number of tokens, read from the scores."""


class SelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim, self.col_dim = row_dim, col_dim

    def forward(self, token_encodings):
        q = self.W_q(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        sims = torch.matmul(q, k.transpose(dim0=self.row_dim, dim1=self.col_dim))
        scaled = (
            sims / torch.tensor(float(sims.size(self.row_dim)), dtype=sims.dtype).sqrt()
        )
        return torch.matmul(nn.functional.softmax(scaled, dim=self.col_dim), v)


# %% mistake="SelfAttention" name="scaled_by_length__root_of_token_count"
"""The scores are divided by the root of the number of tokens instead of the width of the keys."""


class SelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings: Tensor) -> Tensor:
        q = self.W_q(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        sims = torch.matmul(q, k.transpose(dim0=self.row_dim, dim1=self.col_dim))
        scaled_sims = sims / torch.tensor(k.size(self.row_dim) ** 0.5)
        attention_percents = nn.functional.softmax(scaled_sims, dim=self.col_dim)
        return torch.matmul(attention_percents, v)


# %% mistake="SelfAttention" name="scaled_without_root"
"""Divides the keys by their size."""


class SelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.d = d_model

    def forward(self, token_encodings):
        k = self.W_k(token_encodings) / self.d
        w = torch.softmax(self.W_q(token_encodings) @ k.mT, dim=-1)
        return w @ self.W_v(token_encodings)


# %% mistake="SelfAttention" name="softmax_over_queries__softmax_along_rows"
"""The softmax runs along row_dim instead of col_dim, so columns sum to 1."""


class SelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.row_dim, self.col_dim = row_dim, col_dim
        self.W_q, self.W_k, self.W_v = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(3)
        )

    def forward(self, token_encodings: Tensor) -> Tensor:
        q, k, v = (layer(token_encodings) for layer in (self.W_q, self.W_k, self.W_v))
        scores = q @ k.transpose(self.row_dim, self.col_dim)
        scaled = scores / k.size(self.col_dim) ** 0.5
        return torch.softmax(scaled, dim=self.row_dim) @ v


# %% mistake="SelfAttention" name="unknown_scores_squared"
"""Squares the scores."""


class SelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, token_encodings):
        q, k, v = (
            self.W_q(token_encodings),
            self.W_k(token_encodings),
            self.W_v(token_encodings),
        )
        scores = (q @ k.mT) ** 2 / k.size(-1) ** 0.5
        return torch.softmax(scores, dim=-1) @ v
