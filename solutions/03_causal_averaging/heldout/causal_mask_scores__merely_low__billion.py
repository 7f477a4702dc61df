"""The future is masked with a large negative number instead of minus infinity."""


def causal_mask_scores(length: int) -> Tensor:
    future = torch.ones(length, length).triu(1).bool()
    return torch.zeros(length, length).masked_fill(future, -1e9)
