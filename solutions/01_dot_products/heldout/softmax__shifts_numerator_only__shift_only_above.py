"""The largest score is subtracted in the numerator only, not in the denominator."""


def softmax(scores: Tensor) -> Tensor:
    highest, _ = torch.max(scores, dim=0)
    return torch.exp(scores - highest) / torch.sum(torch.exp(scores))
