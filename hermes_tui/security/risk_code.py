"""Code handed to an interpreter on the command line: a cheap look for what it does.

No language is parsed. Calls that start programs, delete, write, read secrets or use the
network are looked for; what is put together at run time counts as unknown.
"""

from __future__ import annotations

import re

from hermes_tui.security.risk_hosts import host_of, is_local
from hermes_tui.security.risk_scene import Scene, secret_variable
from hermes_tui.security.shell_command import Command
from hermes_tui.security.shell_state import UNKNOWN

# Text that is only printed says nothing about what the code does.
_SHOWN = re.compile(
    r"\b(?:print|console\.log|puts|echo|say|printf)\s*\(?\s*(?:'[^'\n]*'|\"[^\"\n$`#{]*\")\s*(?:\)|;|\Z|\n)"
)
_STRING = re.compile(
    r"'''(.*?)'''|\"\"\"(.*?)\"\"\"|'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"|`([^`]*)`",
    re.DOTALL,
)
_FORKS = re.compile(
    r"fork\(\)\s*for\b|(?:while|until|for|loop|forever)\b[^;]*?[\s:;{(]*.{0,60}?\bfork\b|\bfork\s+while\b"
    r"|fork\s*\(?\)?\s*;?\s*fork|(?:while|loop).{0,40}(?:Popen|spawn)\(.{0,20}\$0",
    re.DOTALL | re.IGNORECASE,
)
_SOCKET = re.compile(
    r"\bsocket\b|fsockopen|IO::Socket|TCPSocket|\bnet\W{0,3}\.(?:connect|Socket"
    r"|createConnection)|Socket\.tcp|/inet/(?:tcp|udp)|/dev/tcp|TCPClient|socket\.tcp"
    r"|pfsockopen|Net\.Sockets",
    re.IGNORECASE,
)
_HANDS_OVER = re.compile(
    r"sh\s+<&|dup2|pty\.spawn|/bin/(?:ba|z|da)?sh|cmd\.exe|\bsh -i\b|STDIN->fdopen|child_process"
    r"|\bexec\b|subprocess|popen|getline|powershell",
    re.IGNORECASE,
)
_STARTS = re.compile(
    r"\b(?:os\.(?:system|popen|exec\w+|spawn\w+|posix_spawn\w*|startfile)|subprocess\.\w+"
    r"|commands\.getoutput|pty\.spawn"
    r"|asyncio\.create_subprocess_\w+"
    r"|execSync|execFile(?:Sync)?|spawnSync|spawn|fork|child_process\b[^;]*?\.\w+"
    r"|Bun\.(?:spawn\w*|\$)|Deno\.(?:run|Command)|\$`|(?<![\w.>])(?:system|popen|exec)"
    r"|shell_exec|passthru|proc_open"
    r"|pcntl_exec|qx|Open3\.\w+|IO\.popen|Kernel\.\w+|os\.execute|io\.popen"
    r"|Runtime\.getRuntime\(\)\.exec|ProcessBuilder|do shell script"
    r"|shell-command(?:-to-string)?|call-process|start-process|run\(`|System\.cmd|:os\.cmd"
    r"|syscmd|esyscmd|Start-Process|Invoke-Expression|iex|os:cmd)\b\s*[\(\s\"'`{]"
)
_STARTS_PYTHON = re.compile(
    r"\b(?:\w+\.)?(?:run|call|Popen|check_output|check_call|getoutput|getstatusoutput)\s*\("
)
_HIDES = re.compile(
    r"(?<![\w.])(?:exec|eval|compile|__import__|Function|execfile|loadstring|load"
    r"|create_function|getattr|globals|locals|vars|__builtins__)\s*[\(\[.]\s*"
    r"|import_module|instance_eval|class_eval|runpy|__subclasses__|[(,]\s*(?:eval|exec)\s*[),]"
    r"|b64decode|fromhex|unhexlify|marshal|zlib\.decompress|codecs\.decode|atob\("
    r"|Buffer\.from\([^)]*(?:base64|hex)|unpack\(|pack\(|base64_decode|gzinflate|str_rot13"
    r"|decode64|chr\(\d+\)\s*[.+]|-enc\w*|FromBase64|fromCharCode|ctypes|\bffi\b|vm\.run|importlib"
)
_DELETES = re.compile(
    r"\b(?:os\.(?:remove|unlink|rmdir|removedirs|truncate)|shutil\.(?:rmtree|move)|rmtree"
    r"|\.?unlink(?:Sync)?|rmSync|rmdirSync|rm_rf|rm_r|rm_f|fs(?:\.promises)?\.rm\w*"
    r"|fsp?\.\w*(?:rm|unlink)\w*"
    r"|FileUtils\.(?:rm\w*|remove\w*)|File\.(?:delete|unlink)|Dir\.(?:rmdir|delete|unlink)"
    r"|remove_tree|rimraf|remove-item|Remove-Item|os\.remove|file\.remove|unlink|rmdir"
    r"|delete_file|delete-file|delete-directory|file delete|Deno\.remove\w*|truncate(?:Sync)?"
    r"|emptyDir\w*|removeSync|send2trash|File\.rm\w*|Files\.delete\w*|deleteRecursively"
    r"|rm\(\s*['\"])\b",
    re.IGNORECASE,
)
_DELETES_DEEP = re.compile(
    r"rmtree|rm_rf|rm_r\b|recursive|remove_tree|rimraf|remove_entry|-Recurse|delete-directory"
    r"|-force|deleteRecursively|emptyDir",
    re.IGNORECASE,
)
_WRITES = re.compile(
    r"open\s*\(\s*(?P<path>(?:os\.path\.expanduser\()?['\"][^'\"]+['\"]\)?)\s*,\s*(?:mode\s*"
    r"=\s*)?['\"][rb+]*[wax+>]"
    r"|(?:writeFile(?:Sync)?|appendFile(?:Sync)?|createWriteStream|file_put_contents"
    r"|File\.(?:write|open)|fopen|io\.open|copyFile(?:Sync)?"
    r"|symlink(?:Sync)?)\s*\(?\s*(?P<second>['\"][^'\"]+['\"])"
    r"|Path\(\s*(?P<third>['\"][^'\"]+['\"])[^;\n]*?\.(?:write_text|write_bytes|touch"
    r"|open\(['\"][wa]|symlink_to|rename|replace)"
    r"|open\s*\(?\s*(?:my\s+)?\$?\w+\s*,\s*['\"]\s*(?:\+?>>?)\s*['\"]?\s*,?\s*['\"]?(?P<fourt"
    r"h>[^'\",)]+)"
    r"|(?:shutil\.(?:copy\w*|move)|os\.(?:rename|replace|link"
    r"|symlink))\s*\([^,]+,\s*(?P<fifth>['\"][^'\"]+['\"])"
    r"|>>?\s*(?P<sixth>['\"][^'\"]+['\"])",
)
_NETWORK = re.compile(
    r"urllib|requests\.|httpx|http\.client|aiohttp|urlopen|\bfetch\s*\(|https?\.(?:get"
    r"|request)|axios|LWP::|HTTP::|Net::(?:HTTP|FTP|SMTP)|open-uri|URI\.(?:open|parse)"
    r"|curl_exec|curl_init|file_get_contents\(['\"]http|smtplib|ftplib|paramiko|telnetlib"
    r"|dns\.|gethostbyname|getaddrinfo|Invoke-WebRequest|DownloadString|socket\.http|Req\.get"
    r"|HTTPoison|XMLHttpRequest|WebSocket",
    re.IGNORECASE,
)
_KILLS = re.compile(
    r"\bos\.kill(?:pg)?\s*\(|process\.kill\s*\(|Process\.kill|posix_kill|psutil\..*(?:kill"
    r"|terminate)|\bkill\s+['\"]?(?:KILL|TERM|9)|Stop-Process"
)
_ENVIRONMENT = re.compile(
    r"os\.environ(?!\s*(?:\[|\.get|\.setdefault|\.copy\b|\.pop))|process\.env(?![.\[\w])|%ENV"
    r"|ENV\.(?:to_h|each|inspect|map)|getenv\(\)|\$_ENV\b(?!\[)|ENVIRON\b(?!\[)|puts ENV\b"
    r"|Sys\.getenv\(\)"
)
_VARIABLE = re.compile(
    r"(?:environ(?:\.get\(|\[)|getenv\(|process\.env[.\[]|ENV[\[{]|\$ENV\{|ENVIRON\["
    r"|\$env:)\s*['\"]?(\w+)"
)
_RIGHTS = re.compile(
    r"chmod\w*\s*\(?[^;]*?(?:0?o?777|0?o?666|0?o?[46]7\d\d|S_ISUID)|os\.chown|setuid\s*\("
    r"|setgid\s*\(|fs\.chown"
)


