"""Runs a cell of bash.

cell: first
verdict: failed
"""
%%bash
echo owned > {canary}
