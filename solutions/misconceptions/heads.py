"""What goes wrong where features are cut into heads and joined again."""

from autograder.grading import Misconception

MISCONCEPTIONS = (
    Misconception(
        "view_only",
        "The heads are cut by view alone.",
        "The shape is right. Does your first head hold some features of all tokens, or all features of some"
        " tokens?",
        "X.view(B, T, H, S).transpose(1, 2) => X.view(B, H, T, S)",
        common=True,
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
        "A head holds neighbouring features. In which order do the sizes stand in your view?",
        "X.view(B, T, H, S).transpose(1, 2) => X.view(B, T, S, H).permute(0, 3, 1, 2)",
    ),
    Misconception(
        "heads_before_the_batch",
        "The dimension of the heads stands in the wrong place.",
        "Compare the sizes of your result with the description, one by one.",
        "X.view(B, T, H, S).transpose(1, 2) => X.view(B, T, H, S).permute(2, 0, 1, 3)"
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
        "The shape is right. Whose features stand in the first row of your result?",
        "X.transpose(1, 2).reshape(...) => X.reshape(...)",
        common=True,
    ),
    Misconception(
        "not_contiguous",
        "view is called on a tensor that was turned.",
        "After transpose the numbers lie in memory in another order than the shape suggests. What does view need,"
        " and what does reshape do about it?",
        "X.transpose(1, 2).reshape(...) => X.transpose(1, 2).view(...)",
    ),
    Misconception(
        "features_interleaved",
        "The features of the heads are joined in turns.",
        "For each token, all features of the first head come first. In which order do yours come?",
        "X.transpose(1, 2).reshape(...) => X.permute(0, 2, 3, 1).reshape(...)\n"
        "torch.cat(X, dim=D) => torch.stack(X, dim=-1).flatten(-2)",
    ),
    Misconception(
        "swapped_only",
        "The heads are not joined.",
        "The swap is right. Which two dimensions become one after it?",
        "X.transpose(1, 2).reshape(...) => X.transpose(1, 2)",
        no_slip_in={"merge_heads": "the heads are not merged"},
    ),
    Misconception(
        "joined_below_each_other",
        "The heads' outputs stand below each other.",
        "The rows of the output are tokens. Along which dimension do you set the heads side by side?",
        "torch.cat(X, dim=D) => torch.cat(X, dim=0)",
    ),
    Misconception(
        "heads_added",
        "The heads' outputs are added up.",
        "How many features should a token have in the end? Nothing of a head is to be lost.",
        "torch.cat(X, dim=D) => sum(X) || torch.stack(X).mean(dim=0)",
    ),
    Misconception(
        "mask_not_handed_on",
        "The heads get no mask.",
        "The method takes four arguments. How many of them do the heads get?",
        "head(A, B, C, mask) => head(A, B, C)",
    ),
    Misconception(
        "plain_list",
        "The layers stand in a plain list.",
        "The module computes well, but it knows of no parameters. What must a list of layers be, so that torch"
        " finds them?",
        "nn.ModuleList(X) => list(X)",
    ),
)
