"""The first token sees itself alone: its weight is 1 with every scale. Which row sees most tokens?"""


def scales_wrongly(attend):
    queries, keys, values = random_texts()
    return differ(attend(queries, keys, values)[..., 0, :], values[..., 0, :])
