"""The sum of a row is kept above a bound."""


def masked_attention_weights(scores, mask):
    e = torch.exp(scores - scores.amax(-1, keepdim=True))
    e = e.masked_fill(mask, 0.0)
    return e / e.sum(-1, keepdim=True).clamp(min=0.75)
