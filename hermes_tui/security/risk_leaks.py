"""What leaves the machine, what comes in and is run, and shells that are handed over."""

from __future__ import annotations

import re

from hermes_tui.security.risk_hosts import is_local
from hermes_tui.security.risk_interpreters import language
from hermes_tui.security.risk_roles import ROLES
from hermes_tui.security.risk_scene import Scene
from hermes_tui.security.shell_command import Command
from hermes_tui.security.shell_options import names, parse
from hermes_tui.security.shell_state import NO_SOURCES, UNKNOWN
from hermes_tui.security.shell_wrapper_table import SHELLS
from hermes_tui.security.shell_wrappers import ssh_options

_RUNS_TEXT = frozenset({"eval", "source", ".", "trap"})


_TUNNELS = frozenset(
    names(
        "cloudflared ngrok lt localtunnel bore frpc frps chisel gs-netcat pwncat "
        "msfconsole msfvenom meterpreter ligolo rathole playit zrok telebit pagekite "
        "inlets iodine dnscat2 gost revsocks merlin"
    )
)


_NETCATS = frozenset(
    {
        "nc",
        "ncat",
        "netcat",
        "nc.traditional",
        "nc.openbsd",
        "telnet",
        "socat",
        "cryptcat",
        "openssl",
        "websocat",
    }
)


def shell_given_away(command: Command, scene: Scene) -> None:
    """Reverse shells, tunnels into this machine."""
    name = command.name
    wired = any(target.path.startswith(("/dev/tcp/", "/dev/udp/")) for target in command.redirects)
    if wired and (name in SHELLS or language(name)):
        _given(scene)
    if name in ("nc", "ncat", "netcat", "nc.traditional", "cryptcat") and _netcat_runs(command):
        _given(scene)
    if name == "socat" and any(
        re.match(r"(?:EXEC|SYSTEM|SHELL)\b", arg, re.IGNORECASE) for arg in command.argv[1:]
    ):
        _given(scene)
    if name in ("ssh", "autossh"):
        options = ssh_options(command.argv)
        if options.has("R", "w") or (
            options.has("o") and "remoteforward" in " ".join(options.every("o")).lower()
        ):
            scene.find("network", "it opens this machine to another one", floor=True, outside=True)
        elif options.operands and not options.has("V", "G", "Q"):
            scene.find("network", "it logs in on another machine", outside=True)
    if (
        name in _TUNNELS
        and command.argv[1:]
        and command.argv[1] not in ("--version", "--help", "-h", "version", "help", "-v")
    ):
        scene.find("network", "it opens this machine to others", floor=True, outside=True)
    if name == "tailscale" and command.argv[1:2] in (("funnel",), ("serve",)):
        scene.find("network", "it opens this machine to others", floor=True, outside=True)
    if name in ("nc", "ncat", "netcat", "socat") and re.search(
        r"(?:^| )-[a-z]*l|--listen|-LISTEN", " ".join(command.argv[1:])
    ):
        scene.find("network", "it waits for connections", outside=True)
    if name == "xterm" and "-display" in command.argv:
        _given(scene)
    if name in _NETCATS and _fed_by_shell(command, scene):
        _given(scene)
    if name in SHELLS and command.stdin.given and _fed_by(command, scene, _NETCATS):
        _given(scene)
    through = any(
        re.match(r"[<>]&", t.op) and t.path.isdigit() and int(t.path) > 2 for t in command.redirects
    )
    if (
        name in SHELLS
        and (command.opaque or through)
        and any(
            t.path.startswith(("/dev/tcp/", "/dev/udp/"))
            for one in scene.commands
            for t in one.redirects
        )
    ):
        _given(scene)


def _given(scene: Scene) -> None:
    scene.find("remote-execution", "it hands a shell to another machine", floor=True, outside=True)


def _netcat_runs(command: Command) -> bool:
    words = command.argv[1:]
    for at, word in enumerate(words):
        if re.match(r"--(?:exec|sh-exec|lua-exec)", word) or re.fullmatch(r"-[a-zA-Z]*e", word):
            return True
        if re.fullmatch(r"-[a-z]*c", word) and re.search(
            r"sh|/bin|cmd|python", " ".join(words[at + 1 : at + 2])
        ):
            return True
    return False


def _fed_by_shell(command: Command, scene: Scene) -> bool:
    return any(
        one.number in command.stdin.sources
        and one.name in SHELLS
        and (one.opaque or "-i" in one.argv)
        for one in scene.commands
    )


