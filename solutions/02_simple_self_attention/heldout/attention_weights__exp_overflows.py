"""exp as a method, division by torch.div."""


def attention_weights(scores):
    powers = scores.exp()
    return torch.div(powers, powers.sum(-1, keepdim=True))
