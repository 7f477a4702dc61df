"""A large negative number instead of minus infinity; masks made on the fly by comparing positions."""


def causal_mask(length):
    places = torch.arange(length)
    return places[None, :] > places[:, None]


def masked_attention_weights(scores, mask):
    return torch.softmax(scores.masked_fill(mask, -1e9), dim=-1)


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, token_encodings, mask=None):
        x = token_encodings
        scores = (
            torch.einsum("...nd,...md->...nm", self.W_q(x), self.W_k(x))
            / x.shape[-1] ** 0.5
        )
        if mask is not None:
            scores = torch.where(mask, -1e20, scores)
        return torch.einsum("...nm,...md->...nd", scores.softmax(-1), self.W_v(x))


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.head_size = head_size

    def forward(self, x):
        length = x.shape[1]
        hidden = torch.triu(torch.ones(length, length), diagonal=1)
        scores = (
            torch.einsum("bnd,bmd->bnm", self.query(x), self.key(x))
            / self.head_size**0.5
        )
        weights = torch.softmax(scores + hidden * -1e9, dim=2)
        return torch.einsum("bnm,bmd->bnd", weights, self.value(x))
