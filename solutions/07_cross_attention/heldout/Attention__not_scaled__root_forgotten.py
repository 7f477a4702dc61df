"""The scores are not scaled."""


class Attention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, encodings_for_q, encodings_for_k, encodings_for_v, mask=None):
        queries = self.W_q(encodings_for_q)
        keys = self.W_k(encodings_for_k)
        values = self.W_v(encodings_for_v)
        logits = torch.einsum("...qd,...kd->...qk", queries, keys)
        if mask is not None:
            logits = torch.where(mask, float("-inf"), logits)
        probabilities = logits.softmax(dim=-1)
        return torch.einsum("...qk,...kd->...qd", probabilities, values)
