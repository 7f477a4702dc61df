"""Read row 0: in your mask the first token may look at everything that follows. Which side of the diagonal
is the future?
"""


def causal_mask_scores(length):
    past = torch.tril(torch.ones(length, length), diagonal=-1)
    return torch.zeros(length, length).masked_fill(past == 1, float("-inf"))
