"""What goes wrong where features are cut into heads and joined again."""

from autograder.diagnosis import Misconception

MISCONCEPTIONS = (
    Misconception(
        "view_only",
        "The heads share out the tokens, and not the features of each.",
        "Does your first head hold some features of all tokens, or all features of some tokens?",
        "X.view(B, T, H, S).transpose(1, 2) => X.view(B, H, T, S) || X.reshape(B, H, T, S)",
    ),
    Misconception(
        "never_transposed",
        "Heads and tokens do not change places.",
        "A product acts on the last two dimensions. Which two must these be, so that tokens are compared with"
        " tokens?",
        "X.view(B, T, H, S).transpose(1, 2) => X.view(B, T, H, S)"
        " && Y.transpose(1, 2).reshape(...) => Y.reshape(...)\n"
        "X.view(B, T, H, S).transpose(1, 2) => X.view(B, T, H, S)",
    ),
    Misconception(
        "every_hth_feature",
        "A head takes features from here and there.",
        "A head holds neighbouring features. In which order do the sizes stand where you cut?",
        "X.view(B, T, H, S).transpose(1, 2) => X.view(B, T, S, H).permute(0, 3, 1, 2)",
    ),
    Misconception(
        "heads_before_the_batch",
        "The dimension of the heads stands in the wrong place.",
        "Compare the sizes of your result with the description, one by one.",
        "X.view(B, T, H, S).transpose(1, 2) => X.view(B, T, H, S).permute(2, 0, 1, 3) || X.view(B, T, H, S).transpose(0, 1)"
        " || X.view(B, T, H, S).transpose(2, 3)"
        " || X.view(B, T, H, S).permute(3, 2, 1, 0)",
    ),
    Misconception(
        "tokens_last",
        "Tokens and features of each head stand in each other's place.",
        "Compare the last two sizes of your result with the description.",
        "X.view(B, T, H, S).transpose(1, 2) => X.view(B, T, H, S).permute(0, 2, 3, 1)",
    ),
    Misconception(
        "merged_without_transposing",
        "The heads are joined before they are back in their places.",
        "Whose features stand in the first row of your result?",
        "X.transpose(1, 2).reshape(...) => X.reshape(...)",
    ),
    Misconception(
        "not_contiguous",
        "view is called on a tensor whose numbers lie in memory in another order.",
        "After transpose the numbers still lie where they lay. What does view need, and what does reshape"
        " do about it?",
        "X.transpose(1, 2).reshape(...) => X.transpose(1, 2).view(...)",
    ),
    Misconception(
        "features_interleaved",
        "The features of the heads are joined in turns.",
        "For each token, all features of the first head come first. In which order do yours come?",
        "X.transpose(1, 2).reshape(...) => X.permute(0, 2, 3, 1).reshape(...)\n"
        "torch.cat(X, dim=self.col_dim) => torch.stack(X, dim=-1).flatten(-2)",
    ),
    Misconception(
        "swapped_only",
        "The heads are not joined.",
        "Which two dimensions become one after the swap?",
        "X.transpose(1, 2).reshape(...) => X.transpose(1, 2)",
    ),
    Misconception(
        "joined_below_each_other",
        "The heads' outputs stand below each other.",
        "The rows of the output are tokens. Along which dimension do you set the heads side by side?",
        "torch.cat(X, dim=self.col_dim) => torch.cat(X, dim=0)\nX.transpose(1, 2).reshape(...) => X.flatten(1, 2)",
    ),
    Misconception(
        "heads_added",
        "The heads' outputs are added up, or averaged.",
        "How many features should a token have in the end? Nothing of a head is to be lost.",
        "torch.cat(X, dim=self.col_dim) => sum(X) || torch.stack(X).mean(dim=0)"
        "\nX.transpose(1, 2).reshape(...) => X.sum(dim=1) || X.mean(dim=1)",
    ),
    Misconception(
        "mask_not_handed_on",
        "The heads hide nothing.",
        "Does the mask reach the heads? The method takes four arguments.",
        "head(A, B, C, mask) => head(A, B, C)",
    ),
    Misconception(
        "plain_list",
        "The module knows no parameters of these layers.",
        "Do the layers stand in a plain list? What must a list of layers be, so that torch finds them?",
        "nn.ModuleList(X) => list(X)",
    ),
    Misconception(
        "heads_backwards",
        "The last head comes first.",
        "Whose features stand first in your result?",
        """
        torch.cat(X, dim=self.col_dim) => torch.cat(X[::-1], dim=self.col_dim)
        X.view(batch, length, H, S).transpose(1, 2) => X.flip(-1).view(batch, length, H, S).flip(-1).transpose(1, 2)
        X.transpose(1, 2).reshape(batch, length, N) => X.flip(1).transpose(1, 2).reshape(batch, length, N)
        """,
    ),
    Misconception(
        "first_head_only",
        "Only one head comes out.",
        "Count the heads that go in and those that come out.",
        """
        torch.cat(X, dim=self.col_dim) => X[0] || X[-1]
        X.view(B, T, H, S).transpose(1, 2) => X.view(B, T, H, S).transpose(1, 2)[:, :1]
        X.transpose(1, 2).reshape(...) => X[:, 0]
        """,
    ),
    Misconception(
        "heads_in_a_chain",
        "Each head gets the output of the previous head as its queries.",
        "What does the second head get as its queries? All heads work on the same inputs.",
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
        "The heads' outputs stand in a dimension of their own.",
        "Which function sets tensors side by side without a new dimension?",
        "torch.cat(X, dim=self.col_dim) => torch.stack(X) || torch.stack(X, dim=1) || torch.stack(X, dim=-1)",
    ),
    Misconception(
        "heads_divided",
        "The heads' outputs are divided by the number of heads.",
        "Read the description: is anything done to the outputs of the heads once they stand side by side?",
        "torch.cat(X, dim=self.col_dim) => torch.cat(X, dim=self.col_dim) / len(self.heads)",
    ),
    Misconception(
        "one_head_repeated",
        "The heads share one set of weights.",
        "How many heads are made? Compare the parameters of the first with those of the second.",
        "nn.ModuleList(A for _ in range(N)) => nn.ModuleList([A] * N)",
    ),
    Misconception(
        "number_and_size_swapped",
        "Number and size of the heads have changed places.",
        "How many heads are there, and how many features has each? Compare with the shape of your result.",
        "X.view(batch, length, H, S).transpose(1, 2) => X.view(batch, length, S, H).transpose(1, 2)",
    ),
    Misconception(
        "all_features_in_each",
        "Each head gets all features.",
        "How many features has a token, and how many are left for one of several heads?",
        "X.view(B, T, H, S).transpose(1, 2) => X.unsqueeze(1).repeat(1, H, 1, 1)",
    ),
    Misconception(
        "turned_before_cutting",
        "Tokens and features change places before the heads are cut.",
        "Which numbers stand next to each other in memory when you cut? They should be features of one token.",
        "X.view(B, T, H, S).transpose(1, 2) => X.transpose(1, 2).reshape(B, H, T, S)",
    ),
    Misconception(
        "other_dimensions_swapped",
        "Other dimensions change places than heads and tokens.",
        "Number the four dimensions. Which two must be neighbours before they become one?",
        "X.transpose(1, 2).reshape(...) => X.transpose(1, 3).reshape(...) || X.transpose(2, 3).reshape(...)"
        " || X.permute(2, 0, 1, 3).reshape(...)",
    ),
    Misconception(
        "tokens_joined",
        "Tokens are joined, and not heads.",
        "Which two dimensions become one in yours?",
        "X.transpose(1, 2).reshape(...) => X.flatten(2)",
    ),
)
