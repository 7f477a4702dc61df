"""Your argument has one name, and the product reads another: `keys` of the notebook, left over from an
earlier cell. Restart the kernel, or try other tokens, and it shows.
"""


def attention_scores(queries, key):
    return queries @ keys.transpose(-2, -1)
