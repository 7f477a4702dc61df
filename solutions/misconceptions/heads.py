"""Mistakes in splitting features into heads, and in joining the heads."""

from autograder.diagnosis import Misconception

MISCONCEPTIONS = (
    Misconception(
        "view_only",
        "Each head gets all features of some tokens, instead of some features of all tokens.",
        "Which dimension of x must be split into num_heads parts: the tokens or the features? Which one"
        " does your code split?",
        "X.view(B, T, H, S).transpose(1, 2) => X.view(B, H, T, S) || X.reshape(B, H, T, S)",
    ),
    Misconception(
        "never_transposed",
        "The dimensions of heads and tokens are not swapped.",
        "A matrix product acts on the last two dimensions. Which two dimensions must come last, so that"
        " tokens are compared with tokens?",
        "X.view(B, T, H, S).transpose(1, 2) => X.view(B, T, H, S)"
        " && Y.transpose(1, 2).reshape(...) => Y.reshape(...)\n"
        "X.view(B, T, H, S).transpose(1, 2) => X.view(B, T, H, S)",
    ),
    Misconception(
        "every_hth_feature",
        "A head takes features that are not neighbours.",
        "Each head holds neighbouring features. When you split the features, which size comes first in your"
        " code: the number of heads, or the head size?",
        "X.view(B, T, H, S).transpose(1, 2) => X.view(B, T, S, H).permute(0, 3, 1, 2)"
        " || X.reshape(B, T, S, H).permute(0, 3, 1, 2)",
    ),
    Misconception(
        "heads_before_the_batch",
        "After the split into heads, the four dimensions are in the wrong order.",
        "Print the shape of your tensor after the split. Which dimension should count the heads?",
        "X.view(B, T, H, S).transpose(1, 2) => X.view(B, T, H, S).permute(2, 0, 1, 3) || X.view(B, T, H, S).transpose(0, 1)"
        " || X.view(B, T, H, S).transpose(2, 3)"
        " || X.view(B, T, H, S).permute(3, 2, 1, 0)",
    ),
    Misconception(
        "tokens_last",
        "After the split into heads, tokens and features are swapped.",
        "Print the shape of your tensor after the split. Which dimension should count the tokens, and which the features of a head?",
        "X.view(B, T, H, S).transpose(1, 2) => X.view(B, T, H, S).permute(0, 2, 3, 1)",
    ),
    Misconception(
        "merged_without_transposing",
        "The heads are joined while the head dimension still comes before the token dimension.",
        "Row 0 of your result should hold the features of token 0 from all heads. Which features does it"
        " hold?",
        "X.transpose(1, 2).reshape(...) => X.reshape(...) || X.contiguous().view(...)",
    ),
    Misconception(
        "not_contiguous",
        "`view` cannot join the dimensions of a transposed tensor.",
        "`view` never makes a copy. Which function makes a copy if it has to?",
        "X.transpose(1, 2).reshape(...) => X.transpose(1, 2).view(...)",
    ),
    Misconception(
        "features_interleaved",
        "The features of the heads are interleaved: feature 0 of each head, then feature 1 of each head.",
        "For each token, all features of the first head come first. In which order are they in your result?",
        "X.transpose(1, 2).reshape(...) => X.permute(0, 2, 3, 1).reshape(...)\n"
        "torch.cat(X, dim=self.col_dim) => torch.stack(X, dim=-1).flatten(-2)",
    ),
    Misconception(
        "swapped_only",
        "The heads are not joined.",
        "After you swap heads and tokens, which two dimensions must become one?",
        "X.transpose(1, 2).reshape(...) => X.transpose(1, 2)",
    ),
    Misconception(
        "joined_below_each_other",
        "The outputs of the heads are joined along the dimension of the tokens.",
        "The columns of the output are features. Along which dimension should the outputs of the heads be"
        " joined?",
        "torch.cat(X, dim=self.col_dim) => torch.cat(X, dim=0)\nX.transpose(1, 2).reshape(...) => X.flatten(1, 2)",
    ),
    Misconception(
        "heads_added",
        "The outputs of the heads are added up or averaged.",
        "How many features should each token have in the result? It should keep all features of every head.",
        "torch.cat(X, dim=self.col_dim) => sum(X) || torch.stack(X).mean(dim=0)"
        "\nX.transpose(1, 2).reshape(...) => X.sum(dim=1) || X.mean(dim=1)",
    ),
    Misconception(
        "mask_not_handed_on",
        "The mask has no effect in the heads.",
        "Do you pass `mask` to each head? A head takes four arguments.",
        "head(A, B, C, mask) => head(A, B, C)",
    ),
    Misconception(
        "plain_list",
        "The parameters of some layers are missing in `parameters()` of the module.",
        "Are the layers in a plain Python list? Which container of torch registers the layers in it?",
        "nn.ModuleList(X) => list(X)",
    ),
    Misconception(
        "heads_backwards",
        "The heads are in reverse order.",
        "Which features come first in your result: those of the first head, or those of the last head?",
        """
        torch.cat(X, dim=self.col_dim) => torch.cat(X[::-1], dim=self.col_dim)
        X.view(batch, length, H, S).transpose(1, 2) => X.flip(-1).view(batch, length, H, S).flip(-1).transpose(1, 2)
        X.transpose(1, 2).reshape(batch, length, N) => X.flip(1).transpose(1, 2).reshape(batch, length, N)
        """,
    ),
    Misconception(
        "first_head_only",
        "The result contains only one head.",
        "How many heads does your code compute, and how many are in the result?",
        """
        torch.cat(X, dim=self.col_dim) => X[0] || X[-1]
        return X.view(B, T, H, S).transpose(1, 2) => return X.view(B, T, H, S).transpose(1, 2)[:, :1]
        X.transpose(1, 2).reshape(...) => X[:, 0]
        """,
    ),
    Misconception(
        "heads_in_a_chain",
        "Each head gets the output of the previous head as its queries.",
        "Which tensor does your second head get for its queries? All heads should get the same three inputs.",
        """
        outputs = [head(A, B, C, mask) for head in self.heads]
        return torch.cat(outputs, dim=D)
        =>
        outputs = []
        for head in self.heads:
            encodings_for_q = head(encodings_for_q, B, C, mask)
            outputs.append(encodings_for_q)
        return torch.cat(outputs, dim=D)

        outputs = [head(A, B, C, mask) for head in self.heads]
        return torch.cat(outputs, dim=D)
        =>
        for head in self.heads:
            encodings_for_q = head(encodings_for_q, B, C, mask)
        return encodings_for_q
        """,
    ),
    Misconception(
        "heads_stacked",
        "The outputs of the heads are stacked along a new dimension.",
        "Which function of torch joins tensors along a dimension that they already have?",
        "torch.cat(X, dim=self.col_dim) => torch.stack(X) || torch.stack(X, dim=1) || torch.stack(X, dim=-1)",
    ),
    Misconception(
        "heads_divided",
        "The outputs of the heads are divided by the number of heads.",
        "Read the description: is anything done to the outputs of the heads after they are joined?",
        "torch.cat(X, dim=self.col_dim) => torch.cat(X, dim=self.col_dim) / len(self.heads)",
    ),
    Misconception(
        "one_head_repeated",
        "All heads share the same weights.",
        "How many heads does your constructor create? Compare the parameters of the first head with those"
        " of the second.",
        "nn.ModuleList(A for _ in range(N)) => nn.ModuleList([A] * N)",
    ),
    Misconception(
        "number_and_size_swapped",
        "The number of heads and the size of a head are swapped.",
        "Print the shape of your result. Which size is the number of heads, and which is the number of"
        " features of a head?",
        "X.view(batch, length, H, S).transpose(1, 2) => X.view(batch, length, S, H).transpose(1, 2)",
    ),
    Misconception(
        "all_features_in_each",
        "Each head gets all features of every token.",
        "If the features of a token are split into num_heads heads, how many features does each head get?",
        "X.view(B, T, H, S).transpose(1, 2) => X.unsqueeze(1).repeat(1, H, 1, 1)",
    ),
    Misconception(
        "turned_before_cutting",
        "Tokens and features are swapped before the features are split into heads.",
        "`view` and `reshape` read the numbers row by row. When you split the features, is each row of your"
        " tensor a token?",
        "X.view(B, T, H, S).transpose(1, 2) => X.transpose(1, 2).reshape(B, H, T, S)",
    ),
    Misconception(
        "other_dimensions_swapped",
        "The wrong dimensions are swapped before the heads are joined.",
        "Which two of the four dimensions should become one? These two must be neighbours before you join"
        " them.",
        "X.transpose(1, 2).reshape(...) => X.transpose(1, 3).reshape(...) || X.transpose(2, 3).reshape(...)"
        " || X.permute(2, 0, 1, 3).reshape(...)",
    ),
    Misconception(
        "tokens_joined",
        "Tokens and features become one dimension, instead of heads and features.",
        "Which two dimensions does your code join? Which two should it join?",
        "X.transpose(1, 2).reshape(...) => X.flatten(2)",
    ),
)
