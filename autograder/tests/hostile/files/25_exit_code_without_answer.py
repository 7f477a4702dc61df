"""Ends the process with exit code 0 while its cell runs.

verdict: crashed
hint: ended the program
"""
import os

os._exit(0)
