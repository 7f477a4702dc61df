"""The example has six tokens, other inputs have more or fewer. Where do your loops learn how far to count?"""


def pairwise_scores_loop(inputs):
    scores = torch.zeros(6, 6, dtype=inputs.dtype)
    for i in range(6):
        for j in range(6):
            scores[i, j] = inputs[i] @ inputs[j]
    return scores
