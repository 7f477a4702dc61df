"""What the platforms of a made-up term give out: archives, lists of times, and nbgrader's exchange."""

import json
import random
import zipfile
from base64 import b64encode
from collections.abc import Mapping
from datetime import UTC
from pathlib import Path

from autograder.tests.term.rules import BERLIN, CLASS, DUE, HandIn

DOWNLOADED = (2026, 6, 1, 10, 0, 0)
NOTHING = b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}'
Work = Mapping[str, list[tuple[HandIn, bytes]]]  # by student: what came so far, in order


def students_csv() -> str:
    """Return the list of the class."""
    lines = [f'{s},"Family{s[1:]}, Given{s[1:]}",{s}@uni.edu,1{s[1:]},g{s[1:]},' for s in CLASS]
    return "\n".join(["id,name,email,canvas,gradescope,group", *lines]) + "\n"


def canvas(folder: Path, exercise: str, work: Work) -> None:
    """Write Canvas's zip, and a list of the times of the newest uploads.

    Each student has two files there, and the newer one has another name than was asked for. Late ones are
    marked. A notebook may be of format 3, or have more outputs than a file may be large.
    """
    files, times = {}, ["student,exercise,time"]
    for student, attempts in work.items():
        handed_in, content = attempts[-1]
        upload = 9000 + 1000 * len(attempts) + 10 * int(student[1:])
        late = "LATE_" if handed_in.came > DUE[exercise].replace(tzinfo=BERLIN) else ""
        who = f"family{student[1:]}given{student[1:]}_{late}1{student[1:]}"
        files[f"{who}_{upload}_{exercise}.ipynb"] = NOTHING
        form = {"s01": _of_format_3, "s02": _with_large_outputs}.get(student, bytes)
        files[f"{who}_{upload + 1}_{exercise}_final.ipynb"] = form(content)
        times.append(f"1{student[1:]},{exercise},{handed_in.came:%Y-%m-%d %H:%M}")
    _zip(folder / "canvas.zip", files)
    (folder / "times.csv").write_text("\n".join(times) + "\n", encoding="utf-8")


def moodle(folder: Path, exercise: str, work: Work) -> None:
    """Write Moodle's zip, and its grading worksheet."""
    files = {}
    rows = [
        "Identifier,Full name,Email address,Status,Grade,Last modified (submission),Last modified (grade)"
    ]
    for student, attempts in work.items():
        handed_in, content = attempts[-1]
        name = f"Given{student[1:]} Family{student[1:]}"
        files[f"{name}_3{student[1:]}_assignsubmission_file/{exercise}.ipynb"] = content
        came = handed_in.came
        clock = f"{came:%A}, {came.day} {came:%B %Y}, {came.hour % 12 or 12}:{came:%M %p}"
        rows.append(f'Participant 3{student[1:]},{name},{student}@uni.edu,Submitted,-,"{clock}"')
    _zip(folder / "moodle.zip", files)
    (folder / "worksheet.csv").write_text("\n".join(rows) + "\n", encoding="utf-8-sig")


def gradescope(folder: Path, exercise: str, work: Work) -> None:
    """Write Gradescope's export."""
    files, about = {}, []
    for student, attempts in work.items():
        handed_in, content = attempts[-1]
        files[f"assignment_1_export/submission_{student[1:]}/{exercise}.ipynb"] = content
        came = handed_in.came.astimezone(UTC)
        who = f"  - :name: Given{student[1:]}\n    :sid: g{student[1:]}\n    :email: {student}@uni.edu\n"
        about.append(
            f"submission_{student[1:]}:\n  :submitters:\n{who}  :created_at: {came:%Y-%m-%d %H:%M:%S} Z\n"
        )
    files["assignment_1_export/submission_metadata.yml"] = "".join(about).encode()
    _zip(folder / "gradescope.zip", files)


def exchange(inbound: Path, exercise: str, work: Work) -> None:
    """Hand in as `nbgrader submit` does; the exchange keeps everything."""
    inbound.mkdir(parents=True, exist_ok=True)
    for student, attempts in work.items():
        for handed_in, content in attempts:
            stamp = f"{handed_in.came.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f} UTC"
            folder = inbound / f"{student}+{exercise}+{stamp}+UmFuZG9tLV8x"
            if not folder.exists():
                folder.mkdir()
                (folder / f"{exercise}.ipynb").write_bytes(content)
                (folder / "timestamp.txt").write_text(stamp)
                (folder / "submission_secret.txt").write_text(f"{student} {exercise} {stamp}")


def _of_format_3(content: bytes) -> bytes:
    cells = json.loads(content)["cells"]
    old = [{**cell, "input": cell["source"]} if cell["cell_type"] == "code" else cell for cell in cells]
    without = [{k: v for k, v in cell.items() if k != "source" or "input" not in cell} for cell in old]
    return json.dumps({"nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": without}]}).encode()


def _with_large_outputs(content: bytes) -> bytes:
    book = json.loads(content)
    noise = b64encode(random.Random(1).randbytes(16 << 20)).decode()
    code = next(cell for cell in book["cells"] if cell["cell_type"] == "code")
    code["outputs"] = [{"output_type": "display_data", "metadata": {}, "data": {"image/png": noise}}]
    return json.dumps(book).encode()


def _zip(path: Path, files: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, DOWNLOADED), content)
