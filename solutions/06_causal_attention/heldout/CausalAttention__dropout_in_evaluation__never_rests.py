"""Dropout is active in evaluation too, because the functional dropout is called without saying whether the
module trains.
"""


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
        self.p = dropout

    def forward(self, x: Tensor) -> Tensor:
        T = x.shape[1]
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.transpose(-1, -2) / k.shape[-1] ** 0.5
        weights = scores.masked_fill(causal_mask(T).to(x.device), -torch.inf).softmax(
            dim=-1
        )
        return nn.functional.dropout(weights, self.p) @ v
