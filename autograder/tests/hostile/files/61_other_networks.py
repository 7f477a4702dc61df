"""Tries UDP, DNS, raw packets and a server of its own.

verdict: failed
hint: must be a tensor, but it is None
"""
import socket
import urllib.request


def row_sums(x):
    for attempt in (
        lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9)),
        lambda: socket.socket(socket.AF_INET6, socket.SOCK_STREAM),
        lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1),
        lambda: socket.create_server(("127.0.0.1", 0)),
        lambda: socket.getaddrinfo("example.org", 80),
        lambda: urllib.request.urlopen("http://127.0.0.1", timeout=0.5),
    ):
        try:
            attempt()
            return x.sum(-1)
        except OSError:
            pass
    return None
