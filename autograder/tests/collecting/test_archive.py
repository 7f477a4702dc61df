"""Archives that mean harm or are merely odd: zips, tars, folders, and what is packed in or around them."""

import gzip
import io
import os
import socket
import struct
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.collecting.archive import ArchiveEntry, ArchiveError, Bounds, EntryError, read_entries
from autograder.submission.notebook import MAX_BYTES
from autograder.tests.collecting.archives import (
    MB,
    SPARSE_MAP,
    contents,
    many,
    member,
    new_sparse,
    old_sparse,
    packed_tar,
    problems,
    refuses,
    tarred,
    zipped,
)


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_is_no_archive(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "odd")
    with pytest.raises(ArchiveError, match="neither an archive nor a folder"):
        list(read_entries(tmp_path / "odd"))


def test_too_many_entries_in_a_tar_and_a_folder_are_refused(
    archive: Callable[[bytes], Path], tmp_path: Path
) -> None:
    path = archive(gzip.compress(tarred(*map(member, "abcdef"))))
    for place in (path, tmp_path):
        (tmp_path / "other").touch()
        with pytest.raises(ArchiveError, match="too many entries"):
            list(read_entries(place, Bounds(entries=1)))


def test_bytes_are_counted_over_all_entries(archive: Callable[[bytes], Path]) -> None:
    path = archive(zipped(a=b"1" * 60, b=b"2" * 60))
    entries = read_entries(path, Bounds(unpacked=100))
    assert next(entries).read(MAX_BYTES) == b"1" * 60
    with pytest.raises(ArchiveError, match="unpacks to too much"):
        next(entries).read(MAX_BYTES)


def test_archives_of_students_are_opened_one_level_deep(archive: Callable[[bytes], Path]) -> None:
    deep = zipped(**{"n.ipynb": b"deep"})
    path = archive(
        zipped(**{"ada.zip": zipped(**{"n.ipynb": b"1", "more.zip": deep}), "bob.tgz": packed_tar()})
    )
    assert contents(path) == {"ada.zip/n.ipynb": b"1", "bob.tgz/n.ipynb": b"x"}
    assert problems(path)["ada.zip/more.zip"] == "is an archive in an archive in an archive"


@pytest.mark.parametrize(
    ("inner", "problem"),
    [
        (b"no archive", "is no zip or tar archive"),
        (gzip.compress(member("n", size=90 * MB).tobuf() + bytes(90 * MB)), "600 times"),
        (zipped(), "holds no files"),
        (zipped(a=b"1")[:-9], "is damaged"),
        (many(300), "holds too many entries"),
    ],
)
def test_a_student_s_bad_archive_costs_nobody_else(
    archive: Callable[[bytes], Path], inner: bytes, problem: str
) -> None:
    path = archive(zipped(**{"bad.zip": inner, "good.zip": zipped(n=b"1")}))
    assert contents(path)["good.zip/n"] == b"1"
    assert problem in problems(path)["bad.zip"]


def test_the_time_of_a_nested_notebook_is_the_platform_s(archive: Callable[[bytes], Path]) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr(zipfile.ZipInfo("ada.zip", (2026, 3, 2, 18, 0, 0)), zipped(n=b"1"))
    (entry,) = read_entries(archive(file.getvalue()))
    assert entry.when == datetime(2026, 3, 2, 18)  # in a zone that the zip does not name


@pytest.mark.parametrize(
    "content", [b"", b"PK\3\4", b"PK\5\6" + bytes(18), b"\x1f\x8b", b"\0" * 2000, b"text" * 999]
)
def test_any_bytes_end_in_entries_or_one_clear_error(
    archive: Callable[[bytes], Path], content: bytes
) -> None:
    drain(archive(content))


