"""Everything by plain loops over indexes, with a total called `sum`."""


def dot_product(a, b):
    if a.shape != b.shape:
        raise ValueError("unequal lengths")
    sum = 0.0
    for i in range(a.shape[0]):
        sum += a[i] * b[i]
    return sum


def attention_scores(inputs, query):
    n, d = inputs.shape
    scores = torch.zeros(n, dtype=inputs.dtype)
    for i in range(n):
        for j in range(d):
            scores[i] += inputs[i, j] * query[j]
    return scores


def normalize_by_sum(scores):
    total = 0
    for score in scores:
        total = total + score
    return torch.stack([score / total for score in scores])


def softmax(scores):
    largest = scores[0]
    for i in range(1, len(scores)):
        if scores[i] > largest:
            largest = scores[i]
    sum = 0
    for i in range(len(scores)):
        sum = sum + torch.exp(scores[i] - largest)
    return torch.stack([torch.exp(score - largest) / sum for score in scores])


def context_vector(weights, inputs):
    context = torch.zeros(inputs.shape[1], dtype=inputs.dtype)
    for i in range(len(weights)):
        context += weights[i] * inputs[i]
    return context
