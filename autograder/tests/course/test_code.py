"""Code is looked over before it is parsed, and what would take too long to parse is not parsed at all."""

import tracemalloc

import pytest

from autograder.course.code import (
    MAX_CODE,
    MAX_DEPTH,
    MAX_DOTS,
    MAX_RUN_DOTS,
    MAX_TOKENS,
    bound_names,
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


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("def f(x):\n    y = x\n    return y", {"f"}),
        ("@torch.no_grad()\nasync def f(x):\n    pass\nclass G(nn.Module):\n    size = 3", {"f", "G"}),
        ("a = 1\nb, c = 2, 3\nd: int = 4\nsums = {'e': 5}", {"a", "b", "c", "d", "sums"}),
        ("f == 1\nx.f = 2\nx[0] = 3\nf(a=4)\nf += 5\nassert f <= 6\nif f: g = 7", set()),
        ('"""\ndef f(x):\n    return x\n"""\ng = 1', {"g"}),
        ("%%time\ndef f(x)\n    return x +", {"f"}),
        ("# it's ''''\nf = 1", {"f"}),
        ("", set()),
    ],
)
def test_the_names_that_code_binds_are_told_by_its_lines(code: str, names: set[str]) -> None:
    assert bound_names(code) == names


def test_a_name_with_thousands_of_dots_takes_little_memory() -> None:
    code = f"import a{'.a' * 5000}\ndef double(x): pass"
    tracemalloc.start()
    assert bound_names(code) == {"double"}
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()
