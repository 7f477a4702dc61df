"""Loops over tokens, rows stacked at the end; scaling of the queries instead of the scores.

`look` is one token's view of attention, and both classes use it. It is slow, and good to think with.
"""


def look(query, keys, values):
    scores = torch.stack([torch.dot(query, key) for key in keys])
    weights = torch.softmax(scores, dim=0)
    return sum(weight * value for weight, value in zip(weights, values, strict=True))


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries = x @ self.W_query / self.W_query.shape[1] ** 0.5
        keys, values = x @ self.W_key, x @ self.W_value
        return torch.stack([look(query, keys, values) for query in queries])


class SelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(in_features=d_model, out_features=d_model, bias=False)
        self.W_k = nn.Linear(in_features=d_model, out_features=d_model, bias=False)
        self.W_v = nn.Linear(in_features=d_model, out_features=d_model, bias=False)

    def forward(self, token_encodings):
        rows = []
        for token in token_encodings:
            query = self.W_q(token) / len(token) ** 0.5
            rows.append(
                look(query, self.W_k(token_encodings), self.W_v(token_encodings))
            )
        return torch.stack(rows)
