# %% mistake="dot_product" name="adds_entries"
"""Two running sums with a zip."""


def dot_product(a, b):
    if a.numel() != b.numel():
        raise ValueError("lengths")
    s = a.new_tensor(0.0)
    for p, q in zip(a, b):
        s = s + (p + q)
    return s


# %% mistake="dot_product" name="asserts_lengths+overwrites_inputs__overwrites_and_asserts"
"""The products are written into the vector a of the caller and different lengths raise AssertionError instead
of ValueError.
"""


def dot_product(a: Tensor, b: Tensor) -> Tensor:
    assert len(a) == len(b), "vectors must have the same length"
    s = 0
    a *= b
    for product in a:
        s = s + product
    return s


# %% mistake="dot_product" name="detached+single_precision__python_floats"
"""The result is cut off from the gradients of the vectors and it is always float32, whatever
the vectors are.
"""


def dot_product(a: Tensor, b: Tensor) -> Tensor:
    if a.shape[0] != b.shape[0]:
        raise ValueError("lengths differ")
    acc = 0.0
    for i in range(a.shape[0]):
        acc += a[i].item() * b[i].item()
    return torch.tensor(acc)


# %% mistake="dot_product" name="extra_dimension"
"""Begins with torch.zeros(1) of the right dtype and fills its only place."""


def dot_product(a, b):
    if not len(a) == len(b):
        raise ValueError("different lengths")
    acc = torch.zeros(1, dtype=a.dtype)
    for i in range(len(a)):
        acc = acc + a[i] * b[i]
    return acc


# %% mistake="dot_product" name="extra_dimension__one_element_vector"
"""The result has shape (1,) instead of ()."""


def dot_product(a: Tensor, b: Tensor) -> Tensor:
    if len(a) != len(b):
        raise ValueError(f"{len(a)} and {len(b)} numbers")
    res = torch.zeros(1, dtype=a.dtype)
    for idx, element in enumerate(a):
        res = res + element * b[idx]
    return res


# %% mistake="dot_product" name="keeps_the_last"
"""Enumerates one vector and keeps the product in a variable of another name."""


def dot_product(a, b):
    if a.shape[0] != b.shape[0]:
        raise ValueError("a and b must be equally long")
    res = a.new_zeros(())
    for idx, value in enumerate(a):
        res = value * b[idx]
    return res


# %% mistake="dot_product" name="lengths_not_checked"
"""Goes over the range of the shorter length instead of zipping."""


def dot_product(a, b):
    n = min(a.size(0), b.size(0))
    out = a[0] * b[0]
    for k in range(1, n):
        out = out + a[k] * b[k]
    return out


# %% mistake="dot_product" name="lengths_not_checked__zip_cuts_to_the_shorter"
"""Vectors of different lengths raise no ValueError, the longer one is just cut."""


def dot_product(a: Tensor, b: Tensor) -> Tensor:
    result = torch.zeros((), dtype=a.dtype)
    for left, right in zip(a, b):
        result = result + left * right
    return result


# %% mistake="dot_product" name="misses_the_last__last_entry_forgotten"
"""The loop stops one step too early, so the last entry of the vectors is left out."""


def dot_product(a: Tensor, b: Tensor) -> Tensor:
    if a.size(0) != b.size(0):
        raise ValueError("a and b must have the same length")
    total = a.new_zeros(())
    i = 0
    while i < len(a) - 1:
        total = total + a[i] * b[i]
        i += 1
    return total


# %% mistake="dot_product" name="python_number"
"""Calls float() on each entry and adds Python numbers in a while loop."""


def dot_product(vec1, vec2):
    if len(vec1) != len(vec2):
        raise ValueError(f"{len(vec1)} and {len(vec2)}")
    result, i = 0.0, 0
    while i < len(vec1):
        result += float(vec1[i]) * float(vec2[i])
        i += 1
    return result


# %% mistake="attention_scores" name="cosines"
"""Divides each score by the lengths of both vectors."""


def attention_scores(inputs, query):
    return torch.cosine_similarity(inputs, query.unsqueeze(0), dim=1)


# %% mistake="attention_scores" name="extra_dimension__column"
"""The scores come as a column of shape (n, 1) instead of (n,)."""


def attention_scores(inputs: Tensor, query: Tensor) -> Tensor:
    column = query.reshape(-1, 1)
    return torch.matmul(inputs, column)


# %% mistake="attention_scores" name="extra_dimension__mean_and_keepdim"
"""The products of each row are averaged instead of summed and the scores keep a last dimension of 1, shape
(n, 1).
"""


def attention_scores(inputs: Tensor, query: Tensor) -> Tensor:
    products = inputs * query
    return products.mean(dim=1, keepdim=True)


# %% mistake="attention_scores" name="ignores_query__second_row_asks"
"""The query handed in is ignored, the second row of the inputs asks instead."""


def attention_scores(inputs: Tensor, query: Tensor) -> Tensor:
    query = inputs[min(1, len(inputs) - 1)]
    return torch.einsum("nd,d->n", inputs, query)


