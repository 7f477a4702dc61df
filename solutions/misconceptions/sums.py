"""What goes wrong where tokens are averaged with those before them, and in loops over tokens."""

from autograder.grading import Misconception

MISCONCEPTIONS = (
    Misconception(
        "leaves_itself_out",
        "A token does not take part in its own average.",
        "Which rows does your slice hold for the first token? The end of a slice is not in it.",
        "X[B, :T + 1] => X[B, :T]\nX[:, :T + 1] => X[:, :T]",
        common=True,
    ),
    Misconception(
        "one_ahead",
        "A token's average holds one token of the future.",
        "Which rows does your slice hold for the first token?",
        "X[B, :T + 1] => X[B, :T + 2]\nX[:, :T + 1] => X[:, :T + 2]",
    ),
    Misconception(
        "whole_sequence",
        "Every token is averaged with the whole sequence.",
        "Which tokens does the first one know of?",
        "X[B, :T + 1] => X[B]\nW @ x => x.mean(dim=-2, keepdim=True).expand_as(x)",
        no_slip_in={
            "causal_average": "the plain mean, without what is asked for",
            "causal_average_loop": "the plain mean, without what is asked for",
        },
    ),
    Misconception(
        "columns_normalised",
        "The columns sum to 1, and not the rows.",
        "A row holds the weights of one token. Along which dimension do you sum?",
        "X / X.sum(dim=D, keepdim=True) => X / X.sum(dim=0, keepdim=True)",
    ),
    Misconception(
        "divided_by_the_length",
        "All rows are divided by the same number.",
        "How many tokens does row 0 average, and how many does the last row?",
        "X / X.sum(dim=D, keepdim=True) => X / X.shape[-1]\nX.mean(dim=D) => X.sum(dim=D) / x.shape[1]",
    ),
    Misconception(
        "misses_the_last",
        "The last one is left out.",
        "For how many numbers does your loop run? Try vectors of length 1.",
        "range(X) => range(X - 1)",
    ),
    Misconception(
        "misses_the_first",
        "The first one is left out.",
        "At which number does your loop begin? Try vectors of length 1.",
        "range(X) => range(1, X)",
    ),
    Misconception(
        "along_the_features",
        "The numbers of a token are averaged, and not tokens.",
        "Which dimension counts tokens, and which their numbers?",
        "X.mean(dim=D) => X.mean(dim=-1)\nX.cumsum(dim=D) => X.cumsum(dim=-1)",
    ),
    Misconception(
        "keeps_the_last",
        "Only the last product counts.",
        "What becomes of the sum so far in each round of your loop?",
        "T = T + X => T = X\nT += X => T = X",
    ),
    Misconception(
        "lengths_not_checked",
        "Vectors of different lengths are accepted.",
        "What does your function do with a vector of 3 and one of 4 numbers?",
        """
        if len(a) != len(b):
            raise X
        =>
        pass
        """,
    ),
)
