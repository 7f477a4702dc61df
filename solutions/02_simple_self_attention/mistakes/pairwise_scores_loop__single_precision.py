"""A new tensor is float32 unless told otherwise, and what is written into it or added to it is rounded.
How can it take over the dtype of the inputs?
"""


def pairwise_scores_loop(inputs):
    n = inputs.shape[0]
    scores = torch.empty(n, n)
    for i in range(n):
        for j in range(n):
            scores[i, j] = torch.dot(inputs[i], inputs[j])
    return scores
