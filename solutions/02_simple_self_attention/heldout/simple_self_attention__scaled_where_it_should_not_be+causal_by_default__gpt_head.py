"""Each token sees only itself with the tokens before it and the scores are divided by the
square root of d.
"""


def simple_self_attention(inputs: Tensor) -> Tensor:
    T, C = inputs.shape[-2:]
    wei = inputs @ inputs.transpose(-2, -1) * C**-0.5
    tril = torch.tril(torch.ones(T, T))
    wei = wei.masked_fill(tril == 0, float("-inf"))
    wei = torch.softmax(wei, dim=-1)
    return wei @ inputs
