"""Prints the stack of calls around it: of ours, there is the worker alone.

verdict: failed
hint: must be a tensor, but it is None
"""
import traceback

traceback.print_stack()
print("".join(traceback.format_stack()))


def row_sums(x):
    return None
