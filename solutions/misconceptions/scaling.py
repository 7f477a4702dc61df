"""What goes wrong between the scores and the softmax."""

from autograder.diagnosis import Misconception

MISCONCEPTIONS = (
    Misconception(
        "not_scaled",
        "The scores are not scaled.",
        "Which step of the formula comes after the product of queries and keys?",
        "X / Y**0.5 => X\nattention(Q, K, ...) => attention(Q * K.shape[-1]**0.5, K, ...)",
    ),
    Misconception(
        "scaled_without_root",
        "The scores are divided by the size itself.",
        "Compare the number that you divide by with the formula. What stands around it there?",
        "X / Y**0.5 => X / Y\nattention(Q, K, ...) => attention(Q / K.shape[-1]**0.5, K, ...)",
    ),
    Misconception(
        "scale_inverted",
        "The scores are made larger.",
        "Large scores are to become smaller. Does your scaling shrink them or stretch them?",
        "X / Y**0.5 => X * Y**0.5 || X * Y",
    ),
    Misconception(
        "wrong_exponent",
        "The scaling is not that of the formula.",
        "Work out by hand what you divide, and by what, if the size is 16. Which operation comes first?",
        "X / Y**0.5 => X / (Y / 2) || X / Y / 2 || X / Y**2 || X / Y**0.25 || X / Y**1.5 || X / Y**0.05 || X / (2 * Y**0.5)",
    ),
    Misconception(
        "root_rounded",
        "The scores are scaled by a whole number.",
        "What is the root of 5, and what becomes of it in your code?",
        "X / Y**0.5 => X / int(Y**0.5) || X / round(Y**0.5)",
    ),
    Misconception(
        "scaled_by_length",
        "The scores are scaled by the number of tokens.",
        "Does your divisor change when the text grows? It should only know the width of a key.",
        """
        X / Y**0.5 => X / X.shape[-1]**0.5 || X / X.shape[-2]**0.5 || X / X.shape[-1] || X / X.shape[-2]
        """,
    ),
    Misconception(
        "scaled_by_all_heads",
        "The scores are not scaled by the width of one head.",
        "A score is a sum over the features of one head. Is that the size you scale by?",
        "X / Y**0.5 => X / (Y * self.num_heads)**0.5 || X / (Y * self.num_heads)",
    ),
    Misconception(
        "scaled_by_number_of_heads",
        "The scores are scaled by the number of heads.",
        "A score is a sum over the features of one head. How many are they?",
        "X / Y**0.5 => X / self.num_heads**0.5 || X / self.num_heads",
    ),
    Misconception(
        "scaled_by_the_batch",
        "The scores are scaled by the size of the wrong dimension.",
        "Which dimension of the keys do you read the size from? Print it for two different batches.",
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
        "The scores are scaled by a number that does not follow the width.",
        "Try keys of another width. Does the number that you divide by change with them?",
        "X / Y**0.5 => X / 2**0.5 || X / 2 || X / 8 || X / 3**0.5 || X / 4 || X / 16 || X / 32**0.5 || X / 512**0.5",
    ),
    Misconception(
        "scaled_after_softmax",
        "The weights are scaled, and not the scores.",
        "Sum a row of your weights. Should it still be 1 when they meet the values?",
        """
        torch.softmax(X / Y**0.5, dim=D) => torch.softmax(X, dim=D) / Y**0.5
        torch.softmax((X / Y**0.5).masked_fill(M, V), dim=D) => torch.softmax(X.masked_fill(M, V), dim=D) / Y**0.5
        """,
    ),
    Misconception(
        "scaled_where_it_should_not_be",
        "Something is scaled that should stay as it is.",
        "Read the description once more: does it ask for a division at this step?",
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
        "Count the divisions between the product and the softmax.",
        "X / Y**0.5 => X / Y**0.5 / Y**0.5",
    ),
    Misconception(
        "queries_scaled_early",
        "Results are scaled, where products alone are asked for.",
        "Which step of the formula divides, and what does it divide?",
        """
        return A, B, C => return A / A.shape[-1]**0.5, B, C || return A / x.shape[-1]**0.5, B / x.shape[-1]**0.5, C / x.shape[-1]**0.5
        """,
        where=r"def project",
    ),
    Misconception(
        "biased",
        "The variance is divided by the number of scores.",
        "Torch's own variance divides by one less.",
        """
        X.var(...) => X.var(..., unbiased=False)
        """,
    ),
    Misconception(
        "standard_deviation",
        "The standard deviation is returned.",
        "The variance is its square.",
        """
        X.var() => X.std()
        """,
    ),
    Misconception(
        "variance_of_rows",
        "The variance is taken of each row.",
        "All scores count together, whatever row they stand in.",
        """
        X.var() => X.var(dim=-1).mean() || X.var(dim=-2).mean() || X.var(dim=-1) || X.var(dim=-2) || X.mean(dim=-1).var()
        """,
    ),
    Misconception(
        "scaled_when_it_should_not_be",
        "The scores are scaled just when they should not be.",
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
        "The scores are scaled, whatever is asked for.",
        "Does your function read its last argument?",
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
        "Add 100 to all scores. Does their variance change?",
        """
        X.var() => (X**2).mean()
        """,
    ),
    Misconception(
        "scaled_before_and_after",
        "The weights are scaled, besides the scores.",
        "Sum a row of your weights. Should it still be 1 when they meet the values?",
        "torch.softmax(X / Y**0.5, dim=D) => torch.softmax(X / Y**0.5, dim=D) / Y**0.5",
    ),
    Misconception(
        "fractions_cut_off",
        "A number is rounded that must keep its fraction.",
        "The root of 2 is no whole number. Which step of yours makes one of it, or of the scores?",
        "X / Y**0.5 => X / int(Y**0.5) || X // Y**0.5 || X / round(Y**0.5)",
    ),
    Misconception(
        "variance_of_weights",
        "The variance is that of the weights, and not of the scores.",
        "Is there any softmax in what the exercise asks for?",
        "X.var() => torch.softmax(X, dim=-1).var()",
    ),
    Misconception(
        "mean_for_variance",
        "The mean is returned, and not the variance.",
        "Add 1 to all scores. Should your result change?",
        "X.var() => X.mean()",
    ),
)
