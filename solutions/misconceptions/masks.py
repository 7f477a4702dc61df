"""Mistakes with masks: which tokens are hidden, and how."""

from autograder.diagnosis import Misconception

# Matches all exercises but `add_block`, where `masked_fill` replaces a maximum of -inf and applies no mask
_MASKED = r"\A(?![\s\S]*maximum, denominator)"
# Matches exercises whose argument `mask` has one row for each sequence of the batch
_BATCH_OF_MASKS = r"mask\.unsqueeze\(1\)"
_ARGUMENT_MASK = r"def (masked_attention_weights|forward)\([^)]*\bmask\b"
# Matches exercises that compute scores for more than one query
_SEVERAL_ROWS = r"\A(?![\s\S]*(max_new_tokens|def context_vector\b|def scales_wrongly))"

MISCONCEPTIONS = (
    Misconception(
        "not_masked",
        "The mask hides nothing.",
        "Do you apply the mask to the scores, and do you use the result? Some methods change a tensor, but"
        " others return a new one.",
        """
        X.masked_fill(M, V) => X
        torch.ones(N, N, dtype=torch.bool).triu(diagonal=1) => torch.zeros(N, N, dtype=torch.bool)
        attention(Q, K, V, M) => attention(Q, K, V)
        """,
        where=_MASKED,
    ),
    Misconception(
        "mask_inverted",
        "The mask is inverted: it hides the tokens that should be visible.",
        "In this course True means hidden. Which tokens does your mask hide?",
        """
        X.masked_fill(M == 0, V) => X.masked_fill(M != 0, V)
        X.masked_fill(M, V) => X.masked_fill(~M, V) || X.masked_fill(~M, -1e9)
        attention(Q, K, V, mask) => attention(Q, K, V, None if mask is None else ~mask)
        X.masked_fill(M, V) => X.masked_fill(~M, V) && torch.softmax(X, dim=D) => torch.softmax(X, dim=D).nan_to_num()
        head(A, B, C, mask) => head(A, B, C, None if mask is None else ~mask)
        attention(Q, K, V, mask) => attention(Q, K, V, None if mask is None else ~mask).nan_to_num()
        torch.ones(N, N, dtype=torch.bool).triu(diagonal=1) => torch.ones(N, N, dtype=torch.bool).tril()
        torch.ones(N, N, dtype=torch.bool).triu(diagonal=1) => torch.ones(N, N, dtype=torch.bool).tril() && -torch.inf => -1e9
        """,
        where=_MASKED,
    ),
    Misconception(
        "past_hidden",
        "Each token sees later tokens, but no earlier ones.",
        "Which tokens should the first token see, and which should the last token see? Which ones do they"
        " see in your code?",
        """
        X.triu(diagonal=1) => X.tril(diagonal=-1)
        X.triu(diagonal=m - n + 1) => X.tril(diagonal=m - n - 1)
        X.triu(diagonal=1) => X.tril(diagonal=-1) && -torch.inf => -1e9
        torch.tril(X) => torch.triu(X)
        """,
    ),
    Misconception(
        "diagonal_hidden",
        "A token cannot see itself.",
        "Look at row 0 of your mask or weights: which token should the first token see?",
        """
        X.triu(diagonal=1) => X.triu()
        X.triu(diagonal=m - n + 1) => X.triu(diagonal=m - n)
        X.triu(diagonal=1) => X.triu() && -torch.inf => -1e9
        torch.tril(X) => torch.tril(X, diagonal=-1)
        torch.tril(X) => torch.tril(X, diagonal=-1) && X / X.sum(dim=D, keepdim=True) => X / X.sum(dim=D, keepdim=True).clamp(min=1)
        """,
    ),
    Misconception(
        "sees_one_ahead",
        "Every token can see the next token.",
        "Look at row 0 of your mask or weights: which tokens can the first token see? Is a later token among"
        " them?",
        """
        X.triu(diagonal=1) => X.triu(diagonal=2)
        X.triu(diagonal=m - n + 1) => X.triu(diagonal=m - n + 2)
        torch.tril(X) => torch.tril(X, diagonal=1)
        """,
    ),
    Misconception(
        "mask_not_cut",
        "The mask has the wrong size for texts that are shorter than the maximum length.",
        "Which rows and columns of the mask does a shorter text need?",
        """
        self.M[:A, :A] => self.M
        self.M[:A, :A] => self.M[:A]
        self.M[:A, :A] => self.M[:, :A]
        """,
    ),
    Misconception(
        "masked_after_softmax",
        "The mask is applied to the weights instead of the scores.",
        "What does each row of your weights sum to? Is your mask applied before or after the softmax?",
        """
        torch.softmax(X.masked_fill(M, -torch.inf), dim=D) => torch.softmax(X, dim=D).masked_fill(M, 0)

        torch.softmax(X.masked_fill(M, -torch.inf), dim=D) => torch.softmax(X, dim=D).masked_fill(M, 0.0)

        torch.softmax(X.masked_fill(M, V), dim=D) => torch.softmax(X, dim=D).masked_fill(M, V)

        if mask is not None:
            S = S.masked_fill(M, V)
        return torch.softmax(S, dim=D) @ Y
        =>
        weights = torch.softmax(S, dim=D)
        if mask is not None:
            weights = weights.masked_fill(M, 0)
        return weights @ Y

        if mask is not None:
            H = Z
            S = S.masked_fill(H, V)
        return torch.softmax(S, dim=D) @ Y
        =>
        weights = torch.softmax(S, dim=D)
        if mask is not None:
            H = Z
            weights = weights.masked_fill(H, 0)
        return weights @ Y
        """,
    ),
    Misconception(
        "hidden_tokens_set_to_zero",
        "Keys and values of hidden tokens are set to 0, but their scores still go into the softmax.",
        "If a score is 0, what is its exponential? Which weight does the hidden token then get?",
        """
        S = Q @ K.transpose(A, B) / N
        if mask is not None:
            H = Z
            S = S.masked_fill(H, V)
        return torch.softmax(S, dim=D) @ Y
        =>
        if mask is not None:
            K = K * (~mask).unsqueeze(-1)
            Y = Y * (~mask).unsqueeze(-1)
        S = Q @ K.transpose(A, B) / N
        return torch.softmax(S, dim=D) @ Y
        """,
    ),
    Misconception(
        "masked_after_mixing",
        "The mask is applied after the product of weights and values.",
        "Hidden tokens need the weight 0 in the product with the values. At which step does your code apply"
        " the mask?",
        "torch.softmax(X.masked_fill(M, V), dim=D) @ Y => torch.softmax(X, dim=D) @ Y",
    ),
    Misconception(
        "zero_for_hidden",
        "The hidden scores are set to 0.",
        "A score of 0 is an ordinary score. What is its exponential? What should the exponential of a"
        " hidden score be?",
        """
        X.masked_fill(M, V) => X.masked_fill(M, 0.0)
        X.masked_fill(M == 0, V) => X * M
        X.masked_fill(M, V) => X * ~M
        X.masked_fill(M == 0, -torch.inf) => X * M
        X.masked_fill(M, -torch.inf) => X * ~M || X * (M == 0)
        """,
        where=_MASKED,
    ),
    Misconception(
        "minus_one_for_hidden",
        "The hidden scores are set to -1.",
        "A low score gives a low weight, but the weight is not 0. Which score has the exponential 0?",
        "X.masked_fill(M, V) => X.masked_fill(M, -1.0)",
        where=_MASKED,
    ),
    Misconception(
        "merely_low",
        "The hidden scores are low, but not low enough.",
        "Which number replaces the hidden scores in your code? Can an ordinary score be lower than this"
        " number?",
        """
        torch.zeros(N, N).masked_fill(M, V) => torch.zeros(N, N).masked_fill(M, -1e9) || torch.zeros(N, N).masked_fill(M, -1e10) || torch.zeros(N, N).masked_fill(M, torch.finfo(torch.float32).min)
        X.masked_fill(M, V) => X.masked_fill(M, -10.0) || X.masked_fill(M, -100.0) || X.masked_fill(M, -1e3) || X.masked_fill(M, -1e4) || X.masked_fill(M, -20.0) || X.masked_fill(M, -50.0)
        """,
        where=_MASKED,
    ),
    Misconception(
        "plus_infinity_for_hidden",
        "The hidden scores are set to a very large positive number.",
        "A large score gives a large weight. Which sign should a hidden score have?",
        "-torch.inf => torch.inf || 1e9",
        where=_MASKED,
    ),
    Misconception(
        "zero_times_infinity",
        "The result contains NaN.",
        "What is 0 times infinity, and does your code compute this product?",
        "X.masked_fill(M, V) => X + M * -torch.inf",
        where=_MASKED,
    ),
    Misconception(
        "mask_added",
        "The mask is added to the scores, or subtracted from them, as zeros and ones.",
        "Your mask changes a score by 1 at most. Which score should a hidden token have?",
        "X.masked_fill(M, V) => X + M || X + ~M || X - M.float()",
        where=_MASKED,
    ),
    Misconception(
        "small_integers",
        "Positions or lengths are stored in an integer dtype that is too small for long texts.",
        "What is the largest number that your integer dtype can store?",
        "torch.arange(N, device=E) >= X => torch.arange(N, device=E).to(torch.uint8) >= X.to(torch.uint8)"
        " || torch.arange(N, device=E).to(torch.int8) >= X.to(torch.int8)",
    ),
    Misconception(
        "mask_in_numbers",
        "The mask contains numbers instead of True and False.",
        "Which dtype does a tensor of True and False have?",
        "torch.ones(N, N, dtype=torch.bool) => torch.ones(N, N) || torch.ones(N, N, dtype=torch.int) || torch.ones(N, N, dtype=torch.long) || torch.ones(N, N, dtype=torch.uint8)",
        says=r"must be bool, but it is",
    ),
    Misconception(
        "mask_of_the_first_sequence",
        "The mask of the first sequence is used for all sequences.",
        "Each sequence of the batch has its own mask. Where does your code select only one of them?",
        """
        X.masked_fill(M, V) => X.masked_fill(M[:1], V)
        X.masked_fill(M, V) => X.masked_fill(M[0], V)
        """,
        where=_BATCH_OF_MASKS,
    ),
    Misconception(
        "always_causal",
        "The code uses a causal mask instead of the argument `mask`.",
        "Where does your code read the argument `mask`? It may hide different tokens from those that a"
        " causal mask hides.",
        "X.masked_fill(mask, V) => X.masked_fill(torch.ones_like(X, dtype=torch.bool).triu(diagonal=1), V)",
        where=_ARGUMENT_MASK,
    ),
    Misconception(
        "mask_is_a_plain_tensor",
        "The module has a tensor that is neither a parameter nor a buffer.",
        "If the module moves to another device, its parameters and buffers move with it. Does your mask?",
        """
        self.register_buffer("mask", X) => self.mask = X
        self.register_buffer("tril", X) => self.tril = X
        """,
    ),
    Misconception(
        "mask_is_a_parameter",
        "The mask is a parameter.",
        "An optimizer changes parameters. Should training change the mask?",
        """
        self.register_buffer("mask", X) => self.mask = nn.Parameter(X, requires_grad=False)
        self.register_buffer("tril", X) => self.tril = nn.Parameter(X)
        """,
    ),
    Misconception(
        "causal_by_default",
        "Later tokens are hidden, although the exercise does not ask for a causal mask.",
        "May a token see later tokens here? Read again what the exercise says about a mask.",
        """
        torch.softmax(X, dim=D) => torch.softmax(X + torch.full(X.shape[-2:], -torch.inf, dtype=X.dtype).triu(1), dim=D)
        return weights @ inputs => return weights.tril() @ inputs
        attention(Q, K, V, mask) => attention(Q, K, V, torch.ones(Q.shape[-2], K.shape[-2], dtype=torch.bool).triu(diagonal=1) if mask is None else mask)
        return attention_weights(Q, K) @ V => return attention_weights(Q, K).tril() @ V
        return X @ Y.transpose(A, B) => return (X @ Y.transpose(A, B)).masked_fill(torch.ones(X.shape[-2], Y.shape[-2], dtype=torch.bool).triu(diagonal=1), -torch.inf)
        """,
        where=_SEVERAL_ROWS,
    ),
    Misconception(
        "inverted",
        "The mask is inverted: it hides the words instead of the padding.",
        "In this course True means hidden. Which positions of a sentence are words, and which are padding?",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(N, ...) < lengths.unsqueeze(D)",
    ),
    Misconception(
        "one_too_few",
        "The mask hides one position too few.",
        "If a sentence has 3 words, which index does the first padded position have? Count from 0.",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(N, ...) > lengths.unsqueeze(D)",
    ),
    Misconception(
        "one_too_many",
        "The mask hides one position too many.",
        "If a sentence has 3 words, which index does the last word have? Count from 0.",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(N, ...) >= lengths.unsqueeze(D) - 1",
    ),
    Misconception(
        "longest_in_batch",
        "The mask has as many columns as the longest sentence, instead of max_length columns.",
        "If all sentences are shorter than max_length, how many columns should the mask have?",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(int(lengths.max())) >= lengths.unsqueeze(D)",
    ),
    Misconception(
        "padded_in_front",
        "The mask hides the beginning of each sentence, but the padding is at the end.",
        "Which positions of the first sentence does your mask hide? Where is its padding?",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(N, ...) < N - lengths.unsqueeze(D)",
    ),
    Misconception(
        "not_boolean",
        "The mask contains numbers instead of True and False.",
        "Which dtype does a tensor of True and False have?",
        "return X >= Y => return (X >= Y).float() || return (X >= Y).int() || return (X >= Y).long()",
        says=r"must be bool, but it is",
    ),
    Misconception(
        "mask_turned",
        "The mask is transposed: its rows and columns are swapped.",
        "Row i of the mask belongs to query i. To which token does row i belong in your code?",
        "X.masked_fill(M, V) => X.masked_fill(M.transpose(-2, -1), V)",
        where=_MASKED,
    ),
    Misconception(
        "masks_of_single_queries_ignored",
        "A mask with three dimensions has no effect.",
        "`mask` may have two or three dimensions. What does your code do with a mask of three dimensions?",
        """
        if mask is not None:
            H = Z
            S = S.masked_fill(H, V)
        =>
        if mask is not None and mask.dim() == 2:
            H = Z
            S = S.masked_fill(H, V)
        """,
    ),
    Misconception(
        "everything_hidden",
        "All tokens are hidden.",
        "Which tokens should the last token see?",
        "torch.zeros(N, N).masked_fill(M, V) => torch.full((N, N), -torch.inf)",
    ),
    Misconception(
        "random_scores",
        "The scores are random numbers.",
        "Which score should every visible token have, so that all weights of a row are equal?",
        "torch.zeros(N, N) => torch.randn(N, N)",
    ),
    Misconception(
        "itself_visible_only",
        "Each token can see only itself.",
        "Write down the mask for three tokens. Which tokens should the last token see?",
        "torch.ones(N, N, dtype=torch.bool).triu(diagonal=1) => ~torch.eye(N, dtype=torch.bool)",
    ),
    Misconception(
        "one_too_large",
        "The mask has more rows and columns than the text has tokens.",
        "How many rows and columns does a mask for three tokens have?",
        "return torch.ones(N, N, dtype=torch.bool) .triu(diagonal=1) => return torch.ones(N + 1, N + 1, dtype=torch.bool).triu(diagonal=1)",
    ),
    Misconception(
        "next_hidden_only",
        "For each token, only the next token is hidden.",
        "Write down the mask for four tokens. Can the first token see the third token in your mask?",
        "X.triu(diagonal=1) => X.triu(diagonal=1).tril(diagonal=1)",
    ),
    Misconception(
        "first_padding_only",
        "Only the first padded position of each sentence is hidden.",
        "How many positions after the last word are padding? Does your mask hide all of them?",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(N, ...) == lengths.unsqueeze(D)",
    ),
    Misconception(
        "sorted_lengths",
        "The rows of the mask are not in the order of the sentences.",
        "Row i of the mask should belong to `lengths[i]`. Which sentence does the first row of your mask"
        " belong to?",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(N, ...) >= lengths.sort(descending=True).values.unsqueeze(D)"
        " || torch.arange(N, ...) >= lengths.sort().values.unsqueeze(D)",
    ),
    Misconception(
        "padding_forgotten",
        "The mask hides nothing.",
        "If a sentence has 3 words, which index does the first padded position have?",
        "return X >= Y => return (X >= Y) & False",
        says=r"Nothing is hidden",
    ),
    Misconception(
        "padding_square",
        "The mask has one dimension too many.",
        "The description asks for the shape (B, max_length). Which dimension of your mask does not belong"
        " there?",
        "return X >= Y => return (X >= Y).unsqueeze(1) || return (X >= Y).unsqueeze(1).expand(-1, max_length, -1)"
        " || return (X >= Y).unsqueeze(1).unsqueeze(1)",
    ),
    Misconception(
        "hidden_tokens_have_weight",
        "The weight of a hidden token is not 0.",
        "What is the exponential of a hidden score in your code? What should it be?",
        says=r"The weight of a hidden token is not 0",
    ),
    Misconception(
        "mask_comes_apart",
        "After the mask is repeated for the queries, its rows belong to the wrong sequences.",
        "In which order are the rows of the mask after you repeat them? In which order does `view` expect them?",
        "mask.unsqueeze(1) => mask.repeat(x.shape[1], 1).view(len(mask), x.shape[1], -1)"
        " || mask.repeat_interleave(x.shape[1], dim=1).view(len(mask), x.shape[1], -1)",
    ),
    Misconception(
        "same_mask_for_all_queries",
        "With a mask of three dimensions, all queries of a sequence get the same mask.",
        "A mask with three dimensions has one row for each query. Which step of your code merges these rows, or"
        " selects one of them?",
        "mask.unsqueeze(1) if mask.dim() == 2 else mask => mask.unsqueeze(1) if mask.dim() == 2 else mask.any(dim=1, keepdim=True)"
        " || mask.unsqueeze(1) if mask.dim() == 2 else mask.all(dim=1, keepdim=True)"
        " || mask.unsqueeze(1) if mask.dim() == 2 else mask[:, :1]"
        " || mask.unsqueeze(1) if mask.dim() == 2 else mask[:, -1:]",
    ),
    Misconception(
        "four_dimensions_with_such_a_mask",
        "A mask with three dimensions gets a fourth dimension.",
        "Does every mask need another dimension? Compare the shape of your mask with the shape of the"
        " scores, (B, n, m).",
        "mask.unsqueeze(1) if mask.dim() == 2 else mask => mask.unsqueeze(1)",
    ),
    Misconception(
        "mask_turned_up",
        "A mask of shape (B, m) hides queries instead of keys.",
        "Where do you insert a dimension of size 1? Along which dimension of the scores is the mask then"
        " repeated?",
        "mask.unsqueeze(1) => mask.unsqueeze(2)",
    ),
)
