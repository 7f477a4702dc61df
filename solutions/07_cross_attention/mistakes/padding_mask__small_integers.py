"""Try a sentence of three hundred words. How large a number can each of your tensors hold?"""


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return torch.arange(max_length, device=lengths.device) >= lengths.to(
        torch.uint8
    ).unsqueeze(1)
