"""The dot products are those of the columns of the inputs, shape (d, d), instead of those of the rows."""


def pairwise_scores_loop(inputs: Tensor) -> Tensor:
    width = inputs.shape[1]
    scores = torch.zeros(width, width, dtype=inputs.dtype)
    for a in range(width):
        for b in range(width):
            scores[a, b] = inputs[:, a] @ inputs[:, b]
    return scores
