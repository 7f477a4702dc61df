"""Folders of workers: each is made anew, and nothing is removed but them."""

from pathlib import Path

import pytest

from autograder.worker.scratch import own_folder, remove


def test_only_folders_of_our_own_are_removed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (tmp_path / "worker-link").symlink_to(kept)
    (tmp_path / "worker-file").touch()
    left = tmp_path / "worker-left" / "deep"
    left.mkdir(parents=True)
    left.parent.chmod(0o700)
    with own_folder(tmp_path) as first, own_folder(tmp_path) as second:
        assert first.is_dir()
        assert second.is_dir()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "worker-file", "worker-link"]


def test_a_folder_is_removed_though_another_process_clears_up_in_between(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, cleared = tmp_path / "worker-1", list[Path]()
    (folder / "below").mkdir(parents=True)
    mkdir = Path.mkdir

    def made_and_cleared(path: Path) -> None:
        mkdir(path)
        if not cleared:
            cleared.append(path)
            path.rmdir()

    monkeypatch.setattr(Path, "mkdir", made_and_cleared)
    remove(folder)
    assert cleared
    assert list(tmp_path.iterdir()) == []
