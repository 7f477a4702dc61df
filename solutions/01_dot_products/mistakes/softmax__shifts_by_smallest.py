"""Which exponents are left after you subtract the smallest score? The largest of them can overflow."""


def softmax(scores):
    powers = torch.exp(scores - scores.min())
    return powers / powers.sum()
