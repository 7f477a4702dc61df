"""Shifts by amax and returns the exponentials."""


def softmax(scores):
    biggest = scores.amax()
    return (scores - biggest).exp()
