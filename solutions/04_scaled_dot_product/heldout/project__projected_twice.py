"""einsum for queries and keys, and the keys go through the values' matrix."""


def project(x, W_query, W_key, W_value):
    q = torch.einsum("...i,io->...o", x, W_query)
    k = torch.einsum("...i,io->...o", x, W_key)
    v = torch.einsum("...i,io->...o", k, W_value)
    return q, k, v
