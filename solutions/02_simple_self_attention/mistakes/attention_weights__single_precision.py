"""Scores of float64 come back as float32. Which step changes the dtype?"""


def attention_weights(scores):
    return torch.softmax(scores, dim=-1, dtype=torch.float32)
