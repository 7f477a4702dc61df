"""What does the caller's own tensor hold after the call?"""


def double(x):
    return x.mul_(2)
