"""By hand, shifted by the maximum."""


def scaled_attention_weights(scores, d_k):
    z = torch.exp(scores - scores.amax(-1, keepdim=True))
    return z / z.sum(-1, keepdim=True)
