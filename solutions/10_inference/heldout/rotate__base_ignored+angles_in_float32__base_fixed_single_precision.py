"""The base is always 10000, the argument being ignored, and the angles are computed in float32 even for
float64.
"""


def rotate(x, positions, base=10_000.0):
    d = x.shape[-1]
    theta = 10000.0 ** (-torch.arange(0, d, 2).float() / d)
    angles = torch.outer(positions.float(), theta)
    turn = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
    return torch.view_as_real(pairs * turn).flatten(-2).type_as(x)
