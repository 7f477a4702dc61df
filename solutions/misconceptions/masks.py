"""What goes wrong where tokens are hidden from each other."""

from autograder.diagnosis import Misconception

MISCONCEPTIONS = (
    Misconception(
        "not_masked",
        "Nothing is hidden.",
        "Does the mask reach the weights, and is the result kept? Some methods change a tensor, others leave it"
        " as it is and return a new one.",
        """
        X.masked_fill(M, V) => X
        torch.ones(N, N, dtype=torch.bool).triu(diagonal=1) => torch.zeros(N, N, dtype=torch.bool)
        attention(Q, K, V, M) => attention(Q, K, V)
        """,
    ),
    Misconception(
        "mask_inverted",
        "Just those tokens are hidden that should be seen.",
        "In this course True means hidden. Who is hidden in yours?",
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
        "The past is hidden, and the future can be seen.",
        "A row is who looks, a column is at whom. On which side of the diagonal is the future?",
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
        "Look at row 0: what is left for the first token? Where should the triangle begin?",
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
        "Write down the mask for three tokens. Who comes after the first?",
        """
        X.triu(diagonal=1) => X.triu(diagonal=2)
        X.triu(diagonal=m - n + 1) => X.triu(diagonal=m - n + 2)
        torch.tril(X) => torch.tril(X, diagonal=1)
        """,
    ),
    Misconception(
        "mask_not_cut",
        "The mask does not fit a text that is shorter than the longest.",
        "Which part of it does such a text need?",
        """
        self.M[:A, :A] => self.M
        self.M[:A, :A] => self.M[:A]
        self.M[:A, :A] => self.M[:, :A]
        """,
    ),
    Misconception(
        "masked_after_softmax",
        "The mask acts on the weights, and not on the scores.",
        "Sum your rows. Part of the whole went to hidden tokens before they were struck out.",
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
        "Keys and values of hidden tokens become 0, and their scores take part.",
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
        "The mask acts when the values are mixed already.",
        "Who can still see the future at the moment when the values are mixed?",
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
        "A low score gives a low weight, but not none. Which score has the exponential 0?",
        "X.masked_fill(M, V) => X.masked_fill(M, -1.0)",
    ),
    Misconception(
        "merely_low",
        "Hidden scores are low, but not low enough.",
        "What you put in their place is low beside these scores. Is it low beside any scores?",
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
        "NaN stands where a number should be.",
        "What is 0 times infinity, and do the two meet in yours?",
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
        "Places or lengths are kept in integers that are too small for long texts.",
        "What is the largest number that your integers can hold?",
        "torch.arange(N, device=E) >= X => torch.arange(N, device=E).to(torch.uint8) >= X.to(torch.uint8)"
        " || torch.arange(N, device=E).to(torch.int8) >= X.to(torch.int8)",
    ),
    Misconception(
        "mask_in_numbers",
        "The mask holds numbers, and not truth values.",
        "The places may be right. Which type does a mask have that says only who is hidden?",
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
        "The mask that is handed in is not the one that decides.",
        "Does your code hide a triangle of its own? Does it obey a mask that is not a triangle?",
        "X.masked_fill(mask, V) => X.masked_fill(torch.ones_like(X, dtype=torch.bool).triu(diagonal=1), V)",
    ),
    Misconception(
        "mask_is_a_plain_tensor",
        "A tensor is kept that is neither a parameter nor a buffer.",
        "When the module moves to another device, its parameters and buffers go along. Does your mask?",
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
        "The future is hidden, though nobody asks for it.",
        "May a token look at those that come after it? Read once more what the exercise says about a mask.",
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
        "Just those tokens are hidden that should be seen.",
        "In this course True means hidden. Which tokens are real?",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(N, ...) < lengths.unsqueeze(D)",
    ),
    Misconception(
        "one_too_few",
        "One token too few is hidden.",
        "Count from 0: which place has the first token that is not real?",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(N, ...) > lengths.unsqueeze(D)",
    ),
    Misconception(
        "one_too_many",
        "One token too many is hidden.",
        "Count from 0: which place has the last token that is real?",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(N, ...) >= lengths.unsqueeze(D) - 1",
    ),
    Misconception(
        "longest_in_batch",
        "The mask is as long as the longest text, and not as it is asked for.",
        "How wide should your mask be if all texts are short?",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(int(lengths.max())) >= lengths.unsqueeze(D)",
    ),
    Misconception(
        "padded_in_front",
        "The padding stands in front.",
        "At which end of a text does the padding stand?",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(N, ...) < N - lengths.unsqueeze(D)",
    ),
    Misconception(
        "not_boolean",
        "The mask holds numbers, and not truth values.",
        "Which type does a mask have that says only who is hidden?",
        "return X >= Y => return (X >= Y).float() || return (X >= Y).int() || return (X >= Y).long()",
        says=r"must be bool, but it is",
    ),
    Misconception(
        "mask_turned",
        "The mask is turned: its rows and columns have changed places.",
        "A row of the mask belongs to the token that looks. Whose are the rows of yours?",
        "X.masked_fill(M, V) => X.masked_fill(M.transpose(-2, -1), V)",
    ),
    Misconception(
        "masks_of_single_queries_ignored",
        "A mask for single queries hides nothing.",
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
        "A token can see nothing but itself.",
        "Write down the mask for three tokens. Whom can the last one see?",
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
        "What about the places behind it?",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(N, ...) == lengths.unsqueeze(D)",
    ),
    Misconception(
        "sorted_lengths",
        "The texts are put into another order.",
        "Whose row is the first one of your mask?",
        "torch.arange(N, ...) >= lengths.unsqueeze(D) => torch.arange(N, ...) >= lengths.sort(descending=True).values.unsqueeze(D)"
        " || torch.arange(N, ...) >= lengths.sort().values.unsqueeze(D)",
    ),
    Misconception(
        "padding_forgotten",
        "Nothing is hidden.",
        "Which place has the first token that is not real?",
        "return X >= Y => return (X >= Y) & False",
        says=r"Nothing is hidden",
    ),
    Misconception(
        "padding_square",
        "The mask has a dimension that is not asked for.",
        "Compare the shape of your mask with the description. Who needs a row of it: each text, or each token?",
        "return X >= Y => return (X >= Y).unsqueeze(1) || return (X >= Y).unsqueeze(1).expand(-1, max_length, -1)"
        " || return (X >= Y).unsqueeze(1).unsqueeze(1)",
    ),
    Misconception(
        "hidden_tokens_have_weight",
        "Hidden tokens have a weight.",
        "What is the exponential of the score that you give them, and what should it be?",
        says=r"A hidden token has a weight",
    ),
    Misconception(
        "mask_comes_apart",
        "A mask for whole sequences comes apart: its rows hide tokens of other sequences.",
        "In which order do the rows stand after you have repeated them, and in which are they cut?",
        "mask.unsqueeze(1) => mask.repeat(x.shape[1], 1).view(len(mask), x.shape[1], -1)"
        " || mask.repeat_interleave(x.shape[1], dim=1).view(len(mask), x.shape[1], -1)",
    ),
    Misconception(
        "mask_turned_up",
        "A mask for whole sequences meets the queries, and not the tokens that answer.",
        "Which size does your mask get a 1 for? Along which dimension is it spread over the scores?",
        "mask.unsqueeze(1) => mask.unsqueeze(2)",
    ),
)
