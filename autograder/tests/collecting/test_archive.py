"""Archives that mean harm or are merely odd: zips, tars, folders, and what is packed in or around them."""

import gzip
import os
import socket
import struct
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.collecting.archive import ArchiveEntry, ArchiveError, Bounds, EntryError, read_entries
from autograder.submission.notebook import MAX_BYTES
from autograder.tests.collecting.archives import member, tarred, zipped

MB = 1 << 20
Found = dict[str, bytes | str]
AFTER = tarred(member("after", size=2))
LONG = "Zoë/" + "n" * 300


def read(entry: ArchiveEntry) -> bytes | str:
    """Return what is read of an entry, or why it is not."""
    try:
        return entry.problem or entry.read(MAX_BYTES)
    except EntryError as error:
        return str(error)


def found_in(path: Path, bounds: Bounds | None = None) -> Found:
    """Return what is read of all entries; what ends the reading stands under no name."""
    found: Found = {}
    try:
        for entry in read_entries(path, bounds):
            found[entry.path] = read(entry)
    except ArchiveError as error:
        found[""] = str(error)
    return found


def agrees(found: Found, expected: Mapping[str, bytes | str]) -> bool:
    """Whether all that was expected came and nothing else; of a problem some words are enough, or none."""
    pairs = ((found.get(name, b""), value) for name, value in expected.items())
    return found.keys() == expected.keys() and all(
        value == "" or (value in one if isinstance(one, str) and isinstance(value, str) else one == value)
        for one, value in pairs
    )


@pytest.fixture
def archive(tmp_path: Path) -> Callable[[bytes], Path]:
    def write(content: bytes) -> Path:
        path = tmp_path / "archive"
        path.write_bytes(content)
        return path

    return write


def many(count: int) -> bytes:
    """Return a zip of `count` entries that all share one empty file."""
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 33, 0, 0, 0, 1, 0) + b"n"
    one = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 0, 0, 33, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"n"
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0, 0, len(one) * count, len(local), 0)
    return local + one * count + end


def packed_tar() -> bytes:
    return gzip.compress(tarred(member("n.ipynb", size=1)))


def header(made: tarfile.TarInfo, changes: Mapping[int, bytes] | None = None) -> bytes:
    """Return an old header with other bytes at some places, and a checksum that says it is sound."""
    block = bytearray(made.tobuf(tarfile.GNU_FORMAT))
    for place, content in (changes or {}).items():
        block[place : place + len(content)] = content
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def old_sparse(more: bytes = b"\0") -> bytes:
    """Return the header of a sparse file of a gigabyte, whose map goes on behind it if `more` says so."""
    described = {386: b"%011o\0%011o\0" % (0, 512), 482: more, 483: b"%011o\0" % (1 << 30)}
    return header(member("old", tarfile.GNUTYPE_SPARSE, size=512), described)


def new_sparse() -> bytes:
    """Return the header of a sparse file, behind which its map and its content belong."""
    sparse = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(1 << 30)}
    return member("new", size=1024, pax_headers=sparse).tobuf(tarfile.PAX_FORMAT)


SPARSE = (
    old_sparse() + bytes(512) + new_sparse() + b"1\n0\n512\n".ljust(512, b"\0") + bytes(512)
)  # both, whole


