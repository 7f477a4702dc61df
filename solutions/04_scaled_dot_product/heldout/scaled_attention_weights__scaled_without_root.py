"""Functional softmax, with a keyword for everything."""


def scaled_attention_weights(scores, d_k):
    return torch.nn.functional.softmax(input=scores * (1.0 / d_k), dim=scores.dim() - 1)
