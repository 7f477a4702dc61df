"""You have two arguments. Which of them has no effect?"""


def masked_attention_weights(scores, mask):
    return torch.softmax(scores, dim=-1)
