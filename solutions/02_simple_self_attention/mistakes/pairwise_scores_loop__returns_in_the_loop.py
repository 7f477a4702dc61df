"""In which round does your function return? A return that is indented into the loop ends it in the first
round.
"""


def pairwise_scores_loop(inputs):
    n = inputs.shape[0]
    scores = torch.zeros(n, n, dtype=inputs.dtype)
    for i in range(n):
        for j in range(n):
            scores[i, j] = inputs[i] @ inputs[j]
        return scores