@pytest.mark.parametrize(
    "whole",
    [
        zipped(**{"a/n.ipynb": b"12" * 99, "b.zip": zipped(n=b"1")}),
        packed_tar(),
        tarred(member("n" * 200, size=1, mtime=1.5)),
        tarred(member("n" * 200, size=1), form=tarfile.GNU_FORMAT),
        old_sparse() + new_sparse(),
    ],
    ids=["zip", "tar.gz", "pax", "gnu", "sparse"],
)
@settings(max_examples=150, deadline=None, derandomize=True)
@given(data=st.data())
def test_damage_ends_in_entries_or_one_clear_error(
    whole: bytes, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    damaged = bytearray(whole)
    places = st.integers(0, len(damaged) - 1)
    for place, value in data.draw(st.lists(st.tuples(places, st.integers(0, 255)), max_size=4)):
        damaged[place] = value
    cut = data.draw(places)
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(bytes(damaged[: cut or None]))
    drain(path)


def drain(path: Path) -> None:
    def all_of(entries: Iterator[ArchiveEntry]) -> None:
        for entry in entries:
            try:
                assert len(entry.read(MAX_BYTES)) <= MAX_BYTES
            except EntryError:
                continue

    try:
        all_of(read_entries(path))
    except ArchiveError as error:
        assert str(error)  # noqa: PT017 - one of two right endings


def test_a_zip_is_read(archive: Callable[[bytes], Path]) -> None:
    assert contents(archive(zipped(**{"a/b.ipynb": b"1", "c": b""}))) == {"a/b.ipynb": b"1", "c": b""}


@pytest.mark.parametrize(
    ("mode", "problem"),
    [(0o120777, "is a link"), (0o010644, "is a pipe"), (0o020666, "is a device"), (0o160000, "is no file")],
)
def test_zips_hold_plain_files_only(archive: Callable[[bytes], Path], mode: int, problem: str) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        info = zipfile.ZipInfo("odd.ipynb")
        info.external_attr = mode << 16
        made.writestr(info, "/etc/passwd")
        made.writestr("after.ipynb", "2")
    assert problems(archive(file.getvalue())) == {"odd.ipynb": problem, "after.ipynb": ""}


def test_a_bomb_in_a_zip_is_seen_by_its_header(archive: Callable[[bytes], Path]) -> None:
    bomb = zipped(**{"bomb.ipynb": bytes(50 * MB), "after.ipynb": b"2"})
    assert len(bomb) < 52_000
    path = archive(bomb)
    assert problems(path) == {"bomb.ipynb": "unpacks to more than 600 times its size", "after.ipynb": ""}
    assert contents(path) == {"after.ipynb": b"2"}


@pytest.mark.parametrize("claimed", [10, 300_000])
def test_a_bomb_that_lies_about_its_size_is_cut(archive: Callable[[bytes], Path], claimed: int) -> None:
    bomb = bytearray(zipped(**{"bomb.ipynb": bytes(50 * MB)}))
    for start, place in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
        struct.pack_into("<I", bomb, bomb.index(start) + place, claimed)
    (entry,) = read_entries(archive(bytes(bomb)))
    tracemalloc.start()
    try:
        assert refuses(entry) == "is damaged; download it again"
        assert tracemalloc.get_traced_memory()[1] < 5 * MB
    finally:
        tracemalloc.stop()


def test_what_comes_counts_and_not_what_a_header_claims(archive: Callable[[bytes], Path]) -> None:
    (entry,) = read_entries(archive(zipped(**{"n.ipynb": os.urandom(3 * MB)})))
    assert refuses(entry, 2 * MB) == "is larger than 2 MB"


def test_a_zip_of_few_entries_made_that_way_is_read(archive: Callable[[bytes], Path]) -> None:
    assert len(list(read_entries(archive(many(3))))) == 3


@pytest.mark.parametrize("count", [100_000, 2_000_000])
def test_too_many_entries_are_refused(archive: Callable[[bytes], Path], count: int) -> None:
    path = archive(many(count))
    with pytest.raises(ArchiveError, match="too many entries"):
        list(read_entries(path))


@pytest.mark.parametrize(
    ("extra", "when"),
    [
        (struct.pack("<HHBi", 0x5455, 5, 1, 1_700_000_000), datetime.fromtimestamp(1_700_000_000, UTC)),
        (struct.pack("<HHBi", 0x5455, 5, 0, 1_700_000_000), None),  # no modification time in it
        (struct.pack("<HHBi", 0x5455, 5, 1, 0), None),
    ],
)
def test_a_zip_s_own_utc_time_is_preferred(
    archive: Callable[[bytes], Path], extra: bytes, when: datetime | None
) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        info = zipfile.ZipInfo("n")  # of 1980, when nothing was handed in
        info.extra = extra
        made.writestr(info, "1")
    (entry,) = read_entries(archive(file.getvalue()))
    assert entry.when == when


def test_encrypted_and_unusually_packed_entries_are_refused(archive: Callable[[bytes], Path]) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("a", "1")
        made.writestr("b", "2", zipfile.ZIP_BZIP2)
        made.writestr("c", "3", zipfile.ZIP_LZMA)
        made.writestr("d", "4")
    content = bytearray(file.getvalue())
    content[content.index(b"PK\1\2") + 8] |= 1
    found = problems(archive(bytes(content)))
    assert found["a"] == "is encrypted; pack it without a password"
    assert found["b"] == found["c"] == "is packed in an unusual way; make an ordinary zip"
    assert not found["d"]


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_very_long_names_and_times_come_from_extended_headers(
    archive: Callable[[bytes], Path], form: int
) -> None:
    name = "Zoë/" + "n" * 300
    (entry,) = read_entries(archive(tarred(member(name, size=3, mtime=1_700_000_000), form=form)))
    assert entry.name == name
    assert entry.when == datetime.fromtimestamp(1_700_000_000, UTC)


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        (tarfile.SYMTYPE, "is a link"),
        (tarfile.LNKTYPE, "is a hard link"),
        (tarfile.CHRTYPE, "is a device"),
        (tarfile.BLKTYPE, "is a device"),
        (tarfile.FIFOTYPE, "is a pipe"),
        (b"Z", "is of an unknown kind"),
    ],
)
def test_tars_hold_plain_files_only(archive: Callable[[bytes], Path], kind: bytes, problem: str) -> None:
    odd = member("odd.ipynb", kind, linkname="/etc/passwd")
    path = archive(tarred(odd, member("after.ipynb", size=2)))
    assert problems(path) == {"odd.ipynb": problem, "after.ipynb": ""}


