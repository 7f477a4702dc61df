"""The schema that editors read says the same as the settings that we accept."""

from autograder.course.settings import SCHEMA, read_settings, schema
from autograder.course.yaml_lines import read_document


def test_the_committed_schema_is_current() -> None:
    fix = "write it again with `python -m autograder.course.settings`"
    assert SCHEMA.read_text(encoding="utf-8") == schema(), fix


def test_repairs_can_be_switched_off_by_a_plain_off_which_yaml_reads_as_false() -> None:
    text = "course: small\ntitle: Small\nrepairs: off\nexercises:\n  - name: one\n    repairs: off\n"
    settings = read_settings(read_document(text))
    assert [settings.repairs, settings.exercises[0].repairs] == ["off", "off"]
