"""Rules that rewrite right answers, so that each step has the notation that patterns in other files use."""

WRITINGS = """
F.softmax(X, D) => torch.softmax(X, dim=D)
F.softmax(X, dim=D) => torch.softmax(X, dim=D)
nn.functional.softmax(X, dim=D) => torch.softmax(X, dim=D)
torch.nn.functional.softmax(X, dim=D) => torch.softmax(X, dim=D)
nn.Softmax(dim=D)(X) => torch.softmax(X, dim=D)
torch.softmax(X, D) => torch.softmax(X, dim=D)
X.softmax(D) => torch.softmax(X, dim=D)
X.softmax(dim=D) => torch.softmax(X, dim=D)
math.sqrt(X) => X**0.5
torch.sqrt(X) => X**0.5
X.sqrt() => X**0.5
X.pow(Y) => X**Y
torch.pow(X, Y) => X**Y
torch.div(X, Y) => X / Y
X.div(Y) => X / Y
torch.mul(X, Y) => X * Y
X.mul(Y) => X * Y
X * (1 / Y) => X / Y
X * (1.0 / Y) => X / Y
X.lt(Y) => X < Y
X.le(Y) => X <= Y
X.gt(Y) => X > Y
X.ge(Y) => X >= Y
X.eq(Y) => X == Y
X.ne(Y) => X != Y
X * Y**-0.5 => X / Y**0.5
torch.matmul(X, Y) => X @ Y
torch.bmm(X, Y) => X @ Y
torch.mm(X, Y) => X @ Y
X.matmul(Y) => X @ Y
X.exp() => torch.exp(X)
X.size(N) => X.shape[N]
X.mT => X.transpose(-2, -1)
X.transpose(-1, -2) => X.transpose(-2, -1)
X.swapaxes(-1, -2) => X.transpose(-2, -1)
float("-inf") => -torch.inf
-math.inf => -torch.inf
X.masked_fill(mask=M, value=V) => X.masked_fill(M, V)
torch.where(M, -torch.inf, X) => X.masked_fill(M, -torch.inf)
nn.functional.dropout(...) => F.dropout(...)
torch.triu(X) => X.triu()
torch.triu(X, D) => X.triu(diagonal=D)
torch.triu(X, diagonal=D) => X.triu(diagonal=D)
X.triu(D) => X.triu(diagonal=D)
X.tril() => torch.tril(X)
torch.tril(X, D) => torch.tril(X, diagonal=D)
torch.reshape(X, (A, B, C, D)) => X.reshape(A, B, C, D)
torch.reshape(X, (A, B, C)) => X.reshape(A, B, C)
X.reshape((A, B, C, D)) => X.reshape(A, B, C, D)
X.reshape((A, B, C)) => X.reshape(A, B, C)
X.view((A, B, C, D)) => X.view(A, B, C, D)
X.view((A, B, C)) => X.view(A, B, C)
torch.transpose(X, A, B) => X.transpose(A, B)
torch.permute(X, (A, B, C, D)) => X.permute(A, B, C, D)
X.permute((A, B, C, D)) => X.permute(A, B, C, D)
torch.cat((A, B), dim=D) => torch.cat([A, B], dim=D)
torch.stack((A, B), dim=D) => torch.stack([A, B], dim=D)
torch.cat(X, D) => torch.cat(X, dim=D)
torch.stack(X, D) => torch.stack(X, dim=D)
"""

# The two sides of these rules mean the same only for tensors of two dimensions.
WRITINGS_OF_MATRICES = """
X.T => X.transpose(-2, -1)
X.t() => X.transpose(-2, -1)
"""
