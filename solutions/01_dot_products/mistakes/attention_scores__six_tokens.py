"""The example has six tokens, other inputs have more or fewer. Where does your function learn how many
scores to compute?
"""


def attention_scores(inputs, query):
    scores = torch.zeros(6, dtype=inputs.dtype)
    for i in range(6):
        scores[i] = inputs[i] @ query
    return scores
