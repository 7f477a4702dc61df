"""inputs[i] * inputs[j] is a vector of products. A dot product is their sum, one number."""


def pairwise_scores_loop(inputs):
    return torch.stack([torch.stack([a * b for b in inputs]) for a in inputs])