def _fed_by(command: Command, scene: Scene, names: frozenset[str]) -> bool:
    return any(
        one.number in command.stdin.sources and one.name in names and scene.facts[one.number].hosts
        for one in scene.commands
    )


def sent(command: Command, scene: Scene) -> None:
    """Data that leaves the machine."""
    facts = scene.facts[command.number]
    hosts = [host for host in facts.hosts if host and not is_local(host)]
    if not hosts:
        return
    shown_hosts = ", ".join(dict.fromkeys(host.replace(UNKNOWN, "…") for host in hosts))
    carried = scene.incoming(command) | facts.taint
    own = "own" in carried
    where = "another machine" if shown_hosts in ("?", "…", "") else shown_hosts
    if (
        "secret" in carried
        or own
        or any(scene.places.secret(path, facts.deep) for path in facts.reads)
    ):
        what = "the agent's own secrets" if own else "a secret"
        scene.find("exfiltration", f"it sends {what} to {where}", floor=own, outside=True)
    elif "private" in carried and command.name not in ("whoami", "hostname", "ip"):
        scene.find(
            "exfiltration", f"it sends facts about you or this machine to {where}", outside=True
        )
    elif (
        facts.sends
        and (facts.reads or "file" in carried or _streams_in(command))
        and command.name != "ssh"
    ):
        scene.find("exfiltration", f"it sends data to {where}", outside=True)
    elif facts.sends and command.name not in (
        "curl",
        "wget",
        "http",
        "https",
        "xh",
        "ssh",
        "rsync",
        "scp",
    ):
        scene.find("network", f"it opens a connection to {where}", outside=True)
    elif _outside_files(command, scene):
        scene.find("exfiltration", f"it sends data of this machine to {where}", outside=True)
    elif command.name in ("curl", "wget") and re.search(
        r"(?:-X|--request[ =]|--method[ =])\s*(?:DELETE|PURGE)", " ".join(command.argv)
    ):
        scene.find("destruction", f"it deletes on {where}", outside=True)


def _streams_in(command: Command) -> bool:
    return command.stdin.given and bool(command.stdin.sources or command.stdin.text)


def _outside_files(command: Command, scene: Scene) -> bool:
    """Whether arguments come from files that are not the workspace's."""
    numbers = {one for one in command.sources if isinstance(one, int)}
    for one in scene.commands:
        facts = scene.facts.get(one.number)
        if (
            one.number in numbers
            and facts
            and any(scene.places.zone(path) not in ("workspace", "scratch") for path in facts.reads)
        ):
            return True
    return False


def fetched_and_run(command: Command, scene: Scene) -> None:
    """Code from the network that is run: piped, substituted, or saved first."""
    if not command.argv:
        return
    name = command.name
    ran_file = _ran_files(command, scene)
    if any("network" in scene.files.get(path, set()) for path in ran_file):
        scene.find("remote-execution", "it runs what it has fetched from the network", outside=True)
        return
    if any("decoded" in scene.files.get(path, set()) for path in ran_file):
        scene.opaque.append("it runs code that was encoded")
    runs_input = name in SHELLS or (bool(language(name)) and _reads_code(command))
    if not (
        runs_input
        or name in _RUNS_TEXT
        or (language(name) and "network" in scene.taints(command.sources))
    ):
        return
    sources = command.sources | (command.stdin.sources if runs_input else NO_SOURCES)
    if "network" in scene.taints(sources):
        scene.find("remote-execution", "it runs what it fetches from the network", outside=True)
    elif "decoded" in scene.taints(sources) and command.opaque:
        scene.opaque.append("it runs code that was encoded")


def _reads_code(command: Command) -> bool:
    from hermes_tui.security.risk_interpreters import inline_code

    codes, operands = inline_code(command, language(command.name))
    return (not codes and operands[:1] in ([], ["-"], ["/dev/stdin"])) or bool(
        operands and operands[0].startswith("/dev/fd/")
    )


def _ran_files(command: Command, scene: Scene) -> list[str]:
    """Paths of the programs and scripts a command runs."""
    found: list[str] = []
    if "/" in command.argv[0] and not command.place:
        found += scene.resolve(command.argv[0], command)
    if (
        command.name in SHELLS
        or language(command.name)
        or command.name
        in (
            "source",
            ".",
            "",
            "dpkg",
            "rpm",
            "pip",
            "pip3",
            "installer",
            "msiexec",
            "java",
            "make",
            "crontab",
        )
    ):
        words = [
            word
            for word in parse(command.argv[1:], ROLES["cat"].options).operands
            if len(word) < 300 and "\n" not in word
        ]
        found += scene.paths(words[:3], command)
    return found
