"""Runs a file of the host.

cell: first
verdict: failed
"""
%run {canary}
