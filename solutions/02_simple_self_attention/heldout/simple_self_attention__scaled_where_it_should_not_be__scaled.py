"""The scores are divided by the square root of d."""


def simple_self_attention(inputs: Tensor) -> Tensor:
    scores = inputs @ inputs.transpose(-2, -1)
    attn_weights = torch.softmax(scores / inputs.shape[-1] ** 0.5, dim=-1)
    return attn_weights @ inputs
