"""The mask is turned round: it hides the tokens before and lets a token look at those after it."""


def causal_mask(length: int) -> Tensor:
    mask = torch.zeros(length, length, dtype=torch.bool)
    for row in range(length):
        for column in range(length):
            if row > column:
                mask[row, column] = True
    return mask
