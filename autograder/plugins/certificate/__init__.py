"""Certifies how a report came about.

- command: the commands `certificate` and `certify`.
- certificate: makes certificates, and grades again what one is about.
"""
