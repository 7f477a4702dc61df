"""Read row 0 of your scores: does it belong to query 0 or to key 0? The order of the factors decides."""


def attention_scores(queries, keys):
    return keys @ queries.transpose(-2, -1)
