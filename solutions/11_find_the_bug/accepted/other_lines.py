"""Masks in place, joins the heads side by side, and chooses the rate by the mode."""


class RepairedHead(BrokenHead):
    def forward(self, x):
        T = x.shape[1]
        scores = self.query(x) @ self.key(x).transpose(-2, -1)
        scores = scores / math.sqrt(self.key.out_features)
        scores.masked_fill_(self.tril[:T, :T] == 0, -math.inf)
        return torch.softmax(scores, dim=-1) @ self.value(x)


class RepairedMultiHead(BrokenMultiHead):
    def forward(self, x):
        B, T, d_model = x.shape
        queries = self.W_query(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        keys = self.W_key(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        values = self.W_value(x).view(B, T, self.num_heads, -1).transpose(1, 2)
        mixed = attend_h(queries, keys, values)
        merged = torch.cat(mixed.unbind(dim=1), dim=-1)
        return self.out_proj(merged)


class RepairedDropout(BrokenDropout):
    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(diagonal=1)
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(keys.shape[-1])
        weights = torch.softmax(scores.masked_fill(mask, -math.inf), dim=-1)
        weights = F.dropout(weights, self.dropout if self.training else 0.0)
        return weights @ values
