"""Three inputs come in. Does each head get all three, each in its place?"""

import torch
from torch import nn


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.heads = nn.ModuleList(
            [Attention(d_model, row_dim, col_dim) for _ in range(num_heads)]
        )
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        outputs = [
            head(encodings_for_k, encodings_for_k, encodings_for_v, mask)
            for head in self.heads
        ]
        return torch.cat(outputs, dim=self.col_dim)
