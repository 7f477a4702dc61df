"""Never ends its cell.

verdict: timed out
hint: ran longer than
"""
while True:
    pass
