"""Powers of 2 are taken instead of powers of e and nothing is subtracted first, so large scores overflow."""


def softmax(scores: Tensor) -> Tensor:
    powers = torch.pow(2, scores)
    return powers / powers.sum()
