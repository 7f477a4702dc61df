"""The weights and the turned weights are averaged, so that both tokens give each other the same."""


def attention_weights(scores):
    weights = torch.softmax(scores, dim=-1)
    return (weights + weights.transpose(-2, -1)) / 2
