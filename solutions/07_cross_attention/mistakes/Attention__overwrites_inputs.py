"""Look at what the caller's inputs hold after the call. Which line writes into them?"""

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        if mask is not None:
            encodings_for_v[mask.all(dim=0)] = 0
        q = self.W_q(encodings_for_q)
        k = self.W_k(encodings_for_k)
        v = self.W_v(encodings_for_v)
        scores = torch.matmul(q, k.transpose(dim0=self.row_dim, dim1=self.col_dim))
        scaled_scores = scores / k.size(self.col_dim) ** 0.5
        if mask is not None:
            scaled_scores = scaled_scores.masked_fill(mask, -1e9)
        weights = torch.softmax(scaled_scores, dim=self.col_dim)
        return torch.matmul(weights, v)
