"""Your columns sum to 1, not your rows. Which of the two dimensions runs along a row?"""


def attention_weights(scores):
    return torch.softmax(scores, dim=-2)
