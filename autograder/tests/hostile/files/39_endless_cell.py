"""Never ends its cell.

verdict: timed out
hint: computed for longer than
"""
while True:
    pass
