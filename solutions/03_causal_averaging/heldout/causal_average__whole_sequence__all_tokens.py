"""Every token gets the mean of all tokens, those of the future included."""


def causal_average(x: Tensor) -> Tensor:
    length = x.shape[-2]
    wei = torch.ones(length, length, dtype=x.dtype)
    wei = wei / wei.sum(dim=-1, keepdim=True)
    return wei @ x
