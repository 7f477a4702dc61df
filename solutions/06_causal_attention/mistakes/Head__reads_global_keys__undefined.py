"""Restart the kernel and call the head with other tokens. One name in forward is neither made there nor
on self."""


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        T = x.shape[1]
        query = self.query(x)
        key = self.key(x)
        att = query @ keys.transpose(-1, -2) / key.shape[-1] ** 0.5
        att = att.masked_fill(self.tril[:T, :T] == 0, -torch.inf)
        return att.softmax(-1) @ self.value(x)
