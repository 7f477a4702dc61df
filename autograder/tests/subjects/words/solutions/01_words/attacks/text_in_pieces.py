"""A text of ten megabytes, with controls of a terminal.

{verdict: failed, answer: initials, hint: "it is str with 10,000,000 characters"}
"""


def initials(names):
    return "\x1b[2J" * 2_500_000
