"""0 times infinity is NaN, so a product cannot make this mask. Which function writes a value only where a
condition holds?
"""


def causal_mask_scores(length):
    return torch.triu(torch.ones(length, length), diagonal=1) * float("-inf")
