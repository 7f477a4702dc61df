"""torch.rand with requires_grad, in a loop with setattr, for nn.Parameter."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        for name in ["W_query", "W_key", "W_value"]:
            setattr(self, name, torch.rand(d_in, d_out, requires_grad=True))

    def forward(self, x):
        q = x @ self.W_query
        k = x @ self.W_key
        weights = torch.softmax(q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5, dim=-1)
        return weights @ (x @ self.W_value)
