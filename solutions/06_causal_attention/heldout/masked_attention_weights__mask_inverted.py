"""torch.where with the two branches exchanged."""


def masked_attention_weights(scores, mask):
    low = torch.full_like(scores, float("-inf"))
    return nn.functional.softmax(torch.where(mask, scores, low), dim=-1)
