"""Which uses of git (and other version control) lose commits, work or run programs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

from hermes_tui.security.risk_files import Handler
from hermes_tui.security.risk_scene import Scene
from hermes_tui.security.shell_command import Command
from hermes_tui.security.shell_options import Options, parse, spec

_GLOBAL = spec(
    "C:c:",
    "git-dir= work-tree= namespace= exec-path= config-env= super-prefix= bare no-pager paginate "
    "no-replace-objects literal-pathspecs version help",
    True,
)
_RUNNING = re.compile(
    r"(?:core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|gitproxy|askpass)|alias\.\S+"
    r"|pager\.\S+"
    r"|diff\.(?:external|\S+\.(?:command|textconv))|merge\.\S+\.driver|filter\.\S+\.(?:clean"
    r"|smudge|process)"
    r"|sequence\.editor|credential\.(?:\S+\.)?helper|gpg\.(?:\S+\.)?program"
    r"|uploadpack\.packobjectshook"
    r"|(?:diff|merge)tool\.\S+\.(?:cmd|path)|browser\.\S+\.cmd|url\.\S+\.insteadof"
    r"|url\.\S+\.pushinsteadof|remote\.\S+\.(?:uploadpack|receivepack|vcs|pushurl|url)"
    r"|protocol\.ext\.allow|init\.templatedir|man\.\S+\.cmd|interactive\.difffilter"
    r"|include(?:if\.\S+)?\.path|http\.proxy|http\.sslverify)\Z",
    re.IGNORECASE,
)


def git_words(argv: tuple[str, ...]) -> tuple[Options, str, list[str]]:
    """Git's own options, the subcommand, and its arguments."""
    options = parse(argv[1:], _GLOBAL)
    words = options.operands
    return options, (words[0] if words else ""), words[1:]


def _git(command: Command, scene: Scene) -> None:
    options, verb, args = git_words(command.argv)
    for setting in options.every("c", "config-env"):
        key, _, value = setting.partition("=")
        if _RUNNING.match(key) and value not in ("", "cat", "less", "true", "false"):
            scene.find("persistence", f"it has git run a program ({key})")
    if "--help" in args or "-h" in args or verb == "help":
        return
    if options.value("exec-path"):
        scene.find("remote-execution", "it has git run programs from another folder")
    handler = _VERBS.get(verb)
    if handler:
        handler(args, command, scene)


def _lost(scene: Scene, reason: str) -> None:
    scene.find("git-destructive", reason)


def _reset(args: list[str], command: Command, scene: Scene) -> None:
    if any(re.fullmatch(r"--(?:hard|har|ha|h|merge|keep)", arg) for arg in args):
        _lost(scene, "it throws away uncommitted work")


def _push(args: list[str], command: Command, scene: Scene) -> None:
    options = parse(
        args,
        spec(
            "o:",
            "force force-with-lease force-if-includes delete mirror prune all tags "
            "set-upstream push-option= repo= receive-pack= exec= dry-run no-verify",
        ),
    )
    if options.has("n", "dry-run"):
        return
    refs = options.operands[1:]
    if options.has("f", "force", "force-with-lease", "mirror", "prune") or any(
        ref.startswith("+") for ref in refs
    ):
        _lost(scene, "it overwrites commits on the remote")
    elif options.has("d", "delete") or any(ref.startswith(":") and len(ref) > 1 for ref in refs):
        _lost(scene, "it deletes a branch or tag on the remote")
    if options.has("receive-pack", "exec"):
        scene.find("remote-execution", "it names the program the remote runs")
    target = options.operands[0] if options.operands else options.value("repo")
    added = any(
        one.name == "git"
        and target
        and target in one.argv
        and {"add", "set-url"} & set(one.argv[2:3])
        for one in scene.commands
        if "remote" in one.argv[1:2]
    )
    if added:
        scene.find("exfiltration", "it sends the repository to a remote that was added just now")
    url = re.match(r"(?:[a-z+]+://|[\w.-]+@[\w.-]+:|ext::)", target)
    if url:
        facts = scene.facts[command.number]
        facts.hosts.append(re.sub(r"^(?:[a-z+]+://)?(?:[^@/]*@)?([^/:]*).*", r"\1", target))
        scene.find("exfiltration", "it sends the repository to an address that is no remote of it")


def _clean(args: list[str], command: Command, scene: Scene) -> None:
    options = parse(args, spec("e:", "force dry-run interactive exclude= quiet"))
    if options.has("f", "force") and not options.has("n", "dry-run"):
        _lost(scene, "it deletes files that are not in git")


