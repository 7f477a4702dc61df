"""Each pair is added at both of its places to save work, so the diagonal is added twice."""


def pairwise_scores_loop(inputs: Tensor) -> Tensor:
    n = inputs.shape[0]
    table = torch.zeros(n, n, dtype=inputs.dtype)
    for i in range(n):
        for j in range(i + 1):  # it is symmetric, half is enough
            s = torch.dot(inputs[i], inputs[j])
            table[i, j] += s
            table[j, i] += s
    return table
