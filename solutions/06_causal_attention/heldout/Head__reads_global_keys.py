"""Short names, and a batched product with a variable of another cell."""


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.size = head_size

    def forward(self, x):
        t = x.size(1)
        q, k, v = self.query(x), self.key(x), self.value(x)
        s = torch.bmm(q, K.transpose(1, 2)) / self.size**0.5
        s = s + torch.full((t, t), -torch.inf).triu(1)
        return torch.bmm(s.softmax(2), v)
