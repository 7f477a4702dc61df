"""Archives for tests, made as they should be or as they should not."""

import io
import tarfile
import zipfile
from collections.abc import Mapping


def zipped(
    files: Mapping[str, bytes | str],
    when: tuple[int, ...] = (2026, 3, 2, 18, 0, 0),
    packing: int = zipfile.ZIP_DEFLATED,
    **more: object,
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
            archive.writestr(info, content, packing)
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
