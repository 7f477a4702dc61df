"""Code is looked over before it is parsed, and what would take too long to parse is not parsed at all."""

import pytest

from autograder.submission.readable import (
    MAX_CODE,
    MAX_DEPTH,
    MAX_DOTS,
    MAX_RUN_DOTS,
    MAX_TOKENS,
    quick_to_run,
    readable,
)


@pytest.mark.parametrize(
    "codes",
    [
        ["import a" + ".a" * 80_000],
        ["import a" + " . \\\n a" * (MAX_DOTS + 1)],
        ["from a" + ".a" * (MAX_DOTS + 1) + " import b"],
        ["x = " + "(" * (MAX_DEPTH + 1)],
        ["x = " + "([{" * MAX_DEPTH],
        ["x=1;" * (MAX_TOKENS // 3)],
        ["x = 1\n" * (MAX_TOKENS // 6)] * 4,
        ["x" * (MAX_CODE + 1)],
        ["#" * (MAX_CODE // 2)] * 3,
        ["é" * MAX_CODE, "x"],
    ],
)
def test_what_is_too_long_or_too_deep_is_not_read(codes: list[str]) -> None:
    assert not readable(codes)


@pytest.mark.parametrize(
    "code",
    [
        "import torch.nn.functional as F\nx = torch.nn.functional.softmax(a.b.c, -1)",
        "# " + "." * 90,
        "x = [1.5, 2.5, .5]\n" * 200,
        "f(g(h(1)))\n" * 500,
        'smile = ":))))))"\n' * 300,
        "",
        "x = 1\0",
    ],
)
def test_what_people_write_is_read(code: str) -> None:
    assert readable([code])


@pytest.mark.parametrize("dot", [".a", " . a", ".\\\n a", ".é"])
def test_a_name_of_too_many_dots_is_not_run(dot: str) -> None:
    assert not quick_to_run("import a" + dot * (MAX_RUN_DOTS + 1))
    assert quick_to_run("import a" + dot * MAX_RUN_DOTS)
    assert quick_to_run(f"x = a{dot * 500}\n" * 100)
    assert quick_to_run("a.b(c.d)\nx = [1.5, .5]\n# So. It goes on.\n" * 2000)
