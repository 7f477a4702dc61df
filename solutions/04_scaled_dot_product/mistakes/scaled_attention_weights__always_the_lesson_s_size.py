"""Your scaling takes its number from the notebook and not from d_k. In the lesson they happen to be equal."""


def scaled_attention_weights(scores, d_k):
    return torch.softmax(scores / d_out**0.5, dim=-1)
