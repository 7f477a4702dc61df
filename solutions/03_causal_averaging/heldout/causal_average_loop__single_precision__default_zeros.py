"""The result is always float32, whatever the dtype of x."""


def causal_average_loop(x: Tensor) -> Tensor:
    B, T, C = x.shape
    xbow = torch.zeros((B, T, C))
    for b in range(B):
        for t in range(T):
            xbow[b, t] = x[b, : t + 1].mean(0)
    return xbow
