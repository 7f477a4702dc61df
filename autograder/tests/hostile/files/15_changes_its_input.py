"""Changes its input behind autograd's back.

answer: double
verdict: failed
score: 1.5
hint: in place
"""


def double(x):
    x.data.mul_(2)
    return x + 0
