"""simple_self_attention puts the answers above together; softmax by hand, one row of the loop at a time.

The last function is the lesson in one line, score, weigh, mix, and each part can be tried by itself.
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
