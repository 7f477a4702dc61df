"""Loops over pairs, lists joined by stack, einsum and broadcasting where they are allowed.

Five questions, five tools. `einsum` says in its first argument which dimension disappears, and
`logsumexp` is the safe softmax that torch already has.
"""


def dot_product(a: Tensor, b: Tensor) -> Tensor:
    if a.numel() != b.numel():
        raise ValueError
    products = [x * y for x, y in zip(a, b)]
    total = products[0]
    for product in products[1:]:
        total = total + product
    return total


def attention_scores(inputs: Tensor, query: Tensor) -> Tensor:
    return torch.stack([torch.dot(row, query) for row in inputs])


def normalize_by_sum(scores: Tensor) -> Tensor:
    return torch.div(scores, torch.sum(scores, dim=-1, keepdim=True))


def softmax(scores: Tensor) -> Tensor:
    return torch.exp(scores - torch.logsumexp(scores, dim=0))


def context_vector(weights: Tensor, inputs: Tensor) -> Tensor:
    return torch.einsum("n,nd->d", weights, inputs)
