"""The weights mix the keys instead of the values, and the layer value is never used."""


class Head(nn.Module):
    def __init__(self, n_embd: int, head_size: int, block_size: int) -> None:
        super().__init__()
        self.head_size = head_size
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        k = self.key(x)
        q = self.query(x)
        v = self.key(x)
        return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
