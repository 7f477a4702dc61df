"""What goes wrong where scores become weights."""

from autograder.grading import Misconception

MISCONCEPTIONS = (
    Misconception(
        "softmax_over_queries",
        "The softmax runs over the queries.",
        "Each query has a budget of 1 to spend on the keys. Which of the last two dimensions counts keys?",
        "torch.softmax(X, dim=D) => torch.softmax(X, dim=-2)",
        common=True,
    ),
    Misconception(
        "softmax_over_dim_1",
        "The softmax runs over dimension 1.",
        "With two dimensions, 1 is the last one. What is it in a batch?",
        "torch.softmax(X, dim=D) => torch.softmax(X, dim=1)",
    ),
    Misconception(
        "softmax_over_dim_0",
        "The softmax runs over dimension 0.",
        "Sum your weights along each dimension. Along which of them should a token's weights sum to 1?",
        "torch.softmax(X, dim=D) => torch.softmax(X, dim=0)",
    ),
    Misconception(
        "softmax_over_everything",
        "All weights together sum to 1.",
        "How many tokens share that one whole, and how much should each have?",
        """
        torch.softmax(X, dim=D) => torch.softmax(X.flatten(), dim=0).view(X.shape)
        torch.softmax(X, dim=D) => torch.softmax(X.flatten(-2), dim=-1).view(X.shape)
        torch.softmax(X, dim=D) => torch.exp(X) / torch.exp(X).sum()
        """,
    ),
    Misconception(
        "no_softmax",
        "The scores meet the values as they are.",
        "Scores may be negative and need not sum to 1. What turns them into weights?",
        "torch.softmax(X, dim=D) => X",
        no_slip_in={
            "attention_weights": "the softmax is what is asked for",
            "scaled_attention_weights": "the softmax is what is asked for",
            "causal_softmax_weights": "the softmax is what is asked for",
            "masked_attention_weights": "the softmax is what is asked for",
        },
    ),
    Misconception(
        "divided_by_sum",
        "The scores are divided by their sum.",
        "Some scores are negative, so dividing them by a sum gives no shares. Which function makes shares of them?",
        "torch.softmax(X, dim=D) => X / X.sum(dim=D, keepdim=True)",
        no_slip_in={
            "attention_weights": "the softmax is what is asked for",
            "scaled_attention_weights": "the softmax is what is asked for",
            "causal_softmax_weights": "the softmax is what is asked for",
            "masked_attention_weights": "the softmax is what is asked for",
        },
    ),
    Misconception(
        "exp_overflows",
        "The softmax by hand overflows.",
        "It is right for small scores. What is exp of a very large one, or of a very low one?",
        """
        torch.softmax(X, dim=D) => torch.exp(X) / torch.exp(X).sum(dim=D, keepdim=True)
        torch.softmax(X.masked_fill(M, V), dim=D) => torch.exp(X) * ~M / (torch.exp(X) * ~M).sum(dim=D, keepdim=True)
        torch.exp(X - X.max()) => torch.exp(X)
        torch.exp(X - Y) => torch.exp(X)
        """,
    ),
    Misconception(
        "sums_lose_their_place",
        "The sums of the rows have lost their dimension.",
        "Which shape do the sums have, and along which dimension does the division spread them?",
        """
        torch.softmax(X, dim=D) => torch.exp(X) / torch.exp(X).sum(dim=D)
        X / X.sum(dim=D, keepdim=True) => X / X.sum(dim=D)
        """,
    ),
    Misconception(
        "exp_over_the_queries",
        "The softmax by hand is summed over the queries, and it overflows.",
        "Which dimension counts the keys that a query looks at? And what is exp of a very large score?",
        """
        torch.softmax(X, dim=D) => torch.exp(X) / torch.exp(X).sum(dim=0)
        torch.softmax(X, dim=D) => torch.exp(X) / torch.exp(X).sum(dim=-2, keepdim=True)
        """,
    ),
    Misconception(
        "softmax_twice",
        "The softmax is taken twice.",
        "Weights are no scores any more. Count the softmaxes between scores and values.",
        "torch.softmax(X, dim=D) => torch.softmax(torch.softmax(X, dim=D), dim=D)",
    ),
    Misconception(
        "log_softmax",
        "The weights are logarithms.",
        "Are your weights positive, and do they sum to 1? Look at the name of the function.",
        "torch.softmax(X, dim=D) => torch.log_softmax(X, dim=D)",
    ),
    Misconception(
        "sigmoid",
        "Each weight is made of its own score alone.",
        "Sum a row of your weights. Which function lets the scores of a row compete?",
        "torch.softmax(X, dim=D) => torch.sigmoid(X)",
        no_slip_in={
            "attention_weights": "the softmax is what is asked for",
            "scaled_attention_weights": "the softmax is what is asked for",
            "causal_softmax_weights": "the softmax is what is asked for",
            "masked_attention_weights": "the softmax is what is asked for",
        },
    ),
    Misconception(
        "not_normalised",
        "The weights are not divided by their sum.",
        "Sum your weights. What is missing after the exponential?",
        """
        torch.softmax(X, dim=D) => torch.exp(X)
        torch.softmax(X, dim=D) => torch.exp(X - X.amax(dim=D, keepdim=True))
        X / X.sum(...) => X
        """,
        no_slip_in={
            "normalize_by_sum": "what goes in comes out",
            "softmax": "the division is half of what is asked for",
        },
    ),
    Misconception(
        "added_to_the_sum",
        "Something is added to the sum that the weights are divided by.",
        "Do the weights still sum to 1, to the last digit? After the largest score was subtracted the sum is"
        " never 0.",
        "X / X.sum(...) => X / (X.sum(...) + 1e-6) || X / (X.sum(...) + 1e-8) || X / (X.sum(...) + 1e-9)"
        " || X / (X.sum(...) + 1e-5) || X / (X.sum(...) + 1e-7) || X / (X.sum(...) + 1e-12)"
        " || X / (X.sum(...) + 1e-10)",
    ),
    Misconception(
        "one_shift_for_all",
        "All rows are shifted by one number.",
        "What becomes of a row whose scores are far below the largest of the whole table?",
        "torch.softmax(X, dim=D) => torch.exp(X - X.max()) / torch.exp(X - X.max()).sum(dim=D, keepdim=True)",
    ),
)
