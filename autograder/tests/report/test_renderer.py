"""The markup process: it serves many texts, dies alone over some, and holds nothing of value."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.report.safe_html import MAX_TEXT, Rendered, Renderer, render

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
