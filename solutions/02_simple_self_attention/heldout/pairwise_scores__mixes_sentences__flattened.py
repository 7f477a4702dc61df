"""All sentences of a batch are put into one long list of tokens, so sentences mix."""


def pairwise_scores(inputs: Tensor) -> Tensor:
    flat = inputs.reshape(-1, inputs.shape[-1])
    return torch.mm(flat, flat.t())
