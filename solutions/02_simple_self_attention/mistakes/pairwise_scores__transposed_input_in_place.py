"""After the call, look at the shape of inputs. Is there a method whose name ends in _? It changes the
caller's tensor.
"""


def pairwise_scores(inputs):
    copy = inputs.clone()
    return copy @ inputs.transpose_(-2, -1)