def strings(code: str) -> list[str]:
    """The string literals of a code, whatever its language."""
    return [next((one for one in found if one), "") for found in _STRING.findall(code)]


def judge_code(code: str, command: Command, scene: Scene, kind: str = "") -> None:
    """Note what is risky about a code; `kind` is the language, where that matters."""
    if kind in ("perl", "ruby", "php", "julia"):
        for text in re.findall(r"`([^`]+)`|(?:qx|%x)[{(\[/|]([^})\]/|]+)", code):
            shell_lines(_interpolated(text[0] or text[1]), command, scene)
    if UNKNOWN in code:
        scene.opaque.append("the code it runs can't be known")
    code = _SHOWN.sub(" ", code)
    if _FORKS.search(code):
        scene.find("process", "it starts copies of itself without end", floor=True, outside=True)
    if _SOCKET.search(code) and _HANDS_OVER.search(code):
        scene.find(
            "remote-execution", "it hands a shell to another machine", floor=True, outside=True
        )
    _files(code, command, scene)
    _programs(code, command, scene)
    _secrets(code, command, scene)
    _wire(code, command, scene)
    if _KILLS.search(code):
        scene.find("process", "its code ends processes", outside=True)
    if _RIGHTS.search(code):
        scene.find("permission", "its code changes rights")
    if _HIDES.search(code):
        scene.opaque.append("its code is put together when it runs")


