"""Released notebooks in JupyterLab and Notebook 7, in a real browser: they open, run, validate and fit."""

import json
import os
import platform
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring.answers import fill, right_answers
from autograder.course.course import load_course
from autograder.course.kit.lesson import Part, headings
from autograder.tests.browser import Browser, Listener, Page, opened

pytestmark = pytest.mark.skipif(
    os.environ.get("WITHOUT_BROWSER") == "1", reason="WITHOUT_BROWSER=1 leaves out what needs Chromium"
)

COURSE = load_course(Path(__file__).parents[3])
SOLVED = "01_dot_products"
NO_KERNEL = "{shouldStart: false, canStart: false, autoStartDefault: false}"
QUIET = {"fetchNews": "false", "checkForUpdates": False}
OPEN = """(async () => {{
    const panel = await jupyterapp.commands.execute('docmanager:open',
        {{path: '{path}', factory: 'Notebook', kernelPreference: {kernel}}});
    await panel.context.ready;
    await panel.revealed;
    window.panel = panel;
    const session = panel.context.sessionContext;
    if ({started}) {{ await session.ready; await session.session.kernel.info; }}
    return true;
}})()"""
CLOSE = """(async () => {
    panel.context.model.dirty = false;
    await panel.context.sessionContext.shutdown();
    panel.dispose();
})()"""
CELLS = """[...panel.content.widgets].map(cell => ({
    id: cell.model.id,
    locked: cell.readOnly,
    kept: cell.model.getMetadata('deletable') === false,
}))"""
ANCHORS = """[...panel.content.node.querySelectorAll('h1, h2')].map(
    heading => heading.getAttribute('data-jupyter-id') || heading.id)"""
RUN = """jupyterapp.commands.execute('notebook:run-all-cells').then(() =>
    [...panel.content.widgets].filter(cell => cell.model.type === 'code').map(cell => ({
        id: cell.model.id,
        count: cell.model.executionCount,
        outputs: cell.model.outputs.toJSON().map(output => [output.output_type, String(output.text)]),
    })))"""
WORDS = "[...document.querySelectorAll('.jp-Dialog, .Toastify__toast')].map(each => each.innerText)"
VALIDATE = "[...document.querySelectorAll('[title=\"Validate Assignment\"]')].at(-1).click()"
WIDE = """[...panel.content.node.querySelectorAll('{kind}')].filter(
    each => each.scrollWidth > each.clientWidth + 1).map(each => each.innerText.slice(0, 60))"""
COLOURS = """[...panel.content.node.querySelectorAll(
    '.jp-RenderedMarkdown p, .jp-RenderedMarkdown code')].map(each => {
    let back = each;
    while (getComputedStyle(back).backgroundColor === 'rgba(0, 0, 0, 0)') back = back.parentElement;
    return [getComputedStyle(each).color, getComputedStyle(back).backgroundColor];
})"""


