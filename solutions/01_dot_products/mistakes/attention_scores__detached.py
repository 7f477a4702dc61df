""".item() and torch.tensor(...) break the connection to the inputs, so that nothing can be learnt from the
scores. Can you stay with tensors?
"""


def attention_scores(inputs, query):
    return torch.tensor([(row @ query).item() for row in inputs], dtype=inputs.dtype)
