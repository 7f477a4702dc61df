"""A boolean buffer as long as the block, used whole by torch.where."""


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        hidden = torch.ones(block_size, block_size).triu(diagonal=1).bool()
        self.register_buffer("hidden", hidden)

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        sim = q @ k.mT / k.size(-1) ** 0.5
        sim = torch.where(self.hidden, -torch.inf, sim)
        return torch.softmax(sim, dim=-1) @ v
