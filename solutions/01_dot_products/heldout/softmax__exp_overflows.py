"""Powers of e, summed with keepdim, as a helper does it."""


def softmax(scores):
    def expo(z):
        return torch.exp(input=z)

    numer = expo(scores)
    denom = numer.sum(dim=-1, keepdim=True)
    return numer / denom
