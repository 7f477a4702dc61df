"""Calls float() on each entry and adds Python numbers in a while loop."""


def dot_product(vec1, vec2):
    if len(vec1) != len(vec2):
        raise ValueError(f"{len(vec1)} and {len(vec2)}")
    result, i = 0.0, 0
    while i < len(vec1):
        result += float(vec1[i]) * float(vec2[i])
        i += 1
    return result
