"""A clone is filled, with a method that returns a new tensor."""


def masked_attention_weights(scores, mask):
    s = scores.clone()
    s.masked_fill(mask, value=-1e9)
    e = (s - s.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)
