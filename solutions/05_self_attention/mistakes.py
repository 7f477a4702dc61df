# %% mistake="SelfAttention_v1" name="documented_tensor"
"""Your `forward` always returns the numbers of the lesson. It must compute them from x."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        return torch.tensor(
            [
                [0.2996, 0.8053],
                [0.3061, 0.8210],
                [0.3058, 0.8203],
                [0.2948, 0.7939],
                [0.2927, 0.7891],
                [0.2990, 0.8040],
            ]
        )


# %% mistake="SelfAttention_v1" name="forward_misnamed"
"""When you call a module, torch calls its method `forward`. Is the name spelled correctly?"""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def foward(self, x):
        queries = x @ self.W_query
        keys = x @ self.W_key
        values = x @ self.W_value
        scores = queries @ keys.T
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values


# %% mistake="SelfAttention_v1" name="one_matrix"
"""All three names refer to the same matrix. How many parameters does your module have?"""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = self.W_query
        self.W_value = self.W_query

    def forward(self, x):
        queries = x @ self.W_query
        keys = x @ self.W_key
        values = x @ self.W_value
        scores = queries @ keys.T
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values


# %% mistake="SelfAttention_v1" name="reads_global_keys__undefined" error="NameError"
"""`forward` uses a variable from outside the class. Restart the kernel and
call the module with other tokens: which variable is it?
"""
edit = """
return scaled_dot_product_attention(X @ self.W_query, X @ self.W_key, X @ self.W_value)
=>
queries = X @ self.W_query
key = X @ self.W_key
return torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1) @ (X @ self.W_value)
"""


# %% mistake="SelfAttention_v1" name="scaled_by_input_width"
"""You divide by the root of the wrong size. A score is the sum of the products of the entries of a query
and a key: how many products are added?
"""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries = x @ self.W_query
        keys = x @ self.W_key
        values = x @ self.W_value
        scores = queries @ keys.T
        weights = torch.softmax(scores / x.shape[-1] ** 0.5, dim=-1)
        return weights @ values


# %% exception="SelfAttention_v1"
"""Tokens and matrices have two dimensions, so dimensions 0 and 1 are the last two."""
misconceptions = [
    "all_dimensions_reversed",
    "first_two_dimensions",
    "softmax_over_dim_1",
]


# %% mistake="SelfAttention_v2" name="bias_by_default"
"""By default, the layers should have no bias. Look at the default of `qkv_bias` in the signature of
`__init__`.
"""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=True):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(x)
        scores = queries @ keys.T
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values


# %% mistake="SelfAttention_v2" name="documented_tensor"
"""For the tokens of the lesson, your `forward` returns fixed numbers. It must compute its result from x and
the weights of the layers.
"""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        if x.shape == (6, 3) and abs(x[0, 0].item() - 0.43) < 1e-6:
            return torch.tensor(
                [
                    [-0.0739, 0.0713],
                    [-0.0748, 0.0703],
                    [-0.0749, 0.0702],
                    [-0.0760, 0.0685],
                    [-0.0763, 0.0679],
                    [-0.0754, 0.0693],
                ]
            )
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = torch.softmax(queries @ keys.mT / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values


# %% mistake="SelfAttention_v2" name="extra_layer"
"""The module has a layer that the exercise does not ask for. Which of your layers is not used in
`forward`?
"""
edit = """
self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
=>
self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
self.out_proj = nn.Linear(d_out, d_out)
"""


# %% mistake="SelfAttention_v2" name="layers_in_a_dict"
"""A module registers layers that are assigned to its attributes. It does not find layers in Python lists
and dicts.
"""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.layers = {
            name: nn.Linear(d_in, d_out, bias=qkv_bias)
            for name in ("W_query", "W_key", "W_value")
        }

    def forward(self, x):
        queries, keys, values = (layer(x) for layer in self.layers.values())
        weights = torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values


# %% mistake="SelfAttention_v2" name="overwrites_inputs"
"""After the call, x has changed. Which of your lines writes into it?"""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(x)
        x /= keys.shape[-1] ** 0.5
        scores = queries @ keys.T
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values


# %% mistake="SelfAttention_v2" name="returns_values"
"""Your last line returns the values. Which tensor should `forward` return?"""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(x)
        scores = queries @ keys.T
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
        return values


# %% mistake="SelfAttention_v2" name="scaled_by_input_width"
"""You divide by the root of the wrong size. A score is the sum of the products of the entries of a query
and a key: how many products are added?
"""
edit = """
scaled_dot_product_attention(self.W_query(X), self.W_key(X), self.W_value(X))
=>
torch.softmax(self.W_query(X) @ self.W_key(X).T / X.shape[-1] ** 0.5, dim=-1) @ self.W_value(X)
"""


# %% exception="SelfAttention_v2"
"""Tokens and matrices have two dimensions, so dimensions 0 and 1 are the last two."""
misconceptions = [
    "all_dimensions_reversed",
    "first_two_dimensions",
    "softmax_over_dim_1",
]


# %% mistake="copy_weights" name="a_copy_is_changed"
"""The caller's object `target` should change. Does your code write into a copy of `target`?"""


import copy


def copy_weights(source, target):
    target = copy.deepcopy(target)
    with torch.no_grad():
        target.W_query.copy_(source.W_query.weight.T)
        target.W_key.copy_(source.W_key.weight.T)
        target.W_value.copy_(source.W_value.weight.T)
    return target


# %% mistake="copy_weights" name="copied_by_order"
"""Your code pairs the parameters by their order. If the layers of the source are created in another order,
each matrix gets the wrong numbers. How can your code pair them so that their order does not matter?
"""


def copy_weights(source, target):
    with torch.no_grad():
        for copied, changed in zip(source.parameters(), target.parameters()):
            changed.copy_(copied.T)
    return target


