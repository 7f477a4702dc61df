"""You return the letters that occur in either word. Which operator keeps what two sets share?"""


def letters_in_both(one, other):
    return set(one) | set(other)
