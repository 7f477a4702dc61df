"""The three layers have a bias and the scores are divided by the root of n_embd instead of head_size."""


class Head(nn.Module):
    def __init__(self, n_embd: int, head_size: int, block_size: int) -> None:
        super().__init__()
        self.key = nn.Linear(n_embd, head_size)
        self.query = nn.Linear(n_embd, head_size)
        self.value = nn.Linear(n_embd, head_size)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        future = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        scores = self.query(x) @ self.key(x).mT / width**0.5
        return scores.masked_fill(future, -torch.inf).softmax(-1) @ self.value(x)
