"""The score of each token with itself is left at 0 and all other scores are divided by the
square root of d.
"""


def pairwise_scores_loop(inputs: Tensor) -> Tensor:
    n, d = inputs.shape
    scores = inputs.new_zeros(n, n)
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            scores[i][j] = torch.dot(inputs[i], inputs[j]) / d**0.5
    return scores
