"""Package managers: installing from unknown places, publishing, uninstalling."""

from __future__ import annotations

import re

from hermes_tui.security.risk_files import Handler
from hermes_tui.security.risk_scene import Scene
from hermes_tui.security.shell_command import Command
from hermes_tui.security.shell_options import names, parse, spec

_FETCHED = re.compile(
    r"(?:git\+|hg\+|svn\+|https?://|ftp://|git://|git@|ssh://|github:|gitlab:|bitbucket:|gist:)"
)
_INSTALLS = frozenset(names("install i add in sync download wheel get isntall ci dlx"))
_PIP = spec(
    "r:c:e:i:f:t:p:",
    "requirement= constraint= editable= index-url= extra-index-url= find-links= target= prefix= "
    "root= trusted-host= proxy= python= registry= index= default-index= upgrade user yes",
)
_OWN = re.compile(r"hermes[-_]tui\b")


def _unknown_place(scene: Scene) -> None:
    scene.find("remote-execution", "it installs code from an address that is no known registry")


def _python(command: Command, scene: Scene) -> None:
    args = list(command.argv[1:])
    while args and args[0] in ("pip", "tool", "-m", "python", "self"):
        args.pop(0)
    if command.name == "easy_install":
        args.insert(0, "install")
    options = parse(args, _PIP)
    verb = options.operands[0] if options.operands else ""
    rest = options.operands[1:]
    if verb in ("uninstall", "remove") or (command.name == "uv" and verb == "clean"):
        own = any(_OWN.match(one) for one in rest)
        scene.find(
            "self-tampering" if own else "service", "it removes installed packages", outside=own
        )
    elif verb in _INSTALLS:
        _sources(
            [*rest, *options.every("e", "editable")],
            options.every(
                "i", "index-url", "extra-index-url", "index", "default-index", "f", "find-links"
            ),
            scene,
        )
        if options.has("trusted-host"):
            _unknown_place(scene)
        facts = scene.facts[command.number]
        facts.writes += scene.paths(options.every("t", "target", "root", "prefix"), command)
    elif verb == "config" and rest[:1] == ["set"]:
        scene.find("persistence", "it changes where packages come from", outside=True)
    elif verb in ("publish", "upload"):
        _published(scene)


def _sources(names: list[str], indexes: list[str], scene: Scene) -> None:
    fetched = any(_FETCHED.search(one) for one in names)
    if fetched or any("://" in one for one in indexes):
        _unknown_place(scene)


def _published(scene: Scene) -> None:
    scene.find("exfiltration", "it publishes a package", outside=True)


def _node(command: Command, scene: Scene) -> None:
    options = parse(
        command.argv[1:],
        spec("g", "registry= global prefix= script-shell= save-dev tag= access= otp="),
    )
    verb = options.operands[0] if options.operands else ""
    if verb in ("publish",):
        _published(scene)
    elif verb in ("unpublish", "deprecate", "access", "owner", "team"):
        scene.find("destruction", "it changes or deletes a published package", outside=True)
    elif verb in ("token", "adduser", "login"):
        scene.find("secret-reading", "it shows or makes an access token", outside=True)
    elif verb in ("config", "set", "c") and ("set" in options.operands[:2] or verb == "set"):
        scene.find("persistence", "it changes how packages are installed from now on", outside=True)
    elif verb in ("config", "c", "get") and re.search(
        r"_auth|token|password", " ".join(options.operands)
    ):
        scene.find("secret-reading", "it shows an access token", outside=True)
    elif verb in _INSTALLS or command.name in ("npx", "bunx"):
        _sources(options.operands, options.every("registry"), scene)
        if options.has("g", "global"):
            scene.find("privilege", "it installs for the whole machine", outside=True)
    elif verb in ("uninstall", "rm", "remove", "un") and options.has("g", "global"):
        scene.find("service", "it removes software of the whole machine", outside=True)
    elif verb == "cache" and "clean" in options.operands:
        return
    if options.has("script-shell"):
        scene.find("remote-execution", "it names the shell that scripts run in")


