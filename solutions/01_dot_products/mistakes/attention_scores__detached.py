"""The scores are right, but cut off from the inputs, as .item(), .tolist(), .detach() and torch.tensor(...)
all do, so that nothing can be learnt from them. Can you stay with tensors?
"""


def attention_scores(inputs, query):
    return torch.tensor([(row @ query).item() for row in inputs], dtype=inputs.dtype)
