"""Masked after the softmax, then each row divided by its new sum."""


def masked_attention_weights(scores, mask):
    weights = torch.softmax(scores, dim=-1) * ~mask
    return weights / weights.sum(dim=-1, keepdim=True)


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, token_encodings, mask=None):
        q, k, v = (
            self.W_q(token_encodings),
            self.W_k(token_encodings),
            self.W_v(token_encodings),
        )
        weights = torch.softmax(q @ k.T / k.shape[1] ** 0.5, dim=1)
        if mask is not None:
            weights = weights.masked_fill(mask, 0)
            weights = weights / weights.sum(dim=1, keepdim=True)
        return weights @ v


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        B, T, C = x.shape
        k, q, v = self.key(x), self.query(x), self.value(x)
        weights = (
            torch.softmax(q @ k.mT * k.size(-1) ** -0.5, dim=-1) * self.tril[:T, :T]
        )
        weights = weights / weights.sum(dim=-1, keepdim=True)
        return weights @ v


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.drop = nn.Dropout(p=dropout)

    def forward(self, x):
        scores = (
            self.W_query(x)
            @ self.W_key(x).transpose(-1, -2)
            / self.W_key.out_features**0.5
        )
        weights = torch.softmax(scores, dim=-1).tril()
        weights = weights / weights.sum(dim=-1, keepdim=True)
        return self.drop(weights) @ self.W_value(x)
