"""Exercises are proved in processes of their own; a proof stands until its exercise changes."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.authoring.costs import Costs
from autograder.authoring.strength import Strength
from autograder.authoring.together import prove_together
from autograder.authoring.verify import FOLDER, Proof, load_proof, save_proof
from autograder.cli import main
from autograder.course.course import Course, load_course
from autograder.tests.classroom import small, write_answer

SETS = 2
PROOF = Proof(
    "01_small",
    1,
    3,
    5,
    strength=Strength(7, 7, survivors=("a", "b")),
    costs=Costs(5, 4, frozenset({"rule"})),
)


def test_a_proof_is_found_again_as_it_was(course: Course) -> None:
    assert load_proof(course, small(course), SETS) is None
    save_proof(course, small(course), SETS, PROOF)
    found = load_proof(load_course(course.root), small(course), SETS)
    assert found is not None
    assert found.is_reused
    assert repr(found).replace("is_reused=True", "is_reused=False") == repr(PROOF)


@pytest.mark.parametrize(
    "name", ["01_small.py", "test_hidden.py", "accepted.py", "mistakes.py", "hints.yaml"]
)
def test_what_was_proved_of_other_files_is_not_proved(course: Course, name: str) -> None:
    save_proof(course, small(course), SETS, PROOF)
    path: Path = small(course).folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{path.read_text(encoding='utf-8') if path.is_file() else ''}\n# changed\n", "utf-8")
    again = load_course(course.root)
    assert load_proof(again, small(again), SETS) is None
    save_proof(again, small(again), SETS, PROOF)
    assert len(list((course.root / FOLDER).iterdir())) == 1, "what nobody reads any more is deleted"


def test_a_release_warns_of_an_exercise_that_is_not_proved_as_it_is(course: Course) -> None:
    problem = "has not been verified, or has changed since then"
    warning = f"warning: 01_small: {problem}; run `autograder verify 01_small`\n"
    words = ["--course", str(course.root), "release"]
    assert CliRunner().invoke(main, words).stderr == warning
    save_proof(course, small(course), SETS, PROOF)
    assert CliRunner().invoke(main, words).stderr == ""
    write_answer(small(course), 'accepted="other"', '"""Other."""\ndef double(x):\n    return x + x')
    assert CliRunner().invoke(main, words).stderr == warning


def test_settings_and_an_unreadable_file_count_too(course: Course) -> None:
    save_proof(course, small(course), SETS, PROOF)
    settings = course.root / "course.yaml"
    lines = settings.read_text(encoding="utf-8").splitlines()
    others = [line for line in lines if not line.startswith("mutants_fail")]
    settings.write_text("\n".join([*others, "mutants_fail: 0.5", ""]), encoding="utf-8")
    again = load_course(course.root)
    assert load_proof(again, small(again), SETS) is None
    (file,) = (course.root / FOLDER).iterdir()
    file.write_text("{", encoding="utf-8")
    assert load_proof(course, small(course), SETS) is None


def test_what_has_findings_is_proved_again_each_time(course: Course) -> None:
    save_proof(course, small(course), SETS, PROOF)
    save_proof(course, small(course), SETS, Proof("01_small", findings=("mend it",)))
    assert load_proof(course, small(course), SETS) is None


def test_what_was_proved_before_starts_no_process(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    def submit(*_: object) -> None:
        raise AssertionError("has to be proved")

    monkeypatch.setattr("autograder.authoring.together.ProcessPoolExecutor.submit", submit)
    save_proof(course, small(course), SETS, PROOF)
    (proof,) = prove_together(course, [small(course)], 2)
    assert proof.is_reused
    assert proof.strength == PROOF.strength
    with pytest.raises(AssertionError):
        next(prove_together(course, [small(course)], 2, anew=True))
