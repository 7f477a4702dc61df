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
        "X[B, :T + 1] => X[B]\nW @ x => x.mean(dim=-2, keepdim=True).expand_as(x)\ntorch.tril(X) => X",
        no_slip_in={
            "causal_average": "the plain mean, without what is asked for",
            "causal_average_loop": "the plain mean, without what is asked for",
        },
    ),
    Misconception(
        "columns_normalised",
        "The columns sum to 1, and not the rows.",
        "A row holds the weights of one token. Along which dimension do you sum?",
        "X / X.sum(dim=D, keepdim=True) => X / X.sum(dim=0, keepdim=True) || X / X.sum(dim=-2, keepdim=True)",
    ),
    Misconception(
        "divided_by_the_length",
        "All rows are divided by the same number.",
        "How many tokens does row 0 average, and how many does the last row?",
        "X / X.sum(dim=D, keepdim=True) => X / X.shape[-1]\nX.mean(dim=D) => X.sum(dim=D) / x.shape[1]\nX / X.sum() => X / X.shape[-1]",
    ),
    Misconception(
        "misses_the_last",
        "The last one is left out.",
        "For how many numbers does your loop run? Try vectors of length 1.",
        """
        range(X) => range(X - 1)
        return weights @ inputs => return weights[..., :-1] @ inputs[..., :-1, :]
        return inputs @ query => return inputs[..., :-1] @ query[..., :-1]
        """,
    ),
    Misconception(
        "misses_the_first",
        "The first one is left out.",
        "At which number does your loop begin? Try vectors of length 1.",
        """
        range(X) => range(1, X)
        return weights @ inputs => return weights[..., 1:] @ inputs[..., 1:, :]
        return inputs @ query => return inputs[..., 1:] @ query[..., 1:]
        """,
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
    Misconception(
        "mean_for_sum",
        "The products are averaged, and not added up.",
        "By what is your result divided, and who asks for that?",
        """
        return X @ Y => return X @ Y / X.shape[-1]
        return total => return total / len(a)
        X.sum(...) => X.mean(...)
        torch.dot(X, Y) => torch.dot(X, Y) / X.shape[-1]
        """,
    ),
    Misconception(
        "count_off_by_one",
        "The sum is divided by a number that is off by one.",
        "How many tokens does the first row average?",
        """
        X / (T + 1) => X / T || X / max(T, 1) || X / (T + 2)
        torch.arange(1, N + 1, ...) => torch.arange(0, N, ...) || torch.arange(2, N + 2, ...)
        """,
    ),
    Misconception(
        "diagonal_left_out",
        "A token gets no score with itself.",
        "What stands on the diagonal of your table, and what is the dot product of a token with itself?",
        """
        S[I, J] = X => S[I, J] = X * (I != J)
        return X @ Y.transpose(A, B) => return (X @ Y.transpose(A, B)).masked_fill(torch.eye(X.shape[-2], dtype=torch.bool), 0)
        """,
    ),
    Misconception(
        "dimensions_instead_of_tokens",
        "The columns meet, and not the rows.",
        "A row is a token, a column is a dimension. Whose dot products are asked for?",
        """
        inputs => inputs.transpose(-2, -1)
        """,
    ),
    Misconception(
        "negatives_cut",
        "Negative numbers are set to 0.",
        "Try scores of both signs. Who says that negative ones do not count?",
        "scores => scores.clamp(min=0)\nreturn X => return X * (X > 0)",
    ),
    Misconception(
        "absolute_values",
        "The signs get lost.",
        "Try scores of both signs. Is a negative one treated like a positive one?",
        "scores => scores.abs()\nreturn X => return X.abs()",
    ),
    Misconception(
        "total_carried_over",
        "The sum so far is not begun anew for each sequence.",
        "Which tokens does the first average of the second sequence hold?",
        """
        for B in X:
            T = Z
            for R in Y:
                T = T + V
                S[I] = W
        =>
        T = Z
        for B in X:
            for R in Y:
                T = T + V
                S[I] = W
        """,
    ),
    Misconception(
        "short_window",
        "Only the last few tokens count.",
        "How many tokens does the last row average?",
        """
        X[B, :T + 1] => X[B, max(0, T - 1):T + 1] || X[B, max(0, T - 2):T + 1]
        torch.tril(X) => torch.tril(X).triu(-1) || torch.tril(X).triu(-2)
        """,
    ),
)
