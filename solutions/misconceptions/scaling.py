"""Mistakes in scaling the scores, and in their variance."""

from autograder.diagnosis import Misconception

MISCONCEPTIONS = (
    Misconception(
        "not_scaled",
        "The scores are not scaled.",
        "Which operation comes after the product of queries and keys in the formula?",
        "X / Y**0.5 => X\nattention(Q, K, ...) => attention(Q * K.shape[-1]**0.5, K, ...)",
    ),
    Misconception(
        "scaled_without_root",
        "The scores are divided by the width d_k of a key, without the square root.",
        "Which function does the formula apply to d_k?",
        "X / Y**0.5 => X / Y\nattention(Q, K, ...) => attention(Q / K.shape[-1]**0.5, K, ...)",
    ),
    Misconception(
        "scale_inverted",
        "The scaling makes the scores larger instead of smaller.",
        "Do you divide by the number in the formula, or multiply by it?",
        "X / Y**0.5 => X * Y**0.5 || X * Y",
    ),
    Misconception(
        "wrong_exponent",
        "The scores are not scaled as in the formula.",
        "If a key has 16 numbers, which number does your code divide the scores by? Compare this number with"
        " the formula.",
        "X / Y**0.5 => X / (Y / 2) || X / Y / 2 || X / Y**2 || X / Y**0.25 || X / Y**1.5 || X / Y**0.05 || X / (2 * Y**0.5)",
    ),
    Misconception(
        "root_rounded",
        "The scores are divided by a whole number.",
        "What is the square root of 5? Which number does your code compute?",
        "X / Y**0.5 => X / int(Y**0.5) || X / round(Y**0.5)",
    ),
    Misconception(
        "scaled_by_length",
        "The scores are scaled by the number of tokens.",
        "If the text gets longer, does the number that you divide by change? It should depend only on the"
        " width of a key.",
        """
        X / Y**0.5 => X / X.shape[-1]**0.5 || X / X.shape[-2]**0.5 || X / X.shape[-1] || X / X.shape[-2]
        """,
    ),
    Misconception(
        "scaled_by_all_heads",
        "The scores are scaled by the width of all heads together.",
        "A score is a sum over the features of one head. From which sizes does your code compute the divisor?",
        "X / Y**0.5 => X / (Y * self.num_heads)**0.5 || X / (Y * self.num_heads)",
    ),
    Misconception(
        "scaled_by_number_of_heads",
        "The scores are scaled by the number of heads.",
        "A score is a sum over the features of one head. Which variable of your code is the number of these features?",
        "X / Y**0.5 => X / self.num_heads**0.5 || X / self.num_heads",
    ),
    Misconception(
        "scaled_by_the_batch",
        "The scores are scaled by the size of the wrong dimension.",
        "From which dimension of which tensor do you read the size? Print this size for two different batches.",
        "X / Y**0.5 => X / X.shape[0]**0.5 || X / X.shape[1]**0.5",
    ),
    Misconception(
        "scaled_by_input_width",
        "The scores are scaled by the width of the input.",
        "A score is a sum of products of a query and a key. How many products does this sum have?",
        """
        X / Y**0.5 => X / x.shape[-1]**0.5 || X / x.shape[-1]
        X / Y**0.5 => X / context.shape[-1]**0.5
        X / Y**0.5 => X / token_encodings.shape[-1]**0.5
        """,
    ),
    Misconception(
        "scaled_by_values_width",
        "The scores are scaled by the width of the values.",
        "A score is a sum of products of a query and a key. How many products does this sum have?",
        "X / Y**0.5 => X / values.shape[-1]**0.5 || X / v.shape[-1]**0.5",
    ),
    Misconception(
        "scaled_by_a_fixed_number",
        "The scores are divided by a fixed number.",
        "If the keys have another width, does the number that you divide by change?",
        "X / Y**0.5 => X / 2**0.5 || X / 2 || X / 8 || X / 3**0.5 || X / 4 || X / 16 || X / 32**0.5 || X / 512**0.5",
    ),
    Misconception(
        "scaled_after_softmax",
        "The weights are scaled instead of the scores.",
        "Print the sum of each row of your weights before you multiply them with the values. Should it be 1?",
        """
        torch.softmax(X / Y**0.5, dim=D) => torch.softmax(X, dim=D) / Y**0.5
        torch.softmax((X / Y**0.5).masked_fill(M, V), dim=D) => torch.softmax(X.masked_fill(M, V), dim=D) / Y**0.5
        """,
    ),
    Misconception(
        "scaled_where_it_should_not_be",
        "There is a scaling that the description does not ask for.",
        "Which line of your code divides? Does the description ask for a division at this step?",
        """
        X @ Y.transpose(-2, -1) => X @ Y.transpose(-2, -1) / Y.shape[-1]**0.5
        return X @ Y => return X @ Y / X.shape[-1]**0.5
        torch.softmax(scores, dim=D) => torch.softmax(scores / scores.shape[-1]**0.5, dim=D)
        S[I, J] = X => S[I, J] = X / inputs.shape[-1]**0.5
        return total => return total / len(a)**0.5
        torch.dot(X, Y) => torch.dot(X, Y) / X.shape[-1]**0.5
        """,
        where="scores|def dot_product",
    ),
    Misconception(
        "scaled_twice",
        "The scores are scaled twice.",
        "How often does your code divide the scores before the softmax?",
        "X / Y**0.5 => X / Y**0.5 / Y**0.5",
    ),
    Misconception(
        "queries_scaled_early",
        "The results are scaled, but the description asks only for products.",
        "Which line of your code divides a result? Does the description ask for this?",
        """
        return A, B, C => return A / A.shape[-1]**0.5, B, C || return A / x.shape[-1]**0.5, B / x.shape[-1]**0.5, C / x.shape[-1]**0.5
        """,
        where=r"def project",
    ),
    Misconception(
        "biased",
        "The sum of squares is divided by the number of scores instead of this number minus 1.",
        "Which default value does the argument `unbiased` (or `correction`) of `var` have? Which value do"
        " you use?",
        """
        X.var(...) => X.var(..., unbiased=False) || X.var(..., correction=0)
        """,
    ),
    Misconception(
        "standard_deviation",
        "The standard deviation is returned instead of the variance.",
        "Which power of the standard deviation is the variance?",
        """
        X.var() => X.std()
        """,
    ),
    Misconception(
        "variance_of_rows",
        "A variance or a mean is computed for each row or column, instead of one variance for all scores.",
        "Over which dimensions do you take the variance?",
        """
        X.var() => X.var(dim=-1).mean() || X.var(dim=-2).mean() || X.var(dim=-1) || X.var(dim=-2) || X.mean(dim=-1).var()
        """,
    ),
    Misconception(
        "scaled_when_it_should_not_be",
        "The scores are scaled only if `scaled` is False.",
        "Which value of `scaled` asks for the division?",
        """
        if scaled:
            A = B
        =>
        if not scaled:
            A = B
        """,
    ),
    Misconception(
        "always_scaled",
        "The scores are always scaled, even if `scaled` is False.",
        "Does your function read its argument `scaled`?",
        """
        if scaled:
            A = B
        =>
        A = B
        """,
    ),
    Misconception(
        "not_centred",
        "The mean is not subtracted before the squares are taken.",
        "If you add 100 to all scores, should their variance change? Does your result change?",
        """
        X.var() => (X**2).mean()
        """,
    ),
    Misconception(
        "scaled_before_and_after",
        "The scores and also the weights are scaled.",
        "Print the sum of each row of your weights before you multiply them with the values. Should it be 1?",
        "torch.softmax(X / Y**0.5, dim=D) => torch.softmax(X / Y**0.5, dim=D) / Y**0.5",
    ),
    Misconception(
        "fractions_cut_off",
        "A number is rounded to a whole number.",
        "The square root of 2 is not a whole number. Which step of your code rounds it, or rounds the"
        " scores?",
        "X / Y**0.5 => X / int(Y**0.5) || X // Y**0.5 || X / round(Y**0.5)",
    ),
    Misconception(
        "variance_of_weights",
        "The variance of the weights is returned instead of the variance of the scores.",
        "Does the description ask for a softmax in this function?",
        "X.var() => torch.softmax(X, dim=-1).var()",
    ),
    Misconception(
        "mean_for_variance",
        "The mean is returned instead of the variance.",
        "If you add 1 to all scores, should your result change?",
        "X.var() => X.mean()",
    ),
)
