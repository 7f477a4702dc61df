"""Prints hundreds of megabytes, shows 100,000 objects and a picture of 50 MB.

cell: first
verdict: failed
"""
from IPython.display import Image, display

print("spam " * 20_000_000)
for number in range(5_000):
    display(number)
display(Image(data=bytes(20 << 20), format="png"))
