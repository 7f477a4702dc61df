"""One softmax runs over all scores of a sentence together, so the whole table sums to 1
instead of each row.
"""


def attention_weights(scores: Tensor) -> Tensor:
    together = scores.flatten(start_dim=-2)
    weights = torch.softmax(together, dim=-1)
    return weights.reshape(scores.shape)
