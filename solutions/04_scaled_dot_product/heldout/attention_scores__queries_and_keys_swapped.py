"""einsum whose result has the keys first."""


def attention_scores(queries, keys):
    return torch.einsum("...nd,...md->...mn", queries, keys)
