"""Remembers which questions of an exercise passed, as long as its notebook and its kit are the same.

What is kept lies in pytest's own folder beside the notebook. It counts only for the very code that passed:
where a line of it changes, there is no number until pytest has run there again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

KEPT = Path(".pytest_cache", "passed.json")
NAMED = re.compile(r'(?m)^EXERCISE = "(.+)"$')


def state_of(folder: Path) -> str:
    """Return a digest of the kit and of the code of all notebooks in an exercise's folder."""
    digest = hashlib.sha256((folder / "conftest.py").read_bytes())
    for path in sorted(folder.glob("*.ipynb")):
        content = path.read_bytes()
        with contextlib.suppress(ValueError, KeyError, TypeError):
            cells = json.loads(content.decode("utf-8-sig"))["cells"]
            codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
            content = json.dumps(codes).encode()
        digest.update(path.name.encode() + hashlib.sha256(content).digest())
    return digest.hexdigest()


def keep(folder: Path, state: str, passed: int, total: int) -> None:
    """Keep how many questions passed, if the folder can be written to."""
    with contextlib.suppress(OSError):
        (folder / KEPT).parent.mkdir(exist_ok=True)
        kept = {"state": state, "passed": passed, "total": total}
        (folder / KEPT).write_text(json.dumps(kept), encoding="utf-8")


def progress(folder: Path) -> str:
    """Return a line on all exercises that lie beside an exercise's folder, or nothing where it is alone."""
    found = dict(
        sorted(_exercises(folder.parent), key=lambda pair: (pair[1] == folder, pair[1].name == pair[0]))
    )
    if len(found) < 2:
        return ""
    numbers = {name: match[0] for name in found if (match := re.match(r"\d+", name))}
    short = numbers if len(set(numbers.values())) == len(found) else {name: name for name in found}
    states = {short[name]: _state(place) for name, place in sorted(found.items())}
    legend = {"?": "changed since pytest last ran there", "-": "not run yet"}
    used = ", ".join(f"{sign} {meaning}" for sign, meaning in legend.items() if sign in states.values())
    line = ", ".join(f"{name} {state}" for name, state in states.items())
    return f"exercises so far: {line}{f' ({used})' if used else ''}"


def _exercises(around: Path) -> Iterator[tuple[str, Path]]:
    """Yield the exercises whose folders lie here, as their kits call them."""
    for path in sorted(around.glob("*/conftest.py")):
        with contextlib.suppress(OSError, ValueError):
            if match := NAMED.search(path.read_text(encoding="utf-8")):
                yield match[1], path.parent


def _state(folder: Path) -> str:
    """Return how many questions passed, `?` where the notebook is another one by now, `-` where none ran."""
    try:
        kept = json.loads((folder / KEPT).read_text(encoding="utf-8"))
        stands = f"{kept['passed']:d}/{kept['total']:d}"
        return stands if kept["state"] == state_of(folder) else "?"
    except (OSError, ValueError, KeyError, TypeError):
        return "-"
