"""An exercise's own files lie beside its notebook while it is graded; each worker has a copy of its own."""

import json
from pathlib import Path

import pytest

from autograder.authoring.verify import prove
from autograder.batch.run import run_notebooks
from autograder.course.course import Course, load_course
from autograder.course.exercise import Exercise
from autograder.course.settings import Limits
from autograder.grading.grader import CourseGrader
from autograder.report.report import Report, Verdict
from autograder.sandbox.process import Worker
from autograder.sandbox.zygote import Zygote
from autograder.submission.notebook import Notebook
from autograder.tests.classroom import hand_in, small, solved

TABLE = """\
from pathlib import Path

rows = Path("data/rows.csv").read_text(encoding="utf-8").split()
table = torch.tensor([[float(number) for number in row.split(",")] for row in rows])"""
FACTOR = "int(Path('factor.txt').read_text())"
READS = f"def double(x):\n    return {FACTOR} * x"
LIMITS = Limits(cell_seconds=2, call_seconds=2, memory_mb=512)


@pytest.fixture
def exercise(course: Course) -> Exercise:
    """Return the small exercise, which reads one file in a given cell and another one in its answer."""
    folder = small(course).folder
    (folder / "handout" / "data").mkdir(parents=True)
    (folder / "handout" / "data" / "rows.csv").write_text("1,2,3\n4,5,6\n", encoding="utf-8")
    (folder / "handout" / "factor.txt").write_text("2\n", encoding="utf-8")
    source = small(course).source
    text = source.read_text(encoding="utf-8")
    old = "table = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])"
    assert old in text
    text = text.replace(old, TABLE).replace("torch.mul(x, 2)", f"torch.mul(x, {FACTOR})")
    source.write_text(text, encoding="utf-8")
    return small(load_course(course.root))


def graded(course: Course, zygote: Zygote, *notebooks: dict[str, str]) -> list[Report]:
    """Return the reports on notebooks with these answers, which are graded one after another."""
    course = load_course(course.root)
    grader = CourseGrader(course, zygote)
    made = (solved(small(course), **answers) for answers in notebooks)
    return [grader.grade(small(course), Notebook(json.dumps(one).encode())).report for one in made]


@pytest.mark.usefixtures("exercise")
def test_answers_given_cells_and_the_reference_read_the_exercise_s_files(
    course: Course, zygote: Zygote
) -> None:
    before = Path.cwd()
    (report,) = graded(course, zygote, {"double": READS})
    assert report.score == report.max_score, report
    assert Path.cwd() == before


@pytest.mark.usefixtures("exercise")
def test_an_exercise_with_files_can_be_verified(course: Course, zygote: Zygote) -> None:
    course = load_course(course.root)
    (proof,) = prove(course, (small(course),), zygote, 1)
    assert [found for found in proof.findings if "factor" in found or "rows.csv" in found] == []


@pytest.mark.usefixtures("exercise")
def test_whoever_changes_the_files_changes_a_copy(course: Course, zygote: Zygote) -> None:
    change = (
        "import os\nos.remove('factor.txt')\nopen('factor.txt', 'w').write('3')\nos.remove('data/rows.csv')\n"
    )
    told = "import os\nassert sorted(os.listdir()) == ['data', 'factor.txt']\n"
    wrong, right = graded(course, zygote, {"double": f"{change}{READS}"}, {"double": f"{told}{READS}"})
    assert next(question.verdict for question in wrong.questions) is Verdict.FAILED
    assert right.score == right.max_score, right
    assert small(load_course(course.root)).handed_out["factor.txt"] == b"2\n"


@pytest.mark.usefixtures("exercise")
def test_a_file_that_a_student_attaches_takes_no_file_s_place(course: Course) -> None:
    course = load_course(course.root)
    submission = hand_in(course, "ann", solved(small(course), double=READS))
    (submission.folder / "factor.txt").write_text("3", encoding="utf-8")
    (submission.folder / "data").mkdir()
    (submission.folder / "data" / "rows.csv").write_text("0,0,0\n", encoding="utf-8")
    ((_, result),) = run_notebooks(course, [str(submission.notebook)])
    assert result.report.score == result.report.max_score, result.report


def run(worker: Worker, code: str) -> str:
    """Return what a cell prints, or the type of its error."""
    reply, _ = worker.ask({"op": "cell", "number": 0, "code": code}, [], 30)
    if reply["error"]:
        return str(reply["error"]["type"])
    return "".join(output.get("text", "") for output in reply["outputs"]).strip()


FILES = {"a.txt": b"one", "data/deep/b.bin": bytes(range(256)), "empty": b"", "data/w\u00f6rter.csv": b"x\n"}


def test_a_worker_s_files_are_there_to_be_read_and_others_may_be_written_beside_them(zygote: Zygote) -> None:
    worker = zygote.with_files(FILES).fork(LIMITS)
    try:
        assert run(worker, "import os; print(sorted(os.listdir()))") == "['a.txt', 'data', 'empty']"
        read = f"print({{name: open(name, 'rb').read() for name in {list(FILES)!r}}})"
        assert run(worker, read) == repr(FILES)
        assert run(worker, "print(oct(os.stat('data/deep/b.bin').st_mode & 0o777))") == "0o444"
        assert run(worker, "open('data/mine', 'w').write('1'); print(open('data/mine').read())") == "1"
        write = "try:\n    open('a.txt', 'w')\nexcept PermissionError:\n    print(open('a.txt').read())"
        assert run(worker, write) == "one"
    finally:
        worker.close()
    other = zygote.with_files({"a.txt": b"1"}).fork(LIMITS)
    try:
        assert run(other, "import os; print(os.listdir())") == "['a.txt']"
    finally:
        other.close()
    plain = zygote.fork(LIMITS)
    try:
        assert run(plain, "import os; print(os.listdir())") == "[]"
    finally:
        plain.close()


def test_files_count_to_what_a_worker_may_put_into_its_folder(zygote: Zygote) -> None:
    worker = zygote.with_files({f"{n}.bin": bytes(15 << 20) for n in range(2)}).fork(LIMITS)
    try:
        code = "for n in range(7):\n    open(f'mine{n}', 'wb').write(b'x' * (15 << 20))\n"
        code += "while True: pass"
        with pytest.raises(Exception, match="too much memory, time or disk"):
            run(worker, code)
    finally:
        worker.close()
