"""The weights are float64 instead of float32."""


def causal_average_weights(length: int) -> Tensor:
    counts = torch.arange(1, length + 1, dtype=torch.float64)
    return torch.tril(torch.ones(length, length, dtype=torch.float64)) / counts.reshape(
        -1, 1
    )
