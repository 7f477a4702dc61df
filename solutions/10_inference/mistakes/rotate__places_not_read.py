"""You count the tokens from 0 and do not read their places. Where does the next token stand when it comes
alone, with a cache?
"""


def rotate(x, positions, base=10_000.0):
    d = x.shape[-1]
    pairs = torch.arange(0, d, 2, dtype=x.dtype)
    angles = torch.arange(x.shape[-2]).to(x.dtype)[:, None] * base ** (-pairs / d)
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
