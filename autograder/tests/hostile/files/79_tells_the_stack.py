"""Puts the stack of calls around it into an error: of ours, there is the worker alone.

verdict: crashed
hint: ValueError
"""
import traceback


def row_sums(x):
    raise ValueError("".join(traceback.format_stack()))
