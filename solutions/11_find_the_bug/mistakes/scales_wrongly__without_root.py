"""Your probe takes modules for right that divide by head_size itself. What does the formula divide by?"""


def scales_wrongly(attend):
    queries, keys, values = random_texts()
    scores = queries[..., -1:, :] @ keys.mT / keys.shape[-1]
    last = torch.softmax(scores, dim=-1) @ values
    return differ(attend(queries, keys, values)[..., -1:, :], last)
