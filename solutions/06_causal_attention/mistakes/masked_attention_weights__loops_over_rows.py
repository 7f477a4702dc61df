"""Take an input of more than two dimensions. Where do your loops go then?"""


def masked_attention_weights(scores, mask):
    rows = [
        torch.softmax(row.masked_fill(hidden, float("-inf")), dim=-1) for row, hidden in zip(scores, mask)
    ]
    return torch.stack(rows)
