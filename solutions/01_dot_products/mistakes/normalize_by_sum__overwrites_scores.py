"""After the call, look at scores again: a step such as /= writes the weights into the caller's tensor."""


def normalize_by_sum(scores):
    scores /= scores.sum()
    return scores