def _cargo(command: Command, scene: Scene) -> None:
    words = [arg for arg in command.argv[1:] if not arg.startswith(("-", "+"))]
    if (
        words[:1] in (["publish"], ["yank"], ["owner"], ["login"])
        and "--dry-run" not in command.argv
    ):
        _published(scene)
    elif words[:1] == ["uninstall"]:
        scene.find("service", "it removes installed software", outside=True)
    elif words[:1] in (["install"], ["add"]) and any(
        arg.startswith(("--git", "--index", "--registry")) for arg in command.argv
    ):
        _unknown_place(scene)


def _go(command: Command, scene: Scene) -> None:
    words = [arg for arg in command.argv[1:] if not arg.startswith("-")]
    if words[:1] in (["install"], ["run"]) and any(
        re.match(r"[\w-]+\.[\w.-]+/\S+@", word) for word in words[1:]
    ):
        _unknown_place(scene)
    elif words[:1] == ["clean"] and {"-modcache"} & set(command.argv):
        scene.find("destruction", "it deletes the module cache", outside=True)
    elif words[:1] == ["env"] and "-w" in command.argv:
        scene.find("persistence", "it changes how go works from now on", outside=True)


def _gem(command: Command, scene: Scene) -> None:
    options = parse(command.argv[1:], spec("s:P:", "source= version= clear-sources"))
    verb = options.operands[0] if options.operands else ""
    if verb in ("push", "yank", "owner"):
        _published(scene)
    elif verb == "uninstall":
        scene.find("service", "it removes installed packages")
    elif verb in ("install", "sources") and (options.has("s", "source", "a", "add")):
        _unknown_place(scene)


def _runs_url(command: Command, scene: Scene) -> None:
    fetched = [arg for arg in command.argv[1:4] if re.match(r"https?://", arg)]
    if any(not arg.startswith("https://deno.land/std") for arg in fetched):
        _unknown_place(scene)


def _editor(command: Command, scene: Scene) -> None:
    if any(arg.startswith("--install-extension") for arg in command.argv[1:]):
        scene.find("remote-execution", "it installs an extension", outside=True)


def _upload(command: Command, scene: Scene) -> None:
    if command.argv[1:2] == ("upload",):
        _published(scene)


def _repository(command: Command, scene: Scene) -> None:
    if command.argv[1:] and command.argv[1:2] != ("list",):
        scene.find("persistence", "it trusts another source of software", outside=True)


def _make(command: Command, scene: Scene) -> None:
    """A makefile from the input is code; named targets are the workspace's own."""
    from hermes_tui.security.risk_code import shell_lines

    options = parse(
        command.argv[1:], spec("f:C:j::I:o:W:l::", "file= makefile= directory= eval= jobs=", False)
    )
    if options.has("n", "dry-run", "just-print", "recon", "q", "question"):
        return
    for text in options.every("eval"):
        shell_lines(re.sub(r"\$\(shell ([^)]*)\)", r"\1", text), command, scene)
    if options.value("f", "file", "makefile") in ("-", "/dev/stdin"):
        if command.stdin.text is None:
            scene.find("remote-execution", "it runs a makefile nobody has read")
        else:
            shell_lines(command.stdin.text, command, scene)
    for assignment in options.operands:
        name, equals, value = assignment.partition("=")
        if equals and name in ("SHELL", "MAKEFLAGS"):
            shell_lines(value, command, scene)
    if any(
        re.fullmatch(
            r"(?:uninstall|(?:dist|real|maintainer-)clean-?all|purge|nuke|wipe|destroy|deploy"
            r"|publish|release)",
            one,
        )
        for one in options.operands
    ):
        scene.find("destruction", "its target deletes or publishes by its name")


PROGRAMS: dict[str, Handler] = {
    **dict.fromkeys(
        names("pip pip3 uv pipx poetry pdm pipenv conda mamba micromamba easy_install hatch rye"),
        _python,
    ),
    **dict.fromkeys(names("npm yarn pnpm bun npx bunx cnpm"), _node),
    "cargo": _cargo,
    "go": _go,
    **dict.fromkeys(("gem", "bundle"), _gem),
    "deno": _runs_url,
    "twine": _upload,
    **dict.fromkeys(("code", "codium", "code-insiders", "cursor"), _editor),
    **dict.fromkeys(
        names(
            "apt-key add-apt-repository apt-add-repository yum-config-manager rpm-key "
            "update-ca-certificates trust"
        ),
        _repository,
    ),
    **dict.fromkeys(("make", "gmake", "just", "task"), _make),
}
