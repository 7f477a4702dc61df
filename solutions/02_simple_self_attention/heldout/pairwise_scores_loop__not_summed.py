"""Collects rows of products in lists and stacks them twice."""


def pairwise_scores_loop(inputs):
    table = []
    for p in inputs:
        table.append(torch.stack([p * q for q in inputs]))
    return torch.stack(table)
