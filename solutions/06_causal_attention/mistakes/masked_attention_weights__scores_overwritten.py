"""A method whose name ends in _ writes into the tensor it is called on. Whose tensor is that here?"""


def masked_attention_weights(scores, mask):
    return torch.softmax(scores.masked_fill_(mask, float("-inf")), dim=-1)
