"""Each token is asked about itself only. With one loop there is one pair a round; n tokens have n times n
pairs.
"""


def pairwise_scores_loop(inputs):
    n = inputs.shape[0]
    scores = torch.zeros(n, n, dtype=inputs.dtype)
    for i in range(n):
        scores[i, i] = inputs[i] @ inputs[i]
    return scores
