"""Which hosts a command talks to, and which files it sends or saves on the way."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from hermes_tui.security.risk_scene import Facts, Scene
from hermes_tui.security.shell_command import Command
from hermes_tui.security.shell_options import names, parse, spec
from hermes_tui.security.shell_wrappers import ssh_options

_URL = re.compile(r"(?:[a-z][\w+.-]*:)?//(?:[^/?#\s]*@)?(\[[^\]]*\]|[^/:?#\s]+)", re.IGNORECASE)
_LOCAL = re.compile(
    r"(?:localhost|[\w.-]+\.localhost|127(?:\.\d+){1,3}|\[?::1\]?|0\.0\.0\.0|0)\Z", re.IGNORECASE
)

CURL = spec(
    "A:b:c:C:d:D:e:E:F:h:H:K:m:o:P:Q:r:t:T:u:U:w:x:X:y:Y:z:",
    "data= data-ascii= data-binary= data-raw= data-urlencode= form= form-string= upload-file= "
    "output= output-dir= request= header= user= user-agent= url= json= cookie= cookie-jar= "
    "config= proxy= max-time= connect-timeout= retry= cacert= cert= key= resolve= referer= "
    "write-out= dump-header= netrc-file= trace= trace-ascii= stderr= unix-socket= interface= "
    "range= limit-rate= dns-servers= doh-url= socks5= socks5-hostname= remote-name location "
    "silent show-error fail insecure verbose include head compressed get netrc url-query= "
    "retry-delay= retry-max-time= max-redirs= connect-to= local-port= variable= expand-data= "
    "create-dirs remote-name-all next parallel",
)
WGET = spec(
    "a:A:B:D:e:i:I:l:o:O:P:Q:R:t:T:U:w:X:",
    "post-data= post-file= body-data= body-file= output-document= directory-prefix= header= "
    "user= password= input-file= output-file= tries= timeout= user-agent= method= execute= "
    "use-askpass= load-cookies= save-cookies= accept= reject= level= quiet recursive "
    "no-check-certificate continue spider timestamping append-output= config= domains= "
    "limit-rate= certificate= private-key= ca-certificate= mirror no-parent progress=",
)


def host_of(url: str) -> str:
    """The host a URL names, without a scheme as well; empty when it is none."""
    found = _URL.match(url)
    if found:
        return found.group(1)
    found = re.match(r"(?:[^/@\s]*@)?(\[[^\]]*\]|[^/:?#\s]+)", url)
    return found.group(1) if found else ""


def is_local(host: str) -> bool:
    """Whether a host is this machine."""
    return bool(_LOCAL.match(host))


def network_facts(name: str, command: Command, facts: Facts, scene: Scene) -> bool:
    """Fill in the facts of a program that talks to the network; False for others."""
    known = _KNOWN.get(name)
    if known is None:
        return False
    known(command, facts, scene)
    return True


def _curl(command: Command, facts: Facts, scene: Scene) -> None:
    options = parse(command.argv[1:], CURL)
    urls = [*options.operands, *options.every("url")]
    facts.hosts += [host_of(url) for url in urls]
    facts.taint.add("network")
    files = [one for one in options.every("T", "upload-file") if one not in ("-", ".")]
    for value in options.every("d", "data", "data-ascii", "data-binary", "json"):
        files += [value[1:]] if value.startswith("@") else []
    for value in options.every("data-urlencode", "F", "form", "url-query"):
        found = re.match(r"[^=@<]*=?[@<]([^;]*)", value)
        files += [found[1]] if found else []
    facts.reads += scene.paths((one for one in files if one != "-"), command)
    facts.reads += scene.paths(
        options.every("K", "config", "netrc-file", "E", "cert", "key"), command
    )
    facts.reads += scene.paths(
        (one for one in options.every("b", "cookie") if "=" not in one), command
    )
    piped = any(one.lstrip("@") == "-" for one in [*files, *options.every("T", "upload-file")])
    facts.sends = bool(files) or piped
    folder = options.value("output-dir")
    outputs = [posixpath.join(folder, one) for one in options.every("o", "output") if one != "-"]
    if options.has("O", "remote-name", "remote-name-all"):
        outputs += [posixpath.join(folder, _last_part(url)) for url in urls]
    outputs += options.every(
        "c", "cookie-jar", "D", "dump-header", "trace", "trace-ascii", "stderr"
    )
    facts.writes += scene.paths((one for one in outputs if one != "-"), command)


def _last_part(url: str) -> str:
    path = re.sub(r"^[a-z]+://[^/]*", "", url.partition("?")[0].partition("#")[0])
    return posixpath.basename(path) or "index.html"


def _wget(command: Command, facts: Facts, scene: Scene) -> None:
    options = parse(command.argv[1:], WGET)
    facts.hosts += [host_of(url) for url in options.operands]
    facts.taint.add("network")
    posted = options.every("post-file", "body-file")
    facts.reads += scene.paths([*posted, *options.every("i", "input-file")], command)
    facts.sends = bool(posted)
    named = options.value("O", "output-document")
    if named:
        facts.writes += scene.paths([named] if named != "-" else [], command)
    else:
        folder = options.value("P", "directory-prefix")
        names = (posixpath.join(folder, _last_part(url)) for url in options.operands)
        facts.writes += scene.paths(names, command)


def _aria(command: Command, facts: Facts, scene: Scene) -> None:
    options = parse(command.argv[1:], spec("d:o:i:x:s:j:k:", "dir= out= input-file="))
    facts.hosts += [host_of(url) for url in options.operands]
    facts.taint.add("network")
    folder = options.value("d", "dir")
    names = options.every("o", "out") or [_last_part(url) for url in options.operands]
    facts.writes += scene.paths((posixpath.join(folder, one) for one in names), command)


def _httpie(command: Command, facts: Facts, scene: Scene) -> None:
    options = parse(
        command.argv[1:], spec("a:o:A:p:b", "auth= output= session= verify= print= form json")
    )
    words = [one for one in options.operands if not re.fullmatch(r"[A-Z]+", one)]
    facts.hosts += [host_of(one) for one in words[:1]]
    facts.taint.add("network")
    files = [found[1] for one in words[1:] if (found := re.match(r"[\w.-]*:?=?@(.*)", one))]
    facts.reads += scene.paths(files, command)
    facts.sends = bool(files) or command.stdin.given
    facts.writes += scene.paths(options.every("o", "output"), command)


def _netcat(command: Command, facts: Facts, scene: Scene) -> None:
    options = parse(
        command.argv[1:],
        spec(
            "e:c:p:s:w:i:g:G:o:O:q:X:x:I:T:V:m:",
            "exec= sh-exec= source= wait= listen ssl output= proxy= keep-open",
        ),
    )
    if options.operands and not options.has("h", "help", "version", "z"):
        facts.hosts += options.operands[:1]
        facts.sends = True
        facts.taint.add("network")


def _socat(command: Command, facts: Facts, scene: Scene) -> None:
    for address in command.argv[1:]:
        kind, _, rest = address.partition(":")
        if re.fullmatch(
            r"(?:TCP|UDP|SCTP|SSL|OPENSSL|TCP4|TCP6|UDP4|UDP6|OPENSSL-CONNECT|TCP-CONNECT"
            r"|UDP-SENDTO|PROXY|SOCKS4A?|tcp-connect)",
            kind,
            re.IGNORECASE,
        ):
            facts.hosts.append(rest.split(":")[0])
            facts.sends = True
            facts.taint.add("network")
        elif kind.upper() in ("FILE", "OPEN", "GOPEN") or ("/" in kind and not rest):
            facts.reads += scene.resolve((rest or kind).split(",")[0], command)
        elif kind.upper() == "CREATE":
            facts.writes += scene.resolve(rest.split(",")[0], command)


def _ssh(command: Command, facts: Facts, scene: Scene) -> None:
    options = ssh_options(command.argv)
    if options.operands and not options.has("V"):
        facts.hosts.append(host_of(options.operands[0]))
        facts.sends = True
        facts.taint.add("network")


def _talker(command: Command, facts: Facts, scene: Scene) -> None:
    """ftp, telnet, mail and the like: they send what they are given."""
    options = parse(
        command.argv[1:], spec("a:e:c:u:p:P:s:S:b:f:o:i:F:x:A:", "subject= user= file= attach=")
    )
    if options.has("help", "version", "h", "V") and len(command.argv) == 2:
        return
    facts.hosts += [host_of(one) for one in options.operands[:1] if "/" not in one[:1]] or ["?"]
    facts.reads += scene.paths(options.every("a", "A", "attach", "file"), command)
    facts.sends = True
    facts.taint.add("network")


def _asker(command: Command, facts: Facts, scene: Scene) -> None:
    """ping, dig and the like: only the name itself goes out."""
    options = parse(
        command.argv[1:],
        spec("c:i:I:m:M:p:Q:s:S:t:T:w:W:f:k:x:y:q:l:b:", "help version"),
    )
    names = [one.lstrip("@") for one in options.operands if not one.startswith("+")]
    facts.hosts += [host_of(one) for one in names if "." in one or ":" in one]


_CLOUD_VERBS = frozenset({"cp", "sync", "mv", "rsync", "copy", "upload", "put", "copyto", "move"})
_CLOUD_PATH = re.compile(
    r"(?:s3|gs|az|azure|b2|oss|wasb|abfss?)://|https?://|[A-Za-z][\w-]*:(?!//)"
)


def _cloud(command: Command, facts: Facts, scene: Scene) -> None:
    words = [word for word in command.argv[1:] if not word.startswith("-")]
    verb = next((at for at, word in enumerate(words) if word in _CLOUD_VERBS), None)
    for word in words:
        if re.match(r"(?:s3|gs|az)://", word):
            facts.hosts.append(word.partition("//")[2].split("/")[0])
    if verb is None:
        return
    places = words[verb + 1 :]
    local = [one for one in places[:-1] if not _CLOUD_PATH.match(one)]
    if local and _CLOUD_PATH.match(places[-1]):
        facts.deep = facts.sends = True
        facts.hosts = facts.hosts or [places[-1].split(":")[0]]
        facts.reads += scene.paths(local, command)
    elif len(places) > 1 and not _CLOUD_PATH.match(places[-1]):
        facts.taint.add("network")
        facts.writes += scene.paths(places[-1:], command)


_KNOWN: dict[str, Callable[[Command, Facts, Scene], None]] = {
    "curl": _curl,
    "curlie": _curl,
    "wget": _wget,
    "wget2": _wget,
    "aria2c": _aria,
    "axel": _aria,
    **dict.fromkeys(("http", "https", "xh", "xhs", "httpie"), _httpie),
    **dict.fromkeys(("nc", "ncat", "netcat", "nc.traditional", "nc.openbsd", "cryptcat"), _netcat),
    "socat": _socat,
    "ssh": _ssh,
    "autossh": _ssh,
    "mosh": _ssh,
    "sshpass": _ssh,
    **dict.fromkeys(
        names(
            "ftp sftp lftp tftp telnet mail mailx mutt sendmail msmtp swaks ncftpput "
            "curlftpfs s-nail websocat wscat grpcurl smbclient croc wormhole transfer "
            "magic-wormhole mosquitto_pub sshfs"
        ),
        _talker,
    ),
    **dict.fromkeys(
        names(
            "ping ping6 fping dig nslookup host traceroute mtr whois drill kdig getent "
            "resolvectl tracepath hping3 nping arping"
        ),
        _asker,
    ),
    **dict.fromkeys(
        names("aws gsutil gcloud az azcopy s3cmd rclone b2 mc s5cmd ossutil"),
        _cloud,
    ),
}
