"""A folder that was kept is put back byte for byte, whatever happened to it since."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.errors import StoreError
from hermes_tui.store import checkpoints_tree as trees
from hermes_tui.store.blobs import Blobs
from hermes_tui.store.checkpoints_ignore import Ignored
from hermes_tui.store.checkpoints_restore import CHANGED, Restorer
from hermes_tui.store.checkpoints_scan import Limits, NoCheckpoint, Scanner, Seen
from hermes_tui.store.checkpoints_tree import Entry

Plain = dict[str, tuple[str, int, bytes]]


class Kept:
    """A folder and what is kept of it."""

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        self.root = folder / "work"
        self.root.mkdir(parents=True, exist_ok=True)
        self.blobs = Blobs(folder / "blobs")
        self.limits = limits or Limits()
        self.seen: dict[str, Seen] = {}
        self.read = 0

    def keep(self) -> dict[str, Entry]:
        found = Scanner(str(self.root), self.limits, self.blobs).run(self.seen)
        self.seen, self.read = found.seen, found.read
        return found.tree

    def back(self, target: trees.Tree) -> dict[str, str]:
        """Put everything back; what stayed and why."""
        now = self.keep()
        paths = list(trees.diff(target, now))
        return Restorer(str(self.root), target, now, self.blobs).run(paths)


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def as_it_is(root: Path) -> Plain:
    """Everything below a folder by an independent walk: kind, mode, content or target."""
    found: Plain = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = os.path.join(folder, name)
            info = os.lstat(path)
            mode = stat.S_IMODE(info.st_mode)
            key = os.path.relpath(path, root)
            if stat.S_ISLNK(info.st_mode):
                found[key] = ("link", 0, os.fsencode(os.readlink(path)))
            elif stat.S_ISDIR(info.st_mode):
                found[key] = ("dir", mode, b"")
            else:
                found[key] = ("file", mode, Path(path).read_bytes())
    return found


# --- random trees, random edits ---

NAMES = ["a", "b", "c.txt", "ü", "-x", "new\nline"]
names = st.sampled_from(NAMES)
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
contents = st.binary(max_size=300) | st.just(b"same") | st.just(b"x" * 5000)
edits = st.one_of(
    st.tuples(st.just("write"), paths, contents),
    st.tuples(st.just("mkdir"), paths, st.just(b"")),
    st.tuples(st.just("delete"), paths, st.just(b"")),
    st.tuples(st.just("rename"), paths, paths),
    st.tuples(st.just("chmod"), paths, st.sampled_from([0o644, 0o600, 0o755, 0o444, 0o500])),
    st.tuples(st.just("link"), paths, st.sampled_from(["a", "..", "/etc", "../outside", "gone"])),
    st.tuples(st.just("hard"), paths, paths),
)


def edit(root: Path, what: tuple[str, str, object]) -> None:
    """One edit, never through a link; one that can't be done is none."""
    kind, path, more = what
    if _through_link(root, path) or (kind in ("rename", "hard") and _through_link(root, str(more))):
        return
    try:
        _edit(kind, root / path, more, root)
    except (OSError, shutil.Error):
        return


def _through_link(root: Path, path: str) -> bool:
    return any((root / one).is_symlink() for one in trees.above(path))


def _edit(what: str, path: Path, more: object, root: Path) -> None:
    match what, more:
        case "write", bytes(content):
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.is_symlink():
                path.write_bytes(content)
        case "mkdir", _:
            path.mkdir(parents=True)
        case "delete", _:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        case "rename", str(other):
            os.rename(path, root / other)
        case "chmod", int(mode):
            if not path.is_symlink():
                path.chmod(mode | 0o500 if path.is_dir() else mode)
        case "link", str(target):
            path.symlink_to(target)
        case "hard", str(other):
            os.link(path, root / other)
        case _:
            raise AssertionError(what)


