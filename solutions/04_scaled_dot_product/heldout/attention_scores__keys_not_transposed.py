"""torch.matmul with keywords."""


def attention_scores(queries, keys):
    return torch.matmul(input=queries, other=keys)
