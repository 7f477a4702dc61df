"""Layers in a loop with add_module, and the defaults of nn.Linear."""


class SelfAttention(nn.Module):
    def __init__(self, d_model=2, row_dim=0, col_dim=1):
        super().__init__()
        for letter in "qkv":
            self.add_module("W_" + letter, nn.Linear(d_model, d_model))
        self.r, self.c = row_dim, col_dim

    def forward(self, token_encodings):
        x = token_encodings
        energy = self.W_q(x) @ self.W_k(x).transpose(self.r, self.c)
        return torch.softmax(energy / x.size(self.c) ** 0.5, self.c) @ self.W_v(x)
