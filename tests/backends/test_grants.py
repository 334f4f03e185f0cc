"""The tools of everyday work run in the sandbox at once, and hooks stay what they were."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.backends.sandbox import Grants
from hermes_tui.security.grants_git import harmless_settings, repository
from hermes_tui.security.grants_git_config import may_set_up_branch, other_changes
from hermes_tui.security.grants_index import Index
from hermes_tui.security.grants_roots import tool_roots
from tests.fakes.sandbox_world import CANARY, Ran, World, finish, need

GIT_ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.com",
}


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=folder, env=GIT_ENV, capture_output=True, text=True, check=True
    )
    return done.stdout


def left_by(ran: Ran, folder: Path) -> list[str]:
    """What the command left that will run later, relative to a folder."""
    aftermath = ran.process.confinement.aftermath
    assert aftermath is not None
    return [os.path.relpath(one, folder) for one in aftermath()]


def program(name: str) -> None:
    if shutil.which(name, path="/usr/local/bin:/usr/bin:/bin") is None:
        pytest.skip(f"{name} is not installed")


@pytest.fixture(params=[3, 2])
def level(request: pytest.FixtureRequest) -> int:
    need(request.param)
    return request.param


@pytest.fixture
def three() -> int:
    need(3)
    return 3


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def repo(world: World) -> Path:
    git(world.work, "init", "-q", "-b", "main")
    (world.work / "a.txt").write_text("a\n")
    git(world.work, "add", ".")
    git(world.work, "commit", "-q", "-m", "first")
    return world.work


async def test_git_commits_as_the_person(world: World, repo: Path, level: int) -> None:
    (world.home / ".gitconfig").write_text(
        "[user]\n\tname = Ada L\n\temail = ada@example.com\n"
        f'[credential]\n\thelper = "!echo {CANARY}"\n[core]\n\tfsmonitor = evil\n'
    )
    ran = await world.run(
        "echo b > b.txt && git add . && git commit -q -m second && git switch -q -c other"
        " && git log --format=%an/%ae -1 && git status --short && cat ~/.gitconfig",
        world.sandbox(level),
    )
    assert ran.code == 0, ran.out
    assert ran.out.startswith("Ada L/ada@example.com\n")
    assert CANARY not in ran.out
    assert "evil" not in ran.out
    assert git(repo, "log", "--format=%s", "-1", "other") == "second\n"


async def test_hooks_and_settings_of_a_repository_are_held_still(
    world: World, repo: Path, three: int
) -> None:
    config = (repo / ".git/config").read_text()
    shutil.rmtree(repo / ".git/hooks", ignore_errors=True)
    for name in ("AGENTS.md", ".envrc"):
        (repo / name).write_text("as it was\n")
    (repo / ".vscode").mkdir()
    await world.run(
        "mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; git config core.fsmonitor evil;"
        "echo evil >> .git/config; mv .git old; mv .git/hooks h; rm -rf .git/hooks;"
        "echo evil > AGENTS.md; echo evil >> .envrc; mv .envrc x; rm .envrc;"
        "echo evil > .vscode/tasks.json; mv .vscode y",
        world.sandbox(three),
    )
    assert (repo / ".git/config").read_text() == config
    assert not list((repo / ".git/hooks").iterdir())
    assert (repo / "AGENTS.md").read_text() == (repo / ".envrc").read_text() == "as it was\n"
    assert not list((repo / ".vscode").iterdir())


async def test_what_makes_programs_run_code_later_is_told_of(
    world: World, repo: Path, level: int
) -> None:
    ran = await world.run(
        "echo evil > .git/commondir; mkdir -p sub/.vscode; echo x > sub/.vscode/tasks.json;"
        "echo x > CLAUDE.md; echo fine > other.md",
        world.sandbox(level),
    )
    assert left_by(ran, repo) == [".git/commondir", "CLAUDE.md", "sub/.vscode/tasks.json"]


async def test_a_hook_planted_without_namespaces_is_told_of(world: World, repo: Path) -> None:
    need(2)
    command = "echo evil > .git/hooks/pre-commit; git config alias.x '!evil'"
    ran = await world.run(command, world.sandbox(2))
    assert left_by(ran, repo) == [".git/config", ".git/hooks/pre-commit"]


async def test_git_settings_can_be_granted(world: World, repo: Path, three: int) -> None:
    sandbox = world.sandbox(three, grants=Grants(git_config=True))
    await world.run("git config branch.main.remote origin", sandbox)
    assert "remote = origin" in (repo / ".git/config").read_text()


async def test_a_linked_work_tree_reaches_its_repository(
    world: World, repo: Path, level: int
) -> None:
    linked = world.home / "linked"
    git(repo, "worktree", "add", "-q", str(linked))
    hook = repo / ".git/hooks/pre-commit"
    sandbox = world.sandbox(level, workspace=str(linked))
    ran = await world.run(
        f"echo c > c.txt && git add . && git -c user.name=A -c user.email=a commit -q -m third;"
        f"echo evil > {repo}/a.txt; echo evil > {hook}; git status --short",
        sandbox,
        cwd=str(linked),
    )
    assert git(repo, "log", "--format=%s", "-1", "linked") == "third\n", ran.out
    assert (repo / "a.txt").read_text() == "a\n"
    if level == 3:
        assert not hook.exists()


async def test_a_forged_work_tree_gets_nothing(world: World, three: int) -> None:
    """The `.git` file can be written by whoever works in the workspace."""
    target = world.home / "private"
    (target / "objects").mkdir(parents=True)
    (target / "HEAD").write_text(CANARY)
    (world.work / ".git").write_text(f"gitdir: {target}\n")
    assert repository(str(world.work), str(world.home)) is None
    ran = await world.run(f"cat {target}/HEAD; echo evil > {target}/HEAD", world.sandbox(three))
    assert CANARY not in ran.out
    assert (target / "HEAD").read_text() == CANARY


async def test_a_part_of_a_repository_sees_all_of_it(world: World, repo: Path, level: int) -> None:
    """git would take files it can't see for deleted ones."""
    part = repo / "part"
    part.mkdir()
    (repo / ".env").write_text(CANARY)
    sandbox = world.sandbox(level, workspace=str(part))
    ran = await world.run(
        "echo n > n.txt && git add . && git -c user.name=A -c user.email=a commit -q -m part;"
        "git show --stat --format=%s; cat ../.env; echo evil > ../a.txt",
        sandbox,
        cwd=str(part),
    )
    assert "part/n.txt" in ran.out, ran.out
    assert "a.txt |" not in ran.out
    assert CANARY not in ran.out
    assert (repo / "a.txt").read_text() == "a\n"


