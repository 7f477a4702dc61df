"""Makes links that lead out of its folder and writes through them.

verdict: failed
hint: must be a tensor, but it is None
"""
import os

CANARY = "{canary}"


def row_sums(x):
    for target, name in ((CANARY, "file"), (os.path.dirname(CANARY), "folder"), ("/proc/self/root", "root")):
        if not os.path.lexists(name):
            os.symlink(target, name)
    for attempt in (
        lambda: open("file").read(),
        lambda: open("file", "a").write("owned"),
        lambda: open("folder/new", "w").write("owned"),
        lambda: open("root" + CANARY, "w").write("owned"),
        lambda: os.listdir("folder"),
        lambda: open("../../" + CANARY).read(),
    ):
        try:
            if attempt():
                return x.sum(-1)
        except OSError:
            pass
    return None
