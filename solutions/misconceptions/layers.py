"""Mistakes in constructors: layers, parameters, and their initial numbers."""

from itertools import permutations

from autograder.diagnosis import Misconception


def _orders() -> str:
    """Return patterns that change the order of three statements, which create layers or parameters."""
    layers = [
        "self.A = nn.Linear(...)",
        "self.B = nn.Linear(...)",
        "self.C = nn.Linear(...)",
    ]
    parameters = [
        "self.A = nn.Parameter(X)",
        "self.B = nn.Parameter(Y)",
        "self.C = nn.Parameter(Z)",
    ]
    blocks = []
    for lines in (
        parameters,
        [
            line.replace("...", f"{a}, {b}, bias={c}")
            for line, a, b, c in zip(layers, "DFH", "EGI", "JKL", strict=True)
        ],
    ):
        blocks += [
            "\n".join([*lines, "=>", *other])
            for other in sorted(
                permutations(lines), key=lambda some: some[2] != lines[2]
            )
            if list(other) != lines
        ]
    return "\n\n".join(blocks)


MISCONCEPTIONS = (
    Misconception(
        "other_order",
        "The three layers or parameters are created in the wrong order.",
        "Each layer or parameter gets its random numbers when it is created. In which order does the"
        " exercise name the three?",
        _orders(),
    ),
    Misconception(
        "bias_always",
        "A layer has a bias although `qkv_bias` is False.",
        "Which default value does the argument `bias` of `nn.Linear` have? Does each of your layers get"
        " `qkv_bias`?",
        "nn.Linear(..., bias=qkv_bias) => nn.Linear(...)",
        says=r"[Ww]ith(out)? qkv_bias(=False)? there must be no bias, but there is W_",
    ),
    Misconception(
        "bias_never",
        "A layer has no bias although `qkv_bias` is True.",
        "Does each of the three layers get `qkv_bias`?",
        "nn.Linear(..., bias=qkv_bias) => nn.Linear(..., bias=False)\n"
        + "\n".join(
            f"self.{a} = nn.Linear(A, B, bias=qkv_bias) => self.{a} = nn.Linear(A, B, bias=False)"
            f" && self.{b} = nn.Linear(A, B, bias=qkv_bias) => self.{b} = nn.Linear(A, B, bias=False)"
            for a, b in (
                ("W_query", "W_key"),
                ("W_query", "W_value"),
                ("W_key", "W_value"),
            )
        ),
        says=r"needs a parameter .W_\w+\.bias|W_\w+\.bias is not registered",
    ),
    Misconception(
        "bias_inverted",
        "A layer has a bias if `qkv_bias` is False, and none if it is True.",
        "Create the module with `qkv_bias` True and with False. Which parameters does it have in each case?",
        "nn.Linear(..., bias=qkv_bias) => nn.Linear(..., bias=not qkv_bias)",
    ),
    Misconception(
        "bias_left_on",
        "A layer has a bias that the exercise does not ask for.",
        "Which default value does the argument `bias` of `nn.Linear` have?",
        "nn.Linear(..., bias=False) => nn.Linear(...)",
        says=r"(not asked for: |must have no bias, but there is )[\w.]+\.bias(, [\w.]+\.bias)*\.",
    ),
    Misconception(
        "last_layer_without_bias",
        "`out_proj` has no bias, or only if `qkv_bias` is True.",
        "The argument `qkv_bias` is for queries, keys and values. What does the exercise say about the bias"
        " of `out_proj`?",
        "self.out_proj = nn.Linear(X, Y) => self.out_proj = nn.Linear(X, Y, bias=False)"
        " || self.out_proj = nn.Linear(X, Y, bias=qkv_bias)",
        says=r"needs a parameter .out_proj\.bias.",
    ),
    Misconception(
        "last_layer_not_applied",
        "The last layer has no effect on the result.",
        "Which layer is created in your constructor but never called in `forward`?",
        "return self.out_proj(X) => return X",
    ),
    Misconception(
        "last_layer_missing",
        "The last layer is missing.",
        "Inside a head, only features of this head are combined. Which layer combines features of different heads"
        " after the heads are joined?",
        "self.out_proj = nn.Linear(...) => pass && return self.out_proj(X) => return X",
    ),
    Misconception(
        "randn",
        "The parameters do not start with the numbers of `torch.rand`.",
        "`torch.rand` and `torch.randn` give different numbers. Which of the two does the exercise name?"
        " Does your code change the numbers afterwards?",
        "torch.rand(...) => torch.randn(...)",
    ),
    Misconception(
        "other_initial_numbers",
        "The parameters do not start with the numbers that the exercise asks for.",
        "Which function does the exercise name for the random numbers? Does your code change these numbers"
        " afterwards?",
        "torch.rand(...) => torch.zeros(...) || torch.ones(...) || torch.randn(...) * 0.02"
        " || torch.rand(...) - 0.5 || torch.randn(...) * 0.01 || torch.randn(...) * 0.1"
        " || torch.rand(...) * 2 - 1 || torch.rand(...) * 0.1 || torch.rand(...) * 0.01 || torch.empty(...)"
        "\ntorch.rand(A, B) => torch.randn(A, B) / A**0.5 || torch.randn(A, B) / B**0.5 || torch.rand(A, B) / A**0.5"
        " || nn.init.xavier_uniform_(torch.empty(A, B)) || nn.init.xavier_normal_(torch.empty(A, B))"
        " || nn.init.kaiming_uniform_(torch.empty(A, B)) || nn.init.normal_(torch.empty(A, B), std=0.02)",
    ),
    Misconception(
        "seed_in_constructor",
        "The class sets a random seed.",
        "Create two modules and compare their numbers. Does your class call `torch.manual_seed`? Only the"
        " code that uses the class should set the seed.",
        "super().__init__() => super().__init__(); torch.manual_seed(123)"
        " || super().__init__(); torch.manual_seed(0) || super().__init__(); torch.manual_seed(42)"
        " || super().__init__(); torch.manual_seed(1337) || super().__init__(); torch.manual_seed(1)",
        says=r"random numbers do not depend on the caller's seed",
    ),
    Misconception(
        "parameters_turned",
        "The parameters are stored transposed.",
        "Compare the shape of your parameters with the exercise. Which size comes first?",
        "nn.Parameter(torch.rand(X, Y)) => nn.Parameter(torch.rand(Y, X)) && x @ self.A => x @ self.A.T",
    ),
    Misconception(
        "plain_tensors",
        "A matrix is not registered as a parameter of the module.",
        "Print `dict(module.named_parameters())`. Which matrix is missing, and which class makes a tensor a"
        " parameter?",
        "self.A = nn.Parameter(X) => self.A = X || self.A = X.requires_grad_()",
    ),
    Misconception(
        "frozen",
        "A parameter has `requires_grad=False`, so it cannot learn.",
        "Which line of your code switches off the gradient of this parameter?",
        "nn.Parameter(X) => nn.Parameter(X, requires_grad=False)\n"
        "self.A = nn.Linear(...) => self.A = nn.Linear(...).requires_grad_(False)",
        says=r"cannot be trained: its requires_grad is False",
    ),
    Misconception(
        "indivisible_accepted",
        "No error is raised if d_out is not divisible by num_heads.",
        "10 features cannot be divided equally among 4 heads. What does the exercise ask your constructor"
        " to do then?",
        """
        if d_out % num_heads != 0:
            raise X
        =>
        pass
        """,
    ),
    Misconception(
        "one_forgotten",
        "One of the three parameters is not copied.",
        "Compare `W_query`, `W_key` and `W_value` of the target with those of the source. Which one still"
        " has its old numbers?",
        """
        target.A.copy_(X) => pass
        """,
    ),
    Misconception(
        "last_layer_twice",
        "`out_proj` is applied twice.",
        "Count how often your `forward` calls `out_proj`.",
        "return self.out_proj(X) => return self.out_proj(self.out_proj(X))",
    ),
    Misconception(
        "other_width_checked",
        "The check of num_heads uses the wrong width.",
        "Which width is split into heads: that of the input, d_in, or that of the output, d_out?",
        "d_out % num_heads => d_in % num_heads",
    ),
    Misconception(
        "one_head_for_all",
        "The argument `num_heads` has no effect.",
        "Where does your code use `num_heads`? How many heads does your attention have?",
        "self.num_heads = num_heads => self.num_heads = 1 && d_out // num_heads => d_out"
        "\nMultiHeadAttention(A, B, C, D, num_heads) => MultiHeadAttention(A, B, C, D, 1)",
        says=r"4 heads give the same logits as 1 head",
    ),
)
