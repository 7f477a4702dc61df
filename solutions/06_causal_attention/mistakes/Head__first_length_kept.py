"""Give the module a long text and then a shorter one. What does it remember of the first?"""


class Head(nn.Module):
    def __init__(self, n_embd: int, head_size: int, block_size: int) -> None:
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer(
            "mask",
            torch.ones(block_size, block_size, dtype=torch.bool).triu(diagonal=1),
        )

    def forward(self, x: Tensor) -> Tensor:
        length = self.__dict__.setdefault("kept", x.size(1))
        keys, queries, values = self.key(x), self.query(x), self.value(x)
        scores = queries @ keys.transpose(1, 2) / keys.size(-1) ** 0.5
        scores = scores.masked_fill(self.mask[:length, :length], -torch.inf)
        return torch.softmax(scores, dim=-1) @ values
