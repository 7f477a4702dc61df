"""Scores are the plain dot products. Turning them into weights comes later, as a step of its own."""


def attention_scores(inputs, query):
    return torch.softmax(inputs @ query, dim=0)
