"""The block normalises after the additions instead of before the halves and the hidden layer has
n_embd features instead of 4 * n_embd.
"""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.attention = MultiHeadAttention(
            n_embd, n_embd, context_length, dropout, num_heads
        )
        self.linear1 = nn.Linear(n_embd, n_embd)
        self.linear2 = nn.Linear(n_embd, n_embd)
        self.norm1 = nn.LayerNorm(n_embd)
        self.norm2 = nn.LayerNorm(n_embd)

    def forward(self, x):
        h = self.norm1(self.attention(x) + x)
        f = self.linear2(torch.relu(self.linear1(h)))
        return self.norm2(f + h)
