"""The argument is called key inside, but keys of the notebook is used."""


def attention_scores(q, k):
    k_t = keys.transpose(-1, -2)
    return torch.matmul(q, k_t)
