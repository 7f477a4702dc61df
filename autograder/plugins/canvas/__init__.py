"""Sends grades to Canvas.

- command: the command `canvas`.
- api: sends grades and comments over Canvas's own interface.
"""
