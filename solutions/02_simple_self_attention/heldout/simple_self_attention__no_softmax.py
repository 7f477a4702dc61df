"""All in one einsum."""


def simple_self_attention(inputs):
    return torch.einsum("...id,...jd,...je->...ie", inputs, inputs, inputs)
