"""Changes mode, times, owner and attributes of a file of the host, which Landlock does not watch.

verdict: failed
hint: must be a tensor, but it is None
"""
import os

CANARY = "{canary}"


def row_sums(x):
    for attempt in (
        lambda: os.chmod(CANARY, 0o777),
        lambda: os.utime(CANARY, (1, 1)),
        lambda: os.chown(CANARY, os.getuid(), os.getgid()),
        lambda: os.setxattr(CANARY, "user.mine", b"1"),
        lambda: os.chmod(os.path.dirname(CANARY), 0),
    ):
        try:
            attempt()
            return x.sum(-1)
        except OSError:
            pass
    return None