def _checkout(args: list[str], command: Command, scene: Scene) -> None:
    options = parse(args, spec("b:B:", "force ours theirs orphan= track detach merge patch"))
    if options.has("b", "orphan") and not options.has("f", "force", "B"):
        return
    paths = args[args.index("--") + 1 :] if "--" in args else []
    if options.has("f", "force", "B"):
        _lost(scene, "it throws away uncommitted work")
    elif paths or any(word in (".", "*", ":/", "..", "./") for word in options.operands):
        _lost(scene, "it throws away uncommitted changes to files")


def _restore(args: list[str], command: Command, scene: Scene) -> None:
    options = parse(args, spec("s:", "source= staged worktree patch ours theirs"))
    staged = options.has("S", "staged")
    if (options.has("W", "worktree") or not staged) and options.operands:
        _lost(scene, "it throws away uncommitted changes to files")


def _branch(args: list[str], command: Command, scene: Scene) -> None:
    options = parse(
        args,
        spec(
            "u:",
            "delete force list set-upstream-to= move copy remotes all contains= merged= "
            "format= sort= points-at= no-merged= column edit-description",
        ),
    )
    deletes = options.has("d", "delete")
    if options.has("list", "l"):
        return
    if options.has("D") or (deletes and options.has("f", "force")):
        _lost(scene, "it deletes a branch that may not be merged")
    elif options.has("M", "C") or (options.has("f", "force") and options.operands):
        _lost(scene, "it moves a branch by force")


def _stash(args: list[str], command: Command, scene: Scene) -> None:
    if args[:1] in (["clear"], ["drop"]):
        _lost(scene, "it throws away stashed work")


def _reflog(args: list[str], command: Command, scene: Scene) -> None:
    if args[:1] in (["expire"], ["delete"], ["drop"]) and "--dry-run" not in args:
        _lost(scene, "it makes lost commits unrecoverable")


def _gc(args: list[str], command: Command, scene: Scene) -> None:
    if any(
        (arg.startswith("--prune=") and arg != "--prune=never")
        or arg in ("--aggressive-prune", "--prune")
        for arg in args
    ):
        _lost(scene, "it makes lost commits unrecoverable")


def _prune(args: list[str], command: Command, scene: Scene) -> None:
    if not {"-n", "--dry-run"} & set(args):
        _lost(scene, "it makes lost commits unrecoverable")


def _always(args: list[str], command: Command, scene: Scene) -> None:
    if not {"-n", "--dry-run", "--analyze"} & set(args):
        _lost(scene, "it rewrites history")


def _worktree(args: list[str], command: Command, scene: Scene) -> None:
    if args[:1] == ["remove"] or (args[:1] == ["prune"] and "-n" not in args):
        _lost(scene, "it deletes a worktree")


def _update_ref(args: list[str], command: Command, scene: Scene) -> None:
    if not args or "--help" not in args:
        _lost(scene, "it moves or deletes a reference by hand")


def _tag(args: list[str], command: Command, scene: Scene) -> None:
    options = parse(
        args, spec("m:u:F:n::", "delete force message= local-user= file= list sort= format=")
    )
    if options.has("d", "delete", "f", "force") and not options.has("list", "l"):
        _lost(scene, "it deletes or moves a tag")


def _remote(args: list[str], command: Command, scene: Scene) -> None:
    if args[:1] in (["remove"], ["rm"]):
        _lost(scene, "it removes a remote and its branches")
    elif args[:1] == ["set-url"]:
        scene.find("exfiltration", "it changes where the repository is sent")


def _rm(args: list[str], command: Command, scene: Scene) -> None:
    options = parse(args, spec("", "cached dry-run force recursive ignore-unmatch quiet"))
    if not options.has("cached", "n", "dry-run") and (
        options.has("r", "f", "force") or any("*" in one for one in options.operands)
    ):
        _lost(scene, "it deletes files by force or by the folder")


def _rebase(args: list[str], command: Command, scene: Scene) -> None:
    options = parse(
        args, spec("x:s:X:C:", "exec= onto= strategy= abort continue skip interactive root")
    )
    for text in options.every("x", "exec"):
        scene.find("remote-execution", f"it runs {text!r} for each commit")
    if options.has("i", "interactive", "root", "onto"):
        _lost(scene, "it rewrites history")


