"""The running sum is not reset from one sequence to the next and it is divided by t (at least 1) instead of
by t + 1.
"""


def causal_average_loop(x: Tensor) -> Tensor:
    y = torch.zeros_like(x)
    total = torch.zeros_like(x[0, 0])
    for b in range(x.size(0)):
        for t in range(x.size(1)):
            total = total + x[b, t]
            y[b, t] = total / max(t, 1)
    return y
