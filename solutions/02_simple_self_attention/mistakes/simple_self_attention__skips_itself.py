"""A token is one of the tokens that it looks at. Your diagonal has no weight."""


def simple_self_attention(inputs):
    scores = inputs @ inputs.transpose(-2, -1)
    own = torch.eye(scores.shape[-1], dtype=torch.bool)
    return torch.softmax(scores.masked_fill(own, -1e9), dim=-1) @ inputs
