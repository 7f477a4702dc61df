"""Without keepdim=True the sums of the rows line up with the columns: broadcasting divides column j by the
sum of row j.
"""


def attention_weights(scores):
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1)
