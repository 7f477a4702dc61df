"""Makes files and folders until there are no names left.

verdict: [crashed, timed out]
"""
import os


def row_sums(x):
    number = 0
    while True:
        os.mkdir(f"folder{number}")
        open(f"folder{number}/file", "w").close()
        number += 1
