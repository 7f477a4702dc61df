"""The future is masked, but the triangle of ones has stayed. Which score should a visible token have here?"""


def causal_mask_scores(length):
    allowed = torch.tril(torch.ones(length, length))
    return allowed.masked_fill(allowed == 0, float("-inf"))
