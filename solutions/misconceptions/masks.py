"""What goes wrong where tokens are hidden from each other."""

from autograder.diagnosis import Misconception

MISCONCEPTIONS = (
    Misconception(
        "not_masked",
        "The mask hides nothing.",
        "Do you apply the mask to the scores, and do you keep the result? Some methods change a tensor, others"
        " return a new one.",
        """
        X.masked_fill(M, V) => X
        torch.ones(N, N, dtype=torch.bool).triu(diagonal=1) => torch.zeros(N, N, dtype=torch.bool)
        attention(Q, K, V, M) => attention(Q, K, V)
        """,
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
    ),
    Misconception(
        "past_hidden",
        "Each token sees later tokens, but no earlier ones.",
        "Write down which tokens the first token should see, and which the last. Which do they see in your code?",
        """
        X.triu(diagonal=1) => X.tril(diagonal=-1)
        X.triu(diagonal=m - n + 1) => X.tril(diagonal=m - n - 1)
        X.triu(diagonal=1) => X.tril(diagonal=-1) && -torch.inf => -1e9
        torch.tril(X) => torch.triu(X)
        X[B, :T + 1] => X[B, T:]
        x.cumsum(dim=D) => x.flip(D).cumsum(dim=D).flip(D)
        """,
    ),
    Misconception(
        "diagonal_hidden",
        "A token cannot see itself.",
        "Look at row 0: which tokens can the first token see, and which should it see?",
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
        "Every token can see the next one.",
        "Look at row 0: which tokens can the first token see, and which come after it?",
        """
        X.triu(diagonal=1) => X.triu(diagonal=2)
        X.triu(diagonal=m - n + 1) => X.triu(diagonal=m - n + 2)
        torch.tril(X) => torch.tril(X, diagonal=1)
        """,
    ),
    Misconception(
        "mask_not_cut",
        "The mask does not fit texts that are shorter than the maximum length.",
        "Which rows and columns of the mask does a shorter text need?",
        """
        self.M[:A, :A] => self.M
        self.M[:A, :A] => self.M[:A]
        self.M[:A, :A] => self.M[:, :A]
        """,
    ),
    Misconception(
        "masked_after_softmax",
        "The mask acts on the weights, and not on the scores.",
        "Sum the rows of your weights. Did you mask before or after the softmax?",
        """
        torch.softmax(X.masked_fill(M, V), dim=D) => torch.softmax(X, dim=D).masked_fill(M, 0)

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
        "What is the exponential of a score of 0, and which share of the whole does it get?",
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
        "The mask acts after the product of weights and values.",
        "Do the weights of later tokens have to be 0 before or after you multiply with the values?",
        "torch.softmax(X.masked_fill(M, V), dim=D) @ Y => torch.softmax(X, dim=D) @ Y",
    ),
    Misconception(
        "zero_for_hidden",
        "Hidden scores are 0.",
        "A score of 0 is an ordinary score. What is its exponential, and what should that of a hidden score be?",
        "X.masked_fill(M, V) => X.masked_fill(M, 0.0)",
    ),
    Misconception(
        "minus_one_for_hidden",
        "Hidden scores are set to -1.",
        "A low score gives a low weight, but not 0. Which score has the exponential 0?",
        "X.masked_fill(M, V) => X.masked_fill(M, -1.0)",
    ),
    Misconception(
        "merely_low",
        "Hidden scores are low, but not low enough.",
        "You replace hidden scores with a low number. Is this number lower than every score that is possible?",
        """
        torch.zeros(N, N).masked_fill(M, V) => torch.zeros(N, N).masked_fill(M, -1e9) || torch.zeros(N, N).masked_fill(M, -1e10) || torch.zeros(N, N).masked_fill(M, torch.finfo(torch.float32).min)
        X.masked_fill(M, V) => X.masked_fill(M, -10.0) || X.masked_fill(M, -100.0) || X.masked_fill(M, -1e3) || X.masked_fill(M, -1e4) || X.masked_fill(M, 1e-9) || X.masked_fill(M, -20.0) || X.masked_fill(M, -50.0)
        """,
    ),
    Misconception(
        "plus_infinity_for_hidden",
        "Hidden scores are as large as possible.",
        "A large score gives a large weight. Which sign should a hidden score have?",
        "-torch.inf => torch.inf || 1e9",
    ),
    Misconception(
        "zero_times_infinity",
        "The result contains NaN.",
        "What is 0 times infinity, and does your code compute this product?",
        "X.masked_fill(M, V) => X + M * -torch.inf",
    ),
    Misconception(
        "mask_added",
        "The mask is added to the scores as zeros and ones.",
        "How much does a score change when 1 is added to it? What has to happen to the score of a hidden token?",
        "X.masked_fill(M, V) => X + M || X + ~M || X - M.float()",
    ),
    Misconception(
        "small_integers",
        "Places or lengths are stored in an integer dtype that is too small for long texts.",
        "What is the largest number that your integer dtype can store?",
        "torch.arange(N, device=E) >= X => torch.arange(N, device=E).to(torch.uint8) >= X.to(torch.uint8)"
        " || torch.arange(N, device=E).to(torch.int8) >= X.to(torch.int8)",
    ),
    Misconception(
        "mask_in_numbers",
        "The mask holds numbers, and not truth values.",
        "Which dtype does a mask have that contains only True and False?",
        "torch.ones(N, N, dtype=torch.bool) => torch.ones(N, N) || torch.ones(N, N, dtype=torch.int) || torch.ones(N, N, dtype=torch.long) || torch.ones(N, N, dtype=torch.uint8)",
        says=r"must be bool, but it is",
    ),
    Misconception(
        "mask_of_the_first_sequence",
        "All sequences get the mask of the first one.",
        "Each sequence of the batch has its own mask. Which of them do you use?",
        """
        X.masked_fill(M, V) => X.masked_fill(M[:1], V)
        X.masked_fill(M, V) => X.masked_fill(M[0], V)
        """,
        where=r"\bmask\b",
    ),
    Misconception(
        "always_causal",
        "The code uses another mask than the one that is passed.",
        "Does your code make its own triangular mask? What does it do with a mask that is not a triangle?",
        "X.masked_fill(mask, V) => X.masked_fill(torch.ones_like(X, dtype=torch.bool).triu(diagonal=1), V)",
    ),
    Misconception(
        "mask_is_a_plain_tensor",
        "The module has a tensor that is neither a parameter nor a buffer.",
        "When the module moves to another device, its parameters and buffers move, too. Does your mask?",
        """
        self.register_buffer("mask", X) => self.mask = X
        self.register_buffer("tril", X) => self.tril = X
        """,
    ),
    Misconception(
        "mask_is_a_parameter",
        "The mask is a parameter.",
        "An optimizer changes parameters. Is the mask something to be learnt?",
        """
        self.register_buffer("mask", X) => self.mask = nn.Parameter(X, requires_grad=False)
        self.register_buffer("tril", X) => self.tril = nn.Parameter(X)
        """,
    ),
    Misconception(
        "causal_by_default",
        "Later tokens are hidden, although the question does not ask for it.",
        "May a token look at later tokens here? Read again what the question says about a mask.",
        """
        torch.softmax(X, dim=D) => torch.softmax(X + torch.full(X.shape[-2:], -torch.inf, dtype=X.dtype).triu(1), dim=D)
        return weights @ inputs => return weights.tril() @ inputs
        attention(Q, K, V, mask) => attention(Q, K, V, torch.ones(Q.shape[-2], K.shape[-2], dtype=torch.bool).triu(diagonal=1) if mask is None else mask)
        return attention_weights(Q, K) @ V => return attention_weights(Q, K).tril() @ V
        return X @ Y.transpose(A, B) => return (X @ Y.transpose(A, B)).masked_fill(torch.ones(X.shape[-2], Y.shape[-2], dtype=torch.bool).triu(diagonal=1), -torch.inf)
        """,
    ),
    Misconception(
        "inverted",
        "The mask is inverted: it hides the tokens and not the padding.",
        "In this course True means hidden. Which places of a text are tokens, and which are padding?",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(N, ...) < lengths.unsqueeze(D)",
    ),
    Misconception(
        "one_too_few",
        "One token too few is hidden.",
        "Count from 0: which place does the first padding token have?",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(N, ...) > lengths.unsqueeze(D)",
    ),
    Misconception(
        "one_too_many",
        "One token too many is hidden.",
        "Count from 0: which place does the last token before the padding have?",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(N, ...) >= lengths.unsqueeze(D) - 1",
    ),
    Misconception(
        "longest_in_batch",
        "The mask has as many columns as the longest text, and not as many as requested.",
        "How many columns should your mask have if all texts are short?",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(int(lengths.max())) >= lengths.unsqueeze(D)",
    ),
    Misconception(
        "padded_in_front",
        "The mask hides the beginning of each text, but the padding is at the end.",
        "Is the padding at the beginning or at the end of a text?",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(N, ...) < N - lengths.unsqueeze(D)",
    ),
    Misconception(
        "not_boolean",
        "The mask holds numbers, and not truth values.",
        "Which dtype does a mask have that contains only True and False?",
        "return X >= Y => return (X >= Y).float() || return (X >= Y).int() || return (X >= Y).long()",
        says=r"must be bool, but it is",
    ),
    Misconception(
        "mask_turned",
        "The mask is transposed: its rows and columns are swapped.",
        "A row of the mask belongs to the token that looks. Which token does a row of your mask belong to?",
        "X.masked_fill(M, V) => X.masked_fill(M.transpose(-2, -1), V)",
    ),
    Misconception(
        "masks_of_single_queries_ignored",
        "A mask with three dimensions hides nothing.",
        "The mask may have two dimensions or three. What does your code do with three?",
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
        "All scores are hidden.",
        "Which tokens can the last one see?",
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
        "A token can see only itself.",
        "Write down the mask for three tokens. Which tokens can the last one see?",
        "torch.ones(N, N, dtype=torch.bool).triu(diagonal=1) => ~torch.eye(N, dtype=torch.bool)",
    ),
    Misconception(
        "one_too_large",
        "The mask is larger than the text.",
        "How many rows does a mask for three tokens have?",
        "return torch.ones(N, N, dtype=torch.bool) .triu(diagonal=1) => return torch.ones(N + 1, N + 1, dtype=torch.bool).triu(diagonal=1)",
    ),
    Misconception(
        "next_hidden_only",
        "Only the very next token is hidden.",
        "Write down the mask for four tokens. Can the first one see the third?",
        "X.triu(diagonal=1) => X.triu(diagonal=1).tril(diagonal=1)",
    ),
    Misconception(
        "first_padding_only",
        "Only the first place after each text is hidden.",
        "How many places after the text are padding? Does your mask hide all of them?",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(N, ...) == lengths.unsqueeze(D)",
    ),
    Misconception(
        "sorted_lengths",
        "The rows of the mask are in another order than the texts.",
        "Which text does the first row of your mask belong to?",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(N, ...) >= lengths.sort(descending=True).values.unsqueeze(D)"
        " || torch.arange(N, ...) >= lengths.sort().values.unsqueeze(D)",
    ),
    Misconception(
        "padding_forgotten",
        "The mask hides nothing.",
        "Which place does the first padding token have?",
        "return X >= Y => return (X >= Y) & False",
        says=r"Nothing is hidden",
    ),
    Misconception(
        "padding_square",
        "The mask has one dimension too many.",
        "Compare the shape of your mask with the description. Is there a row for each text, or for each token?",
        "return X >= Y => return (X >= Y).unsqueeze(1) || return (X >= Y).unsqueeze(1).expand(-1, max_length, -1)"
        " || return (X >= Y).unsqueeze(1).unsqueeze(1)",
    ),
    Misconception(
        "hidden_tokens_have_weight",
        "Hidden tokens have a weight.",
        "What is the exponential of the score of a hidden token in your code, and what should it be?",
        says=r"A hidden token has a weight",
    ),
    Misconception(
        "mask_comes_apart",
        "In a mask for whole sequences, rows hide tokens of other sequences.",
        "After you repeat the rows, in which order are they? In which order does `view` expect them?",
        "mask.unsqueeze(1) => mask.repeat(x.shape[1], 1).view(len(mask), x.shape[1], -1)"
        " || mask.repeat_interleave(x.shape[1], dim=1).view(len(mask), x.shape[1], -1)",
    ),
    Misconception(
        "mask_turned_up",
        "A mask for whole sequences is applied to the queries, and not to the keys.",
        "Where do you insert a dimension of size 1? Along which dimension of the scores is the mask broadcast?",
        "mask.unsqueeze(1) => mask.unsqueeze(2)",
    ),
)
