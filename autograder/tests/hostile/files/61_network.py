"""Opens a connection.

verdict: blocked
hint: not permitted
"""
import socket


def row_sums(x):
    socket.create_connection(("127.0.0.1", 80), timeout=0.5)
    return x.sum(-1)
