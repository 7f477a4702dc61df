"""The mask of block_size is not cut to the length of the text, so that shorter texts fail."""


class Head(nn.Module):
    def __init__(self, n_embd: int, head_size: int, block_size: int) -> None:
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("mask", causal_mask(block_size))
        self.scale = head_size**-0.5

    def forward(self, x: Tensor) -> Tensor:
        k, q, v = self.key(x), self.query(x), self.value(x)
        att = torch.bmm(q, k.transpose(1, 2)) * self.scale
        att = att.masked_fill(self.mask, float("-inf")).softmax(dim=2)
        return torch.bmm(att, v)
