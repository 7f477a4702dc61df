"""Measures grading, beside stock nbgrader and Otter, on the same made-up class and machine."""
