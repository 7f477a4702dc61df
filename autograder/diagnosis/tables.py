"""Tables of general rules. Rules of MUTANTS make small mistakes. Rules of EDITS repair frequent mistakes.

Each line has a kind of change and its rank (lower ranks are tried earlier), then rules in the language of
patterns.py. `autograder verify` applies MUTANTS to right answers, to test the hidden tests. The search for
repairs applies all rules to students' code, because a rule of MUTANTS often repairs the opposite mistake.
"""

from autograder.diagnosis.patterns import rules_by_type, table

_CONFUSED = (  # functions and methods that are easily confused
    "softmax log_softmax", "sum mean", "amax amin", "max min", "maximum minimum", "triu tril", "ones zeros",
    "rand randn", "argmax argmin", "cat stack", "cos sin", "ones_like zeros_like", "unsqueeze squeeze",
    "var std", "train eval", "exp log", "repeat repeat_interleave",
)  # fmt: skip
_PAIRS = [pair for names in _CONFUSED for pair in (names.split(), names.split()[::-1])]

MUTANTS = rules_by_type(table("""
    operator 1.3   | X + Y => X - Y
    operator 1.3   | X - Y => X + Y
    operator 1.3   | X * Y => X / Y || X + Y
    operator 1.3   | X / Y => X * Y
    operator 1.3   | X // Y => X * Y
    operator 1.3   | X % Y => X // Y
    operator 1.3   | X ** Y => X * Y
    operator 1.3   | X @ Y => X * Y
    order 1.3      | X - Y => Y - X
    order 1.3      | X / Y => Y / X
    order 1.3      | X // Y => Y // X
    order 1.3      | X % Y => Y % X
    order 1.3      | X ** Y => Y ** X
    order 1.3      | X @ Y => Y @ X
    too much       | X + Y => X || Y
    too much       | X - Y => X || Y
    too much       | X * Y => X || Y
    too much       | X / Y => X || Y
    too much       | X // Y => X || Y
    too much       | X % Y => X || Y
    too much       | X ** Y => X || Y
    too much       | X @ Y => X || Y
    too much       | -X => X
    too much       | ~X => X
    too much       | not X => X
    comparison 1.3 | X < Y => X <= Y || X >= Y
    comparison 1.3 | X <= Y => X < Y || X > Y
    comparison 1.3 | X > Y => X >= Y || X < Y
    comparison 1.3 | X >= Y => X > Y || X < Y
    comparison 1.3 | X == Y => X != Y
    comparison 1.3 | X != Y => X == Y || X < Y || X > Y
    comparison 1.3 | X is Y => X is not Y
    comparison 1.3 | X is not Y => X is Y
    comparison 1.3 | X in Y => X not in Y
    comparison 1.3 | X not in Y => X in Y
    condition 3.0  | X and Y => X or Y || X || Y
    condition 3.0  | X or Y => X and Y || X || Y
    condition 3.0  | X if Y else Z => X || Z
    bound 1.8      | range(X) => range(X - 1) || range(1, X)
    function       | X.reshape(...) => X.view(...)
""" + "\n".join(f"function | X.{one}(...) => X.{other}(...)" for one, other in _PAIRS)))  # fmt: skip

EDITS = rules_by_type(table("""
    operator 1.6 | X + Y => X * Y
    value 1.4 | X.masked_fill(M, V) => X.masked_fill(M.unsqueeze(1) if M.dim() == 2 else M, V)
    value 1.3 | X.masked_fill(M.unsqueeze(1), V) => X.masked_fill(M.unsqueeze(1) if M.dim() == 2 else M, V)
    value 1.3 | X.masked_fill(self.M, V) => X.masked_fill(self.M[:X.size(-2), :X.size(-1)], V)
    value 1.3 | X.masked_fill(~self.M, V) => X.masked_fill(~self.M[:X.size(-2), :X.size(-1)], V)
    value 1.3 | X.masked_fill(self.M == 0, V) => X.masked_fill(self.M[:X.size(-2), :X.size(-1)] == 0, V)
    value 1.3 | torch.softmax(X, dim=D) * (1 - M) => torch.softmax(X.masked_fill(M.bool(), -torch.inf), dim=D)
    value 1.3 | torch.softmax(X, dim=D) * M => torch.softmax(X.masked_fill(M == 0, -torch.inf), dim=D)
    value 1.3 | X / Y => X / X.sum(dim=-1, keepdim=True)
    function 1.3 | torch.multinomial(X, ...) => X.argmax(dim=-1, keepdim=True)
    dimension 1.5 | X.transpose(A, B) => X.transpose(-2, -1) || X.transpose(1, 2) || X.transpose(0, 1)
    dimension 1.6 | X.transpose(A, B) => X.transpose(2, 3) || X.transpose(1, 3) || X.transpose(0, 2)
    dimension 1.5 | X.swapaxes(A, B) => X.swapaxes(-2, -1) || X.swapaxes(1, 2) || X.swapaxes(0, 1)
    argument 1.5 | X.transpose(A) => X.transpose(-2, -1)
    missing 3.0 | X @ Y => X.transpose(-2, -1) @ Y || X @ Y.transpose(-2, -1)
    too much 1.2 | X.T => X
    too much 1.2 | X.mT => X
    too much 1.2 | X.data => X
    argument 1.2 | X.sum(...) => X.sum(..., keepdim=True)
    argument 1.2 | X.mean(...) => X.mean(..., keepdim=True)
    argument 1.2 | X.amax(...) => X.amax(..., keepdim=True)
    argument 1.2 | X.max(...) => X.max(..., keepdim=True)
    argument 1.2 | X.norm(...) => X.norm(..., keepdim=True)
    argument 1.2 | X.Linear(...) => X.Linear(..., bias=False)
    argument 1.2 | F.dropout(...) => F.dropout(..., training=self.training)
    argument 1.2 | nn.functional.dropout(...) => nn.functional.dropout(..., training=self.training)
"""))  # fmt: skip
