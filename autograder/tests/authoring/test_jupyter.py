"""Released notebooks in JupyterLab and Notebook 7, in a real browser: they open, run, validate and fit."""

import json
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import pytest

from autograder.authoring.answers import fill, right_answers
from autograder.tests.authoring.jupyter import CLOSE, Lab, started
from autograder.tests.browser import IN_BROWSER, picture, show, until
from autograder.tests.classroom import real_course
from autograder.tests.screens import Golden

pytestmark = IN_BROWSER

COURSE = real_course()
SOLVED = "01_dot_products"
SEEN = "06_causal_attention"
CELLS = """[...panel.content.widgets].map(cell => ({
    id: cell.model.id,
    locked: cell.readOnly,
    kept: cell.model.getMetadata('deletable') === false,
}))"""
RUN = """jupyterapp.commands.execute('notebook:run-all-cells').then(() =>
    [...panel.content.widgets].filter(cell => cell.model.type === 'code').map(cell => ({
        id: cell.model.id,
        count: cell.model.executionCount,
        outputs: cell.model.outputs.toJSON().map(output => [output.output_type, String(output.text)]),
    })))"""
AT_TOP = """(async () => {
    await jupyterapp.commands.execute('application:toggle-left-area');
    await Promise.all(panel.content.widgets.map(cell => cell.ready));
    const place = panel.content.widgets.findIndex(cell => cell.model.id === 'dot_product');
    await panel.content.scrollToItem(place + 2, 'end');
    panel.content.activeCellIndex = place;
    await panel.content.scrollToItem(place, 'start');
})()"""
WORDS = "[...document.querySelectorAll('.jp-Dialog, .Toastify__toast')].map(each => each.innerText)"
PICTURE = """[...panel.content.widgets].flatMap(cell => cell.model.outputs?.toJSON() ?? []).find(
    output => output.data?.['image/png']).data['image/png']"""
VALIDATE = "[...document.querySelectorAll('[title=\"Validate Assignment\"]')].at(-1).click()"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with started(tmp_path_factory.mktemp("jupyter"), COURSE.assignments) as lab:
        yield lab


def released(name: str) -> dict[str, Any]:
    path = COURSE.assignments / name / f"{name}.ipynb"
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def test_a_release_opens_without_a_word_or_a_change_and_with_its_checks_locked(lab: Lab) -> None:
    for name in (SOLVED, SEEN, [*COURSE.exercises][-1]):  # all are built alike
        exercise = COURSE.exercises[name]
        lab.open(name)
        cells = {cell["id"]: cell for cell in lab.page.evaluate(CELLS)}
        assert list(cells) == [cell["id"] for cell in released(name)["cells"]]
        locked = {one for one, cell in cells.items() if cell["locked"]}
        assert locked == {f"check-{question}" for question in exercise.points}
        assert {*exercise.points, *exercise.written} <= {one for one, cell in cells.items() if cell["kept"]}
        assert (lab.is_changed, lab.page.evaluate(WORDS)) == (False, []), name
        lab.page.evaluate(CLOSE)


def test_a_question_and_its_check_are_as_the_readme_shows_them(lab: Lab, golden_screen: Golden) -> None:
    lab.open(SOLVED)
    lab.page.set_viewport_size({"width": 1000, "height": 820})
    lab.page.evaluate(AT_TOP)
    golden_screen("demo_notebook.png", lambda: picture(lab.page, "panel.content.node"))
    lab.page.evaluate(CLOSE)


def test_a_solved_notebook_runs_and_validates(lab: Lab, golden_screen: Golden) -> None:
    exercise = COURSE.exercises[SOLVED]
    notebook = json.loads((lab.folder / SOLVED / f"{SOLVED}.ipynb").read_text(encoding="utf-8"))
    solved = json.dumps(fill(notebook, right_answers(exercise)))
    (lab.folder / SOLVED / f"{SOLVED}.ipynb").write_text(solved, encoding="utf-8")
    lab.open(SOLVED, kernel=True)
    assert not lab.is_changed, "the kernel has changed the notebook"
    ran = {cell["id"]: cell for cell in lab.page.evaluate(RUN)}
    assert all(cell["count"] for cell in ran.values())
    assert "error" not in {kind for cell in ran.values() for kind, _ in cell["outputs"]}
    assert all("this check passes" in ran[f"check-{q}"]["outputs"][0][1] for q in exercise.points)
    golden_screen("heat_map.png", lambda: b64decode(lab.page.evaluate(PICTURE)))
    lab.page.evaluate(VALIDATE)
    (said,) = until(lab.page, f"{WORDS}.length ? {WORDS} : false")
    assert "Success! Your notebook passes all the tests." in said
    lab.page.evaluate("document.querySelector('.jp-Dialog .jp-mod-accept').click()")


def test_notebook_7_opens_a_release_too(lab: Lab) -> None:
    name = "02_simple_self_attention"
    page = show(lab.browser, f"{lab.address}notebooks/{name}/{name}.ipynb")
    until(page, "window.jupyterapp && (window.panel = jupyterapp.shell.currentWidget)?.context?.isReady")
    until(page, "panel.context.sessionContext.session?.kernel?.info.then(() => true)")
    assert [cell["id"] for cell in page.evaluate(CELLS)] == [cell["id"] for cell in released(name)["cells"]]
    assert (page.evaluate("panel.context.model.dirty"), page.evaluate(WORDS)) == (False, [])
    assert page.evaluate("document.querySelectorAll('[title=\"Validate Assignment\"]').length")
