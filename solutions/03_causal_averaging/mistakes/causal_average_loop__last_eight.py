"""Try a sequence of twenty tokens. Which of them does the last row still count?"""


def causal_average_loop(x: Tensor) -> Tensor:
    averages = torch.zeros_like(x)
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            averages[b, t] = x[b, max(0, t - 7) : t + 1].mean(dim=0)
    return averages