@settings(max_examples=120, deadline=None)
@given(st.lists(edits, max_size=14), st.lists(edits, max_size=14))
def test_whatever_is_edited_comes_back_byte_for_byte_and_so_does_the_edit(
    first: list[tuple[str, str, object]], then: list[tuple[str, str, object]]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        kept = Kept(Path(name))
        outside = Path(name, "outside")
        outside.mkdir()
        (outside / "file").write_text("untouched")
        for one in first:
            edit(kept.root, one)
        was, tree = as_it_is(kept.root), kept.keep()
        for one in then:
            edit(kept.root, one)
        edited, undo = as_it_is(kept.root), kept.keep()
        assert kept.back(tree) == {}
        assert as_it_is(kept.root) == was
        assert kept.back(undo) == {}
        assert as_it_is(kept.root) == edited
        assert as_it_is(outside) == {"file": ("file", 0o644, b"untouched")}
        subprocess.run(["chmod", "-R", "u+rwX", name], check=True)


def test_a_tree_is_the_same_after_it_was_written_down() -> None:
    tree = {
        "a": Entry("dir", 0o755),
        "a/\udcff\n": Entry("file", 0o4711, 3, "ab" * 20),
        "l": Entry("link", 0, 0, "../\udcfe"),
        "node_modules": Entry("left", 0, 0, "can be made anew"),
    }
    assert trees.decode(trees.encode(tree)) == tree
    assert trees.encode(dict(reversed(tree.items()))) == trees.encode(tree)
    with pytest.raises(StoreError, match="can't be read"):
        trees.decode(b"nonsense")


@given(st.binary(max_size=200_000) | st.binary(max_size=50).map(lambda b: b * 3000))
@settings(max_examples=30, deadline=None)
def test_a_content_comes_back_as_it_was_put(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        blobs = Blobs(Path(name))
        digest = blobs.put(content)
        assert blobs.get(digest) == content
        written = blobs.written
        assert blobs.put(content) == digest
        assert blobs.written == written
        assert blobs.sizes() == {digest: written}


# --- what is read, what is left out ---


def settle(root: Path) -> None:
    """Make every file old enough for its times to tell whether it changed."""
    for path in root.rglob("*"):
        os.utime(path, (1e9, 1e9), follow_symlinks=False)
    until = time.time() + 0.05
    while time.time() < until:
        os.sched_yield()


def test_only_what_changed_is_read_again(kept: Kept) -> None:
    for number in range(20):
        (kept.root / f"f{number}").write_text(f"text {number}")
    settle(kept.root)
    kept.keep()
    assert kept.read == 20
    (kept.root / "f3").write_text("other 3")
    os.utime(kept.root / "f3", (1e9, 1e9))
    kept.keep()
    assert kept.read == 1


def test_an_edit_right_after_a_look_is_seen_though_size_and_times_are_the_same(
    kept: Kept,
) -> None:
    path = kept.root / "f"
    for number in range(30):
        path.write_text(f"{number:03}")
        tree = kept.keep()
        path.write_text(f"{number:03}"[::-1])
        kept.back(tree)
        assert path.read_text() == f"{number:03}"
    kept.keep()
    assert "f" not in kept.seen  # its times can't tell it from one changed in the same tick


def test_what_can_be_made_anew_is_left_out_and_never_deleted(kept: Kept) -> None:
    modules = kept.root / "app" / "node_modules" / "left-pad"
    env, cache = kept.root / "env", kept.root / "target"
    for folder in (modules, env, cache):
        folder.mkdir(parents=True)
        (folder / "file").write_text("heavy")
    (env / "pyvenv.cfg").write_text("")
    (cache / "CACHEDIR.TAG").write_text("")
    tree = kept.keep()
    left = {path for path, entry in tree.items() if entry.kind == "left"}
    assert left == {"app/node_modules", "env", "target"}
    for folder in (modules, env, cache):
        (folder / "more").write_text("since")
    (kept.root / "app" / "x").write_text("since")
    later = kept.root / "new" / ".venv"
    later.mkdir(parents=True)
    stays = kept.back(tree)
    assert not (kept.root / "app" / "x").exists()
    assert (modules / "more").exists()
    assert (cache / "more").exists()
    assert later.is_dir()
    assert list(stays) == ["new"]
    assert "not empty" in stays["new"]


def test_small_ignored_files_are_kept_and_large_ignored_ones_are_not(kept: Kept) -> None:
    (kept.root / ".gitignore").write_text(".env\n*.bin\ndata/\nbig/\n")
    (kept.root / ".env").write_text("A=1")
    (kept.root / "x.bin").write_bytes(b"0" * 300_000)
    (kept.root / "data").mkdir()
    (kept.root / "data" / "precious").write_text("mine")
    (kept.root / "big").mkdir()
    for number in range(201):
        (kept.root / "big" / str(number)).touch()
    tree = kept.keep()
    kinds = {path: tree[path].kind for path in (".env", "data/precious", "x.bin", "big")}
    assert kinds == {".env": "file", "data/precious": "file", "x.bin": "left", "big": "left"}


def test_the_bounds_are_said_and_hold(tmp_path: Path) -> None:
    limits = Limits(files=5, file_bytes=1_000_000, total_bytes=1_500_000)
    kept = Kept(tmp_path, limits)
    (kept.root / "huge").write_bytes(b"0" * 1_000_001)
    assert kept.keep()["huge"] == Entry("left", 0, 0, "over 1 MB")
    for name in ("a", "b"):
        (kept.root / name).write_bytes(b"0" * 900_000)
    with pytest.raises(NoCheckpoint, match="more than 1 MB"):
        kept.keep()
    for number in range(5):
        (kept.root / f"n{number}").touch()
    with pytest.raises(NoCheckpoint, match="more than 5 files"):
        kept.keep()


def test_the_agents_own_folder_and_pipes_are_left_out(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    (kept.root / "home").mkdir()
    os.mkfifo(kept.root / "pipe")
    scanner = Scanner(str(kept.root), Limits(), kept.blobs, str(kept.root / "home"))
    tree = scanner.run({}).tree
    assert {path: entry.key for path, entry in tree.items()} == {
        "home": "the agent's own folder",
        "pipe": "a pipe, socket or device",
    }


def test_contents_are_for_the_owner_alone(kept: Kept) -> None:
    (kept.root / ".env").write_text("KEY=value")
    kept.keep()
    for path in (kept.blobs.folder, *kept.blobs.folder.rglob("*")):
        assert path.stat().st_mode & 0o077 == 0, path


# --- putting back is careful ---


def test_a_link_put_in_the_way_leads_nowhere(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_text("new")
    (kept.root / "d").mkdir()
    (kept.root / "d" / "f").write_text("old")
    tree = kept.keep()
    (kept.root / "d" / "f").write_text("new")
    now = kept.keep()
    shutil.rmtree(kept.root / "d")
    (kept.root / "d").symlink_to(outside)
    stays = Restorer(str(kept.root), tree, now, kept.blobs).run(["d/f"])
    assert list(stays) == ["d/f"]
    assert (outside / "f").read_text() == "new"


def test_what_changes_while_it_is_put_back_stays(kept: Kept) -> None:
    path = kept.root / "f"
    path.write_text("old")
    tree = kept.keep()
    path.write_text("new")
    now = kept.keep()
    path.write_text("newer")
    (kept.root / "g").write_text("came since")
    assert Restorer(str(kept.root), tree, now, kept.blobs).run(["f"]) == {"f": CHANGED}
    assert path.read_text() == "newer"


def test_a_lost_or_damaged_content_leaves_the_file_as_it_is(kept: Kept) -> None:
    for name in ("a", "b", "c"):
        (kept.root / name).write_text(f"old {name}")
    tree = kept.keep()
    for name in ("a", "b", "c"):
        (kept.root / name).write_text(f"new {name}")
    kept.blobs.drop([tree["a"].key])
    key = tree["b"].key
    (kept.blobs.folder / key[:2] / key[2:]).write_bytes(b"rold x")
    stays = kept.back(tree)
    assert set(stays) == {"a", "b"}
    texts = [(kept.root / name).read_text() for name in ("a", "b", "c")]
    assert texts == ["new a", "new b", "old c"]


def test_a_hard_link_to_elsewhere_is_not_written_through(kept: Kept, tmp_path: Path) -> None:
    (kept.root / "f").write_text("old")
    tree = kept.keep()
    (tmp_path / "elsewhere").write_text("shared")
    (kept.root / "f").unlink()
    os.link(tmp_path / "elsewhere", kept.root / "f")
    assert kept.back(tree) == {}
    assert (kept.root / "f").read_text() == "old"
    assert (tmp_path / "elsewhere").read_text() == "shared"


def test_a_mode_taken_away_comes_back(kept: Kept) -> None:
    (kept.root / "f").write_text("old")
    settle(kept.root)
    tree = kept.keep()
    (kept.root / "f").chmod(0)
    assert kept.back(tree) == {}
    assert (kept.root / "f").stat().st_mode & 0o777 == 0o644
    assert (kept.root / "f").read_text() == "old"


def test_a_deleted_repository_comes_back_and_new_objects_stay(kept: Kept) -> None:
    def git(*args: str) -> str:
        who = ("-c", "user.name=n", "-c", "user.email=e@x.org", "-c", "init.defaultBranch=main")
        command = ["git", "-C", str(kept.root), *who, *args]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    git("init", "-q")
    (kept.root / "f").write_text("one")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    tree = kept.keep()
    shutil.rmtree(kept.root / ".git")
    assert kept.back(tree) == {}
    assert git("log", "--format=%s") == "first\n"
    assert git("status", "--porcelain") == ""
    assert git("fsck") == ""


# --- .gitignore ---

patterns = st.lists(
    st.text("ab*?/![].\\ -#", min_size=1, max_size=7).filter(lambda text: text.strip()),
    min_size=1,
    max_size=4,
)


@settings(max_examples=60, deadline=None)
@given(patterns)
def test_patterns_mean_what_git_says(lines: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for path in ("a", "b.a", "ab/a", "ab/b/a", "ab/ba", "a-b", "aa/b"):
            target = root / path
            if target.parent.is_dir() or not target.parent.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.touch()
        (root / ".gitignore").write_text("\n".join(lines))
        files = sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file())
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
        listed = subprocess.run(
            ["git", "check-ignore", "--stdin", "--no-index"],
            cwd=root,
            input="\n".join(files),
            capture_output=True,
            text=True,
            check=False,
        ).stdout.split("\n")
        ignored = Ignored("", "\n".join(lines), None)
        ours = [path for path in files if _ignored(ignored, path)]
        assert ours == [path for path in files if path in listed], lines


def _ignored(ignored: Ignored, path: str) -> bool:
    """A file is ignored when it is, or when one of its folders is."""
    folders = list(trees.above(path))[::-1]
    return any(ignored.covers(one, True) for one in folders) or ignored.covers(path, False)


def test_what_was_shut_to_its_owner_with_all_that_lies_in_it_comes_back(kept: Kept) -> None:
    inner = kept.root / "doors" / "inner"
    inner.mkdir(parents=True)
    (inner / "file").write_text("as it was\n")
    (kept.root / "doors" / "other").write_text("too\n")
    settle(kept.root)
    before, target = as_it_is(kept.root), kept.keep()
    for path in (inner / "file", kept.root / "doors" / "other", inner, kept.root / "doors"):
        path.chmod(0)
    try:
        assert kept.back(target) == {}
    finally:
        subprocess.run(["chmod", "-R", "u+rwX", kept.root / "doors"], check=False)
    assert as_it_is(kept.root) == before
