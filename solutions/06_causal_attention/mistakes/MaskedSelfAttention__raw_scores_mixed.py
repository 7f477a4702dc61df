"""Scores meet the values, and not weights. If a softmax is computed, is it used? Look at your last line."""


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings, mask=None):
        q = self.W_q(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        scores = q @ k.transpose(dim0=self.row_dim, dim1=self.col_dim)
        scaled = scores / k.size(self.col_dim) ** 0.5
        if mask is not None:
            scaled = scaled.masked_fill(mask=mask, value=-1e9)
        weights = torch.softmax(scaled, dim=self.col_dim)
        return scaled.masked_fill(scaled < -1e8, 0.0) @ v
