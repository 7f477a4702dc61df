"""Takes a loss of weight for a look ahead."""


def sees_the_future(attend):
    return loses_weight(attend)
