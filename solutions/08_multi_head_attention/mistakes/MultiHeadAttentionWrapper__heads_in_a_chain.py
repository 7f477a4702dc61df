"""All heads look at the same inputs. What does your second head look at?"""

import torch
from torch import nn


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.heads = nn.ModuleList([Attention(d_model, row_dim, col_dim) for _ in range(num_heads)])
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        outputs = []
        for head in self.heads:
            encodings_for_q = head(encodings_for_q, encodings_for_k, encodings_for_v, mask)
            outputs.append(encodings_for_q)
        return torch.cat(outputs, dim=self.col_dim)
