"""The output is divided by the denominator already and a block with all keys hidden gives NaN."""


def add_block(state, scores, values):
    old_max, old_sum, old_out = state
    new_max = torch.maximum(old_max, scores.max(dim=-1).values)
    correction = torch.exp(old_max - new_max)
    exp_scores = torch.exp(scores - new_max.unsqueeze(-1))
    new_sum = old_sum * correction + exp_scores.sum(dim=-1)
    new_out = (
        old_out * (old_sum * correction).unsqueeze(-1) + exp_scores @ values
    ) / new_sum.unsqueeze(-1)
    return new_max, new_sum, new_out
