"""What goes wrong in constructors: layers, parameters and the numbers they start with."""

from itertools import permutations

from autograder.diagnosis import Misconception


def _orders() -> str:
    """Return rules that put three statements which make layers into every other order."""
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
        "The three are made in another order.",
        "Each draws its numbers when it is made. In which order does the exercise name them?",
        _orders(),
    ),
    Misconception(
        "bias_always",
        "A layer has a bias that qkv_bias does not ask for.",
        "What does nn.Linear add unless it is told otherwise? And which default has qkv_bias?",
        "nn.Linear(..., bias=qkv_bias) => nn.Linear(...)",
        says=r"[Ww]ith(out)? qkv_bias(=False)? there must be no bias, but there is W_",
    ),
    Misconception(
        "bias_never",
        "A layer has no bias where qkv_bias asks for one.",
        "Does qkv_bias reach each of the three layers?",
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
        "The layers have a bias just when they should have none.",
        "Try both values of qkv_bias and look at the parameters.",
        "nn.Linear(..., bias=qkv_bias) => nn.Linear(..., bias=not qkv_bias)",
    ),
    Misconception(
        "bias_left_on",
        "A layer has a bias.",
        "A linear layer adds a bias unless it is told otherwise, and this class has none.",
        "nn.Linear(..., bias=False) => nn.Linear(...)",
        says=r"(not asked for: |must have no bias, but there is )[\w.]+\.bias(, [\w.]+\.bias)*\.",
    ),
    Misconception(
        "last_layer_without_bias",
        "At least sometimes there is no out_proj.bias.",
        "qkv_bias is about queries, keys and values. What does the exercise say about out_proj?",
        "self.out_proj = nn.Linear(X, Y) => self.out_proj = nn.Linear(X, Y, bias=False)"
        " || self.out_proj = nn.Linear(X, Y, bias=qkv_bias)",
        says=r"needs a parameter .out_proj\.bias.",
    ),
    Misconception(
        "last_layer_not_applied",
        "The last layer takes no part in the result.",
        "A layer that is made but never called learns nothing. Which of yours gets no gradient?",
        "return self.out_proj(X) => return X",
    ),
    Misconception(
        "last_layer_missing",
        "The last layer is missing.",
        "Until the end no head affects another. Which layer combines them?",
        "self.out_proj = nn.Linear(...) => pass && return self.out_proj(X) => return X",
    ),
    Misconception(
        "randn",
        "The parameters start with other numbers than torch.rand draws.",
        "torch.rand and torch.randn are two functions. Which of them does the exercise name, and is"
        " anything done to its numbers?",
        "torch.rand(...) => torch.randn(...)",
    ),
    Misconception(
        "other_initial_numbers",
        "The parameters start with other numbers than the exercise asks for.",
        "How does the exercise say that they are drawn? Nothing is to be done to them afterwards.",
        "torch.rand(...) => torch.zeros(...) || torch.ones(...) || torch.randn(...) * 0.02"
        " || torch.rand(...) - 0.5 || torch.randn(...) * 0.01 || torch.randn(...) * 0.1"
        " || torch.rand(...) * 2 - 1 || torch.rand(...) * 0.1 || torch.rand(...) * 0.01 || torch.empty(...)"
        "\ntorch.rand(A, B) => torch.randn(A, B) / A**0.5 || torch.randn(A, B) / B**0.5 || torch.rand(A, B) / A**0.5"
        " || nn.init.xavier_uniform_(torch.empty(A, B)) || nn.init.xavier_normal_(torch.empty(A, B))"
        " || nn.init.kaiming_uniform_(torch.empty(A, B)) || nn.init.normal_(torch.empty(A, B), std=0.02)",
    ),
    Misconception(
        "seed_in_constructor",
        "The class sets a seed of its own.",
        "Make two modules and compare their numbers. Who should choose the seed, the class or its user?",
        "super().__init__() => super().__init__(); torch.manual_seed(123)"
        " || super().__init__(); torch.manual_seed(0) || super().__init__(); torch.manual_seed(42)"
        " || super().__init__(); torch.manual_seed(1337) || super().__init__(); torch.manual_seed(1)",
        says=r"random numbers are the same whatever the seed was before",
    ),
    Misconception(
        "parameters_turned",
        "The parameters are stored the other way round.",
        "Compare the shape of your parameters with the exercise, number by number.",
        "nn.Parameter(torch.rand(X, Y)) => nn.Parameter(torch.rand(Y, X)) && x @ self.A => x @ self.A.T",
    ),
    Misconception(
        "plain_tensors",
        "A matrix is not a parameter of the module.",
        "Ask your module for its parameters. Which one is missing, and which class makes a tensor a parameter?",
        "nn.Parameter(X) => X || X.requires_grad_()",
    ),
    Misconception(
        "frozen",
        "A parameter asks for no gradient, so it cannot learn.",
        "Which line told it so?",
        "nn.Parameter(X) => nn.Parameter(X, requires_grad=False)\n"
        "self.A = nn.Linear(...) => self.A = nn.Linear(...).requires_grad_(False)",
        says=r"cannot learn: it asks for no gradient",
    ),
    Misconception(
        "indivisible_accepted",
        "A width that the heads cannot share is accepted.",
        "10 features cannot be shared among 4 heads. When does a user of your class learn of it?",
        """
        if d_out % num_heads != 0:
            raise X
        =>
        pass
        """,
    ),
    Misconception(
        "one_forgotten",
        "One of the three is not copied.",
        "Compare each of the three with its source.",
        """
        target.A.copy_(X) => pass
        """,
    ),
    Misconception(
        "last_layer_twice",
        "The last layer is used twice.",
        "Follow a token to the output. How often does it pass out_proj?",
        "return self.out_proj(X) => return self.out_proj(self.out_proj(X))",
    ),
    Misconception(
        "other_width_checked",
        "A width is refused that fits, or one is accepted that does not.",
        "Whose features do the heads share: those of the input, or those of the output?",
        "d_out % num_heads => d_in % num_heads",
    ),
    Misconception(
        "one_head_for_all",
        "The number of heads changes nothing.",
        "Does num_heads reach the attention? How many heads are there in yours?",
        "self.num_heads = num_heads => self.num_heads = 1 && d_out // num_heads => d_out"
        "\nMultiHeadAttention(A, B, C, D, num_heads) => MultiHeadAttention(A, B, C, D, 1)",
        says=r"4 heads and 1 give the same logits",
    ),
)
