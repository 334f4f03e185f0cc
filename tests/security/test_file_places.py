"""No tool reads secrets or touches the agent's own files, whatever the path is called."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.errors import ToolError
from hermes_tui.home import Home
from hermes_tui.security import file_places, paths
from hermes_tui.security.policy import Action, Situation, decide

CANARY = b"canary-of-the-person"
AT_FDCWD, RENAME_EXCHANGE = -100, 2


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "person"
    made.mkdir()
    monkeypatch.setenv("HOME", str(made))
    return made


SECRET = """
.ssh/id_rsa .ssh/deploy .aws/credentials .aws/config .netrc .pgpass .git-credentials .kube/config
.npmrc .pypirc .docker/config.json .gnupg/private-keys-v1.d/a.key .config/gh/hosts.yml .bash_history
.config/chromium/Default/Cookies .mozilla/firefox/x/logins.json
.local/share/keyrings/login.keyring .password-store/mail.gpg
"""
IN_WORKSPACE = ".env .env.production prod.pem server.key service-account.json terraform.tfstate"
OPEN = (
    ".env.example id_rsa.pub README.md src/key.py tokens.md .gitignore package.json cert.pem "
    "docs/password-policy.md test_secrets.py"
)


@pytest.mark.parametrize("name", SECRET.split())
def test_where_keys_are_kept_no_tool_reads(person: Path, name: str) -> None:
    path = person / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(CANARY)
    for spelt in (str(path), f"~/{name}", str(path).replace("/", "//"), f"~/x/../{name}"):
        (person / "x").mkdir(exist_ok=True)
        with pytest.raises(ToolError, match="out of bounds"):
            paths.read_bytes(paths.resolve(spelt, "/", str(person)))


@pytest.mark.parametrize("name", IN_WORKSPACE.split())
def test_secrets_of_the_workspace_no_tool_reads(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(CANARY)
    with pytest.raises(ToolError, match="out of bounds"):
        paths.read_bytes(str(tmp_path / name))


@pytest.mark.parametrize("name", OPEN.split())
def test_what_only_sounds_like_a_secret_is_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"text")
    assert paths.read_bytes(str(path)) == b"text"


def test_a_settings_file_is_closed_only_while_a_token_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / ".npmrc"
    path.write_text("save-exact=true\n")
    assert paths.read_bytes(str(path))
    path.write_text("//registry/:_auth" + "Token=abcdef\n")
    with pytest.raises(ToolError):
        paths.read_bytes(str(path))


def test_a_link_to_a_secret_is_the_secret(person: Path, tmp_path: Path) -> None:
    (person / ".ssh").mkdir()
    (person / ".ssh/id_rsa").write_bytes(CANARY)
    (tmp_path / "notes.txt").symlink_to(person / ".ssh/id_rsa")
    (tmp_path / "folder").symlink_to(person / ".ssh")
    for name in ("notes.txt", "folder/id_rsa"):
        with pytest.raises(ToolError, match="out of bounds"):
            paths.read_bytes(paths.resolve(name, str(tmp_path)))


@given(
    st.text(st.characters(blacklist_characters="/\0", blacklist_categories=("Cs",)), max_size=40)
)
def test_the_agents_own_files_are_out_of_bounds_whatever_they_are_called(name: str) -> None:
    protected = ("/far/away/.hermes-tui",)
    real = paths.resolve(f"/far/away/.hermes-tui/{name}", "/")
    if os.path.dirname(real) != "/far/away/.hermes-tui":
        return
    with pytest.raises(ToolError):
        paths.refuse_protected(real, protected)
    with pytest.raises(ToolError):
        paths.refuse_protected(real, protected, reading=True)


def test_outputs_and_skills_are_read_and_not_written(home: Home) -> None:
    for name in ("outputs/s/long.txt", "skills/mine/SKILL.md"):
        path = home.path / name
        path.parent.mkdir(parents=True)
        path.write_text("kept")
        real = os.path.realpath(path)
        assert paths.read_bytes(real, home.protected) == b"kept"
        with pytest.raises(ToolError, match="out of bounds"):
            paths.replace_file(real, b"new", home.protected)
    assert path.read_text() == "kept"


@pytest.mark.parametrize(
    ("name", "asks"),
    [
        (".vscode/tasks.json", True),
        (".envrc", True),
        (".devcontainer/devcontainer.json", True),
        ("AGENTS.md", True),
        ("sub/CLAUDE.md", True),
        (".git/hooks/pre-commit", True),
        (".git/config", True),
        (".husky/pre-push", True),
        ("src/main.py", False),
        ("docs/hooks.md", False),
        (".gitignore", False),
    ],
)
def test_what_programs_follow_later_is_told_apart(tmp_path: Path, name: str, asks: bool) -> None:
    assert bool(file_places.trap(str(tmp_path / name), str(tmp_path))) is asks


class Swapping:
    """Swaps a file or folder with a link to another place, each time in one step."""

    def __init__(self, name: Path, other: Path) -> None:
        link = name.with_name(name.name + "-link")
        link.symlink_to(other)
        self.names = os.fsencode(name), os.fsencode(link)
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        exchange = ctypes.CDLL(None, use_errno=True).renameat2
        one, other = self.names
        while not self.over.is_set():
            assert exchange(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) == 0

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()


@pytest.mark.skipif(sys.platform != "linux", reason="needs renameat2")
def test_a_link_swapped_in_after_the_check_is_never_read_through(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/file.txt").write_bytes(CANARY)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/file.txt").write_bytes(b"mine")
    (tmp_path / "file.txt").write_bytes(b"mine")
    for name, other in (("folder", "elsewhere"), ("file.txt", "elsewhere/file.txt")):
        real = str(tmp_path / name / "file.txt") if name == "folder" else str(tmp_path / name)
        seen: set[bytes] = set()
        with Swapping(tmp_path / name, tmp_path / other):
            for _ in range(1000):
                try:
                    seen.add(paths.read_bytes(real))
                except ToolError:
                    continue
        assert seen <= {b"mine"}
        assert seen


@pytest.mark.skipif(sys.platform != "linux", reason="needs renameat2")
def test_a_link_swapped_in_after_the_check_is_never_written_through(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "folder").mkdir()
    real = str(tmp_path / "folder/new/file.txt")
    done = 0
    with Swapping(tmp_path / "folder", tmp_path / "elsewhere"):
        for _ in range(300):
            try:
                paths.replace_file(real, b"x")
                done += 1
            except ToolError:
                continue
    assert done
    assert (tmp_path / "elsewhere").is_dir()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_hard_link_leads_to_no_other_file_being_changed(tmp_path: Path) -> None:
    (tmp_path / "rc").write_bytes(b"theirs")
    os.link(tmp_path / "rc", tmp_path / "h.txt")
    paths.replace_file(str(tmp_path / "h.txt"), b"mine")
    assert (tmp_path / "rc").read_bytes() == b"theirs"
    assert (tmp_path / "h.txt").read_bytes() == b"mine"


def test_a_path_that_leads_elsewhere_than_when_it_was_decided_is_not_written(
    tmp_path: Path,
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "here").symlink_to("a")
    decided = (paths.resolve("here/x", str(tmp_path)),)
    assert paths.resolve_for_writing("here/x", str(tmp_path), "", decided) == decided[0]
    (tmp_path / "here").unlink()
    (tmp_path / "here").symlink_to("b")
    with pytest.raises(ToolError, match="another place"):
        paths.resolve_for_writing("here/x", str(tmp_path), "", decided)


@pytest.mark.parametrize("name", [".envrc", ".vscode/tasks.json", "AGENTS.md"])
def test_what_programs_follow_later_asks_also_where_edits_are_free(
    tmp_path: Path, name: str
) -> None:
    def verdict(path: str) -> str:
        action = Action(tool="write_file", kind="write", title="", paths=(path,))
        situation = Situation(mode="auto-edit", workspace=str(tmp_path))
        return decide(action, situation).verdict

    assert verdict(str(tmp_path / name)) == "ask"
    assert verdict(str(tmp_path / "main.py")) == "allow"
