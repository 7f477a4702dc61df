"""Grades work as it comes in, and returns pages at once, within limits, until it is stopped.

In reading order:

- rounds: one round of watching: collects, grades what may be told now, and writes the pages
- arrivals: takes what is new from nbgrader's exchange, or from a folder of uploads
- pace: says when a student may be told of another attempt, and keeps what has been told
- bound: says how much repeated attempts can tell about hidden inputs
"""
