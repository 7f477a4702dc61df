"""JupyterLab in a real browser, with all releases: what the tests of released notebooks look into."""

import json
import os
import platform
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import BrowserContext, Page

from autograder.tests.browser import Listener, opened, show, until

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


@dataclass
class Lab:
    """JupyterLab in a browser, and the folder that it shows."""

    browser: BrowserContext
    page: Page
    address: str
    folder: Path

    def open(self, name: str, *, kernel: bool = False) -> None:
        """Open an exercise's notebook."""
        preference = "undefined" if kernel else NO_KERNEL
        code = OPEN.format(path=f"{name}/{name}.ipynb", kernel=preference, started=str(kernel).lower())
        assert self.page.evaluate(code)

    @property
    def is_changed(self) -> bool:
        """Whether the open notebook is marked as changed."""
        changed: bool = self.page.evaluate("panel.context.model.dirty")
        return changed


@contextmanager
def started(root: Path, assignments: Path) -> Iterator[Lab]:
    """Start a server with all releases and this Python's version in them; open JupyterLab."""
    shutil.copytree(assignments, root / "work")
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
            page = show(browser, f"{address}lab")
            until(page, "window.jupyterapp ? jupyterapp.restored.then(() => true) : false")
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
        "--ServerApp.jpserver_extensions=nbgrader.server_extensions.formgrader=False",  # instructors' alone
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