def test_a_large_file_in_a_tar_is_passed(archive: Callable[[bytes], Path]) -> None:
    path = archive(tarred(member("data.bin", size=21 * MB), member("n.ipynb", size=1)))
    large, small = read_entries(path)
    found = {}
    for entry in read_entries(path):
        found[entry.name] = refuses(entry) if entry.name == large.name else entry.read(9).decode()
    assert found == {"data.bin": "is larger than 20 MB", "n.ipynb": "x"}
    assert small.name == "n.ipynb"


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_no_header_of_a_tar_can_ask_for_memory(archive: Callable[[bytes], Path], kind: bytes) -> None:
    header = member("n", kind, size=7 << 30).tobuf(tarfile.GNU_FORMAT)
    with pytest.raises(ArchiveError, match="too long"):
        list(read_entries(archive(header + bytes(4096))))


@pytest.mark.parametrize("size", [-512, -1])
def test_no_entry_of_a_tar_leads_backwards(archive: Callable[[bytes], Path], size: int) -> None:
    header = bytearray(member("n").tobuf(tarfile.GNU_FORMAT))
    header[124:136] = (size % (1 << 96)).to_bytes(12, "big")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    with pytest.raises(ArchiveError, match="less than no bytes"):
        list(read_entries(archive(bytes(header) + bytes(4096))))


def test_a_hard_link_that_states_its_file_s_size_has_no_content(archive: Callable[[bytes], Path]) -> None:
    link = member("odd", tarfile.LNKTYPE, linkname="n", size=700).tobuf()
    assert contents(archive(link + tarred(member("after.ipynb", size=2)))) == {"after.ipynb": b"xx"}


def test_the_map_of_a_sparse_file_has_an_end(archive: Callable[[bytes], Path]) -> None:
    header = bytearray(old_sparse()[:512])
    header[482] = 1
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    more = bytes(504) + b"\1" + bytes(7)
    with pytest.raises(ArchiveError, match="header that cannot be read"):
        list(read_entries(archive(bytes(header) + more * 1000)))


def test_sparse_files_are_not_read_but_what_follows_is(archive: Callable[[bytes], Path]) -> None:
    path = archive(old_sparse() + new_sparse() + tarred(member("after.ipynb", size=1)))
    assert problems(path) == {"old": "is a sparse file", "new": "is a sparse file", "after.ipynb": ""}
    assert contents(path) == {"after.ipynb": b"x"}


@pytest.mark.parametrize("sparse_map", [b"1\n" * 256, b"9" * 512, b"999999999\n".ljust(512, b"1")])
def test_a_sparse_file_s_map_cannot_ask_for_memory(
    archive: Callable[[bytes], Path], sparse_map: bytes
) -> None:
    header = new_sparse()[: -512 - len(SPARSE_MAP)]
    bomb = gzip.compress(header + sparse_map * 80_000)
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveError):
            list(read_entries(archive(bomb)))
        assert tracemalloc.get_traced_memory()[1] < 20 * MB
    finally:
        tracemalloc.stop()


