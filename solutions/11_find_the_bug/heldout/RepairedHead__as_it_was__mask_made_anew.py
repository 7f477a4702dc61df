"""Makes another mask, and throws the result away all the same."""


class RepairedHead(BrokenHead):
    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
        future = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
        scores.masked_fill(future, float("-inf"))
        return scores.softmax(dim=-1) @ v
