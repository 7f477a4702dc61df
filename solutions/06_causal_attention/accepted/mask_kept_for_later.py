"""The mask is made when it is first needed, for the length and the device at hand, and kept for later."""


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.hidden = None

    def forward(self, x):
        length = x.size(-2)
        if (
            self.hidden is None
            or self.hidden.size(0) != length
            or self.hidden.device != x.device
        ):
            self.hidden = torch.ones(
                length, length, dtype=torch.bool, device=x.device
            ).triu(1)
        scores = self.query(x) @ self.key(x).mT
        scores = scores.div(self.key.out_features**0.5).masked_fill(
            self.hidden, -torch.inf
        )
        return scores.softmax(dim=-1) @ self.value(x)
