"""Finds solutions that are more alike than their task explains.

- command: the command `similar`.
- similarity: compares the answers of a class.
- page: the page on which an instructor judges them.
"""
