"""The letters keep their case. Which method makes a capital?"""


def initials(names):
    return "".join(f"{name[0]}." for name in names)