# %% mistake="copy_weights" name="keys_and_values_swapped"
"""Each matrix must be copied to the parameter with the same name. Compare the names on both sides of each
line.
"""


def copy_weights(source, target):
    with torch.no_grad():
        target.W_query.copy_(source.W_query.weight.T)
        target.W_key.copy_(source.W_value.weight.T)
        target.W_value.copy_(source.W_key.weight.T)
    return target


# %% mistake="copy_weights" name="memory_shared"
"""Source and target share the memory of their numbers: training the target changes the source, too. Which
method makes an independent copy?
"""


def copy_weights(source, target):
    target.W_query = nn.Parameter(source.W_query.weight.T)
    target.W_key = nn.Parameter(source.W_key.weight.T)
    target.W_value = nn.Parameter(source.W_value.weight.T)
    return target


# %% mistake="copy_weights" name="names_rebound"
"""The target keeps its old parameters: your assignments only give new values to local variables. How do
you write into the parameter itself?
"""


def copy_weights(source, target):
    W_query, W_key, W_value = target.W_query, target.W_key, target.W_value
    W_query = nn.Parameter(source.W_query.weight.T)
    W_key = nn.Parameter(source.W_key.weight.T)
    W_value = nn.Parameter(source.W_value.weight.T)
    return target


# %% mistake="copy_weights" name="not_transposed"
"""A linear layer stores one row for each output; your parameter needs one row for each input. Write down
both shapes.
"""


def copy_weights(source, target):
    with torch.no_grad():
        target.W_query.data = source.W_query.weight.detach().clone()
        target.W_key.data = source.W_key.weight.detach().clone()
        target.W_value.data = source.W_value.weight.detach().clone()
    return target


# %% mistake="copy_weights" name="other_direction"
"""You copy from the target to the source. In which direction does the description copy?"""


def copy_weights(source, target):
    with torch.no_grad():
        source.W_query.weight.copy_(target.W_query.T)
        source.W_key.weight.copy_(target.W_key.T)
        source.W_value.weight.copy_(target.W_value.T)
    return target


# %% mistake="copy_weights" name="reshaped"
"""`reshape` does not transpose: it keeps the numbers in the same order. Which operation turns rows into
columns?
"""


def copy_weights(source, target):
    with torch.no_grad():
        target.W_query.copy_(source.W_query.weight.reshape(target.W_query.shape))
        target.W_key.copy_(source.W_key.weight.reshape(target.W_query.shape))
        target.W_value.copy_(source.W_value.weight.reshape(target.W_query.shape))
    return target


# %% mistake="copy_weights" name="returns_the_source"
"""Your function returns the source. Which module does the description ask for?"""
edit = "return T => return source"


# %% mistake="copy_weights" name="source_turned_too"
"""A method whose name ends in `_` changes the tensor on which it is called. Do you call such a method on a
weight of the source?
"""


def copy_weights(source, target):
    with torch.no_grad():
        target.W_query.copy_(source.W_query.weight.t_())
        target.W_key.copy_(source.W_key.weight.t_())
        target.W_value.copy_(source.W_value.weight.t_())
    return target


# %% mistake="copy_weights" name="square_not_transposed"
"""For square matrices both shapes are equal, but the matrix must still be transposed. Transpose in every
case.
"""


def copy_weights(source, target):
    turn = (
        (lambda w: w)
        if source.W_query.weight.shape == target.W_query.shape
        else torch.t
    )
    with torch.no_grad():
        target.W_query.copy_(turn(source.W_query.weight))
        target.W_key.copy_(turn(source.W_key.weight))
        target.W_value.copy_(turn(source.W_value.weight))
    return target


# %% mistake="copy_weights" name="without_no_grad"
"""torch refuses to overwrite a parameter while it records operations for gradients. Which line tells torch
not to record this change?
"""


def copy_weights(source, target):
    target.W_query.copy_(source.W_query.weight.T)
    target.W_key.copy_(source.W_key.weight.T)
    target.W_value.copy_(source.W_value.weight.T)
    return target


# %% exception="copy_weights"
"""The matrices have two dimensions, so dimensions 0 and 1 are the last two."""
misconceptions = ["first_two_dimensions"]


# %% mistake="SelfAttention" name="reads_a_global"
"""`forward` uses a variable from outside the class. Restart the kernel and
call the module with other tokens: which variable is it?
"""


encodings_for_q = torch.tensor([[1.16, 0.23], [0.57, 1.36], [4.41, -2.16]])


class SelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings):
        q = self.W_q(encodings_for_q)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        scores = q @ k.transpose(dim0=self.row_dim, dim1=self.col_dim)
        scaled = scores / k.size(self.col_dim) ** 0.5
        weights = torch.softmax(scaled, dim=self.col_dim)
        return weights @ v


# %% mistake="SelfAttention" name="reads_a_global__undefined" error="NameError"
"""`forward` uses a variable from outside the class. Restart the kernel and
call the module with other tokens: which variable is it?
"""


class SelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings):
        q = self.W_q(encodings_for_q)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        scores = q @ k.transpose(dim0=self.row_dim, dim1=self.col_dim)
        scaled = scores / k.size(self.col_dim) ** 0.5
        weights = torch.softmax(scaled, dim=self.col_dim)
        return weights @ v


# %% exception="SelfAttention"
"""Keys and values have the same width, so both give the same root."""
edits = ["K.size(self.col_dim) => v.size(self.col_dim)"]


# %% exception="SelfAttention"
"""Tokens and matrices have two dimensions, so dimensions 0 and 1 are the last two."""
misconceptions = [
    "all_dimensions_reversed",
    "first_two_dimensions",
    "softmax_over_dim_1",
]