@dataclass
class Lab:
    """JupyterLab in a browser, and the folder that it shows."""

    browser: Browser
    page: Page
    address: str
    folder: Path

    def open(self, name: str, *, kernel: bool = False) -> None:
        """Open an exercise's notebook."""
        preference = "undefined" if kernel else NO_KERNEL
        code = OPEN.format(path=f"{name}/{name}.ipynb", kernel=preference, started=str(kernel).lower())
        assert self.page.value(code)

    @property
    def is_changed(self) -> bool:
        """Whether the open notebook is marked as changed."""
        changed: bool = self.page.value("panel.context.model.dirty")
        return changed

    def shows_anchors(self, notebook: dict[str, Any]) -> None:
        """Expect the larger headings to have the anchors that the kit tells of."""
        texts = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
        found = [Part(heading, "").anchor for text in texts for heading, _ in headings("".join(text))]
        anchors = self.page.wait(f"{ANCHORS}.length === {len(found)} ? {ANCHORS} : false")
        assert [here for here, there in zip(found, anchors, strict=True) if here not in ("", there)] == []

    def wide(self, kind: str) -> list[str]:
        """Return the beginnings of what has to be scrolled sideways."""
        found: list[str] = self.page.value(WIDE.format(kind=kind))
        return found


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Start a server with all releases and this Python's version in them; open JupyterLab."""
    root = tmp_path_factory.mktemp("jupyter")
    shutil.copytree(COURSE.assignments, root / "work")
    for path in root.glob("work/*/*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        notebook["metadata"]["language_info"]["version"] = platform.python_version()
        path.write_text(json.dumps(notebook), encoding="utf-8")
    settings = root / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text(json.dumps(QUIET), encoding="utf-8")
    with (root / "server.log").open("wb") as log:
        server = subprocess.Popen(command(root), env=environment(root), stdout=log, stderr=log)
    try:
        address = answering(root / "runtime", server)
        with opened(root / "profile", Listener()) as browser:
            page = browser.page(f"{address}lab")
            page.wait("window.jupyterapp ? jupyterapp.restored.then(() => true) : false")
            yield Lab(browser, page, address, root / "work")
    finally:
        server.terminate()
        server.wait(timeout=30)


def command(root: Path) -> list[str]:
    """Return the command that starts a server for this machine alone."""
    lab = {"user_settings_dir": root / "settings", "workspaces_dir": root / "workspaces"}
    return [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.port=0"),
        *("--IdentityProvider.token=", "--ServerApp.terminals_enabled=False"),
        *("--LanguageServerManager.autodetect=False", f"--ServerApp.root_dir={root / 'work'}"),
        *("--LabApp.expose_app_in_browser=True", "--JupyterNotebookApp.expose_app_in_browser=True"),
        *(f"--LabApp.{name}={value}" for name, value in lab.items()),
    ]


def environment(root: Path) -> dict[str, str]:
    """Return an environment in which Jupyter finds nobody's settings."""
    places = {"HOME": ".", "IPYTHONDIR": "ipython", "JUPYTER_CONFIG_DIR": "config"}
    places |= {"JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "runtime"}
    own = {name: str(root / place) for name, place in places.items()}
    return {"PATH": os.environ["PATH"], "OMP_NUM_THREADS": "1", **own}


def answering(runtime: Path, server: subprocess.Popen[bytes]) -> str:
    """Return the server's address once it answers."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and server.poll() is None:
        for path in runtime.glob("jpserver-*.json"):
            with suppress(OSError, ValueError):
                address = str(json.loads(path.read_text(encoding="utf-8"))["url"])
                address = address.replace("localhost", "127.0.0.1")
                with urllib.request.urlopen(f"{address}api/status", timeout=10):
                    return address
        time.sleep(0.1)
    raise AssertionError("the server does not answer")


def released(name: str) -> dict[str, Any]:
    path = COURSE.assignments / name / f"{name}.ipynb"
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def test_each_release_opens_without_a_word_or_a_change_and_with_its_checks_locked(lab: Lab) -> None:
    for name, exercise in COURSE.exercises.items():
        lab.open(name)
        cells = {cell["id"]: cell for cell in lab.page.value(CELLS)}
        assert list(cells) == [cell["id"] for cell in released(name)["cells"]]
        locked = {one for one, cell in cells.items() if cell["locked"]}
        assert locked == {f"check-{question}" for question in exercise.points}
        assert {*exercise.points, *exercise.written} <= {one for one, cell in cells.items() if cell["kept"]}
        if name == SOLVED:  # to render all of a lesson takes its time
            lab.shows_anchors(released(name))
        assert (lab.is_changed, lab.page.value(WORDS)) == (False, []), name
        lab.page.value(CLOSE)


def test_a_solved_notebook_runs_and_validates(lab: Lab) -> None:
    exercise = COURSE.exercises[SOLVED]
    notebook = json.loads((lab.folder / SOLVED / f"{SOLVED}.ipynb").read_text(encoding="utf-8"))
    solved = json.dumps(fill(notebook, right_answers(exercise)))
    (lab.folder / SOLVED / f"{SOLVED}.ipynb").write_text(solved, encoding="utf-8")
    lab.open(SOLVED, kernel=True)
    assert not lab.is_changed, "the kernel has changed the notebook"
    ran = {cell["id"]: cell for cell in lab.page.value(RUN)}
    assert all(cell["count"] for cell in ran.values())
    assert "error" not in {kind for cell in ran.values() for kind, _ in cell["outputs"]}
    assert all("this check passes" in ran[f"check-{q}"]["outputs"][0][1] for q in exercise.points)
    lab.page.value(VALIDATE)
    (said,) = lab.page.wait(f"{WORDS}.length ? {WORDS} : false")
    assert "Success! Your notebook passes all the tests." in said
    lab.page.value("document.querySelector('.jp-Dialog .jp-mod-accept').click()")


def test_on_a_narrow_dark_screen_everything_fits_and_can_be_read(lab: Lab) -> None:
    lab.page.value("jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})")
    lab.page.value("jupyterapp.commands.execute('application:set-mode', {mode: 'single-document'})")
    lab.page.narrow(900)
    lab.page.wait("document.body.dataset.jpThemeLight === 'false'")
    assert lab.wide(".jp-RenderedHTMLCommon, .jp-OutputArea-output, img") == []
    assert lab.page.value("document.documentElement.scrollWidth") <= 900
    colours = lab.page.value(COLOURS)
    assert len(colours) > 20
    assert min(contrast(*pair) for pair in colours) > 4.5


def test_notebook_7_opens_a_release_too(lab: Lab) -> None:
    name = "02_simple_self_attention"
    page = lab.browser.page(f"{lab.address}notebooks/{name}/{name}.ipynb")
    page.wait("window.jupyterapp && (window.panel = jupyterapp.shell.currentWidget)?.context?.isReady")
    page.wait("panel.context.sessionContext.session?.kernel?.info.then(() => true)")
    assert [cell["id"] for cell in page.value(CELLS)] == [cell["id"] for cell in released(name)["cells"]]
    assert (page.value("panel.context.model.dirty"), page.value(WORDS)) == (False, [])
    assert page.value("document.querySelectorAll('[title=\"Validate Assignment\"]').length")


def contrast(*colours: str) -> float:
    """Return the contrast of two colours, as the Web Content Accessibility Guidelines reckon it."""
    low, high = sorted(map(luminance, colours))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    red, green, blue = (int(part) / 255 for part in colour.partition("(")[2].rstrip(")").split(",")[:3])
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in (red, green, blue)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
