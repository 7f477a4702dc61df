# %% mistake="sees_the_future" name="exact__by_comparison"
"""Cuts the text short and compares bit by bit."""


def sees_the_future(attend):
    texts = random_texts()
    short = attend(*(part[:, :, :3] for part in texts))
    return bool((attend(*texts)[:, :, :3] != short).any())


# %% mistake="sees_the_future" name="last_token_alone__zeroed"
"""The last token becomes zero, and only the first row is looked at."""


def sees_the_future(attend):
    texts = random_texts()
    first = attend(*texts)[:, :, 0]
    for part in texts:
        part[:, :, -1] = 0
    return differ(attend(*texts)[:, :, 0], first)


# %% mistake="sees_the_future" name="opposite__allclose"
"""Forgets that allclose says True where nothing has changed."""


def sees_the_future(attend):
    texts = random_texts()
    short = attend(*(part[:, :, :3] for part in texts))
    return torch.allclose(attend(*texts)[:, :, :3], short, atol=1e-4)


# %% mistake="sees_the_future" name="unknown_weights_of_ones"
"""Takes a loss of weight for a look ahead."""


def sees_the_future(attend):
    return loses_weight(attend)


# %% mistake="sees_the_future" name="values_alone__flipped"
"""Turns the order of the later values around, and leaves queries and keys."""


def sees_the_future(attend):
    queries, keys, values = random_texts(tokens=6)
    other = torch.cat([values[..., :3, :], values[..., 3:, :].flip(-2)], dim=-2)
    early = [attend(queries, keys, part)[..., :3, :] for part in (values, other)]
    return differ(*early)


# %% mistake="scales_wrongly" name="equal_sizes__four_by_four"
"""Four texts of four tokens with four heads of size four, by hand."""


def scales_wrongly(attend):
    queries, keys, values = torch.randn(3, 4, 4, 4, 4)
    weights = (queries[:, :, 3:] @ keys.mT / 2).softmax(-1)
    return differ(attend(queries, keys, values)[:, :, 3:], weights @ values)


# %% mistake="scales_wrongly" name="unknown_grows"
"""Asks whether the output becomes larger when the queries do."""


def scales_wrongly(attend):
    queries, keys, values = random_texts()
    once, twice = attend(queries, keys, values), attend(2 * queries, keys, values)
    return bool(twice.abs().mean() > 1.5 * once.abs().mean())


# %% mistake="scales_wrongly" name="whole_output__own_formula"
"""Writes the whole of attention down, and compares all rows."""


def scales_wrongly(attend):
    queries, keys, values = random_texts(1, 2, 6, 8)
    scores = queries @ keys.transpose(-1, -2) / math.sqrt(8)
    scores = scores.masked_fill(torch.ones(6, 6).triu(1).bool(), -math.inf)
    return differ(attend(queries, keys, values), scores.softmax(-1) @ values)


# %% mistake="scales_wrongly" name="without_root__known_numbers"
"""Two known scores, divided by the size itself."""


def scales_wrongly(attend):
    queries = torch.ones(1, 2, 3, 5)
    keys, values = torch.zeros_like(queries), torch.zeros_like(queries)
    keys[:, :, 2], values[:, :, 2] = 2.0, 1.0
    e = math.exp(10 / 5)
    return differ(
        attend(queries, keys, values)[:, :, 2], torch.full((1, 2, 5), e / (e + 2))
    )


# %% mistake="mixes_the_batch" name="compared_with_torch__h"
"""Compares with the right module of the lesson."""


def mixes_the_batch(attend):
    texts = random_texts(batch=3)
    return differ(attend(*texts), attend_h(*texts))


# %% mistake="mixes_the_batch" name="equal_texts__repeated"
"""Repeats one text, and expects equal results."""


def mixes_the_batch(attend):
    output = attend(*(part.repeat(2, 1, 1, 1) for part in random_texts(batch=1)))
    return differ(output[0], output[1])


# %% mistake="mixes_the_batch" name="first_text_alone__other_company"
"""Gives the first text other company, and looks at the first text."""


def mixes_the_batch(attend):
    one, other = random_texts(), random_texts()
    mixed = [torch.cat([a[:1], b[1:]]) for a, b in zip(one, other)]
    return differ(attend(*one)[0], attend(*mixed)[0])


# %% mistake="mixes_the_batch" name="one_head__loop"
"""Compares text by text, with a single head."""


def mixes_the_batch(attend):
    q, k, v = random_texts(3, 1, 4, 6)
    together = attend(q, k, v)
    return any(
        differ(attend(q[i, None], k[i, None], v[i, None])[0], together[i])
        for i in range(3)
    )


# %% mistake="RepairedHead" name="as_it_was__mask_made_anew"
"""Makes another mask, and throws the result away all the same."""


class RepairedHead(BrokenHead):
    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
        future = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
        scores.masked_fill(future, float("-inf"))
        return scores.softmax(dim=-1) @ v


# %% mistake="RepairedMultiHead" name="as_it_was__view"
"""Writes contiguous().view for reshape."""


class RepairedMultiHead(BrokenMultiHead):
    def forward(self, x):
        B, T, d = x.shape
        layers = (self.W_query, self.W_key, self.W_value)
        q, k, v = (
            layer(x).view(B, T, self.num_heads, -1).transpose(1, 2) for layer in layers
        )
        return self.out_proj(attend_h(q, k, v).contiguous().view(B, T, d))


# %% mistake="RepairedDropout" name="as_it_was__p"
"""Names the rate, and not the mode."""


class RepairedDropout(BrokenDropout):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.mT / math.sqrt(k.shape[-1])
        future = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        weights = scores.masked_fill(future, -math.inf).softmax(dim=-1)
        return F.dropout(weights, p=self.dropout) @ v


# %% mistake="RepairedDropout" name="never__no_line"
"""Takes the line with the dropout out."""


class RepairedDropout(BrokenDropout):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.mT / math.sqrt(k.shape[-1])
        future = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        return scores.masked_fill(future, -math.inf).softmax(dim=-1) @ v
