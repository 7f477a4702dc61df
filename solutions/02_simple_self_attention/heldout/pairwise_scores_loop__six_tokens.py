"""A table for the example's six tokens, by comprehension."""


def pairwise_scores_loop(inputs):
    count = 6
    return torch.stack(
        [
            torch.stack([(inputs[i] * inputs[j]).sum() for j in range(count)])
            for i in range(count)
        ]
    )
