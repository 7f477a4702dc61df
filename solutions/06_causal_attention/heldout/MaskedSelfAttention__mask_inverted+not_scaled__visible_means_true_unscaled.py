"""The mask is read the other way round, True as visible, and the scores are not scaled."""


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(in_features=d_model, out_features=d_model, bias=False)
        self.W_k = nn.Linear(in_features=d_model, out_features=d_model, bias=False)
        self.W_v = nn.Linear(in_features=d_model, out_features=d_model, bias=False)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings: Tensor, mask: Tensor | None = None) -> Tensor:
        q = self.W_q(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        sims = q @ k.transpose(dim0=self.row_dim, dim1=self.col_dim)
        if mask is not None:
            sims = sims.masked_fill(mask=~mask, value=-1e9)
        attention_percents = torch.nn.functional.softmax(sims, dim=self.col_dim)
        return attention_percents @ v
