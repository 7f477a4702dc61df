# %% accepted="broadcasting_and_helpers"
"""Sums over broadcast products, a helper in the student's cell, a loop over the sentences of a batch."""


def attend(sentence):
    scores = sentence.matmul(sentence.t())
    weights = scores.log_softmax(dim=1).exp()
    return weights.matmul(sentence)


def pairwise_scores_loop(inputs):
    result = torch.zeros((inputs.size(0), inputs.size(0))).to(inputs)
    for i, x_i in enumerate(inputs):
        for j, x_j in enumerate(inputs):
            result[i, j] = (x_i * x_j).sum()
    return result


def pairwise_scores(inputs):
    return (inputs.unsqueeze(-2) * inputs.unsqueeze(-3)).sum(-1)


def attention_weights(scores):
    shifted = scores - scores.detach().amax(-1, keepdim=True)
    return torch.exp(shifted - torch.logsumexp(shifted, dim=-1, keepdim=True))


def context_vectors(weights, inputs):
    return (weights[..., None] * inputs[..., None, :, :]).sum(dim=-2)


def simple_self_attention(inputs):
    if inputs.dim() == 2:
        return attend(inputs)
    sentences = inputs.reshape(-1, *inputs.shape[-2:])
    return torch.stack([attend(sentence) for sentence in sentences]).view_as(inputs)


# %% accepted="calls_its_own_answers"
"""simple_self_attention calls the answers above. The loop and the softmax are written out, row by row.

The last function shows the three steps of the lesson in one line: score, weigh, mix.
"""


def pairwise_scores_loop(inputs):
    scores = []
    for query in inputs:
        row = []
        for token in inputs:
            total = 0
            for x, y in zip(query, token):
                total = total + x * y
            row.append(total)
        scores.append(torch.stack(row))
    return torch.stack(scores)


def pairwise_scores(inputs):
    return torch.matmul(inputs, inputs.mT)


def attention_weights(scores):
    powers = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    return powers / powers.sum(dim=-1, keepdim=True)


def context_vectors(weights, inputs):
    return torch.matmul(weights, inputs)


def simple_self_attention(inputs):
    return context_vectors(attention_weights(pairwise_scores(inputs)), inputs)


# %% accepted="einsum"
"""Everything by einsum, with an ellipsis for the batch.

The letters name the dimensions, and the dots stand for any leading dimensions, so one line works for a
sentence and for a batch.
"""


def pairwise_scores_loop(inputs: Tensor) -> Tensor:
    n = inputs.shape[0]
    scores = torch.empty(n, n, dtype=inputs.dtype)
    for i in range(n):
        for j in range(n):
            scores[i, j] = torch.einsum("d,d->", inputs[i], inputs[j])
    return scores


def pairwise_scores(inputs: Tensor) -> Tensor:
    return torch.einsum("...id,...jd->...ij", inputs, inputs)


def attention_weights(scores: Tensor) -> Tensor:
    return scores.softmax(-1)


def context_vectors(weights: Tensor, inputs: Tensor) -> Tensor:
    return torch.einsum("...ij,...jd->...id", weights, inputs)


def simple_self_attention(inputs: Tensor) -> Tensor:
    weights = torch.einsum("...id,...jd->...ij", inputs, inputs).softmax(-1)
    return torch.einsum("...ij,...jd->...id", weights, inputs)


# %% accepted="library_attention"
"""The library's fused attention with a scale of 1, modules and logarithms."""

import torch.nn.functional as F
from torch import nn


def pairwise_scores_loop(inputs):
    n = len(inputs)
    scores = inputs.new_zeros(n, n)
    for i in range(n):
        for j in range(i + 1):
            scores[i, j] = scores[j, i] = inputs[i] @ inputs[j]
    return scores


def pairwise_scores(inputs):
    return (
        F.linear(inputs, inputs)
        if inputs.dim() == 2
        else inputs @ inputs.swapaxes(-1, -2)
    )


def attention_weights(scores):
    return nn.Softmax(dim=-1)(scores)


def context_vectors(weights, inputs):
    return (inputs.transpose(-2, -1) @ weights.transpose(-2, -1)).transpose(-2, -1)


def simple_self_attention(inputs):
    return F.scaled_dot_product_attention(inputs, inputs, inputs, scale=1.0)
