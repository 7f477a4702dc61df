"""The mask is inverted, so what should be hidden is visible, and qkv_bias is ignored: there is never a
bias.
"""


class CrossAttention(nn.Module):
    def __init__(
        self, d_query: int, d_context: int, d_out: int, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_query, d_out, bias=False)
        self.W_key = nn.Linear(d_context, d_out, bias=False)
        self.W_value = nn.Linear(d_context, d_out, bias=False)

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        q = self.W_query(x)
        k = self.W_key(context)
        v = self.W_value(context)
        energy = torch.matmul(q, k.permute(0, 2, 1)) / self.d_out**0.5
        if mask is not None:
            if mask.dim() == 2:
                mask = mask.unsqueeze(1)
            energy = energy.masked_fill(mask == 0, -1e10)
        attention = torch.softmax(energy, dim=-1)
        return torch.matmul(attention, v)
