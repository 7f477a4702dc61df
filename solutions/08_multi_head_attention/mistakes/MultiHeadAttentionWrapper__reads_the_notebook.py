"""Compare the names in the signature with the names in the body. What a class is given and what happens to
lie around in the notebook are two different things.
"""

import torch
from torch import nn

encodings_for_q = encodings_for_k = encodings_for_v = torch.tensor(
    [[1.16, 0.23], [0.57, 1.36], [4.41, -2.16]]
)


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1, num_heads=1):
        super().__init__()
        self.heads = nn.ModuleList(
            [Attention(d_model, row_dim, col_dim) for _ in range(num_heads)]
        )
        self.col_dim = col_dim

    def forward(self, encodings_q, encodings_k, encodings_v, mask=None):
        outputs = [
            head(encodings_for_q, encodings_for_k, encodings_for_v, mask)
            for head in self.heads
        ]
        return torch.cat(outputs, dim=self.col_dim)
