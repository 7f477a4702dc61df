"""Leaves folders that may not be opened, with files in them.

verdict: failed
hint: must be a tensor, but it is None
"""
import os


def row_sums(x):
    os.makedirs("outer/inner", exist_ok=True)
    open("outer/inner/file", "w").close()
    os.umask(0o777)
    os.makedirs("closed", 0, exist_ok=True)
    os.rename("outer", f"hidden\n\t {x.shape}")
    os.symlink("/", f"root {x.shape}")
    os.umask(0o077)
    return None
