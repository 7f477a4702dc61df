"""Mistakes with dropout."""

from autograder.diagnosis import Misconception

MISCONCEPTIONS = (
    Misconception(
        "dropout_never",
        "In training, nothing is dropped.",
        "Does `forward` call your dropout layer? On which tensor should it act?",
        "self.dropout(X) => X",
    ),
    Misconception(
        "dropout_ignored",
        "The argument `dropout` has no effect.",
        "Where does your constructor use `dropout`? Which argument of the given MultiHeadAttention should"
        " get this value?",
        "MultiHeadAttention(A, B, C, dropout, D) => MultiHeadAttention(A, B, C, 0.0, D)"
        " && nn.Dropout(dropout) => nn.Identity()",
    ),
    Misconception(
        "dropout_in_evaluation",
        "In evaluation mode, two calls with the same input give different results.",
        "A dropout layer created in `__init__` depends on the mode of the module; a layer created in"
        " `forward` does not. A function such as `F.dropout` needs the argument `training`. Which kind of"
        " dropout do you use?",
        "self.dropout(X) => nn.functional.dropout(X, self.dropout.p)",
        says=r"In evaluation( mode)?,? two calls",
    ),
    Misconception(
        "dropout_before_softmax",
        "Dropout acts on the scores instead of the weights.",
        "A dropped score is 0, and the softmax gives a score of 0 a positive weight. After which step should the"
        " dropout come?",
        "self.dropout(torch.softmax(X, dim=D)) => torch.softmax(self.dropout(X), dim=D)"
        "\nself.dropout(torch.softmax(X.masked_fill(M, V), dim=D))"
        " => torch.softmax(self.dropout(X).masked_fill(M, V), dim=D)",
    ),
    Misconception(
        "dropout_on_the_output",
        "Dropout acts on the result instead of the weights.",
        "Which tensor goes into your dropout layer: the weights, or a tensor that you compute from them?",
        """
        W = self.dropout(torch.softmax(X, dim=D))
        return W @ V
        =>
        return self.dropout(torch.softmax(X, dim=D) @ V)

        self.dropout(X) @ V => self.dropout(X @ V)
        self.dropout(X) => X && return self.out_proj(Y) => return self.dropout(self.out_proj(Y))
        """,
    ),
    Misconception(
        "dropout_on_the_output_too",
        "Dropout acts on the weights and also on the result.",
        "How often does the exercise ask for dropout?",
        """
        return self.out_proj(X) => return self.dropout(self.out_proj(X))
        self.dropout(X) @ V => self.dropout(self.dropout(X) @ V)
        """,
    ),
    Misconception(
        "dropout_on_the_values",
        "Dropout acts on the values instead of the weights.",
        "Which tensor should go into your dropout layer?",
        "self.dropout(X) @ V => X @ self.dropout(V)",
    ),
    Misconception(
        "dropout_rate_ignored",
        "The rate of the dropout layer is not the value of the argument `dropout`.",
        "Where does the rate of your dropout layer come from? Do you pass the argument `dropout` to the"
        " layer?",
        "nn.Dropout(X) => nn.Dropout(0.1) || nn.Dropout(0.2) || nn.Dropout(0.5) || nn.Dropout()",
        where=r"Dropout\(dropout\)",
    ),
    Misconception(
        "dropout_rate_inverted",
        "The dropout rate is inverted: it is 1 - dropout.",
        "Is the number that you pass to the dropout layer the probability of dropping a weight, or of"
        " keeping it?",
        "nn.Dropout(X) => nn.Dropout(1 - X)",
        where=r"Dropout\(dropout\)",
    ),
    Misconception(
        "whole_rows_dropped",
        "Dropout drops whole rows of the weights instead of single weights.",
        "Which numbers does your dropout layer drop together? Which layer of torch drops each number by itself?",
        "nn.Dropout(X) => nn.Dropout1d(X)",
        where=r"Dropout\(dropout\)",
    ),
    Misconception(
        "weights_not_grown",
        "In training, the remaining weights are not scaled up.",
        "If half of the weights are dropped, the other half must grow, so that the sum of all weights stays the"
        " same on average. By which factor?",
        "self.dropout(X) => self.dropout(X) * (1 - self.dropout.p if self.training else 1)"
        "\nX * K / (1 - self.dropout) => X * K"
        "\nX * (torch.rand_like(X) < P) / P => X * (torch.rand_like(X) < P)",
        says=r"A weight that was not dropped was multiplied by 1\.00",
    ),
    Misconception(
        "dropped_together",
        "Several weights are always dropped together.",
        "Which shape do the random numbers of your dropout have? Should one random number decide about several"
        " weights?",
        says=r"The same weights are dropped in all (texts|rows|columns)",
        whole=True,  # an answer that drops values or whole texts also fails this test
        where=r"[Dd]ropout",
    ),
    Misconception(
        "dropout_where_none_belongs",
        "The code applies dropout where the exercise does not ask for it.",
        "Call your code twice with the same input. Which line makes the two results differ?",
        "torch.softmax(X, dim=D) @ V => torch.nn.functional.dropout(torch.softmax(X, dim=D), 0.2) @ V"
        " || torch.nn.functional.dropout(torch.softmax(X, dim=D), 0.1) @ V"
        " || torch.nn.functional.dropout(torch.softmax(X, dim=D), 0.5) @ V"
        "\nattention_weights(Q, K) @ V => torch.nn.functional.dropout(attention_weights(Q, K), 0.1) @ V"
        " || torch.nn.functional.dropout(attention_weights(Q, K), 0.5) @ V",
    ),
    Misconception(
        "dropout_on_the_input",
        "Dropout acts on the input instead of the weights.",
        "Which tensor goes into your dropout layer: x, or the weights?",
        "length = x.shape[1] => x = self.dropout(x); length = x.shape[1] && self.dropout(torch.softmax(X, dim=D)) => torch.softmax(X, dim=D)",
    ),
    Misconception(
        "dropped_numbers",
        "Dropout removes single numbers of a token's value vector, instead of the whole vector.",
        "Which tensor goes into your dropout layer? Which step computes the weights?",
        says=r"Dropping a weight should affect all numbers",
        whole=True,  # an answer that multiplies the weights with other vectors also fails this test
        where=r"[Dd]ropout",
    ),
)
