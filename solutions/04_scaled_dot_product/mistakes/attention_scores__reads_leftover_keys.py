"""The product reads the `keys` of the notebook, left over from an earlier cell, and not your argument.
Restart the kernel, or try other tokens, and it shows.
"""


def attention_scores(queries, key):
    return queries @ keys.transpose(-2, -1)
