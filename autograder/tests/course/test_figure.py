"""A figure that a text shows travels inside the notebook, with words for whoever cannot see it."""

import base64
import io
from pathlib import Path

import pytest
from PIL import Image

from autograder.course.exercise import Exercise
from autograder.course.notebook import build_notebook
from autograder.course.source import Role, SourceError, read_source, with_figures

SVG = b"<svg xmlns='http://www.w3.org/2000/svg'/>"
SHOWN = f'src="data:image/svg+xml;base64,{base64.b64encode(SVG).decode()}"'
SOURCE = """# %% [markdown]
# # Title
#
# ![Scores go in, "weights"
# come out.](flow.svg)

# %%
same = "![not a text](flow.svg)"
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "01_small").mkdir()
    path = tmp_path / "01_small" / "01_small.py"
    path.write_text(SOURCE, encoding="utf-8")
    path.with_name("flow.svg").write_bytes(SVG)
    return path


def test_a_figure_becomes_an_image_within_the_text_and_its_words_the_alternative() -> None:
    shown = with_figures("See ![a < b\nand c](flow.svg), [notes](notes.md), ![p](p.jpg).", lambda _: SVG)
    assert shown == f'See <img alt="a &lt; b and c" {SHOWN}>, [notes](notes.md), ![p](p.jpg).'


@pytest.mark.parametrize(("dpi", "width"), [((192, 192), ' width="70"'), (None, "")])
def test_a_png_comes_out_as_large_as_it_was_drawn(dpi: tuple[int, int] | None, width: str) -> None:
    made = io.BytesIO()
    Image.new("P", (140, 20)).save(made, "PNG", **({"dpi": dpi} if dpi else {}))
    shown = with_figures("![p](p.png)", lambda _: made.getvalue())
    content = base64.b64encode(made.getvalue()).decode()
    assert shown == f'<img alt="p"{width} src="data:image/png;base64,{content}">'


def test_text_cells_show_it_everywhere_and_code_stays_as_it_is(source: Path) -> None:
    text, code = read_source(source)
    assert text.text == f'# Title\n\n<img alt="Scores go in, &quot;weights&quot; come out." {SHOWN}>'
    assert code.text == 'same = "![not a text](flow.svg)"'
    released = build_notebook(Exercise(source.parent))["cells"][0]
    assert (released["id"], "".join(released["source"])) == (
        f"{Role.TEXT}-title-img-alt-scores-go-in",
        text.text,
    )


def test_a_figure_that_is_not_there_is_told_with_its_place(source: Path) -> None:
    source.with_name("flow.svg").unlink()
    with pytest.raises(
        SourceError, match=r"01_small.py:2: this cell needs flow.svg, which is missing; add the file"
    ):
        read_source(source)


def test_a_demo_cell_holds_the_file_of_all_exercises_that_it_loads(source: Path) -> None:
    source.write_text(f"{SOURCE}\n# %% demo\n# %load ../show.py\n", encoding="utf-8")
    with pytest.raises(SourceError, match=r"01_small.py:11: this cell needs ../show.py, which is missing"):
        read_source(source)
    for code in ("def show():\n    pass", "def show(x):\n    pass"):
        (source.parents[1] / "show.py").write_text(f"{code}\n", encoding="utf-8")
        assert read_source(source)[-1].text == code
    assert Exercise(source.parent).loaded == (source.parents[1] / "show.py",)
