"""Divides each score by the lengths of both vectors."""


def attention_scores(inputs, query):
    return torch.cosine_similarity(inputs, query.unsqueeze(0), dim=1)
