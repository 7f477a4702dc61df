"""What strangers wrote, as HTML that does nothing, made in a process that holds nothing and dies alone."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import UndefinedError
from nbformat import NotebookNode

from autograder.report.safe_html import (
    LEFT_OUT,
    MAX_COLOURED,
    MAX_PARSED,
    MAX_TEXT,
    TOO_LARGE,
    Allowance,
    Rendered,
    Renderer,
    load_template,
    render,
    render_code,
    render_html,
    render_lines,
    render_markdown,
    render_text,
)
from autograder.tests.report.test_text import png

HOSTILE = "<script>alert(1)</script>"
PICTURE = png(4, 4)
SHOWN = f' src="data:image/png;base64,{PICTURE}"'


def markdown(source: str, **attachments: dict[str, str]) -> str:
    return render_markdown(NotebookNode(source=source, attachments=attachments), Allowance())


def test_text_is_shown_letter_for_letter() -> None:
    assert render_text("a < 'b'\n\x1b[31m&") == "a &lt; &#x27;b&#x27;\n&amp;"
    assert render_lines(f"{HOSTILE}\n<br>") == "&lt;script&gt;alert(1)&lt;/script&gt;<br>&lt;br&gt;"


@pytest.mark.parametrize(
    "html",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<a href='javascript:alert(1)'>x</a>",
        "<a href='java\tscript:alert(1)'>x</a>",
        "<svg onload=alert(1)><script>alert(1)</script></svg>",
        "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
        "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=a()&gt;'>",
        "<p style='background:url(//evil.example)'>x</p>",
        "<meta http-equiv=refresh content='0;url=//evil.example'>",
        "<form action='//evil.example'><input name=x></form>",
        "<img src='data:image/svg+xml;base64,PHN2Zz4='>",
        "<img src='//evil.example/beacon.png'>",
        "<base href='//evil.example'>",
        "<div class='x\" onclick=alert(1)'>x</div>",
    ],
)
def test_nothing_that_runs_or_loads_survives(html: str) -> None:
    cleaned = str(render_html(html, Allowance())).lower()
    run = ("<script", "onerror=a", "javascript:", "onload", "<iframe", "<svg", "style=", "<meta", "<form")
    assert not [left for left in run if left in cleaned.replace("&lt;", "")]
    assert not [left for left in ("evil.example", "svg+xml") if left in cleaned]


def test_tables_code_links_and_embedded_pictures_stay() -> None:
    picture = f'<img src="data:image/png;base64,{png(10, 10)}">'
    for html in (
        "<table><tbody><tr><td>1</td></tr></tbody></table>",
        "<pre><code>x &lt; 1</code></pre>",
        picture,
    ):
        assert render_html(html, Allowance()) == html
    assert 'href="https://pytorch.org"' in render_html('<a href="https://pytorch.org">torch</a>', Allowance())


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("![a](attachment:my%20p&.png)", f'<img{SHOWN} alt="a">'),
        (f"![a](data:image/png;base64,{PICTURE})", f'<img{SHOWN} alt="a">'),
        (f'<img alt="a" width="2" src="data:image/png;base64,{PICTURE}" onload="x">',
         f'<img alt="a" width="2"{SHOWN}>'),
        ("![a](attachment:photo.jpg)", '<img alt="a">'),
        ("![a](data:image/png;base64,AAAA)", '<img alt="a">'),
        ('![a & " > b](data:image/svg+xml;base64,PHN2Zz4=)', "<em>a &amp; &quot; &gt; b</em>"),
        ('<img title="t" alt="<script>">', "<em>&lt;script&gt;</em>"),
    ],
)  # fmt: skip
def test_a_picture_is_embedded_or_stays_empty_or_words_stand_for_it(source: str, shown: str) -> None:
    text = markdown(f"so {source} is", **{"my p&.png": {"image/png": PICTURE}})
    assert text == f"<p>so {shown} is</p>\n"


def test_a_picture_counts_each_time_and_those_beyond_the_bound_stay_empty() -> None:
    cell = NotebookNode(source="![](attachment:p)" * 100, attachments={"p": {"image/png": PICTURE}})
    rest = len(render_markdown(NotebookNode(cell, attachments={}), Allowance()))
    allowance = Allowance(letters=500 + rest + 100 + 3 * len(SHOWN))
    shown = render_markdown(cell, allowance)
    assert shown.count(PICTURE) < 100
    assert shown.endswith(f"<p>{TOO_LARGE}</p>")
    assert len(shown) <= allowance.room


def test_a_part_that_cannot_be_parsed_in_time_is_left_out_with_a_sentence() -> None:
    assert render_html("<div>" * 6000, Allowance()) == f"<p>{LEFT_OUT}</p>"


def test_when_the_time_of_the_page_is_used_up_text_is_shown_as_it_was_typed() -> None:
    late = Allowance(seconds=0)
    assert render_html("<b>&", late) == "<pre>&lt;b&gt;&amp;</pre>"
    assert render_code("x = 1", late) == "<pre>x = 1</pre>"


def test_parsing_takes_from_the_time_of_the_page_whether_or_not_the_text_was_met_before() -> None:
    costs = []
    for _ in range(2):
        allowance = Allowance()
        render_code("y = 1\n" * 400, allowance)
        costs.append(allowance.seconds)
    assert costs[0] == costs[1] < Allowance().seconds


def test_very_long_text_and_code_are_shown_as_they_were_typed() -> None:
    assert markdown("*a* " * MAX_PARSED).startswith("<pre>*a* *a*")
    assert render_code("x=1;" * MAX_COLOURED, Allowance()).startswith("<pre>x=1;x=1;")


def test_a_missing_value_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "made.html"
    path.write_text("{{ nothing }}", encoding="utf-8")
    with pytest.raises(UndefinedError):
        load_template(path).render()


def test_no_template_and_no_other_module_marks_text_as_safe() -> None:
    engine = Path(__file__).parents[2]
    rooms = [engine / "report", engine / "publishing", engine / "gradebook", engine / "gradescope"]
    texts = {
        path.name: path.read_text(encoding="utf-8")
        for room in rooms
        for path in room.rglob("*")
        if path.suffix in (".py", ".html")
    }
    marking = {name for name, text in texts.items() if "Markup(" in text or "| safe" in text}
    assert marking == {"safe_html.py"}


ENDLESS = "".join(f"<b {number}><select></b></select>" for number in range(9000)) + "<p>x" * 9000
PROCESSES = Path("/proc")


@pytest.fixture
def renderer() -> Iterator[Renderer]:
    renderer = Renderer()
    assert renderer.render("html", "a").html == "a"
    yield renderer
    renderer.end()


def pid(renderer: Renderer) -> int:
    assert renderer.process is not None
    return renderer.process.pid


def test_one_process_serves_many_texts(renderer: Renderer) -> None:
    first = pid(renderer)
    answers = [renderer.render("html", f"<b onclick=x>{number}</b>").html for number in range(50)]
    assert answers == [f"<b>{number}</b>" for number in range(50)]
    odd = renderer.render("markdown", "*\u00e9 \U0001f600 \ud800*")
    assert odd.html == "<p><em>\u00e9 \U0001f600 ?</em></p>\n"
    assert pid(renderer) == first


def test_a_text_that_takes_too_long_ends_the_process(renderer: Renderer) -> None:
    process = renderer.process
    assert process is not None
    assert renderer.render("html", ENDLESS, seconds=0.1) == Rendered(None, 0.1)
    assert process.returncode == -signal.SIGPROF
    assert renderer.render("html", "a").html == "a"


@pytest.mark.parametrize("kind", ["html", "mathml"])
def test_a_text_that_is_too_deep_ends_no_process(kind: str, renderer: Renderer) -> None:
    first = pid(renderer)
    assert renderer.render(kind, "<b>" * 450 + "a").html is None
    assert pid(renderer) == first


def test_a_text_beyond_all_bounds_is_not_even_sent() -> None:
    assert Renderer().render("html", "x" * (MAX_TEXT + 1)) == Rendered(None, 0.0)


def test_a_process_that_is_killed_is_replaced(renderer: Renderer) -> None:
    os.kill(pid(renderer), signal.SIGKILL)
    assert renderer.render("html", "a").html is None
    assert renderer.render("html", "a").html == "a"


def test_the_process_has_nothing_of_value_and_can_open_nothing(renderer: Renderer) -> None:
    place = PROCESSES / str(pid(renderer))
    environment = (place / "environ").read_text()
    assert {line.partition("=")[0] for line in environment.split("\0") if line} == {"PYTHONPATH", "LC_ALL"}
    assert sorted(path.name for path in (place / "fd").iterdir()) == ["0", "1", "2"]
    limits = (place / "limits").read_text().splitlines()
    bounds = {line[:26].strip(): line[26:].split()[:2] for line in limits}
    assert bounds["Max open files"] == ["3", "3"]  # so that there is neither a file nor a socket more
    assert bounds["Max file size"] == ["0", "0"]
    assert bounds["Max address space"][1] != "unlimited"


def test_a_process_that_cannot_start_is_our_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", shutil.which("true"))
    with pytest.raises(RuntimeError, match="does not start"):
        Renderer().render("html", "a")


def test_a_fork_does_not_speak_with_the_process_of_its_parent() -> None:
    assert render("html", "<i>a</i>").html == "<i>a</i>"
    child = os.fork()
    if child == 0:
        os._exit(0 if render("html", "<i>b</i>").html == "<i>b</i>" else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert render("html", "<i>c</i>").html == "<i>c</i>"


def test_it_ends_with_its_caller() -> None:
    code = (
        "from autograder.report.safe_html import render, renderer_of; import os; render('html', 'a');"
        "print(renderer_of(os.getpid()).process.pid)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not (PROCESSES / done.stdout.strip()).exists()
    assert done.stderr == ""
