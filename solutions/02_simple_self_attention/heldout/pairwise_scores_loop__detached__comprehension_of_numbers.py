"""No gradients flow from the scores back to the inputs."""


def pairwise_scores_loop(inputs: Tensor) -> Tensor:
    rows = [[float(p @ q) for q in inputs] for p in inputs]
    return torch.tensor(rows, dtype=inputs.dtype)
