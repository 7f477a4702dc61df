"""Shows HTML that takes minutes and gigabytes to clean: thousands of elements are open at a time.

cell: first
verdict: failed
hint: must be a tensor, but it is None
"""
from IPython.display import HTML, display

display(HTML("<b>" * 6000))
display(HTML("<ul><li>" * 6000))
display(HTML("".join(f"<b {n}>" for n in range(3000)) + "".join(f"<i {n}>" for n in range(3000)) + "x</b>" * 3000))
display(HTML("".join(f"<b {n}><!--</b>-->" for n in range(9000)) + "<p>x" * 9000))
display(HTML("".join(f"<b {n}><textarea></b></textarea>" for n in range(9000)) + "<p>x" * 9000))
