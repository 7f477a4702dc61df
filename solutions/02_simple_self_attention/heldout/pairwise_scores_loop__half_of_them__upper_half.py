"""Only pairs with j at least i are filled in, everything below the diagonal stays 0."""


def pairwise_scores_loop(inputs: Tensor) -> Tensor:
    n = len(inputs)
    table = torch.zeros(n, n, dtype=inputs.dtype)
    for i in range(n):
        for j in range(i, n):
            table[i, j] = torch.dot(inputs[i], inputs[j])
    return table