# %% mistake="attention_scores" name="not_summed"
"""einsum without a sum."""


def attention_scores(inputs, query):
    return torch.einsum("nd,d->nd", inputs, query)


# %% mistake="attention_scores" name="reads_the_notebook"
"""A comprehension over the notebook's journey, with a sum instead of dot."""


def attention_scores(inputs, query):
    per_token = [(row * query).sum() for row in journey]
    return torch.stack(per_token)


# %% mistake="attention_scores" name="scaled_where_it_should_not_be__divided_by_root_d"
"""The scores are divided by the square root of d."""


def attention_scores(inputs: Tensor, query: Tensor) -> Tensor:
    d = query.shape[-1]
    return (inputs @ query) / d**0.5


# %% mistake="attention_scores" name="single_precision__float32_table"
"""The scores are always float32, whatever the dtype of the inputs."""


def attention_scores(inputs: Tensor, query: Tensor) -> Tensor:
    attn_scores_2 = torch.empty(inputs.shape[0])
    for i, x_i in enumerate(inputs):
        attn_scores_2[i] = torch.dot(x_i, query)
    return attn_scores_2


# %% mistake="attention_scores" name="six_tokens"
"""Stacks dot products for range(6) instead of filling a tensor of six."""


def attention_scores(inputs, query):
    out = []
    for t in range(6):
        out.append(torch.dot(inputs[t], query))
    return torch.stack(out)


# %% mistake="attention_scores" name="sums_over_tokens"
"""Expands the query, multiplies with torch.mul and sums with a keyword."""


def attention_scores(inputs, query):
    q = query.expand(inputs.size(0), -1)
    return torch.mul(inputs, q).sum(axis=0)


# %% mistake="normalize_by_sum" name="absolute"
"""The library's normalize, of order 1."""


def normalize_by_sum(scores):
    return torch.nn.functional.normalize(scores, p=1, dim=0)


# %% mistake="normalize_by_sum" name="absolute__2"
"""Roots of squares for absolute values."""


def normalize_by_sum(scores):
    size = scores.square().sqrt()
    return size / size.sum(dim=-1, keepdim=True)


# %% mistake="normalize_by_sum" name="absolute__sum_of_absolutes"
"""The scores are divided by the sum of their absolute values, so negative ones are treated differently."""


def normalize_by_sum(scores: Tensor) -> Tensor:
    denominator = torch.linalg.vector_norm(scores, ord=1)
    return torch.div(scores, denominator)


# %% mistake="normalize_by_sum" name="divides_by_largest__largest"
"""The scores are divided by the largest score instead of by their sum."""


def normalize_by_sum(scores: Tensor) -> Tensor:
    return scores / scores.max()


# %% mistake="normalize_by_sum" name="overwrites_inputs+negatives_cut__clamps_in_place"
"""Negative scores are set to 0 before dividing and this is done in the tensor of the caller."""


def normalize_by_sum(scores: Tensor) -> Tensor:
    scores.clamp_(min=0.0)
    total = scores.sum(dim=0)
    return scores / total


# %% mistake="normalize_by_sum" name="overwrites_inputs__in_place"
"""The scores of the caller are overwritten with the weights."""


def normalize_by_sum(scores: Tensor) -> Tensor:
    scores /= scores.sum()
    return scores


# %% mistake="normalize_by_sum" name="softmax_already"
"""Powers of e, one at a time."""


import math


def normalize_by_sum(scores):
    powers = torch.stack([math.e**s for s in scores])
    return powers / powers.sum()


# %% mistake="softmax" name="by_sum"
"""Multiplies with the reciprocal of the sum."""


def softmax(scores):
    s = torch.sum(scores)
    return scores * s.reciprocal()


# %% mistake="softmax" name="detached+single_precision__list_of_floats"
"""The weights are cut off from the gradients of the scores and they are always float32."""


def softmax(scores: Tensor) -> Tensor:
    import math

    numbers = scores.tolist()
    top = max(numbers)
    exps = [math.exp(s - top) for s in numbers]
    denominator = sum(exps)
    return torch.tensor([e / denominator for e in exps])


# %% mistake="softmax" name="exp_overflows+powers_of_two__powers_of_two"
"""Powers of 2 are taken instead of powers of e and nothing is subtracted first, so large scores overflow."""


def softmax(scores: Tensor) -> Tensor:
    powers = torch.pow(2, scores)
    return powers / powers.sum()


# %% mistake="softmax" name="exp_overflows"
"""Powers of e, summed with keepdim, as a helper does it."""


def softmax(scores):
    def expo(z):
        return torch.exp(input=z)

    numer = expo(scores)
    denom = numer.sum(dim=-1, keepdim=True)
    return numer / denom


# %% mistake="softmax" name="exp_overflows__naive"
"""No number is subtracted before the exponential, so large scores overflow to nan."""


def softmax(scores: Tensor) -> Tensor:
    exp_scores = torch.exp(scores)
    return exp_scores / exp_scores.sum(dim=0)


