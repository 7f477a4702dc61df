"""The tokens are brought to length 1 first, so the scores are cosines and the scores are cut off from the
gradients of the inputs.
"""


def pairwise_scores(inputs: Tensor) -> Tensor:
    x = torch.nn.functional.normalize(inputs.detach(), dim=-1)
    return x @ x.transpose(-1, -2)