def _interpolated(text: str) -> str:
    """Shell text inside a program, its own variables unknown."""
    return re.sub(r"\$\w+|#\{[^}]*\}|@\w+", UNKNOWN, text)


def _files(code: str, command: Command, scene: Scene) -> None:
    facts = scene.facts[command.number]
    if _DELETES.search(code):
        deep = bool(_DELETES_DEEP.search(code))
        paths = scene.paths(
            (one for one in strings(code) if one[:1] in "/~." and len(one) < 300), command
        )
        vital = next((scene.places.vital(path) for path in paths if scene.places.vital(path)), "")
        if deep and vital:
            scene.find("destruction", f"its code deletes {vital}", floor=True, outside=True)
        else:
            scene.find("destruction", "its code deletes files")
        facts.removes += paths
    for found in _WRITES.finditer(code):
        path = next((one for one in found.groups() if one), "")
        inner = re.sub(r"^os\.path\.expanduser\(|\)$", "", path).strip("'\" ")
        facts.writes += scene.paths([inner], command) if inner else []


def _programs(code: str, command: Command, scene: Scene) -> None:
    starts = [*_STARTS.finditer(code)]
    if "subprocess" in code:
        starts += _STARTS_PYTHON.finditer(code)
    if starts or "pty.spawn" in code:
        scene.opaque.append("its code starts other programs")
    for found in starts:
        text = code[found.end() - 1 : found.end() + 600].split("\n\n")[0]
        shell_lines(_arguments(text), command, scene)


def _arguments(text: str) -> str:
    """The command a call starts: its string literals, joined; UNKNOWN for anything else."""
    opening = re.search(r"[\(\[{\s`'\"]", text)
    inner = text[opening.start() :] if opening else ""
    if inner[:1] not in "`'\"":
        inner = inner[1:]
    closing = re.search(
        r"\)\s*(?:[;.\n)}]|\Z)|;|\n|\Z", _STRING.sub(lambda m: "_" * len(m.group()), inner)
    )
    inner = inner[: closing.start()] if closing else inner
    words = strings(inner)
    rest = re.sub(
        r"\b(?:shell|check|text|capture_output|stdout|stderr|stdin|cwd|timeout|encoding|env"
        r"|input|universal_newlines)\s*=\s*[\w.\-]+",
        "",
        _STRING.sub("", inner),
    )
    rest = re.sub(
        r"\b(?:True|False|None|stdio|inherit|subprocess|PIPE|DEVNULL|os|sys)\b|\bexit\b.*", "", rest
    )
    unknown = bool(re.search(r"\w", rest))
    if not words:
        return UNKNOWN
    text = words[0] if any(" " in word for word in words[:1]) else " ".join(words)
    return f"{text} {UNKNOWN}" if unknown else text


def shell_lines(text: str, command: Command, scene: Scene) -> None:
    """Judge text that is run as shell commands; what is unknown in it is opaque."""
    if UNKNOWN in text:
        scene.opaque.append("its code starts programs that can't be known")
        text = text.replace(UNKNOWN, " ")
    lines = "\n".join(
        line.lstrip(" \t@-!") if line[:1] in " \t@-!" else line for line in text.splitlines()
    )
    if re.match(r"\s*[\w.-]+:\s*\n", lines):
        lines = re.sub(r"(?m)^[\w.-]+:.*$", "", lines)
    scene.judge(lines, command)


def _secrets(code: str, command: Command, scene: Scene) -> None:
    facts = scene.facts[command.number]
    literals = [one for one in strings(code) if 1 < len(one) < 300 and "\n" not in one]
    for path in scene.paths(literals, command):
        if scene.places.secret(path) or scene.places.is_own(path):
            facts.reads.append(path)
            facts.taint.add("own" if scene.places.is_own(path) else "secret")
    named = [name for name in _VARIABLE.findall(code) if secret_variable(name)]
    if _ENVIRONMENT.search(code) or named:
        facts.taint.add("secret")
        scene.find("secret-reading", f"its code reads {named[0] if named else 'the environment'}")


def _wire(code: str, command: Command, scene: Scene) -> None:
    facts = scene.facts[command.number]
    if not (_NETWORK.search(code) or _SOCKET.search(code)):
        return
    urls = [one for one in strings(code) if re.match(r"(?:https?|ftp|wss?)://", one)]
    facts.hosts += [host_of(url) for url in urls] or ["?"]
    facts.taint.add("network")
    posts = bool(
        re.search(
            r"\.post\b|\bdata\s*=|\bbody\b|method\s*[=:]|\.put\b|\.send|sendall|write\("
            r"|\bopen\(|sendmail",
            code,
            re.IGNORECASE,
        )
    )
    if re.search(r"\b(?:exec|eval|system|popen)\s*\(", code) or "| sh" in code:
        scene.find("remote-execution", "its code runs what it fetches", outside=True)
    elif not all(is_local(host) for host in facts.hosts) and (posts or not urls):
        scene.find("network", "its code talks to the network", outside=True)