def _config(args: list[str], command: Command, scene: Scene) -> None:
    reading = re.compile(r"--(?:get.*|list|name-only|show.*)|-l|get|list|-e")
    if any(reading.fullmatch(arg) for arg in args):
        return
    options = parse(
        args,
        spec(
            "f:",
            "file= global system local unset unset-all add replace-all remove-section "
            "rename-section type= edit",
        ),
    )
    words = [one for one in options.operands if one not in ("set", "unset")]
    if len(words) > 1 and _RUNNING.match(words[0]):
        scene.find("persistence", f"it has git run a program from now on ({words[0]})")
    elif options.has("global", "system") and (
        len(words) > 1 or options.has("unset", "edit", "e", "remove-section")
    ):
        scene.find("persistence", "it changes git's settings for everything", outside=True)


def _submodule(args: list[str], command: Command, scene: Scene) -> None:
    if args[:1] == ["foreach"]:
        text = " ".join(arg for arg in args[1:] if not arg.startswith("--"))
        if re.search(r"\b(?:reset|clean|rm|checkout|push)\b", text):
            _lost(scene, "it changes every submodule")
    elif args[:1] == ["deinit"] and {"-f", "--force", "--all"} & set(args):
        _lost(scene, "it throws away submodules")


def _bisect(args: list[str], command: Command, scene: Scene) -> None:
    if args[:1] == ["run"]:
        scene.judge(shlex.join(args[1:]), command)


def _switch(args: list[str], command: Command, scene: Scene) -> None:
    if {"-f", "--force", "--discard-changes", "-C", "--force-create"} & set(args):
        _lost(scene, "it throws away uncommitted work")


def _clone(args: list[str], command: Command, scene: Scene) -> None:
    options = parse(
        args,
        spec(
            "c:u:o:b:j:",
            "config= upload-pack= template= depth= branch= origin= reference= "
            "separate-git-dir= recurse-submodules jobs= filter=",
        ),
    )
    for setting in options.every("c", "config"):
        if _RUNNING.match(setting.partition("=")[0]):
            scene.find("remote-execution", "it has git run a program")
    if options.has("u", "upload-pack", "template") or any(
        one.startswith("ext::") for one in options.operands
    ):
        scene.find("remote-execution", "it has git run a program")
    facts = scene.facts[command.number]
    for one in options.operands[:1]:
        host = re.match(r"(?:[a-z+]+://(?:[^@/]*@)?|[\w.-]+@)([\w.-]+)", one)
        facts.hosts += [host[1]] if host else []


def _upload(args: list[str], command: Command, scene: Scene) -> None:
    if any(arg.startswith(("--upload-pack", "--exec", "ext::")) for arg in args):
        scene.find("remote-execution", "it has git run a program")


def _credential(args: list[str], command: Command, scene: Scene) -> None:
    if args[:1] == ["fill"] or (args and command.argv[0].endswith("store")):
        scene.find("secret-reading", "it prints stored passwords")


def _mail(args: list[str], command: Command, scene: Scene) -> None:
    scene.find("exfiltration", "it mails commits")


_VERBS: dict[str, Callable[[list[str], Command, Scene], None]] = {
    "reset": _reset,
    "push": _push,
    "clean": _clean,
    "checkout": _checkout,
    "co": _checkout,
    "restore": _restore,
    "branch": _branch,
    "stash": _stash,
    "reflog": _reflog,
    "gc": _gc,
    "prune": _prune,
    "filter-branch": _always,
    "filter-repo": _always,
    "replace": _always,
    "worktree": _worktree,
    "update-ref": _update_ref,
    "bisect": _bisect,
    "tag": _tag,
    "remote": _remote,
    "rm": _rm,
    "rebase": _rebase,
    "config": _config,
    "submodule": _submodule,
    "switch": _switch,
    "clone": _clone,
    "fetch": _upload,
    "pull": _upload,
    "ls-remote": _upload,
    "archive": _upload,
    "credential": _credential,
    "send-email": _mail,
    "read-tree": _reset,
    "checkout-index": _checkout,
}


def _hg(command: Command, scene: Scene) -> None:
    args = command.argv[1:]
    if any(
        arg
        in (
            "strip",
            "purge",
            "rollback",
            "--clean",
            "-C",
            "--no-backup",
            "revert",
            "obliterate",
            "cleanup",
        )
        for arg in args
    ):
        _lost(scene, "it throws away work or history")
    if any("hooks." in arg or "alias." in arg for arg in args):
        scene.find("persistence", "it has hg run a program")


PROGRAMS: dict[str, Handler] = {
    "git": _git,
    "hg": _hg,
    "svn": _hg,
    "jj": _hg,
    "bfg": lambda c, s: _lost(s, "it rewrites history"),
}
