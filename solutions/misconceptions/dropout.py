"""What goes wrong where weights are dropped."""

from autograder.diagnosis import Misconception

MISCONCEPTIONS = (
    Misconception(
        "dropout_never",
        "In training nothing is dropped.",
        "A layer that is made but never called does nothing. Where should dropout act?",
        "self.dropout(X) => X",
    ),
    Misconception(
        "dropout_ignored",
        "The argument dropout changes nothing.",
        "Where does the given attention take it?",
        "MultiHeadAttention(A, B, C, dropout, D) => MultiHeadAttention(A, B, C, 0.0, D)"
        " && nn.Dropout(dropout) => nn.Identity()",
    ),
    Misconception(
        "dropout_in_evaluation",
        "In evaluation two calls give different results.",
        "Ask your model twice for the same text. A function does not know whether the module is training unless"
        " you tell it.",
        "self.dropout(X) => nn.functional.dropout(X, self.dropout.p)",
        says=r"In evaluation two calls (differ|must give the same)",
    ),
    Misconception(
        "dropout_before_softmax",
        "Scores are dropped, and not weights.",
        "A dropped score is 0, and 0 is an ordinary score. After which step should the dropout come?",
        "self.dropout(torch.softmax(X, dim=D)) => torch.softmax(self.dropout(X), dim=D)"
        "\nself.dropout(torch.softmax(X.masked_fill(M, V), dim=D))"
        " => torch.softmax(self.dropout(X).masked_fill(M, V), dim=D)",
    ),
    Misconception(
        "dropout_on_the_output",
        "Features of the result are dropped, and not weights.",
        "What is dropped in yours: single weights, or numbers of the result?",
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
        "Besides the weights, features of the result are dropped.",
        "Count the places where something is dropped. How many does the exercise name?",
        """
        return self.out_proj(X) => return self.dropout(self.out_proj(X))
        self.dropout(X) @ V => self.dropout(self.dropout(X) @ V)
        """,
    ),
    Misconception(
        "dropout_on_the_values",
        "Values are dropped, and not weights.",
        "Which tensor goes into your dropout layer? Which one should?",
        "self.dropout(X) @ V => X @ self.dropout(V)",
    ),
    Misconception(
        "dropout_rate_ignored",
        "The rate of the dropout is not the one that is asked for.",
        "Who says how much is dropped, or whether anything is? Does that number reach the layer?",
        "nn.Dropout(X) => nn.Dropout(0.1) || nn.Dropout(0.2) || nn.Dropout(0.5) || nn.Dropout()",
    ),
    Misconception(
        "dropout_rate_inverted",
        "The dropout keeps just what it should drop.",
        "Is your number the part that is dropped or the part that is kept?",
        "nn.Dropout(X) => nn.Dropout(1 - X)",
    ),
    Misconception(
        "weights_not_grown",
        "The weights that are left do not make up for the dropped ones.",
        "With half of the weights gone, how large must the others be so that the mixture keeps its size?",
        "self.dropout(X) => self.dropout(X) * (1 - self.dropout.p if self.training else 1)",
    ),
    Misconception(
        "dropout_where_none_belongs",
        "Something is dropped where nothing should be.",
        "Call the module twice with the same tokens. Does the exercise ask for dropout?",
        "torch.softmax(X, dim=D) @ V => torch.nn.functional.dropout(torch.softmax(X, dim=D), 0.2) @ V"
        " || torch.nn.functional.dropout(torch.softmax(X, dim=D), 0.1) @ V"
        " || torch.nn.functional.dropout(torch.softmax(X, dim=D), 0.5) @ V"
        "\nattention_weights(Q, K) @ V => torch.nn.functional.dropout(attention_weights(Q, K), 0.1) @ V"
        " || torch.nn.functional.dropout(attention_weights(Q, K), 0.5) @ V",
    ),
    Misconception(
        "dropout_on_the_input",
        "Features of the input are dropped, and not weights.",
        "What does your dropout act on: the tokens that come in, or the weights?",
        "length = x.shape[1] => x = self.dropout(x); length = x.shape[1] && self.dropout(torch.softmax(X, dim=D)) => torch.softmax(X, dim=D)",
    ),
    Misconception(
        "dropped_numbers",
        "A dropped token is missing in some numbers of the result only.",
        "Which tensor goes into your dropout layer? Which step makes the weights?",
        says=r"A dropped weight is missing in every number",
        whole=True,  # whoever mixes other vectors than the values fails this test, too,
        where=r"[Dd]ropout",
    ),
)
