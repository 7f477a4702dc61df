"""attention_scores asks dot_product for one score after another, and puts them together."""

import torch


def attention_scores(inputs, query):
    return torch.stack([dot_product(row, query) for row in inputs])
