"""The layers have a bias and the scores are not divided by the root of the width."""


class SelfAttention(nn.Module):
    def __init__(self, d_model: int = 2, row_dim: int = 0, col_dim: int = 1) -> None:
        super().__init__()
        self.W_q = nn.Linear(in_features=d_model, out_features=d_model)
        self.W_k = nn.Linear(in_features=d_model, out_features=d_model)
        self.W_v = nn.Linear(in_features=d_model, out_features=d_model)
        self.row_dim = row_dim
        self.col_dim = col_dim

    def forward(self, token_encodings: Tensor) -> Tensor:
        q = self.W_q(token_encodings)
        k = self.W_k(token_encodings)
        v = self.W_v(token_encodings)
        sims = torch.matmul(q, k.transpose(self.row_dim, self.col_dim))
        percents = torch.softmax(sims, dim=self.col_dim)
        return torch.matmul(percents, v)
