"""The heads are joined along the tokens, so that the result has h times as many tokens."""


def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=1)
