"""Calls the shell, installs packages and runs scripts as a notebook does: a word on it, and grading goes on.

cell: first
verdict: failed
"""
!sh -c "echo owned > {canary}"
!pip install evil
%pip install evil
listing = !ls /
print(listing)
