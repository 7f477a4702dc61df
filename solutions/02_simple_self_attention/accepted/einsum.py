"""Everything by einsum, with an ellipsis for the batch.

The letters say what happens to each dimension, and the dots in front stand for as many sentences as
there are, so one line serves one sentence and a batch.
"""


def pairwise_scores_loop(inputs: Tensor) -> Tensor:
    n = inputs.shape[0]
    scores = torch.empty(n, n, dtype=inputs.dtype)
    for i in range(n):
        for j in range(n):
            scores[i, j] = torch.einsum("d,d->", inputs[i], inputs[j])
    return scores


def pairwise_scores(inputs: Tensor) -> Tensor:
    return torch.einsum("...id,...jd->...ij", inputs, inputs)


def attention_weights(scores: Tensor) -> Tensor:
    return scores.softmax(-1)


def context_vectors(weights: Tensor, inputs: Tensor) -> Tensor:
    return torch.einsum("...ij,...jd->...id", weights, inputs)


def simple_self_attention(inputs: Tensor) -> Tensor:
    weights = torch.einsum("...id,...jd->...ij", inputs, inputs).softmax(-1)
    return torch.einsum("...ij,...jd->...id", weights, inputs)
