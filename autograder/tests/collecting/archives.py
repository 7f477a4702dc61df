"""Archives for tests, made as they should be or as they should not."""

import gzip
import io
import struct
import tarfile
import zipfile
from collections.abc import Mapping

MB = 1 << 20


def zipped(
    files: Mapping[str, bytes | str], when: tuple[int, ...] = (2026, 3, 2, 18, 0, 0), **more: object
) -> bytes:
    """Return a zip of files with these contents; `more` is set in the description of each."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            year, month, day, hour, minute, second = when
            info = zipfile.ZipInfo("x", (year, month, day, hour, minute, second))
            info.filename = name  # ZipInfo would have corrected it
            for key, value in more.items():
                setattr(info, key, value)
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, **more: object) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type = kind
    for key, value in more.items():
        setattr(made, key, value)
    return made


def tarred(*members: tarfile.TarInfo, form: int = tarfile.PAX_FORMAT) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=form) as archive:
        for each in members:
            archive.addfile(each, io.BytesIO(b"x" * each.size))
    return file.getvalue()


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