def pax(records: bytes, kind: bytes = tarfile.XHDTYPE) -> bytes:
    return member("n", kind, size=len(records)).tobuf() + records.ljust(-(-len(records) // 512) * 512, b"\0")


@pytest.mark.parametrize(
    "records",
    [
        b"1" * 64_000,
        b"2 " * 30_000 + b"=",
        b"0" * 60_000 + b" a=",
        b"5 a=b\n",
        b"99999 path=n\n",
        b"path=n\n",
    ],
    ids=["number", "overlap", "zeros", "short", "long", "none"],
)
def test_records_of_a_tar_that_make_no_sense_are_refused(
    archive: Callable[[bytes], Path], records: bytes
) -> None:
    with pytest.raises(ArchiveError, match="header that cannot be read"):
        list(read_entries(archive(pax(records) + tarred(member("n", size=1)))))


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE])
def test_headers_on_headers_end_in_one_clear_error(archive: Callable[[bytes], Path], kind: bytes) -> None:
    with pytest.raises(ArchiveError, match="too long"):
        list(read_entries(archive(pax(b"9 aaa=bb\n", kind) * 5000)))


def test_very_long_names_take_no_memory(archive: Callable[[bytes], Path]) -> None:
    path = archive(gzip.compress(tarred(*[member("n" * 60_000)] * 300, form=tarfile.GNU_FORMAT)))
    tracemalloc.start()
    try:
        assert len({entry.name for entry in [*read_entries(path)]}) == 1
        assert tracemalloc.get_traced_memory()[1] < 2 * MB
    finally:
        tracemalloc.stop()


def test_what_a_global_header_says_is_kept_with_no_entry(archive: Callable[[bytes], Path]) -> None:
    records = b"".join(b"16 k%08d=bb\n" % number for number in range(90))
    one = pax(records, tarfile.XGLTYPE) + tarred(member("n", size=1))[:1024]
    path = archive(gzip.compress(one * 300))
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_entries(path)) == 300
        assert tracemalloc.get_traced_memory()[1] < MB
    finally:
        tracemalloc.stop()


def test_a_damaged_header_does_not_pass_for_the_end(archive: Callable[[bytes], Path]) -> None:
    content = bytearray(tarred(member("a", size=1), member("b", size=1)))
    content[1024] ^= 1
    entries = read_entries(archive(bytes(content)))
    assert next(entries).name == "a"
    with pytest.raises(ArchiveError, match="damaged"):
        next(entries)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
def test_a_tar_is_read_however_it_is_packed(
    archive: Callable[[bytes], Path], pack: Callable[[bytes], bytes], form: int
) -> None:
    long = "/".join(["ordner"] * 12) + "/b.ipynb"
    path = archive(pack(tarred(member("a.ipynb", size=512), member(long, size=700), form=form)))
    assert contents(path) == {"a.ipynb": b"x" * 512, long: b"x" * 700}


def test_a_bomb_around_a_tar_ends_its_reading(archive: Callable[[bytes], Path]) -> None:
    whole = tarred(member("before.ipynb", size=2)) + b""
    header = member("bomb.ipynb", size=60 * MB).tobuf()
    bomb = gzip.compress(whole[:1024] + header + bytes(60 * MB))
    read: list[str] = []
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveError, match="unpacks to more than 600 times its size"):
            read.extend(entry.name for entry in read_entries(archive(bomb)))
        assert tracemalloc.get_traced_memory()[1] < 30 * MB
    finally:
        tracemalloc.stop()
    assert read == ["before.ipynb", "bomb.ipynb"]


def test_a_folder_is_read_in_order(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "n.ipynb").write_bytes(name.encode())
    assert list(contents(tmp_path).items()) == [("a/n.ipynb", b"a"), ("b/n.ipynb", b"b")]


def test_folders_hold_plain_files_only_and_a_pipe_makes_nobody_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / "loop").symlink_to(tmp_path)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(tmp_path / "door"))
        found = problems(tmp_path)
    assert found == {
        "pipe": "is a pipe",
        "link": "is a link",
        "loop": "is a link",
        "door": "is a socket",
    }


def test_a_file_that_becomes_a_link_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text("mine", encoding="utf-8")
    (entry,) = read_entries(tmp_path)
    path.unlink()
    path.symlink_to("/etc/passwd")
    assert refuses(entry).startswith("cannot be opened")
