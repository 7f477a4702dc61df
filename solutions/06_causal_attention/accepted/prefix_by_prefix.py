"""No mask at all: each token attends to the prefix that ends with it; masks and weights by loops.

Without a mask there is nothing to hide. A token gets only what is there already, which is how a model
writes its text, and where a cache of keys and values begins.
"""


def causal_mask(length):
    return torch.tensor(
        [[column > row for column in range(length)] for row in range(length)]
    )


def masked_attention_weights(scores, mask):
    largest = scores.masked_fill(mask, float("-inf")).amax(dim=-1, keepdim=True)
    powers = torch.exp(scores - largest).masked_fill(mask, 0.0)
    return powers / powers.sum(dim=-1, keepdim=True)


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)

    def forward(self, x):
        rows = []
        for t in range(x.size(1)):
            keys, values = self.key(x[:, : t + 1]), self.value(x[:, : t + 1])
            scores = (keys @ self.query(x[:, t]).unsqueeze(2)).squeeze(2) / keys.size(
                2
            ) ** 0.5
            weights = torch.softmax(scores, dim=1)
            rows.append((weights.unsqueeze(2) * values).sum(dim=1))
        return torch.stack(rows, dim=1)


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.keep = 1 - dropout

    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        rows = []
        for t in range(x.size(1)):
            scores = (
                torch.einsum("bd,bmd->bm", queries[:, t], keys[:, : t + 1])
                / keys.size(-1) ** 0.5
            )
            weights = torch.softmax(scores, dim=-1)
            if self.training:
                weights = weights * (torch.rand_like(weights) < self.keep) / self.keep
            rows.append(torch.einsum("bm,bmd->bd", weights, values[:, : t + 1]))
        return torch.stack(rows, dim=1)
