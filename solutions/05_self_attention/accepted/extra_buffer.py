"""The scale as a buffer, the weights kept for pictures, layers set in a loop, dimensions from the end."""


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            setattr(self, name, nn.Linear(d_in, d_out, bias=qkv_bias))
        self.register_buffer("root", torch.tensor(d_out**0.5, dtype=torch.float64))

    def forward(self, x):
        scores = self.W_query(x) @ self.W_key(x).mT / self.root
        self.last_weights = torch.softmax(scores, dim=-1)
        return self.last_weights @ self.W_value(x)


class SelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.d_model = d_model

    def forward(self, token_encodings):
        x = token_encodings
        scores = (
            self.W_q(x)
            .matmul(self.W_k(x).mT)
            .div(torch.tensor(self.d_model).double().sqrt())
        )
        return scores.softmax(dim=-1).matmul(self.W_v(x))
