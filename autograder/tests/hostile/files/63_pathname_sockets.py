"""Talks to a process of the host that listens at a place in its file system.

verdict: failed
hint: must be a tensor, but it is None
"""
import os
import socket

PLACE = "{socket}"


def connect():
    socket.socket(socket.AF_UNIX).connect(PLACE)


def connect_our_own():
    for number in range(64):
        try:
            mine = socket.socket(fileno=os.dup(number))
        except OSError:
            continue
        for attempt in (lambda: mine.connect(PLACE), lambda: mine.sendto(b"knock", PLACE)):
            try:
                attempt()
            except OSError:
                pass
    raise OSError


def send_without_connecting():
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"knock", PLACE)


def open_as_a_file():
    open(PLACE, "wb").close()


def link_here():
    os.link(PLACE, "socket")
    socket.socket(socket.AF_UNIX).connect("socket")


def row_sums(x):
    for attempt in (connect, connect_our_own, send_without_connecting, open_as_a_file, link_here):
        try:
            attempt()
            return x.sum(-1)
        except OSError:
            pass
    return None
