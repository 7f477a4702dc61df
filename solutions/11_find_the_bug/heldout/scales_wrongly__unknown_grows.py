"""Asks whether the output becomes larger when the queries do."""


def scales_wrongly(attend):
    queries, keys, values = random_texts()
    once, twice = attend(queries, keys, values), attend(2 * queries, keys, values)
    return bool(twice.abs().mean() > 1.5 * once.abs().mean())
