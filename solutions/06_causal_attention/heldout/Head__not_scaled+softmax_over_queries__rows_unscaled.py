"""The softmax runs over the tokens that look, dimension 1, and the scores are not scaled."""


class Head(nn.Module):
    def __init__(self, n_embd: int, head_size: int, block_size: int) -> None:
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer(
            "mask", torch.triu(torch.ones(block_size, block_size), diagonal=1).bool()
        )

    def forward(self, x: Tensor) -> Tensor:
        T = x.size(1)
        scores = torch.einsum("bid,bjd->bij", self.query(x), self.key(x))
        scores = scores.masked_fill(self.mask[:T, :T], float("-inf"))
        weights = torch.softmax(scores, dim=1)
        return torch.einsum("bij,bjd->bid", weights, self.value(x))
