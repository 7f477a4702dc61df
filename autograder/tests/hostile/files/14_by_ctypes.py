"""Reads an attribute with Python's C functions, by ctypes.

forbid: [einsum]
by_hand: [basics, sums]
verdict: review
hint: einsum
"""
import ctypes

import torch


def row_sums(x):
    read = ctypes.pythonapi.PyObject_GetAttrString
    read.restype = ctypes.py_object
    return read(ctypes.py_object(torch), b"ein" + b"sum")("ij->i", x)
