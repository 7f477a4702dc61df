"""Exponentials by hand over dimension 1, with a finite mask."""


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.head_size = head_size

    def forward(self, x):
        n = x.shape[1]
        scores = (
            torch.bmm(self.query(x), self.key(x).transpose(1, 2)) / self.head_size**0.5
        )
        future = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        scores = scores.masked_fill(future, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, 1)
        return torch.bmm(weights, self.value(x))
