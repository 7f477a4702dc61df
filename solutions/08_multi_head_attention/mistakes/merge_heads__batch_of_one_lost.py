"""A batch of one sequence is a batch too. How many dimensions does its result have?"""


def merge_heads(x: Tensor) -> Tensor:
    batch, num_heads, length, size = x.shape
    return x.transpose(1, 2).reshape(batch, length, num_heads * size).squeeze(0)
