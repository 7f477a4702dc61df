"""Gradescope's file tells who handed in; a student's file of that name tells nothing and costs nothing."""

import tracemalloc
from datetime import UTC, datetime

import pytest

from autograder.collecting import metadata
from autograder.collecting.archive import EntryError
from autograder.collecting.metadata import GradescopeRecord, find_export, read_metadata

EXPORT = "assignment_1_export/"
NAMES = [f"{EXPORT}submission_metadata.yml", f"{EXPORT}submission_5/n", f"{EXPORT}submission_6/n"]
METADATA = b"""
submission_5:
  :submitters:
  - :name: Ada
    :sid: '100'
    :email: ada@school.org
  - :name: Bob
    :sid:
    :email: bob@school.org
  :created_at: 2026-03-02 18:00:00.5 Z
submission_6:
  :submitters: none
"""


def test_gradescope_tells_who_handed_in_and_when() -> None:
    when = datetime(2026, 3, 2, 18, 0, 0, 500_000, tzinfo=UTC)
    assert read_metadata(METADATA, EXPORT, NAMES) == {
        f"{EXPORT}submission_5": GradescopeRecord(
            (("100", "ada@school.org"), ("bob@school.org", "bob@school.org")), when
        ),
        f"{EXPORT}submission_6": GradescopeRecord(()),
    }


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("2026-03-02 18:00:00.123456789 Z", datetime(2026, 3, 2, 18, 0, 0, 123456, tzinfo=UTC)),
        ("2026-03-02 18:00:00 -07:00", datetime(2026, 3, 3, 1, tzinfo=UTC)),
        ("2026-03-02 18:00:00", datetime(2026, 3, 2, 18, tzinfo=UTC)),
        ("1970-01-01 00:00:00 Z", None),
        ("0001-01-01 00:00:00 +09:00", None),
        ("yesterday", None),
    ],
)
def test_times_are_read_as_gradescope_writes_them(text: str, when: datetime | None) -> None:
    data = f"submission_5:\n  :created_at: {text}\n".encode()
    assert read_metadata(data, EXPORT, NAMES)[f"{EXPORT}submission_5"].when == when


def test_whatever_else_the_file_tells_is_passed_over() -> None:
    data = b"""---
submission_5:
  :submitters:
  - :name: &1 Ada
    :tags: [a, {b: c}]
    :email: &mail ada@school.org
  :results: !ruby/hash:Any
    tests: [{output: "<<", name: *1}, [1, [2]], {}]
    :submitters: [{":sid": bob}]
submission_6:
  :submitters: [{":sid": ~, ":email": *mail}]
"""
    found = read_metadata(data, EXPORT, NAMES)
    assert {record.submitters for record in found.values()} == {(("ada@school.org", "ada@school.org"),)}
    assert len(found) == 2


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"[", b"- 1", b"\xff", b"a: 1", b"submission_5", b"!!python/object:os.system {}"),
        b'submission_7: {":submitters": [{":sid": bob}]}',
        b'submission_5/..: {":submitters": [{":sid": bob}]}',
        b'? [submission_5]\n: {":submitters": [{":sid": bob}]}',
    ],
)
def test_metadata_that_are_not_those_of_the_export_are_refused(data: bytes) -> None:
    with pytest.raises(EntryError, match="does not describe a whole export"):
        read_metadata(data, EXPORT, NAMES)


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 200_000,
        b"- " * 200_000,
        b"submission_5: " + b"{a: " * 200_000,
        b'submission_5: {":submitters": [{":sid": b}], x: [' + b"a, " * 6000 + b"]}",
        b"".join(b"%%TAG !%d! a\n" % number for number in range(100_000)) + b"--- a",
        b"a: &a [" + b"x, " * 100 + b"]\n" + b"".join(b"b%d: [*a, *a]\n" % n for n in range(5000)),
    ],
    ids=["brackets", "lists", "mappings", "events", "directives", "aliases"],
)
def test_metadata_that_would_cost_hours_or_gigabytes_are_refused(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata, "MAX_EVENTS", 6000)
    with pytest.raises(EntryError):
        read_metadata(data, EXPORT, NAMES)


def test_a_long_file_is_not_held_in_memory() -> None:
    data = METADATA + b"  :results: [" + b"{output: x}, " * 4000 + b"]\n"
    tracemalloc.start()
    try:
        assert len(read_metadata(data, EXPORT, NAMES)) == 2
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("names", "root", "found"),
    [
        (NAMES, "", EXPORT),
        (["submission_metadata.yml", "submission_5/n"], "assignment_1_export", ""),
        (["submission_metadata.yml", "submission_5/n"], "mallory", None),
        (["submission_metadata.yml", "submission_5/n"], "", None),
        (["mallory/submission_metadata.yml", "mallory/submission_5/n"], "", None),
        (["mallory/submission_metadata.yml", "bob/n"], "", None),
        ([*NAMES, "bob/n"], "", None),
        ([*NAMES, "n"], "", None),
        ([f"{EXPORT}submission_metadata.yml", f"{EXPORT}n"], "", None),
        ([f"{EXPORT}submission_5/n"], "", None),
        ([], "", None),
    ],
)
def test_only_a_whole_export_is_gradescope_s(names: list[str], root: str, found: str | None) -> None:
    assert find_export(names, root) == found
