"""einsum everywhere, parameters made from a size."""


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        shape = (d_in, d_out)
        self.W_query = nn.Parameter(torch.rand(size=shape))
        self.W_key = nn.Parameter(torch.rand(size=shape))
        self.W_value = nn.Parameter(torch.rand(size=shape))

    def forward(self, x):
        q = torch.einsum("...i,io->...o", x, self.W_query)
        k = torch.einsum("...i,io->...o", x, self.W_key)
        v = torch.einsum("...i,io->...o", x, self.W_value)
        att = torch.einsum("...qo,...ko->...qk", q, k).softmax(dim=-1)
        return torch.einsum("...qk,...ko->...qo", att, v)
