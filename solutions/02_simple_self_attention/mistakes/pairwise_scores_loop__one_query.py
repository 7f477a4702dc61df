"""All rows of your matrix are equal: the same token asks each time. Which index should choose the query?"""


def pairwise_scores_loop(inputs):
    n = inputs.shape[0]
    scores = torch.zeros(n, n, dtype=inputs.dtype)
    for i in range(n):
        for j in range(n):
            scores[i, j] = inputs[1] @ inputs[j]
    return scores
