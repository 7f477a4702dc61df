"""A root that torch takes of an integer is float32, and 8 digits of float64 scores are lost by dividing by it."""


def scaled_attention_weights(scores, d_k):
    return torch.softmax(scores / torch.sqrt(torch.tensor(d_k)), dim=-1)
