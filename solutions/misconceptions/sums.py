"""Mistakes in averages of a token with earlier tokens, and in loops over tokens."""

from autograder.diagnosis import Misconception

_AVERAGE = r"def causal_average"
_LOOP = (
    r"def (dot_product|attention_scores|normalize_by_sum|softmax|context_vector|pairwise_scores_loop"
    r"|causal_average_loop)\b"
)

MISCONCEPTIONS = (
    Misconception(
        "leaves_itself_out",
        "A token is missing in its own average.",
        "Which rows are in the average of the first token? The end of a slice is not included.",
        "X[B, :T + 1] => X[B, :T] || X[B, :max(T, 1)]\nX[:, :T + 1] => X[:, :T]",
        where=_AVERAGE,
    ),
    Misconception(
        "one_ahead",
        "The average of a token contains the next token.",
        "Which rows are in the average of the first token? The end of a slice is not included.",
        "X[B, :T + 1] => X[B, :T + 2]\nX[:, :T + 1] => X[:, :T + 2]",
        where=_AVERAGE,
    ),
    Misconception(
        "earlier_left_out",
        "The average of a token contains later tokens, but no earlier ones.",
        "Which rows are in the average of the first token, and which in the average of the last one?",
        "X[B, :T + 1] => X[B, T:]\nx.cumsum(dim=D) => x.flip(D).cumsum(dim=D).flip(D)",
        where=_AVERAGE,
    ),
    Misconception(
        "whole_sequence",
        "The average of every token contains the whole sequence.",
        "Which tokens may the first token see? Which tokens are in its average?",
        "X[B, :T + 1] => X[B]\nW @ x => x.mean(dim=-2, keepdim=True).expand_as(x)\nreturn W @ x => return x.mean(dim=-2)\ntorch.tril(X) => X",
        where="average",
    ),
    Misconception(
        "columns_normalised",
        "The sum runs over the wrong dimension, so the rows do not sum to 1.",
        "A row holds the weights of one token. Along which dimension do you take the sum?",
        "X / X.sum(dim=D, keepdim=True) => X / X.sum(dim=0, keepdim=True) || X / X.sum(dim=-2, keepdim=True)",
    ),
    Misconception(
        "divided_by_the_length",
        "The code divides by the number of tokens.",
        "Which number should you divide by? Is it the same for every row?",
        "X / X.sum(dim=D, keepdim=True) => X / X.shape[-1]\nX.mean(dim=D) => X.sum(dim=D) / x.shape[1]\nX / X.sum() => X / X.shape[-1]",
    ),
    Misconception(
        "misses_the_last",
        "The last round of a loop, or the last entry or row, is left out.",
        "Which is the last index that your code uses? Try an input with only one entry or row.",
        """
        range(X) => range(X - 1)
        return weights @ inputs => return weights[..., :-1] @ inputs[..., :-1, :]
        return torch.stack(rows) => return torch.nn.functional.pad(torch.stack(rows)[:-1, :-1], (0, 1, 0, 1))
        return inputs @ query => return inputs[..., :-1] @ query[..., :-1]
        """,
    ),
    Misconception(
        "misses_the_first",
        "The first round of a loop, or the first entry or row, is left out.",
        "Which is the first index that your code uses? Try an input with only one entry or row.",
        """
        range(X) => range(1, X)
        return weights @ inputs => return weights[..., 1:] @ inputs[..., 1:, :]
        return torch.stack(rows) => return torch.nn.functional.pad(torch.stack(rows)[1:, 1:], (1, 0, 1, 0))
        return inputs @ query => return inputs[..., 1:] @ query[..., 1:]
        """,
    ),
    Misconception(
        "along_the_features",
        "The mean is taken over the features of each token instead of over the tokens.",
        "Which dimension of x counts the tokens, and which one counts the features of a token?",
        "X.mean(dim=D) => X.mean(dim=-1)\nX.cumsum(dim=D) => X.cumsum(dim=-1)",
    ),
    Misconception(
        "keeps_the_last",
        "Each round of the loop replaces the result of the earlier rounds.",
        "What happens to the sum so far in the next round of the loop?",
        "T = T + X => T = X\nT += X => T = X",
        where=_LOOP,
    ),
    Misconception(
        "lengths_not_checked",
        "Vectors of different lengths raise no error.",
        "What does your function do with a vector of 3 numbers and a vector of 4 numbers?",
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
        "Which number do you divide the sum by? Does the description ask for this division?",
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
        "How many tokens are in the average of row 0? Which number does your code divide by in this row?",
        """
        X / (T + 1) => X / T || X / max(T, 1) || X / (T + 2)
        torch.arange(1, N + 1, ...) => torch.arange(0, N, ...) || torch.arange(2, N + 2, ...)
        """,
    ),
    Misconception(
        "diagonal_left_out",
        "The score of a token with itself is missing.",
        "What is on the diagonal of your scores? What is the dot product of a token with itself?",
        """
        S[I, J] = X => S[I, J] = X * (I != J)
        return X @ Y.transpose(A, B) => return (X @ Y.transpose(A, B)).masked_fill(torch.eye(X.shape[-2], dtype=torch.bool), 0)
        """,
        where=r"def (pairwise_scores|attention_scores)",
    ),
    Misconception(
        "dimensions_instead_of_tokens",
        "The product multiplies columns with columns instead of rows with rows.",
        "Each row is a token. Each number of the product should be the dot product of two rows. Which two rows?",
        """
        X @ Y.transpose(A, B) => X.transpose(A, B) @ Y
        """,
    ),
    Misconception(
        "inputs_transposed",
        "The input is transposed where it should not be.",
        "Row i of the input is token i. What is row i after your transpose?",
        "inputs => inputs.transpose(-2, -1)",
    ),
    Misconception(
        "negatives_cut",
        "Negative numbers are set to 0.",
        "Try numbers of both signs. Should the negative numbers become 0?",
        "scores => scores.clamp(min=0)\nreturn X => return X * (X > 0)",
    ),
    Misconception(
        "absolute_values",
        "Negative numbers become positive.",
        "Try numbers of both signs. Which step of your code removes the sign?",
        "scores => scores.abs()\nreturn X => return X.abs()",
    ),
    Misconception(
        "sum_kept_above_0",
        "A negative sum is replaced by a positive number before the division.",
        "Try scores whose sum is negative. Which number does your code divide by?",
        "scores / scores.sum() => scores / scores.sum().clamp(min=1e-9)",
    ),
    Misconception(
        "total_carried_over",
        "The sum so far is not reset for each sequence.",
        "Which tokens are in the first average of the second sequence?",
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
        "Row i of the result should be the plain mean of the tokens 0 to i, but it is not.",
        "Which tokens are in the mean of the last row? How much does each of these tokens count?",
        """
        X[B, :T + 1] => X[B, max(0, T - 1):T + 1] || X[B, max(0, T - 2):T + 1] || X[B, max(0, T - 9):T + 1]
        torch.tril(X) => torch.tril(X).triu(-1) || torch.tril(X).triu(-2)
        """,
        where=_AVERAGE,
    ),
    Misconception(
        "along_the_batch",
        "The average is taken over sequences instead of over the tokens of one sequence.",
        "Which dimension of x counts the sequences, and which one counts the tokens of a sequence?",
        """
        X[B, :T + 1] => X[:B + 1, T]
        X.cumsum(dim=-2) => X.cumsum(dim=0)
        """,
        where=_AVERAGE,
    ),
    Misconception(
        "first_sequence_only",
        "All sequences get the averages of the first sequence.",
        "Which sequence does your code read to compute the averages of the second sequence?",
        "X[B, :T + 1] => X[0, :T + 1]",
        where=_AVERAGE,
    ),
    Misconception(
        "one_number_for_all_features",
        "The mean is also taken over the features of a token.",
        "If a token has 3 features, its average should have 3 features. Over which dimension do you take the"
        " mean?",
        "X.mean(dim=D) => X.mean()",
        where=_AVERAGE,
    ),
    Misconception(
        "does_not_begin_at_zero",
        "The sum does not start at 0.",
        "Which value does your sum have before the loop?",
        "torch.zeros((), dtype=a.dtype) => torch.ones((), dtype=a.dtype)",
    ),
    Misconception(
        "meets_itself",
        "A vector is multiplied by itself instead of the other vector.",
        "Which two vectors does your code multiply?",
        """
        a[I] * b[I] => a[I] * a[I] || b[I] * b[I]
        torch.dot(X, Y) => torch.dot(X, X) || torch.dot(Y, Y)
        """,
    ),
    Misconception(
        "read_from_the_end",
        "One of the two factors is read in reverse order.",
        "Which two entries does your code multiply first? They should have the same index.",
        """
        a[I] * b[I] => a[I] * b[len(b) - 1 - I]
        weights @ inputs => weights.flip(-1) @ inputs
        """,
    ),
    Misconception(
        "multiplied_up",
        "The products are multiplied instead of added.",
        "Which operation combines the products in the formula of the dot product?",
        "torch.zeros((), dtype=a.dtype) => torch.ones((), dtype=a.dtype) && T + X => T * X",
    ),
    Misconception(
        "subtracted",
        "The products are subtracted instead of added.",
        "Try two vectors of ones. Which sign does your result have?",
        "total + a[I] * b[I] => total - a[I] * b[I]",
    ),
    Misconception(
        "fractions_lost",
        "The digits after the decimal point are lost.",
        "Try vectors of small numbers, such as 0.3. Which step of your code rounds the products?",
        "total + a[I] * b[I] => total + (a[I] * b[I]).trunc()",
    ),
    Misconception(
        "all_pairs",
        "The rows are compared with each other instead of with the query.",
        "How many scores should there be? Which vector should each row be multiplied by?",
        "inputs @ query => inputs @ inputs.transpose(-2, -1)",
    ),
    Misconception(
        "added_for_multiplied",
        "Entries are added, but they should be multiplied.",
        "In a dot product, which operation combines the two entries with the same index?",
        "inputs @ query => (inputs + query).sum(dim=-1)",
    ),
    Misconception(
        "weights_ignored",
        "The rows are added up without their weights.",
        "If you change a weight, does your result change?",
        "return weights @ inputs => return inputs.sum(dim=-2)"
        " || return inputs.sum(dim=-2, keepdim=True).expand_as(inputs)",
    ),
    Misconception(
        "best_only",
        "Only the row with the highest weight or score counts.",
        "Each row should count with its own weight. Where does your code select only one row?",
        """
        weights @ inputs => inputs[weights.argmax()]
        torch.softmax(scores, dim=D) => torch.nn.functional.one_hot(scores.argmax(dim=-1), scores.shape[-1]).to(scores.dtype)
        """,
    ),
    Misconception(
        "ends_after_the_first",
        "Only the first part of the result is computed.",
        "Which rows does your code use before it returns?",
        """
        return weights @ inputs => return weights[0] * inputs[0]
        return torch.stack(rows) => return rows[0]
        """,
    ),
    Misconception(
        "one_row_only",
        "Only one row of the result is returned.",
        "How many rows should your result have?",
        """
        return torch.stack(rows) => return rows[1] || return rows[-1]
        return X @ Y.transpose(A, B) => return (X @ Y.transpose(A, B))[..., 1, :]
        """,
    ),
    Misconception(
        "diagonal_counted_twice",
        "The scores on the diagonal are doubled.",
        "How often does your code write or add a score to an entry on the diagonal?",
        """
        return torch.stack(rows) => return torch.stack(rows) + torch.diag(torch.stack(rows).diagonal())
        return X @ Y.transpose(A, B) => return X @ Y.transpose(A, B) * (1 + torch.eye(X.shape[-2], dtype=X.dtype))
        """,
        where=r"def (pairwise_scores|attention_scores)",
    ),
    Misconception(
        "half_left_out",
        "Half of the scores are missing.",
        "The table needs a score at (0, 1) and also at (1, 0). Which of the two does your code compute?",
        "return X @ Y.transpose(A, B) => return (X @ Y.transpose(A, B)).tril() || return (X @ Y.transpose(A, B)).triu()",
    ),
    Misconception(
        "own_places_only",
        "Each row is compared only with the row of the same index.",
        "How many scores should there be for 3 rows? How many does your code compute?",
        "X @ Y.transpose(A, B) => (X * Y).sum(dim=-1)",
        where="scores|quer",
    ),
    Misconception(
        "as_many_keys_as_queries",
        "The scores have as many columns as rows, but they need one column for each key.",
        "Which dimension of `keys` counts the keys?",
        "X @ Y.transpose(A, B) => torch.stack([(X * Y[..., j, :].unsqueeze(-2)).sum(-1) for j in range(X.shape[-2])], dim=-1)",
        where="key",
    ),
    Misconception(
        "divided_by_their_sum",
        "The scores are divided by their sum, but the exercise does not ask for this.",
        "Which line of your code divides the scores?",
        "return X @ Y => return X @ Y / (X @ Y).sum(dim=-1, keepdim=True)",
        where=r"def \w*scores",
    ),
    Misconception(
        "mean_subtracted",
        "The mean of the scores is subtracted.",
        "Which step of your code subtracts a number? The description asks only for a division.",
        "scores / scores.sum() => (scores - scores.mean()) / scores.std() || scores - scores.mean()",
    ),
    Misconception(
        "subtracted_for_divided",
        "The sum is subtracted from the scores, but the scores should be divided by it.",
        "Try the scores 1 and 3. Which fraction of their sum is each of them?",
        "scores / scores.sum() => scores - scores.sum()",
    ),
    Misconception(
        "divided_the_other_way",
        "The fraction is inverted: the sum is divided by its terms.",
        "Which number is the numerator in the formula, and which is the denominator?",
        "X / X.sum(...) => X.sum(...) / X",
    ),
    Misconception(
        "itself_only",
        "Each token has a weight only for itself.",
        "Which weights should row 2 have?",
        "X / X.sum(dim=D, keepdim=True) => torch.eye(X.shape[-1], dtype=X.dtype)",
    ),
    Misconception(
        "softmax_for_division",
        "A softmax is applied to the triangle of ones, so hidden tokens get a weight, too.",
        "What is the exponential of 0? Is it enough to divide each row by its sum?",
        "X / X.sum(dim=D, keepdim=True) => torch.softmax(X, dim=D)",
        where="tril|triu",
    ),
)
