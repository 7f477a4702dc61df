"""Mistakes in turning scores into weights."""

from autograder.diagnosis import Misconception

# Matches exercises whose softmax gives attention weights, so not `generate` and `add_block`
_WEIGHTS = r"\A(?![\s\S]*(maximum, denominator|max_new_tokens))"

MISCONCEPTIONS = (
    Misconception(
        "softmax_over_queries",
        "The softmax runs over the queries.",
        "The weights of each query should sum to 1. Which of the last two dimensions of the scores counts"
        " the keys?",
        """
        torch.softmax(X, dim=D) => torch.softmax(X, dim=-2)

        if mask is not None:
            H = Z
            S = S.masked_fill(H, V)
        return torch.softmax(S, dim=D) @ Y
        =>
        if mask is not None:
            H = Z
            S = S.masked_fill(H, -1e9)
        return torch.softmax(S, dim=-2) @ Y
        """,
        where=_WEIGHTS,
    ),
    Misconception(
        "softmax_over_dim_1",
        "The softmax runs over dimension 1.",
        "In a matrix, dimension 1 is the last one. What does dimension 1 count in your tensor?",
        "torch.softmax(X, dim=D) => torch.softmax(X, dim=1)"
        "\ntorch.softmax(X.masked_fill(M, V), dim=D) => torch.softmax(X.masked_fill(M, -1e9), dim=1)",
    ),
    Misconception(
        "softmax_over_dim_0",
        "The softmax runs over dimension 0.",
        "Print the sums of your weights along each dimension. Along which one should they be 1?",
        "torch.softmax(X, dim=D) => torch.softmax(X, dim=0)",
        where=_WEIGHTS,
    ),
    Misconception(
        "softmax_without_dim",
        "If the scores have three dimensions, the softmax runs over the first dimension.",
        "Do you pass `dim` to the softmax? Without it, torch chooses a dimension.",
        "torch.softmax(X, dim=D) => torch.softmax(X, dim=0 if X.dim() in (0, 1, 3) else 1)",
    ),
    Misconception(
        "softmax_dim_from_the_front",
        "With additional batch dimensions, the softmax runs over the wrong dimension.",
        "Which index does the dimension of the keys have, counted from the end?",
        "return torch.softmax(X, dim=D) => return torch.softmax(X, dim=1 if X.dim() == 2 else 2)"
        " || return torch.softmax(X, dim={1: 0, 2: 1, 3: 2}.get(X.dim(), 1))",
    ),
    Misconception(
        "softmax_over_everything",
        "All weights together sum to 1.",
        "Which weights should sum to 1: all weights of the matrix together, or the weights of each row?",
        """
        torch.softmax(X, dim=D) => torch.softmax(X.flatten(), dim=0).view(X.shape)
        torch.softmax(X, dim=D) => torch.softmax(X.flatten(-2), dim=-1).view(X.shape)
        torch.softmax(X, dim=D) => torch.exp(X) / torch.exp(X).sum()
        X / X.sum(dim=D, keepdim=True) => X / X.sum()
        """,
        where=_WEIGHTS,
    ),
    Misconception(
        "no_softmax",
        "There is no softmax.",
        "Scores may be negative and need not sum to 1. Which function turns them into weights?",
        "torch.softmax(X, dim=D) => X",
        where=_WEIGHTS,
    ),
    Misconception(
        "divided_by_sum",
        "The scores are divided by their sum.",
        "If a negative score is divided by the sum, the result can be negative, but a weight cannot. Which function"
        " makes the scores positive first?",
        "torch.softmax(X, dim=D) => X / X.sum(dim=D, keepdim=True)",
        where=_WEIGHTS,
    ),
    Misconception(
        "exp_overflows",
        "The weights are wrong if scores are very large or very low.",
        "What does `exp` return for a very large score, and for a very low one?",
        """
        torch.softmax(X, dim=D) => torch.exp(X) / torch.exp(X).sum(dim=D, keepdim=True)
        torch.softmax(X.masked_fill(M, V), dim=D) => torch.exp(X) * ~M / (torch.exp(X) * ~M).sum(dim=D, keepdim=True)
        torch.exp(X - X.max()) => torch.exp(X)
        torch.exp(X - Y) => torch.exp(X)
        torch.softmax(X, dim=D) => (torch.exp(X) / torch.exp(X).sum(dim=D, keepdim=True)).nan_to_num()
        return powers / powers.sum() => return (torch.exp(scores) / torch.exp(scores).sum()).nan_to_num()
        """,
        where=_WEIGHTS,
    ),
    Misconception(
        "sums_lose_their_place",
        "The tensor of row sums, or of row maxima, has lost a dimension.",
        "Which shape do your row sums or maxima have? What does `keepdim` do?",
        """
        torch.softmax(X, dim=D) => torch.exp(X) / torch.exp(X).sum(dim=D)
        torch.softmax(X, dim=D) => torch.exp(X - X.amax(dim=D)) / torch.exp(X - X.amax(dim=D)).sum(dim=D, keepdim=True)
        X / X.sum(dim=D, keepdim=True) => X / X.sum(dim=D)
        """,
    ),
    Misconception(
        "exp_over_the_queries",
        "The exponentials are divided by sums over the wrong dimension, and they overflow.",
        "Which dimension of the scores counts the keys? And what does `exp` return for a very large score?",
        """
        torch.softmax(X, dim=D) => torch.exp(X) / torch.exp(X).sum(dim=0)
        torch.softmax(X, dim=D) => torch.exp(X) / torch.exp(X).sum(dim=-2, keepdim=True)
        """,
        where=_WEIGHTS,
    ),
    Misconception(
        "softmax_twice",
        "The softmax is applied twice.",
        "How often do you apply softmax between the scores and the product with the values?",
        "torch.softmax(X, dim=D) => torch.softmax(torch.softmax(X, dim=D), dim=D)",
        where=_WEIGHTS,
    ),
    Misconception(
        "log_softmax",
        "The weights are logarithms.",
        "Are your weights positive, and do they sum to 1? Look at the name of the function that you call.",
        "torch.softmax(X, dim=D) => torch.log_softmax(X, dim=D)\nreturn powers / powers.sum() => return (powers / powers.sum()).log()",
        where=_WEIGHTS,
    ),
    Misconception(
        "sigmoid",
        "Each weight depends only on its own score.",
        "Print the sum of each row of your weights. Which function makes the weights of a row sum to 1?",
        "torch.softmax(X, dim=D) => torch.sigmoid(X)\nreturn powers / powers.sum() => return torch.sigmoid(scores)",
        where=_WEIGHTS,
    ),
    Misconception(
        "not_normalised",
        "The weights are not divided by their sum.",
        "What do your weights sum to? What should they sum to?",
        """
        torch.softmax(X, dim=D) => torch.exp(X)
        torch.softmax(X, dim=D) => torch.exp(X - X.amax(dim=D, keepdim=True))
        X / X.sum(...) => X
        """,
        where=_WEIGHTS,
    ),
    Misconception(
        "added_to_the_sum",
        "A small number is added to the sum in the denominator of the weights.",
        "Which term of your denominator is not in the formula?",
        "X / X.sum(...) => X / (X.sum(...) + 1e-6) || X / (X.sum(...) + 1e-8) || X / (X.sum(...) + 1e-9)"
        " || X / (X.sum(...) + 1e-5) || X / (X.sum(...) + 1e-7) || X / (X.sum(...) + 1e-12)"
        " || X / (X.sum(...) + 1e-10)",
    ),
    Misconception(
        "one_shift_for_all",
        "The same number is subtracted from all rows.",
        "If all scores of a row are far below the maximum of the whole matrix, what are their exponentials?",
        "torch.softmax(X, dim=D) => torch.exp(X - X.max()) / torch.exp(X - X.max()).sum(dim=D, keepdim=True)",
        where=_WEIGHTS,
    ),
    Misconception(
        "softmax_again",
        "A softmax is applied to the argument `weights`.",
        "`weights` already contains weights. Does the exercise ask you to change these weights?",
        """
        weights => torch.softmax(weights, dim=-1)
        """,
        where=r"def context_vectors?\(weights",
    ),
    Misconception(
        "normalises_again",
        "The argument `weights` is divided by its sum.",
        "Does the exercise ask you to change the weights so that they sum to 1?",
        """
        weights => weights / weights.sum(dim=-1, keepdim=True)
        """,
        where=r"def context_vectors?\(weights",
    ),
    Misconception(
        "weights_already",
        "There is a softmax that the exercise does not ask for.",
        "Which line of your code applies a softmax? Does the exercise name a softmax at this step?",
        """
        return X @ Y => return torch.softmax(X @ Y, dim=-1)
        return scores => return torch.softmax(scores, dim=-1)
        """,
    ),
    Misconception(
        "signs_turned",
        "The highest score gets the lowest weight.",
        "Try the two scores 1 and 2. Which of them should get the larger weight?",
        """
        torch.softmax(X, dim=D) => torch.softmax(-X, dim=D)
        torch.exp(X - Y) => torch.exp(Y - X)
        """,
        where=_WEIGHTS,
    ),
    Misconception(
        "powers_of_two",
        "The powers do not have the base e.",
        "What is the base of the exponential function?",
        """
        torch.exp(X) => torch.pow(2.0, X) || torch.pow(10.0, X)
        torch.softmax(X, dim=D) => torch.softmax(X * 0.6931471805599453, dim=D)
        """,
        where=_WEIGHTS,
    ),
    Misconception(
        "shifted_by_the_mean",
        "The mean of the scores is subtracted instead of the largest score.",
        "If one score is far above the mean, what is its exponential after you subtract the mean?",
        """
        X - X.max() => X - X.mean()
        torch.softmax(X, dim=D) => torch.exp(X - X.mean(dim=D, keepdim=True)) / torch.exp(X - X.mean(dim=D, keepdim=True)).sum(dim=D, keepdim=True)
        """,
        where=_WEIGHTS,
    ),
    Misconception(
        "scores_clipped",
        "The scores are clipped, so all scores beyond the limit get the same weight.",
        "If two scores beyond your limit differ, should their weights differ?",
        """
        torch.exp(X - Y) => torch.exp(X.clamp(-80.0, 80.0)) || torch.exp(X.clamp(max=80.0)) || torch.exp(X.clamp(-50.0, 50.0)) || torch.exp(X.clamp(max=50.0)) || torch.exp(X.clamp(-100.0, 100.0)) || torch.exp(X.clamp(max=88.0)) || torch.exp(X.clamp(max=700.0)) || torch.exp(X.clamp(max=100.0)) || torch.exp(X.clamp(-88.0, 88.0))
        torch.softmax(X, dim=D) => torch.softmax(X.clamp(-50.0, 50.0), dim=D) || torch.softmax(X.clamp(-80.0, 80.0), dim=D) || torch.softmax(X.clamp(-100.0, 100.0), dim=D) || torch.softmax(X.clamp(-88.0, 88.0), dim=D)
        """,
        where=_WEIGHTS,
    ),
    Misconception(
        "divided_by_the_norm",
        "The scores are divided by their norm instead of their sum.",
        "What do your weights sum to? What should they sum to?",
        """
        X / X.sum() => X / X.norm()
        """,
    ),
    Misconception(
        "shifted_first",
        "The smallest score is subtracted first, so its weight is 0.",
        "Which weight does the smallest score get in your code, and which should it get?",
        """
        scores / scores.sum() => (scores - scores.min()) / (scores - scores.min()).sum() || (scores - scores.min()) / (scores.max() - scores.min())
        """,
    ),
    Misconception(
        "squared",
        "The scores are squared.",
        "Try a negative and a positive score of the same size. Should they get the same weight?",
        """
        scores / scores.sum() => scores**2 / (scores**2).sum()
        torch.softmax(X, dim=D) => X**2 / (X**2).sum(dim=D, keepdim=True)
        """,
        where=_WEIGHTS,
    ),
    Misconception(
        "divided_by_the_largest",
        "The exponentials are divided by the largest exponential instead of their sum.",
        "What do your weights sum to? What should they sum to?",
        """
        powers / powers.sum() => powers / powers.max()
        torch.softmax(X, dim=D) => torch.exp(X - X.amax(dim=D, keepdim=True)) / torch.exp(X - X.amax(dim=D, keepdim=True)).amax(dim=D, keepdim=True)
        """,
        where=_WEIGHTS,
    ),
    Misconception(
        "no_exponential",
        "There is no exponential.",
        "Scores may be negative. Which function makes them positive before they are divided by their sum?",
        "torch.exp(X) => X",
        where=_WEIGHTS,
    ),
    Misconception(
        "shifted_below_only",
        "The largest score is subtracted in the denominator, but not in the numerator.",
        "A fraction keeps its value only if numerator and denominator change by the same factor. Do both"
        " change in your code?",
        "powers / powers.sum() => torch.exp(scores) / powers.sum()",
    ),
    Misconception(
        "shrunk_first",
        "The scores are divided by a number before the exponential.",
        "A softmax does not change if you subtract the same number from all scores. Does it change if you"
        " divide all scores?",
        "torch.exp(X - Y) => torch.exp(X / Y) || torch.exp(X / 1000) || torch.exp(X / 100) || torch.exp(X / 10)",
        where=_WEIGHTS,
    ),
    Misconception(
        "shifted_before_scaling",
        "The largest unscaled score is subtracted from the scaled scores.",
        "Do you take the maximum before or after the scaling? From which scores do you subtract it?",
        "torch.softmax(X / Y**0.5, dim=D) => torch.exp(X / Y**0.5 - X.amax(dim=D, keepdim=True))"
        " / torch.exp(X / Y**0.5 - X.amax(dim=D, keepdim=True)).sum(dim=D, keepdim=True)",
    ),
    Misconception(
        "not_itself",
        "The weight that a token gives to itself is wrong.",
        "Which weight does the first token give to itself? Compute it in the same way as the other weights.",
        """
        torch.softmax(X, dim=D) => torch.softmax(X.masked_fill(torch.eye(X.shape[-2], X.shape[-1], dtype=torch.bool), -torch.inf), dim=D)
        torch.softmax(X, dim=D) => torch.softmax(X.masked_fill(torch.eye(X.shape[-2], X.shape[-1], dtype=torch.bool), 0), dim=D)
        return weights @ inputs => return weights.masked_fill(torch.eye(weights.shape[-2], weights.shape[-1], dtype=torch.bool), 0) @ inputs
        """,
        where=r"\A(?![\s\S]*(max_new_tokens|encodings_for_k|\bcontext\b))",
    ),
    Misconception(
        "relu_for_softmax",
        "The wrong function is used instead of softmax.",
        "Print the sum of each row of your weights. Which function makes positive numbers that sum to 1?",
        "torch.softmax(X, dim=D) => torch.relu(X) || torch.tanh(X)",
        where=_WEIGHTS,
    ),
    Misconception(
        "plain_average",
        "All visible tokens get the same weight.",
        "If you change a key, do your scores change? Do your weights change?",
        "X @ Y.transpose(A, B) => X @ Y.transpose(A, B) * 0.0",
        where="softmax|weights",
    ),
)
