"""Writes a perfect answer to the pipe, but for the request's number.

verdict: crashed
hint: not a valid reply
"""
import json
import os
import stat
import struct


def row_sums(x):
    text = json.dumps({"id": "0" * 16, "value": None, "score": 3, "verdict": "passed"}).encode()
    for descriptor in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                os.write(descriptor, struct.pack("!II", len(text), 0) + text)
        except OSError:
            pass
    return None
