"""The scores are right, but cut off from the inputs, so nothing can be learnt from them. That is what
.item(), .tolist(), .detach() and torch.tensor(...) do. Can you stay with tensors?
"""


def attention_scores(inputs, query):
    return torch.tensor([(row @ query).item() for row in inputs], dtype=inputs.dtype)
