"""Every product by einsum, the softmax by hand with its maximum taken off, d_out kept as an attribute."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Parameter(torch.rand(d_in, d_out), requires_grad=True)
        self.W_key = nn.Parameter(torch.rand(d_in, d_out), requires_grad=True)
        self.W_value = nn.Parameter(torch.rand(d_in, d_out), requires_grad=True)

    def forward(self, x):
        queries = torch.einsum("ni,io->no", x, self.W_query)
        keys = torch.einsum("ni,io->no", x, self.W_key)
        values = torch.einsum("ni,io->no", x, self.W_value)
        scores = torch.einsum("no,mo->nm", queries, keys) * self.d_out**-0.5
        powers = (scores - scores.amax(dim=1, keepdim=True)).exp()
        return torch.einsum(
            "nm,mo->no", powers / powers.sum(dim=1, keepdim=True), values
        )


class SelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q, self.W_k, self.W_v = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(3)
        )

    def forward(self, token_encodings):
        q, k, v = (
            self.W_q(token_encodings),
            self.W_k(token_encodings),
            self.W_v(token_encodings),
        )
        scores = torch.einsum("...nd,...md->...nm", q, k) / q.shape[-1] ** 0.5
        return torch.einsum("...nm,...md->...nd", scores.softmax(-1), v)
