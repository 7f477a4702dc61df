"""Both halves use one and the same LayerNorm instead of one each."""


class Block(nn.Module):
    def __init__(self, n_embd, num_heads, context_length, dropout=0.0):
        super().__init__()
        self.norm = nn.LayerNorm(n_embd)
        self.sa = MultiHeadAttention(n_embd, n_embd, context_length, dropout, num_heads)
        self.fc1 = nn.Linear(n_embd, n_embd * 4)
        self.fc2 = nn.Linear(n_embd * 4, n_embd)

    def forward(self, x):
        x = x + self.sa(self.norm(x))
        x = x + self.fc2(F.gelu(self.fc1(self.norm(x))))
        return x
