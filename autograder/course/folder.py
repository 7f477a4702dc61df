"""Lists a folder's own files, without those that programs leave there."""

from pathlib import Path


def own_files(folder: Path, pattern: str = "**/*") -> tuple[Path, ...]:
    """Return the files below `folder` that match `pattern`, in order.

    Hidden ones count as left by programs: JupyterLab makes `.ipynb_checkpoints`, macOS `.DS_Store` and `._*`.
    """
    return tuple(
        path
        for path in sorted(folder.glob(pattern))
        if path.is_file() and not any(map(left_by_programs, path.relative_to(folder).parts))
    )


def left_by_programs(name: str) -> bool:
    """Whether a file or folder of this name is none that an author has written."""
    return name.startswith(".") or name == "__pycache__"
