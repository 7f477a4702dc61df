"""This is a hard maximum: the winner of each row gets everything. Softmax leaves something to the others,
and lets gradients through.
"""


def attention_weights(scores):
    return torch.nn.functional.one_hot(scores.argmax(dim=-1), scores.shape[-1]).to(scores.dtype)
