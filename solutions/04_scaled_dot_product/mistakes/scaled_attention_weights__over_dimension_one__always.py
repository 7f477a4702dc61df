"""In a batch, dimension 1 holds the queries, so they compete for each key. Which dimension counts the
keys, in any shape?
"""

import math


def scaled_attention_weights(scores, d_k):
    normalise = torch.nn.Softmax(1)
    return normalise(scores / math.sqrt(d_k))
