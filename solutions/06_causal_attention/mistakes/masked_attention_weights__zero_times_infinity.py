"""What is 0 times infinity? Print the scores just before the softmax."""


def masked_attention_weights(scores, mask):
    return torch.softmax(scores + mask.to(scores.dtype) * float("-inf"), dim=-1)
