"""Now nothing is dropped in training either. What should decide whether dropout acts?"""


class RepairedDropout(BrokenDropout):
    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(diagonal=1)
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(keys.shape[-1])
        weights = torch.softmax(scores.masked_fill(mask, -math.inf), dim=-1)
        weights = F.dropout(weights, self.dropout, training=False)
        return weights @ values
