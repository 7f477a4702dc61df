"""Try a sequence of twenty tokens. Which of them does the last row still count?"""


def causal_average(x: Tensor) -> Tensor:
    length = x.shape[-2]
    allowed = torch.tril(
        torch.ones(length, length, dtype=x.dtype, device=x.device)
    ).triu(-7)
    return allowed / allowed.sum(dim=1, keepdim=True) @ x
