"""You are one question ahead: no exponential here. Divide the scores as they are by their sum."""


def normalize_by_sum(scores):
    return torch.softmax(scores, dim=0)
