"""Dropout is written by hand and does not divide the remaining weights by 1 - p."""


class CausalAttention(nn.Module):
    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.rate = dropout
        self.register_buffer(
            "hidden", torch.ones(context_length, context_length).triu(1) == 1
        )

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[-2]
        k = self.W_key(x)
        att = (self.W_query(x) @ k.transpose(-2, -1)) * k.size(-1) ** -0.5
        att = att.masked_fill(self.hidden[:T, :T], float("-inf"))
        att = att.softmax(dim=-1)
        if self.training:
            att = att * (torch.rand_like(att) >= self.rate)
        return att @ self.W_value(x)
