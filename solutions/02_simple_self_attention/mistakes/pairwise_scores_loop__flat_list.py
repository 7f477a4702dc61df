"""All the scores are there, but in one long row. How do n times n numbers get the shape (n, n)?"""


def pairwise_scores_loop(inputs):
    return torch.stack([a @ b for a in inputs for b in inputs])
