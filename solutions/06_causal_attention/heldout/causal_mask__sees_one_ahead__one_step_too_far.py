"""The triangle begins one place too late, so each token may look at the next one."""


def causal_mask(length: int) -> Tensor:
    positions = torch.arange(length)
    i, j = torch.meshgrid(positions, positions, indexing="ij")
    return j > i + 1