def pax(records: bytes, kind: bytes = tarfile.XHDTYPE) -> bytes:
    """Return a header that holds records on the next entry."""
    return member("n", kind, size=len(records)).tobuf() + records.ljust(-(-len(records) // 512) * 512, b"\0")


def bomb_that_lies(claimed: int) -> bytes:
    """Return a zip of 12 MB whose headers claim less."""
    bomb = bytearray(zipped({"bomb": bytes(12 * MB)}))
    for start, place in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
        struct.pack_into("<I", bomb, bomb.index(start) + place, claimed)
    return bytes(bomb)


def encrypted() -> bytes:
    content = bytearray(zipped({"a": b"1", "after": b"2"}))
    content[content.index(b"PK\1\2") + 8] |= 1
    return bytes(content)


def unusual() -> bytes:
    """Return a zip that is packed in ways which zipfile unpacks without any bound."""
    content = bytearray(zipped({"a": b"1", "b": b"2", "after": b"2"}))
    place = -1
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        place = content.index(b"PK\1\2", place + 1)
        struct.pack_into("<H", content, place + 10, method)
    return bytes(content)


def damaged_header() -> bytes:
    content = bytearray(tarred(member("a", size=1), member("b", size=1)))
    content[1024] ^= 1
    return bytes(content)


def bad_nested(inner: bytes) -> bytes:
    return zipped({"bad.zip": inner, "good.zip": zipped({"n": b"1"})})


def in_gzip(*parts: bytes) -> bytes:
    return gzip.compress(b"".join(parts))


ENDLESS_MAP = old_sparse(b"\1") + (bytes(504) + b"\1" + bytes(7)) * 1000
GLOBAL_HEADERS = [
    pax(b"".join(b"16 k%08d=bb\n" % number for number in range(90 * n, 90 * n + 90)), tarfile.XGLTYPE)
    for n in range(100)
]
ODD = "is not a plain file"
RATIO, UNUSUAL, DAMAGED = (
    "unpacks to more than 600 times its size",
    "has an unsupported compression method",
    "is damaged",
)
GNU, PAX, USTAR = tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT
LONE, DEEP = {"n": b"1"}, "ordner/" * 12 + "b"
# What an archive holds, which is made late if it is large, and what is read of it.
CASES: dict[str, tuple[bytes | Callable[[], bytes], Found]] = {
    "zip": (zipped({"a/b": b"1", "c": b""}), {"a/b": b"1", "c": b""}),
    **{
        f"zip with mode {mode:o}": (zipped({"odd": "/etc"}, external_attr=mode << 16), {"odd": problem})
        for mode, problem in (
            (0o120777, "is a link"), (0o010644, ODD), (0o020666, ODD), (0o160000, ODD),
        )
    },
    **{
        f"no archive, {content[:5]!r}": (content, {"": ""})
        for content in (b"", b"PK\3\4", b"\x1f\x8b", b"text" * 999)
    },
    "empty zip": (b"PK\5\6" + bytes(18), {}),
    "empty tar": (bytes(2000), {}),
    "bomb": (lambda: zipped({"bomb": bytes(12 * MB), "after": b"2"}), {"bomb": RATIO, "after": b"2"}),
    "bomb that claims little": (lambda: bomb_that_lies(10), {"bomb": DAMAGED}),
    "bomb that claims less": (lambda: bomb_that_lies(300_000), {"bomb": DAMAGED}),
    "large file": (
        lambda: zipped({"n": bytes(21 * MB)}, packing=zipfile.ZIP_STORED), {"n": "is larger than 20 MB"}),
    "encrypted": (encrypted(), {"a": "pack it without a password", "after": b"2"}),
    "unusual": (unusual(), {"a": UNUSUAL, "b": UNUSUAL, "after": b"2"}),
    "entries that share a file": (many(3), {"n": ""}),
    "too many entries": (lambda: many(20_001), {"n": "", "": "too many entries"}),
    "a list of too many entries": (lambda: many(180_000), {"": "too many entries"}),
    "archives of students": (
        zipped({"ada.zip": zipped({**LONE, "more.zip": zipped(LONE)}), "bob.tgz": packed_tar()}),
        {
            "ada.zip/n": b"1", "bob.tgz/n.ipynb": b"x",
            "ada.zip/more.zip": 'is an archive inside "ada.zip"; unpack "ada.zip" before you collect',
        },
    ),
    "nested bomb": (
        lambda: bad_nested(in_gzip(member("n", size=21 * MB).tobuf(), bytes(21 * MB))),
        {"bad.zip": RATIO, "good.zip/n": b"1"},
    ),
    "nested, too many entries": (
        bad_nested(many(300)), {"bad.zip/n": "", "bad.zip": "too many entries", "good.zip/n": b"1"},
    ),
    **{
        f"nested: {problem}": (bad_nested(inner), {"bad.zip": problem, "good.zip/n": b"1"})
        for problem, inner in (
            ("is not a zip or tar archive", b"no archive"), ("contains no files", zipped({})),
            ("is damaged", zipped(LONE)[:-9]),
        )
    },
    **{
        f"tar with kind {kind!r}": (
            member("odd", kind, linkname="/etc/passwd").tobuf() + AFTER, {"odd": problem, "after": b"xx"},
        )
        for kind, problem in (
            (tarfile.SYMTYPE, "is a link"), (tarfile.LNKTYPE, "is a link"), (tarfile.FIFOTYPE, ODD),
            (tarfile.CHRTYPE, ODD), (tarfile.BLKTYPE, ODD), (b"Z", ODD),
        )
    },
    "large file in a tar": (
        lambda: tarred(member("data", size=21 * MB), member("n", size=1)),
        {"data": "is larger than 20 MB", "n": b"x"},
    ),
    "a link that states its file's size": (
        member("odd", tarfile.LNKTYPE, linkname="n", size=700).tobuf() + AFTER,
        {"odd": "is a link", "after": b"xx"},
    ),
    **{
        f"header of 7 GB, {kind!r}": (
            member("n", kind, size=7 << 30).tobuf(tarfile.GNU_FORMAT) + bytes(4096), {"": "too large; the"},
        )
        for kind in (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME)
    },
    **{
        f"{size} bytes": (
            header(member("n"), {124: size.to_bytes(12, signed=True)}) + bytes(4096), {"": "damaged"},
        )
        for size in (-512, -1)
    },
    "a sparse file's endless map": (ENDLESS_MAP, {"": "too large; the"}),
    "sparse files": (
        SPARSE + AFTER, {"old": ODD, "new": ODD, "after": b"xx"},
    ),
    "short map": (
        lambda: new_sparse() + b"1\n" * 256 * 4000, {"new": ODD, "": "damaged"},
    ),
    "map of one number": (lambda: new_sparse() + b"9" * 512 * 4000, {"": "damaged"}),
    "map of many numbers": (
        lambda: new_sparse() + b"999999999\n".ljust(512, b"1") * 4000, {"": ""},
    ),
    **{
        f"records {records[:9]!r}": (pax(records) + AFTER, {"": "too large; the"})
        for records in (b"1" * 64_000, b"2 " * 30_000 + b"=", b"0" * 60_000 + b" a=")
    },
    **{
        f"headers on headers, {kind!r}": (pax(b"9 aaa=bb\n", kind) * 500, {"": "too large; the"})
        for kind in (tarfile.XHDTYPE, tarfile.XGLTYPE)
    },
    "very long names": (
        in_gzip(tarred(*[member("n" * 15_000)] * 60, form=GNU)), {"n" * 1001: b""},
    ),
    "global headers": (
        in_gzip(*(one + tarred(member("n", size=1))[:1024] for one in GLOBAL_HEADERS)), {"n": b"x"},
    ),
    "damaged header": (damaged_header(), {"a": b"x", "": "damaged"}),
    "bomb around a tar": (
        lambda: in_gzip(AFTER[:1024], member("bomb", size=21 * MB).tobuf(), bytes(21 * MB)),
        {"": RATIO},
    ),
    **{
        f"tar of form {form}, {pack.__name__}": (
            pack(tarred(member("a", size=512), member(DEEP, size=700), form=form)),
            {"a": b"x" * 512, DEEP: b"x" * 700},
        )
        for form in (PAX, GNU, USTAR)
        for pack in (bytes, gzip.compress)
    },
    **{
        f"long name, {form}": (tarred(member(LONG, size=2), form=form), {LONG: b"xx"}) for form in (PAX, GNU)
    },
}  # fmt: skip
# The megabytes of memory that reading may take: to measure them makes it slow.
MEMORY = {
    "bomb": 10, "bomb that claims little": 10, "bomb that claims less": 10, "nested bomb": 10,
    "bomb around a tar": 10, "large file": 10, "large file in a tar": 10,
    "a list of too many entries": 10, "very long names": 2, "global headers": 1, "map of one number": 1,
    "map of many numbers": 1,
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_archive_gives_its_plain_files_and_one_clear_line_on_anything_else(
    archive: Callable[[bytes], Path], case: str
) -> None:
    made, expected = CASES[case]
    path = archive(made if isinstance(made, bytes) else made())
    if case in MEMORY:
        tracemalloc.start()
    try:
        found = found_in(path)
        assert tracemalloc.get_traced_memory()[1] <= MEMORY.get(case, 0) * MB
    finally:
        tracemalloc.stop()
    assert agrees(found, expected), found


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_is_no_archive(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "odd")
    assert found_in(tmp_path / "odd") == {"": "cannot be opened: not a plain file"}


def test_entries_and_bytes_are_counted_over_the_whole_archive(
    archive: Callable[[bytes], Path], tmp_path: Path
) -> None:
    path = archive(gzip.compress(tarred(*map(member, "abcdef"))))
    for place in (path, tmp_path):
        (tmp_path / "other").touch()
        assert "too many entries" in str(found_in(place, Bounds(entries=1))[""])
    path = archive(zipped({"a": b"1" * 60, "b": b"2" * 60}))
    found = found_in(path, Bounds(unpacked=100))
    assert agrees(found, {"a": b"1" * 60, "": "is too large when unpacked"})
    found = found_in(archive(zipped({"ada.tgz": packed_tar()})), Bounds(unpacked=5000))
    assert agrees(found, {"ada.tgz": "is too large when unpacked"})


UTC_TIME = datetime.fromtimestamp(1_700_000_000, UTC)
YEAR_80 = (1980, 1, 1, 0, 0, 0)  # when nothing was handed in


@pytest.mark.parametrize(
    ("content", "when"),
    [
        (zipped({"ada.zip": zipped({"n": b"1"}, YEAR_80)}), datetime(2026, 3, 2, 18)),  # in an unknown zone
        (zipped({"n": b""}, YEAR_80, extra=struct.pack("<HHBi", 0x5455, 5, 1, 1_700_000_000)), UTC_TIME),
        (zipped({"n": b""}, YEAR_80, extra=struct.pack("<HHBi", 0x5455, 5, 0, 1_700_000_000)), None),
        (zipped({"n": b""}, YEAR_80, extra=struct.pack("<HHBi", 0x5455, 5, 1, 0)), None),
        (tarred(member("n", mtime=1_700_000_000)), UTC_TIME),
        (tarred(member("n", mtime=1_700_000_000.5)), UTC_TIME.replace(microsecond=500_000)),
    ],
)
def test_a_file_has_the_time_that_its_archive_knows(
    archive: Callable[[bytes], Path], content: bytes, when: datetime | None
) -> None:
    (entry,) = read_entries(archive(content))
    assert entry.when == when


@pytest.mark.parametrize(
    "whole",
    [
        zipped({"a/n.ipynb": b"12" * 99, "b.zip": zipped({"n": b"1"})}),
        packed_tar(),
        tarred(member("n" * 200, size=1, mtime=1.5)),
        tarred(member("n" * 200, size=1), form=tarfile.GNU_FORMAT),
        SPARSE,
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
    assert found_in(path).get("", "an end") != ""


def test_a_folder_is_read_in_order_and_a_pipe_makes_nobody_wait(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "n").write_bytes(name.encode())
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / "loop").symlink_to(tmp_path)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(tmp_path / "door"))
        found = found_in(tmp_path)
    odd = {"door": ODD, "link": "is a link", "loop": "is a link", "pipe": ODD}
    assert list(found.items()) == [*odd.items(), ("a/n", b"a"), ("b/n", b"b")]


def test_a_file_that_becomes_a_link_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "n"
    path.write_text("mine", encoding="utf-8")
    entries = read_entries(tmp_path)
    entry = next(entries)
    path.unlink()
    path.symlink_to("/etc/passwd")
    assert str(read(entry)).startswith("cannot be opened")
    assert list(entries) == []
    assert str(read(entry)) == "is not open"  # its folder is closed by now


@pytest.mark.parametrize("swapped", ["b", "b/c", "b/c/d"])
def test_a_folder_that_becomes_a_link_once_reading_has_begun_is_not_followed(
    tmp_path: Path, swapped: str
) -> None:
    root, theirs = tmp_path / "root", tmp_path / "theirs"
    for folder, text in ((root, "mine"), (theirs, "theirs")):
        (folder / "b/c/d").mkdir(parents=True)
        for below in ("", "b", "b/c", "b/c/d"):
            (folder / below / "n").write_text(text, encoding="utf-8")
    entries, found = read_entries(root), dict[str, str]()
    for entry in entries:
        if not found:  # `root` is open, and what lies in it is listed
            (root / swapped).rename(tmp_path / "elsewhere")
            (root / swapped).symlink_to(theirs / swapped)
        found[entry.name] = entry.problem or str(read(entry))
    assert "theirs" not in "".join(found.values())
    assert found["n"] == "b'mine'"
    assert found[f"{swapped}/" if swapped == "b" else swapped].endswith(
        ("Not a directory", "Too many levels of symbolic links", "is a link")
    )


@pytest.mark.parametrize("level", ["b", "b/c"])
def test_what_is_read_in_an_open_folder_stays_its_own_when_a_link_takes_its_name(
    tmp_path: Path, level: str
) -> None:
    root, theirs = tmp_path / "root", tmp_path / "theirs"
    for folder, text in ((root, "mine"), (theirs, "theirs")):
        (folder / "b/c").mkdir(parents=True)
        (folder / "b/c/n").write_text(text, encoding="utf-8")
    reading = read_entries(root)
    first = next(reading)
    (root / level).rename(tmp_path / "elsewhere")
    (root / level).symlink_to(theirs / level)
    assert (first.name, read(first)) == ("b/c/n", b"mine")


def test_folders_in_each_other_without_end_are_refused_in_one_line(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*"x" * 300)
    deep.mkdir(parents=True)
    (deep / "n").write_bytes(b"n")
    (tmp_path / "y").write_bytes(b"y")
    assert list(found_in(tmp_path).items()) == [
        ("y", b"y"),
        ("x/" * 101, "is inside more than 100 nested folders; move it to a folder nearer to the top"),
    ]
