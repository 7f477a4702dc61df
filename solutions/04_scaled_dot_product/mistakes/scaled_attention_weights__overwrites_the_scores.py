"""The weights are right, but a step such as `/=` has also changed the caller's scores. Called twice, the
function scales twice.
"""


def scaled_attention_weights(scores, d_k):
    scores /= d_k**0.5
    return torch.softmax(scores, dim=-1)
