"""Each token is left out of its own average and the rows are not divided by their sums."""


def causal_average_weights(length: int) -> Tensor:
    rows = torch.arange(length).unsqueeze(1)
    columns = torch.arange(length).unsqueeze(0)
    return (columns < rows).float()
