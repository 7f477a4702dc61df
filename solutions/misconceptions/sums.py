"""What goes wrong where tokens are averaged with those before them, and in loops over tokens."""

from autograder.diagnosis import Misconception

MISCONCEPTIONS = (
    Misconception(
        "leaves_itself_out",
        "A token does not take part in its own average.",
        "Which rows does the first token's average hold? The end of a slice is not in it.",
        "X[B, :T + 1] => X[B, :T] || X[B, :max(T, 1)]\nX[:, :T + 1] => X[:, :T]",
    ),
    Misconception(
        "one_ahead",
        "A token's average holds one token of the future.",
        "Which rows does the first token's average hold?",
        "X[B, :T + 1] => X[B, :T + 2]\nX[:, :T + 1] => X[:, :T + 2]",
    ),
    Misconception(
        "whole_sequence",
        "Every token is averaged with the whole sequence.",
        "Which tokens does the first one know of?",
        "X[B, :T + 1] => X[B]\nW @ x => x.mean(dim=-2, keepdim=True).expand_as(x)\nreturn W @ x => return x.mean(dim=-2)\ntorch.tril(X) => X",
        where="average",
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
        "What does each row sum to, and what should it sum to?",
        "X / X.sum(dim=D, keepdim=True) => X / X.shape[-1]\nX.mean(dim=D) => X.sum(dim=D) / x.shape[1]\nX / X.sum() => X / X.shape[-1]",
    ),
    Misconception(
        "misses_the_last",
        "The last of them is left out.",
        "Which is the last index that your code uses? Try the smallest input.",
        """
        range(X) => range(X - 1)
        return weights @ inputs => return weights[..., :-1] @ inputs[..., :-1, :]
        return torch.stack(rows) => return torch.nn.functional.pad(torch.stack(rows)[:-1, :-1], (0, 1, 0, 1))
        return inputs @ query => return inputs[..., :-1] @ query[..., :-1]
        """,
    ),
    Misconception(
        "misses_the_first",
        "The first of them is left out.",
        "Which is the first index that your code uses? Try the smallest input.",
        """
        range(X) => range(1, X)
        return weights @ inputs => return weights[..., 1:] @ inputs[..., 1:, :]
        return torch.stack(rows) => return torch.nn.functional.pad(torch.stack(rows)[1:, 1:], (1, 0, 1, 0))
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
        "Each round replaces the result of the rounds before it.",
        "What becomes of the sum so far in the next round of the loop?",
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
        "A sum is divided by the number of its terms, like a mean.",
        "By what is your sum divided? Does the description ask for this division?",
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
        where="scores",
    ),
    Misconception(
        "dimensions_instead_of_tokens",
        "Two dimensions of a factor have changed places, so columns are multiplied where rows should be.",
        "A row is a token. Each number of the product should come from two rows: which two?",
        """
        inputs => inputs.transpose(-2, -1)
        X @ Y.transpose(A, B) => X.transpose(A, B) @ Y
        """,
    ),
    Misconception(
        "negatives_cut",
        "Negative numbers are set to 0.",
        "Try numbers of both signs. Should negative ones become 0?",
        "scores => scores.clamp(min=0)\nreturn X => return X * (X > 0)",
    ),
    Misconception(
        "absolute_values",
        "The signs get lost.",
        "Try scores of both signs. Is a negative one treated like a positive one?",
        "scores => scores.abs()\nreturn X => return X.abs()",
    ),
    Misconception(
        "sum_kept_above_0",
        "A sum below 0 is not divided by.",
        "Try scores whose sum is negative. What do you divide by then?",
        "scores / scores.sum() => scores / scores.sum().clamp(min=1e-9)",
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
        "A row does not average all the tokens up to it.",
        "Which tokens does the last row average, and does each of them count the same?",
        """
        X[B, :T + 1] => X[B, max(0, T - 1):T + 1] || X[B, max(0, T - 2):T + 1] || X[B, max(0, T - 9):T + 1]
        torch.tril(X) => torch.tril(X).triu(-1) || torch.tril(X).triu(-2)
        """,
    ),
    Misconception(
        "along_the_batch",
        "Sequences are averaged with each other, and not the tokens of one.",
        "Which dimension counts sequences, and which their tokens?",
        """
        X[B, :T + 1] => X[:B + 1, T]
        X.cumsum(dim=-2) => X.cumsum(dim=0)
        """,
    ),
    Misconception(
        "first_sequence_only",
        "All sequences get the averages of the first one.",
        "Which sequence do the averages of the second one read?",
        "X[B, :T + 1] => X[0, :T + 1]",
    ),
    Misconception(
        "one_number_for_all_features",
        "The mean is taken over the numbers of a token, too.",
        "A token of 3 numbers should have an average of 3 numbers. Over which dimension is the mean?",
        "X[B, :T + 1].mean(dim=D) => X[B, :T + 1].mean()",
    ),
    Misconception(
        "does_not_begin_at_zero",
        "The sum does not begin at 0.",
        "What is in the sum before the loop begins?",
        "torch.zeros((), dtype=a.dtype) => torch.ones((), dtype=a.dtype)",
    ),
    Misconception(
        "meets_itself",
        "A vector is multiplied with itself, not with the other one.",
        "Which two vectors does each product take its factors from? Swap one of the two: does your result change?",
        """
        a[I] * b[I] => a[I] * a[I] || b[I] * b[I]
        torch.dot(X, Y) => torch.dot(X, X) || torch.dot(Y, Y)
        """,
    ),
    Misconception(
        "read_from_the_end",
        "One of the vectors is read from its end.",
        "Which entry of b meets the first one of a?",
        """
        a[I] * b[I] => a[I] * b[len(b) - 1 - I]
        weights @ inputs => weights.flip(-1) @ inputs
        """,
    ),
    Misconception(
        "multiplied_up",
        "The products are multiplied with each other, and not added.",
        "What should become of the product of each pair?",
        "torch.zeros((), dtype=a.dtype) => torch.ones((), dtype=a.dtype) && T + X => T * X",
    ),
    Misconception(
        "subtracted",
        "The products are subtracted, and not added.",
        "Try two vectors of ones. Which sign has your result?",
        "total + a[I] * b[I] => total - a[I] * b[I]",
    ),
    Misconception(
        "fractions_lost",
        "The fractions get lost.",
        "What does int do with 0.9? Try vectors of small numbers.",
        "total + a[I] * b[I] => total + (a[I] * b[I]).trunc()",
    ),
    Misconception(
        "all_pairs",
        "The rows meet each other, and not the query.",
        "How many scores should there be, and whose are they?",
        "inputs @ query => inputs @ inputs.transpose(-2, -1)",
    ),
    Misconception(
        "added_for_multiplied",
        "Entries are added where they should be multiplied.",
        "What happens to two entries that meet in a dot product?",
        "inputs @ query => (inputs + query).sum(dim=-1)",
    ),
    Misconception(
        "weights_ignored",
        "The rows are added up as they are, without their weights.",
        "Change a weight. Does your result change?",
        "return weights @ inputs => return inputs.sum(dim=-2)"
        " || return inputs.sum(dim=-2, keepdim=True).expand_as(inputs)",
    ),
    Misconception(
        "best_only",
        "Only the one with the highest weight or score counts.",
        "Which part do the others have in a mixture?",
        """
        weights @ inputs => inputs[weights.argmax()]
        torch.softmax(scores, dim=D) => torch.nn.functional.one_hot(scores.argmax(dim=-1), scores.shape[-1]).to(scores.dtype)
        """,
    ),
    Misconception(
        "ends_after_the_first",
        "Only the first part of the result is computed.",
        "How often does your loop run before the function returns?",
        """
        return weights @ inputs => return weights[0] * inputs[0]
        return torch.stack(rows) => return rows[0]
        """,
    ),
    Misconception(
        "one_row_only",
        "Only one row is computed.",
        "How many rows should your result have?",
        """
        return torch.stack(rows) => return rows[1] || return rows[-1]
        return X @ Y.transpose(A, B) => return (X @ Y.transpose(A, B))[..., 1, :]
        """,
    ),
    Misconception(
        "diagonal_counted_twice",
        "The diagonal is counted twice.",
        "Which entries does your code fill twice?",
        """
        return torch.stack(rows) => return torch.stack(rows) + torch.diag(torch.stack(rows).diagonal())
        return X @ Y.transpose(A, B) => return X @ Y.transpose(A, B) * (1 + torch.eye(X.shape[-2], dtype=X.dtype))
        """,
    ),
    Misconception(
        "half_left_out",
        "Half of the table stays empty.",
        "Is the score of (0, 1) there as well as that of (1, 0)?",
        "return X @ Y.transpose(A, B) => return (X @ Y.transpose(A, B)).tril() || return (X @ Y.transpose(A, B)).triu()",
    ),
    Misconception(
        "own_places_only",
        "Each row is compared only with the row of the same index.",
        "How many scores should there be for 3 rows? Which of them does your code compute?",
        "X @ Y.transpose(A, B) => (X * Y).sum(dim=-1)",
    ),
    Misconception(
        "as_many_keys_as_queries",
        "The table has as many columns as rows, however many keys there are.",
        "Which size counts the keys?",
        "X @ Y.transpose(A, B) => torch.stack([(X * Y[..., j, :].unsqueeze(-2)).sum(-1) for j in range(X.shape[-2])], dim=-1)",
        where="key",
    ),
    Misconception(
        "divided_by_their_sum",
        "The scores are divided by their sum, which nobody asks for.",
        "What do your scores sum to, and should they?",
        "return X @ Y => return X @ Y / (X @ Y).sum(dim=-1, keepdim=True)",
        where=r"def \w*scores",
    ),
    Misconception(
        "mean_subtracted",
        "The mean is subtracted.",
        "What do your numbers sum to? The division alone is asked for.",
        "scores / scores.sum() => (scores - scores.mean()) / scores.std() || scores - scores.mean()",
    ),
    Misconception(
        "subtracted_for_divided",
        "The sum is subtracted, and the scores are not divided by it.",
        "Two scores of 1 and 3: which share has each of them?",
        "scores / scores.sum() => scores - scores.sum()",
    ),
    Misconception(
        "divided_the_other_way",
        "The fraction is upside down: the sum is divided by its terms.",
        "Which of the two is the numerator?",
        "X / X.sum(...) => X.sum(...) / X",
    ),
    Misconception(
        "itself_only",
        "Each token looks only at itself.",
        "Which weights should the third row have?",
        "X / X.sum(dim=D, keepdim=True) => torch.eye(X.shape[-1], dtype=X.dtype)",
    ),
    Misconception(
        "softmax_for_division",
        "A triangle of ones goes through a softmax, so that hidden tokens get a share, too.",
        "What is the exponential of 0? A division by the sum of the row is enough.",
        "X / X.sum(dim=D, keepdim=True) => torch.softmax(X, dim=D)",
        where="tril|triu",
    ),
)
