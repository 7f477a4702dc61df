"""Writes the whole of attention down, and compares all rows."""


def scales_wrongly(attend):
    queries, keys, values = random_texts(1, 2, 6, 8)
    scores = queries @ keys.transpose(-1, -2) / math.sqrt(8)
    scores = scores.masked_fill(torch.ones(6, 6).triu(1).bool(), -math.inf)
    return differ(attend(queries, keys, values), scores.softmax(-1) @ values)
