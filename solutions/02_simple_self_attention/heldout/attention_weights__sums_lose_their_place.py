"""A library-free softmax with the maximum kept and the sum not."""


def attention_weights(scores):
    shifted = scores - scores.amax(dim=-1, keepdim=True)
    ex = shifted.exp()
    norm = ex.sum(dim=-1)
    return ex / norm
