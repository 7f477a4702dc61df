"""Released notebooks in JupyterLab and Notebook 7, in a real browser: they open, run, validate and fit."""

import json
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from autograder.authoring.answers import fill, right_answers
from autograder.tests.authoring.jupyter import CLOSE, Lab, started
from autograder.tests.browser import IN_BROWSER, picture, show, until
from autograder.tests.classroom import real_course
from autograder.tests.screens import TOLERATED, Golden, difference

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
WORDS = "[...document.querySelectorAll('.jp-Dialog, .Toastify__toast')].map(each => each.innerText)"
PICTURE = """[...panel.content.widgets].flatMap(cell => cell.model.outputs?.toJSON() ?? []).find(
    output => output.data?.['image/png']).data['image/png']"""
TO_CHECK = """(async () => {
    const number = [...panel.content.widgets].findIndex(cell => cell.readOnly);
    panel.content.activeCellIndex = number;
    panel.content.widgets[number].inputHidden = false;
    await panel.content.scrollToItem(number, 'center');
    window.check = panel.content.widgets[number].node;
})()"""
DRAWN = """(image => image?.complete && image.getBoundingClientRect().top > innerHeight / 2)(
    panel.content.node.querySelector('img'))"""
WHOLE = """(({top, bottom}) => top > 0 && bottom < innerHeight && check.querySelector('.cm-line'))(
    check.getBoundingClientRect())"""
VALIDATE = "[...document.querySelectorAll('[title=\"Validate Assignment\"]')].at(-1).click()"
COLOURS = """[...panel.content.node.querySelectorAll(
    '.jp-RenderedMarkdown p, .jp-RenderedMarkdown code')].map(each => {
    let back = each;
    while (getComputedStyle(back).backgroundColor === 'rgba(0, 0, 0, 0)') back = back.parentElement;
    return [getComputedStyle(each).color, getComputedStyle(back).backgroundColor];
})"""


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


def test_on_a_narrow_dark_screen_everything_fits_and_can_be_read(lab: Lab) -> None:
    lab.dress("Dark", 900)
    assert lab.wide(".jp-RenderedHTMLCommon, .jp-OutputArea-output, img") == []
    assert lab.page.evaluate("document.documentElement.scrollWidth") <= 900
    colours = lab.page.evaluate(COLOURS)
    assert len(colours) > 20
    assert min(contrast(*pair) for pair in colours) > 4.5


def test_what_students_see_first_and_of_a_check(lab: Lab, golden_screen: Golden) -> None:
    lab.dress("Light", 900)
    lab.open(SEEN)
    until(lab.page, f"Boolean({DRAWN})")
    golden_screen("notebook_light.png", lambda: picture(lab.page, "panel.content.node"))
    whole = picture(lab.page, "panel.content.node")
    lab.page.evaluate("panel.content.node.querySelector('img').style.visibility = 'hidden'")
    assert difference(whole, picture(lab.page, "panel.content.node")) > 2 * TOLERATED, "a lost figure"
    lab.dress("Dark", 900)
    golden_screen("check_dark.png", lambda: check_of(lab.page))
    assert lab.wide(".cm-scroller") == []
    lab.page.evaluate(CLOSE)


def check_of(page: Page) -> bytes:
    """Return a picture of the first check, scrolled to anew: cells above it grow while they are drawn."""
    page.evaluate(TO_CHECK)
    until(page, f"Boolean({WHOLE})")
    return picture(page, "check")


def test_notebook_7_opens_a_release_too(lab: Lab) -> None:
    name = "02_simple_self_attention"
    page = show(lab.browser, f"{lab.address}notebooks/{name}/{name}.ipynb")
    until(page, "window.jupyterapp && (window.panel = jupyterapp.shell.currentWidget)?.context?.isReady")
    until(page, "panel.context.sessionContext.session?.kernel?.info.then(() => true)")
    assert [cell["id"] for cell in page.evaluate(CELLS)] == [cell["id"] for cell in released(name)["cells"]]
    assert (page.evaluate("panel.context.model.dirty"), page.evaluate(WORDS)) == (False, [])
    assert page.evaluate("document.querySelectorAll('[title=\"Validate Assignment\"]').length")


def contrast(*colours: str) -> float:
    """Return the contrast of two colours, as the Web Content Accessibility Guidelines reckon it."""
    low, high = sorted(map(luminance, colours))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    red, green, blue = (int(part) / 255 for part in colour.partition("(")[2].rstrip(")").split(",")[:3])
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in (red, green, blue)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
