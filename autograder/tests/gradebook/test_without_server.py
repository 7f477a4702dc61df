"""A command loads nbgrader without Jupyter's server, and a server would still get nbgrader's extensions."""

import subprocess
import sys

LOADED = """
import sys
from types import SimpleNamespace
from autograder.gradebook.without_server import load_nbgrader

load_nbgrader()
load_nbgrader()
import nbgrader
assert not {"jupyter_server", "tornado.web", "torch"} & set(sys.modules), "a server is loaded"
assert not [name for name in sys.modules if name.startswith("nbgrader.server_extensions.")]
real = SimpleNamespace(load_jupyter_server_extension=lambda app: app.append("loaded"))
sys.modules["nbgrader.server_extensions.formgrader"] = real
app = []
nbgrader.load_formgrader(app)
assert app == ["loaded"]
"""


def test_nbgrader_comes_without_a_server_until_one_asks_for_it() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=False)
    assert done.stderr == ""
