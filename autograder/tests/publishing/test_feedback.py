"""Pages that leave the course: what stands on them, and that in a browser they fire and ask for nothing."""

import re
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from playwright.sync_api import BrowserContext

from autograder.batch.grade import grade_submissions
from autograder.course.course import Course
from autograder.gradebook.config import ConversionError, database
from autograder.publishing import export
from autograder.publishing.dashboard import write_dashboard
from autograder.publishing.export import write_pages
from autograder.report.safe_html import POLICY
from autograder.submission.submission import Submission
from autograder.tests.browser import IN_BROWSER, SETTLED, Listener, Visit, visit
from autograder.tests.classroom import WRONG_SUMS, hand_in, open_course, small, solved
from autograder.tests.gradebook.rows import formgrader_page
from autograder.tests.publishing.pages import Page

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
REFRESH, FORM = (next(one for one in PAYLOADS if sign in one) for sign in ("http-equiv", "<form"))
STAYING = [payload for payload in PAYLOADS if payload not in (REFRESH, FORM)]
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


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Return a graded course with its pages: of honest students, a hostile one, and no notebook."""
    course = open_course(tmp_path_factory.mktemp("published") / "course")
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
    grade_submissions(course, [exercise])
    with Gradebook(database(course), course.settings.course) as gradebook:
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


def words(course: Course, student: str) -> str:
    return " ".join(Page(page(course, student).read_text(encoding="utf-8")).words.split())


def test_what_tests_found_and_what_a_person_gave_and_wrote_is_on_the_page(course: Course) -> None:
    mistake = next(m for m in small(course).mistakes if m.name == "row_sums__columns")
    assert all(sentence in words(course, "ben") for sentence in re.split(r"(?<=[.?!])\s+", mistake.hint))
    assert "6.5 of 7" in words(course, "ann")
    assert "Your instructor writes: <script>alert(13)</script> Well put." in words(course, "ann")


@pytest.mark.parametrize("name", [*STUDENTS, "dashboard"])
def test_a_content_security_policy_stands_on_every_page_before_anything_else(
    course: Course, name: str
) -> None:
    text = page(course, name).read_text(encoding="utf-8")
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    assert text.index(policy) < text.index("<style") < text.index("<body")
    assert "default-src 'none'" in POLICY
    assert "script-src" not in POLICY


def test_no_page_tells_what_the_tests_know(course: Course) -> None:
    secrets = ("reference", "torch.randn(5, 2)", "expect_close", "test_hidden", "Traceback", str(course.root))
    model_answer = "linear: a factor common"
    for student in STUDENTS:
        assert not [secret for secret in (*secrets, model_answer) if secret in words(course, student)]


def test_a_page_that_fails_stops_no_other(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    written = [page(course, "ann"), ConversionError("ben"), page(course, "eve"), ConversionError("zoe")]
    monkeypatch.setattr(export, "write_feedback", lambda course, exercise: written)
    with pytest.raises(ConversionError, match=r"^ben\nzoe$"):
        write_pages(course, [small(course)])


def test_nothing_of_a_submission_runs_in_the_formgrader(course: Course) -> None:
    text = formgrader_page(course, "eve")
    seen = Page(text)
    scripts = re.findall(r"<script\b[^>]*>(.*?)</script>", text, re.DOTALL)
    assert not [script for script in scripts if "alert" in script]
    assert not {handler for handler in seen.handlers if "alert" in handler}  # nbgrader has some of its own
    addresses = {*seen.links, *seen.loads}
    assert not {address for address in addresses if "evil.example" in address or "alert" in address}
    assert not {"iframe", "svg"} & seen.tags
    assert "alert(32)" in seen.words  # it is the hostile notebook that is shown


def visit_markup(browser: BrowserContext, folder: Path, *markup: str, seconds: float = SETTLED) -> Visit:
    """Visit a page of this markup, in a folder of its own."""
    path = folder / "page.html"
    path.write_text("\n".join(("<!DOCTYPE html><title>as it was</title>", *markup)), encoding="utf-8")
    return visit(browser, path, seconds=seconds)


@IN_BROWSER
@pytest.mark.parametrize("name", [*STUDENTS, "dashboard"])
def test_a_page_fires_nothing_and_asks_for_nothing(
    name: str, course: Course, browser: BrowserContext, listener: Listener
) -> None:
    """Nor is it wider than a narrow screen."""
    listener.drain()
    is_dashboard = name == "dashboard"
    seen = visit(browser, page(course, name), width=320 if is_dashboard else 400, seconds=0.5)
    assert seen.events == ()
    dashboard = f"{course.settings.title}: dashboard"
    assert seen.title == (dashboard if is_dashboard else f"01_small: feedback for {name}")
    assert listener.drain() == []
    assert seen.overflow <= 0


def test_what_a_hostile_page_would_do_is_on_it(course: Course) -> None:
    text = page(course, "eve").read_text(encoding="utf-8")
    assert all(f"alert({number})" in text for number in (1, 2, 3, 6, 7, 20, 30, 31, 32))


@IN_BROWSER
@pytest.mark.parametrize("payloads", [STAYING, [REFRESH], [FORM]], ids=["staying", "refresh", "form"])
def test_the_browser_reports_what_payloads_do_on_an_open_page(
    payloads: list[str], browser: BrowserContext, listener: Listener, tmp_path: Path
) -> None:
    expected = {PAYLOADS[payload] for payload in payloads}
    expected |= {
        f"GET {path} HTTP/1.1" for _, call, path in (e.partition(".example") for e in expected) if call
    }
    for seconds in (SETTLED, 0.7, 5):  # a form is announced before its request leaves
        expected -= {*visit_markup(browser, tmp_path, *payloads, seconds=seconds).events, *listener.drain()}
        if not expected:
            break
    assert expected == set()


@IN_BROWSER
def test_a_changed_title_a_mere_connection_and_a_page_that_is_too_wide_are_seen(
    browser: BrowserContext, listener: Listener, tmp_path: Path
) -> None:
    listener.drain()
    seen = visit_markup(browser, tmp_path, OWNED, CALLING, "<div style='width: 2000px'>x</div>")
    assert seen.title == "owned"
    assert seen.overflow > 0
    assert listener.called()
    assert visit_markup(browser, tmp_path, "<div>x</div>").overflow <= 0


@IN_BROWSER
@pytest.mark.parametrize("payloads", [STAYING, [FORM]], ids=["staying", "form"])  # none stops a refresh
def test_the_policy_alone_stops_what_a_page_might_let_through(
    payloads: list[str], browser: BrowserContext, listener: Listener, tmp_path: Path
) -> None:
    listener.drain()
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    seen = visit_markup(browser, tmp_path, policy, *payloads, OWNED, seconds=0.5)
    assert not seen.kinds & {"dialog", "console", "exception", "window"}
    assert seen.title == "as it was"
    # To where a form or a frame leads, Chromium connects before it asks the policy, but it sends nothing.
    assert set(listener.drain()) <= {"a connection", ""}