def test_a_repository_of_the_whole_home_is_not_opened_up(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    work = tmp_path / "person" / "work"
    work.mkdir(parents=True)
    assert repository(str(work), str(tmp_path / "person")) is None
    assert repository(str(work), str(tmp_path)) is None


async def test_make_runs(world: World, level: int) -> None:
    program("make")
    (world.work / "Makefile").write_text("all:\n\t@echo made > out && cat out\n")
    assert (await world.run("make", world.sandbox(level))).out == "made\n"


async def test_a_compiler_runs(world: World, level: int) -> None:
    program("gcc")
    (world.work / "a.c").write_text('#include <stdio.h>\nint main(){puts("built");}\n')
    ran = await world.run("gcc -o a a.c && ./a", world.sandbox(level))
    assert ran.out == "built\n"


async def test_a_python_environment_is_made_and_used(world: World, level: int) -> None:
    sandbox = world.sandbox(level)
    command = "/usr/bin/python3 -m venv --without-pip .venv && .venv/bin/python -c 'print(1+1)'"
    assert (await world.run(command, sandbox)).out == "2\n"
    env = {"PATH": f"{world.work}/.venv/bin:/usr/bin:/bin", "VIRTUAL_ENV": f"{world.work}/.venv"}
    ran = await world.run('python -c "import sys; print(sys.prefix)"', sandbox, env)
    assert ran.out == f"{world.work}/.venv\n"


async def test_npm_scripts_run(world: World, level: int) -> None:
    program("npm")
    (world.work / "package.json").write_text(
        '{"name": "x", "version": "1.0.0", "scripts": {"hi": "node -e \\"console.log(6*7)\\""}}'
    )
    ran = await world.run("npm run -s hi", world.sandbox(level))
    assert ran.out == "42\n"


async def test_cargo_builds(world: World, level: int) -> None:
    program("cargo")
    (world.work / "src").mkdir()
    (world.work / "src/main.rs").write_text('fn main(){println!("rust");}')
    (world.work / "Cargo.toml").write_text(
        '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n'
    )
    ran = await world.run("cargo run -q --offline", world.sandbox(level))
    assert ran.out == "rust\n"


# --- where programs live --------------------------------------------------------------------


def tool(path: Path, text: str = "#!/bin/sh\necho ran\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize(
    ("search", "real", "root"),
    [
        (".pyenv/shims", ".pyenv/versions/3.12.1/bin/python", ".pyenv"),
        (".nvm/versions/node/v22/bin", ".nvm/versions/node/v22/bin/node", ".nvm"),
        (".asdf/shims", ".asdf/installs/ruby/3/bin/ruby", ".asdf"),
        (".cargo/bin", ".rustup/toolchains/stable/bin/cargo", ".rustup"),
        (".local/share/mise/shims", ".local/share/mise/x", ".local/share/mise"),
        (".volta/bin", ".volta/tools/node", ".volta"),
        ("miniconda3/envs/x/bin", "miniconda3/conda-meta/history", "miniconda3"),
    ],
)
def test_a_version_manager_is_shown_whole_but_not_what_is_beside_it(
    tmp_path: Path, search: str, real: str, root: str
) -> None:
    tool(tmp_path / real)
    (tmp_path / search).mkdir(parents=True, exist_ok=True)
    roots = tool_roots(f"/usr/bin:{tmp_path / search}", str(tmp_path))
    assert str(tmp_path / root) in roots
    assert str(tmp_path) not in roots
    assert not any(one.startswith("/usr") for one in roots)


def test_a_tool_that_is_a_link_brings_its_environment_along(tmp_path: Path) -> None:
    """As pipx and uv install them: a link to an environment, based on a Python elsewhere."""
    venv = tmp_path / ".local/pipx/venvs/black"
    python = tool(tmp_path / ".local/share/uv/python/cpython-3.13/bin/python3.13")
    (python.parent.parent / "lib").mkdir()
    tool(venv / "bin/black")
    (venv / "pyvenv.cfg").write_text(f"home = {python.parent}\nversion = 3.13\n")
    search = tmp_path / ".local/bin"
    search.mkdir()
    (search / "black").symlink_to(venv / "bin/black")
    roots = tool_roots(str(search), str(tmp_path))
    assert str(venv) in roots
    assert str(search) in roots
    assert any(str(python).startswith(one) for one in roots)
    assert str(tmp_path / ".local") not in roots


def test_the_home_itself_is_never_shown(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    tool(tmp_path / "bin/x")
    roots = tool_roots(f"{tmp_path}:{tmp_path / 'bin'}:{tmp_path.parent}:/:.", str(tmp_path))
    assert roots == (str(tmp_path / "bin"),)


async def test_a_tool_of_the_home_runs_and_its_keys_stay_hidden(world: World, level: int) -> None:
    tool(world.home / ".nvm/versions/node/v22/bin/mynode")
    (world.home / ".nvm/.netrc").write_text(CANARY)
    env = {"PATH": f"{world.home}/.nvm/versions/node/v22/bin:/usr/bin:/bin"}
    ran = await world.run(
        "mynode; cat ~/.nvm/.netrc; cat ../../.nvm/.netrc; echo evil >> $(command -v mynode)",
        world.sandbox(level),
        env,
    )
    assert ran.out.startswith("ran\n")
    assert CANARY not in ran.out
    assert "evil" not in (world.home / ".nvm/versions/node/v22/bin/mynode").read_text()


def test_only_harmless_settings_of_git_are_taken_over(tmp_path: Path) -> None:
    (tmp_path / ".gitconfig").write_text(
        "[user]\n name = A\n[alias]\n x = !evil\n[core]\n pager = evil\n autocrlf = input\n"
        '[url "https://token@host/"]\n insteadOf = x\n[include]\n path = evil\n'
        "[init]\n templateDir = evil\n defaultBranch = main\n"
    )
    text = harmless_settings(str(tmp_path)).decode()
    assert [line.strip() for line in text.splitlines() if "=" in line] == [
        "name = A", "autocrlf = input", "defaultBranch = main",
    ]  # fmt: skip


def test_a_new_secret_is_found_although_the_rest_is_remembered(tmp_path: Path) -> None:
    deep = tmp_path / "a/b/c"
    deep.mkdir(parents=True)
    index = Index(str(tmp_path))
    assert index.find().secrets == ()
    (deep / ".env.local").write_text("x")
    assert index.find().secrets == (str(deep / ".env.local"),)
    (deep / ".env.local").unlink()
    certificate = deep / "x.pem"
    certificate.write_text("CERTIFICATE")
    assert index.find().secrets == ()
    certificate.write_text("-----BEGIN PRIVATE" + " KEY-----")
    assert index.find().secrets == (str(certificate),)
    assert index.find().complete


async def test_a_branch_can_be_set_up_and_nothing_else(
    world: World, repo: Path, three: int
) -> None:
    sandbox = world.sandbox(three, grants=Grants(git_config=True))
    await world.run("git config branch.main.merge refs/heads/main", sandbox)
    before = (repo / ".git/config").read_text()
    assert "merge = refs/heads/main" in before
    await world.run("git config branch.main.remote x; git config core.fsmonitor evil", sandbox)
    assert (repo / ".git/config").read_text() == before
    await world.run("rm .git/config; ln -s ../evil .git/config; echo '[alias]' > evil", sandbox)
    assert (repo / ".git/config").read_text() == before
    assert not (repo / ".git/config").is_symlink()


@pytest.mark.parametrize(
    ("line", "may"),
    [
        ("git checkout -b new origin/new", True),
        ("git switch new", True),
        ("/usr/bin/git -C sub branch -u origin/main", True),
        ("git branch --set-upstream-to=origin/main", True),
        ("git push -u origin new", True),
        ("git branch -D old", True),
        ("git push origin new", False),
        ("git config branch.main.remote x", False),
        ("git -c core.fsmonitor=evil checkout x", False),
        ("git --git-dir=x checkout y", False),
        ("git remote add x y", False),
        ("nogit checkout x", False),
        ("git", False),
    ],
)
def test_only_git_setting_up_a_branch_may_write_settings(line: str, may: bool) -> None:
    assert may_set_up_branch(line.split()) is may


@given(
    st.dictionaries(st.sampled_from(["core", "alias", "branch", "remote", "filter"]), st.text()),
    st.sampled_from(["fsmonitor", "x", "fetch", "merge"]),
    st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\\"), max_size=9),
)
def test_a_changed_key_that_is_no_branch_setting_is_always_seen(
    sections: dict[str, str], key: str, value: str
) -> None:
    before = "[core]\n\tbare = false\n"
    after = before
    for name, below in sections.items():
        quoted = "".join(one for one in below if one.isalnum())
        after += f'[{name} "{quoted}"]\n\t{key} = v{value}\n'
    other = other_changes(before, after)
    expected = {
        name
        for name in sections
        if not (name == "branch" and key == "merge") and not (name == "remote" and key == "fetch")
    }
    assert {one.partition(".")[0] for one in other} == expected


@pytest.mark.parametrize("end", ["\x0b", "\x0c", "\x1c", "\u2028", "\x85", "\r"])
def test_what_git_takes_for_one_line_is_one_line(end: str) -> None:
    after = f'[alias]#{end}[branch "x"]\n\tdescription = !evil\n'
    assert other_changes("", after) == ("alias.description",)


async def test_a_workspace_that_is_gone_at_the_end_keeps_no_end_from_being_told(
    world: World, repo: Path, three: int
) -> None:
    sandbox = world.sandbox(three, grants=Grants(git_config=True))
    child = await world.start("echo in; sleep 0.3; exit 4", sandbox)
    assert await child.read() == b"in\n"
    shutil.rmtree(repo)
    assert (await finish(child)).code == 4
