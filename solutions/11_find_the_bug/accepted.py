# %% accepted="against_torch"
"""Compares the last row with torch's own attention, and reverses the tokens after each position."""


def scales_wrongly(attend):
    queries, keys, values = random_texts(3, 2, 6, 8)
    right = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    apart = (attend(queries, keys, values) - right)[..., -1, :].abs().max().item()
    return apart > 1e-3


def sees_the_future(attend):
    texts = random_texts(tokens=6)
    right = attend(*texts)
    for n in range(1, 6):
        other = (
            torch.cat([part[..., :n, :], part[..., n:, :].flip(-2) - 1], dim=-2)
            for part in texts
        )
        if differ(attend(*other)[..., :n, :], right[..., :n, :]):
            return True
    return False


# %% accepted="by_gradients"
"""Finds dependences by gradients, and puts each text into batches with different and fewer texts.

A gradient of 0 means that a token has no influence. One backward pass tests all tokens at once.
"""


def sees_the_future(attend):
    parts = [part.requires_grad_() for part in random_texts(3, 2, 7, 5)]
    for i in range(6):
        weight = torch.randn(3, 2, 5)
        output = (attend(*parts)[:, :, i] * weight).sum()
        for gradient in torch.autograd.grad(output, parts, allow_unused=True):
            if gradient is not None and gradient[:, :, i + 1 :].abs().max() > 1e-4:
                return True
    return False


def mixes_the_batch(attend):
    texts = random_texts(batch=3)
    order = torch.tensor([2, 0, 1])
    others = [torch.randn_like(part) for part in texts]
    for i in range(3):
        mixed = [b.clone() for b in others]
        for new, part in zip(mixed, texts):
            new[i] = part[i]
        if differ(attend(*mixed)[i], attend(*texts)[i]):
            return True
    swapped = attend(*(part[order] for part in texts))
    fewer = attend(*(part[:2] for part in texts))
    right = attend(*texts)
    return differ(swapped, right[order]) or differ(fewer, right[:2])


# %% accepted="known_numbers"
"""Two tokens whose scores are 0 and 6: the last output is then a known number.

With values 0 and 1, the last output is the weight of the second token: the sigmoid of its scaled score. No
random number and no second softmax is needed.
"""


def scales_wrongly(attend):
    for batch, heads, size in ((1, 2, 9), (3, 5, 4)):
        queries = torch.ones(batch, heads, 2, size)
        keys, values = torch.zeros_like(queries), torch.zeros_like(queries)
        keys[:, :, 1] = 6 / size
        values[:, :, 1] = 1
        weight = attend(queries, keys, values)[:, :, 1]
        if (weight - torch.tensor(6 / size**0.5).sigmoid()).abs().max() > 1e-4:
            return True
    return False


# %% accepted="one_at_a_time"
"""Changes one tensor of one token at a time, and compares texts one by one."""


def sees_the_future(attend):
    texts = random_texts(tokens=4)
    right = attend(*texts)
    for which in range(3):
        for j in range(1, 4):
            changed = [part.clone() for part in texts]
            changed[which][..., j, :] += 1.0
            if differ(attend(*changed)[..., :j, :], right[..., :j, :]):
                return True
    return False


def mixes_the_batch(attend):
    queries, keys, values = random_texts(batch=4, heads=2)
    right = attend(queries, keys, values)
    for text in range(4):
        one = slice(text, text + 1)
        if differ(attend(queries[one], keys[one], values[one]), right[one]):
            return True
    return False


def scales_wrongly(attend):
    queries, keys, values = random_texts(batch=1, heads=2, tokens=6, head_size=3)
    weights = ((queries[:, :, 5:] * keys).sum(-1) / 3**0.5).exp()
    weights = weights / weights.sum(-1, keepdim=True)
    right = (weights.unsqueeze(-1) * values).sum(-2)
    return bool((attend(queries, keys, values)[:, :, 5] - right).abs().max() > 1e-3)


# %% accepted="small_sizes"
"""Uses texts of two tokens, or two texts, and a tolerance of 0.00001."""


def sees_the_future(attend):
    one, other = random_texts(2, 3, 2, 5), random_texts(2, 3, 2, 5)
    mixed = (torch.cat([a[:, :, :1], b[:, :, 1:]], 2) for a, b in zip(one, other))
    first = attend(*mixed)[:, :, 0]
    return not torch.allclose(first, attend(*one)[:, :, 0], atol=1e-5)


def mixes_the_batch(attend):
    queries, keys, values = random_texts(batch=2, heads=3)
    both = attend(queries, keys, values)
    for i in (0, 1):
        alone = attend(queries[i, None], keys[i, None], values[i, None])[0]
        if (both[i] - alone).abs().max() > 2e-5:
            return True
    return False


def scales_wrongly(attend):
    queries, keys, values = random_texts(batch=2, heads=3, tokens=2, head_size=5)
    scores = (queries[:, :, 1:] * keys).sum(-1) / 5**0.5
    right = (scores.softmax(-1).unsqueeze(-1) * values).sum(-2)
    return not torch.allclose(attend(queries, keys, values)[:, :, 1], right, atol=1e-5)


# %% accepted="other_lines"
"""Masks in place, joins the heads with cat, and chooses the rate by the mode."""


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


# %% accepted="dropout_by_hand"
"""Draws for each weight whether it stays, and lets those that stay grow."""


class RepairedDropout(BrokenDropout):
    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(diagonal=1)
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(keys.shape[-1])
        weights = torch.softmax(scores.masked_fill(mask, -math.inf), dim=-1)
        if self.training:
            kept = torch.rand_like(weights) >= self.dropout
            weights = weights * kept / (1 - self.dropout)
        return weights @ values


# %% accepted="torchs_own"
"""Uses torch's own attention, which takes the rate of dropout, too."""


class RepairedHead(BrokenHead):
    def forward(self, x):
        parts = (layer(x) for layer in (self.query, self.key, self.value))
        return F.scaled_dot_product_attention(*parts, is_causal=True)


class RepairedDropout(BrokenDropout):
    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        rate = self.dropout if self.training else 0.0
        return F.scaled_dot_product_attention(
            queries, keys, values, dropout_p=rate, is_causal=True
        )
