"""A mistake is called by its name where a submission fails as it does."""

from autograder.course import Course
from autograder.diagnosis import Diagnosis
from autograder.student import Local
from autograder.suite import Suite
from autograder.worker.namespace import run_code


def test_a_mistake_that_warns_is_named_without_a_word(course: Course) -> None:
    exercise = course.exercises["01_small"]
    code = (exercise.folder / "mistakes/double__squares.py").read_text(encoding="utf-8")
    warning = code.replace(
        "    return", '    import warnings; warnings.warn("odd", stacklevel=1)\n    return'
    )
    (exercise.folder / "mistakes/double__squares.py").write_text(warning, encoding="utf-8")
    suite = Suite(exercise)
    runs = list(suite.run(Local(run_code(exercise.variant(code))), "double"))
    mistake = Diagnosis(suite).name("double", runs)
    assert "warnings.warn" in warning
    assert mistake is not None
    assert mistake.name == "double__squares"
