"""Powers of e, one at a time."""

import math


def normalize_by_sum(scores):
    powers = torch.stack([math.e**s for s in scores])
    return powers / powers.sum()
