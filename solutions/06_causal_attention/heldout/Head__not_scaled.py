"""A mask made in forward and added as minus infinity."""


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)

    def forward(self, x):
        t = x.size(1)
        blocked = torch.full((t, t), -torch.inf, dtype=x.dtype, device=x.device).triu(
            diagonal=1
        )
        att = torch.einsum("bqd,bkd->bqk", self.query(x), self.key(x)) + blocked
        return torch.einsum("bqk,bkd->bqd", att.softmax(-1), self.value(x))