# %% mistake="softmax" name="not_normalised"
"""Shifts by amax and returns the exponentials."""


def softmax(scores):
    biggest = scores.amax()
    return (scores - biggest).exp()


# %% mistake="softmax" name="powers_of_two"
"""Uses powers of 2 for powers of e."""


def softmax(scores):
    p = 2.0 ** (scores - scores.max())
    return p / p.sum()


# %% mistake="softmax" name="scores_clipped__clipped"
"""The scores are clipped to the range from -80 to 80 to avoid overflow, so scores beyond it are all treated
alike.
"""


def softmax(scores: Tensor) -> Tensor:
    safe = torch.clip(scores, -80.0, 80.0)
    powers = safe.exp()
    weights = powers / powers.sum()
    return weights


# %% mistake="softmax" name="shifted_by_the_mean__mean_subtracted"
"""The mean is subtracted instead of the largest score, so the exponential can still overflow."""


def softmax(scores: Tensor) -> Tensor:
    centred = scores - torch.mean(scores)
    e = centred.exp()
    return e / e.sum()


# %% mistake="softmax" name="shifts_numerator_only"
"""Writes the shifted exponent and the plain denominator in one line."""


def softmax(scores):
    return torch.exp(scores - torch.max(scores)) / torch.exp(scores).sum()


# %% mistake="softmax" name="shifts_numerator_only__shift_only_above"
"""The largest score is subtracted in the numerator only, not in the denominator."""


def softmax(scores: Tensor) -> Tensor:
    highest, _ = torch.max(scores, dim=0)
    return torch.exp(scores - highest) / torch.sum(torch.exp(scores))


# %% mistake="softmax" name="single_precision"
"""Converts by .float() at the beginning."""


def softmax(scores):
    s = scores.float()
    e = torch.exp(s - torch.amax(s))
    return e / torch.sum(e)


# %% mistake="context_vector" name="extra_dimension__row_matrix"
"""The context vector has shape (1, d) instead of (d,)."""


def context_vector(weights: Tensor, inputs: Tensor) -> Tensor:
    return torch.mm(weights[None, :], inputs)


# %% mistake="context_vector" name="mean_for_sum__averaged"
"""The weighted rows are averaged instead of summed."""


def context_vector(weights: Tensor, inputs: Tensor) -> Tensor:
    weighted = inputs * weights.view(-1, 1)
    return torch.mean(weighted, dim=0)


# %% mistake="context_vector" name="normalises_again+misses_the_first__first_left_out_normalised"
"""The loop starts with the second row, so the first token is left out and the weights are divided by their
sum first.
"""


def context_vector(weights: Tensor, inputs: Tensor) -> Tensor:
    weights = weights / torch.sum(weights)
    out = torch.zeros_like(inputs[0])
    for i in range(1, inputs.size(0)):
        out = out + weights[i] * inputs[i]
    return out


# %% mistake="context_vector" name="normalises_again__weights_normalised"
"""The weights are divided by their sum first instead of being taken as they are."""


def context_vector(weights: Tensor, inputs: Tensor) -> Tensor:
    shares = weights / weights.sum()
    return shares @ inputs


# %% mistake="context_vector" name="plain_mean"
"""Adds the rows in a loop and divides by how many there are."""


def context_vector(weights, inputs):
    acc = torch.zeros_like(inputs[0])
    for r in inputs:
        acc = acc + r
    return acc / inputs.shape[0]


# %% mistake="context_vector" name="softmax_again__softmax_again"
"""The weights go through a softmax before they are used."""


def context_vector(weights: Tensor, inputs: Tensor) -> Tensor:
    attn_weights = torch.softmax(weights, dim=0)
    context_vec = torch.zeros(inputs.shape[1], dtype=inputs.dtype)
    for i, x_i in enumerate(inputs):
        context_vec = context_vec + attn_weights[i] * x_i
    return context_vec


# %% mistake="context_vector" name="sums_over_dimensions"
"""einsum that keeps the tokens and sums the dimensions."""


def context_vector(weights, inputs):
    return torch.einsum("n,nd->n", weights, inputs)


# %% mistake="context_vector" name="three_dimensions"
"""Three running totals with indices, joined by cat."""


def context_vector(weights, inputs):
    x = y = z = inputs.new_zeros(1)
    for n in range(weights.shape[0]):
        x = x + weights[n] * inputs[n, 0]
        y = y + weights[n] * inputs[n, 1]
        z = z + weights[n] * inputs[n, 2]
    return torch.cat((x, y, z))


# %% mistake="context_vector" name="unknown_weights_rounded"
"""Rounds the weights to two decimals, as they stand in the text, before it mixes."""


def context_vector(weights, inputs):
    rounded = (weights * 100).round() / 100
    return rounded @ inputs


# %% mistake="context_vector" name="unknown_weights_sorted"
"""Sorts the weights before they are used."""


def context_vector(weights, inputs):
    ordered, _ = torch.sort(weights, descending=True)
    return ordered @ inputs
