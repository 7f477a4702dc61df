"""einsum, and a softmax at the end."""


def pairwise_scores(inputs):
    raw = torch.einsum("...id,...jd->...ij", inputs, inputs)
    return torch.nn.functional.softmax(raw, dim=-1)
