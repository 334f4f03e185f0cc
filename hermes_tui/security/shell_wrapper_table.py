"""Programs that run another program, and where in their arguments that one stands."""

from __future__ import annotations

from functools import cache

from msgspec import Struct

from hermes_tui.security.shell_options import Spec, names, spec


class Wrapper(Struct, frozen=True, kw_only=True):
    """How to find the command a wrapper runs.

    skip: operands before the command; assigns: `NAME=value` may come first; texts: options
    whose value is shell text; joined: the operands are joined and read as shell text.
    """

    options: Spec
    skip: int = 0
    assigns: bool = False
    texts: tuple[str, ...] = ()
    joined: bool = False
    place: str = ""


def _wrap(short: str = "", long: str = "", **more: object) -> Wrapper:
    # Where no command follows the operands, options may stand after them.
    return Wrapper(options=spec(short, long, more.get("skip") != 99), **more)  # type: ignore[arg-type]


_PLAIN = names(
    "nohup setsid builtin busybox toybox fakeroot chronic caffeinate arch eatmydata "
    "torsocks unbuffer dbus-run-session linux32 linux64 catchsegv tsocks torify run0 "
    "nocache ccache distcc winpty xvfb-run systemd-inhibit vglrun optirun primusrun "
    "noglob nocorrect"
)

WRAPPERS: dict[str, Wrapper] = {
    **{name: _wrap() for name in _PLAIN},
    "sudo": _wrap(
        "u:g:p:C:h:r:t:T:R:D:U:a:c:",
        "user= group= prompt= close-from= host= role= type= command-timeout= chroot= chdir= "
        "other-user= preserve-env login shell stdin non-interactive background edit list",
        assigns=True,
    ),
    "doas": _wrap("u:C:a:"),
    "env": _wrap(
        "u:C:S:a:",
        "unset= chdir= split-string= argv0= ignore-environment null debug",
        assigns=True,
        texts=("S", "split-string"),
    ),
    "timeout": _wrap("s:k:", "signal= kill-after= foreground preserve-status verbose", skip=1),
    "nice": _wrap("n:", "adjustment="),
    "stdbuf": _wrap("i:o:e:", "input= output= error="),
    "ionice": _wrap("c:n:p:P:u:", "class= classdata= pid="),
    "chrt": _wrap("T:P:D:", "", skip=1),
    "taskset": _wrap("", "", skip=1),
    "time": _wrap("f:o:", "format= output="),
    "gtime": _wrap("f:o:", "format= output="),
    "command": _wrap(),
    "exec": _wrap("a:"),
    "chroot": _wrap("", "userspec= groups= skip-chdir", skip=1),
    "unshare": _wrap(
        "S:G:R:w:",
        "setuid= setgid= root= wd= propagation= map-root-user mount pid fork net user",
    ),
    "nsenter": _wrap("t:S:G:r:w:", "target= setuid= setgid= root= wd= all mount"),
    "flock": _wrap("w:E:c:", "wait= timeout= conflict-exit-code= command=", skip=1, texts=("c",)),
    "strace": _wrap("e:o:p:u:a:s:S:P:E:I:b:O:X:"),
    "ltrace": _wrap("e:o:p:u:a:s:n:l:x:D:F:A:"),
    "valgrind": _wrap(),
    "perf": _wrap("e:o:p:", "", skip=1),
    "script": _wrap(
        "c:O:I:B:T:m:o:E:", "command= log-out= log-in= log-io=", texts=("c", "command"), skip=99
    ),
    "watch": _wrap("n:", "interval= differences exec", joined=True),
    "su": _wrap(
        "c:s:g:G:w:",
        "command= shell= group= login session-command=",
        texts=("c", "command", "session-command"),
        skip=99,
    ),
    "runuser": _wrap("c:s:g:G:u:", "command= user= shell=", texts=("c", "command"), skip=0),
    "pkexec": _wrap("", "user="),
    "gosu": _wrap("", "", skip=1),
    "su-exec": _wrap("", "", skip=1),
    "setpriv": _wrap("", "reuid= regid= groups="),
    "systemd-run": _wrap(
        "p:E:u:t:M:H:",
        "property= setenv= unit= uid= gid= machine= host= on-calendar= on-active= slice= "
        "user scope wait pipe pty",
    ),
    "setarch": _wrap("", "", skip=1),
    "numactl": _wrap("C:m:N:i:p:l:"),
    "cpulimit": _wrap("l:p:e:", "limit= pid="),
    "rlwrap": _wrap("f:H:"),
    "proxychains": _wrap("f:"),
    "proxychains4": _wrap("f:"),
    "proot": _wrap("r:b:w:q:R:S:"),
    "firejail": _wrap(),
    "hyperfine": _wrap(
        "w:r:m:M:p:c:",
        "warmup= runs= prepare= cleanup= setup=",
        texts=("p", "prepare", "cleanup", "c", "setup"),
    ),
    "entr": _wrap(),
    "runcon": _wrap("t:u:r:l:", "", skip=1),
    "chpst": _wrap("u:U:e:d:n:l:L:"),
    "setuidgid": _wrap("", "", skip=1),
    "start-stop-daemon": _wrap(
        "x:a:n:u:g:p:c:d:", "exec= startas= name= pidfile= chuid= chdir= start stop"
    ),
    "sg": _wrap("c:", "", skip=1, texts=("c",)),
    "wsl": _wrap("d:u:", "distribution= user= cd= exec"),
    "daemonize": _wrap("c:e:o:p:u:l:E:"),
    "dumb-init": _wrap(),
    "tini": _wrap("p:"),
    "npx": _wrap("p:c:", "package= call= yes no", texts=("c", "call")),
    "bunx": _wrap(),
    "uvx": _wrap("p:", "from= with= python="),
    "tsx": _wrap(),
    "ssh-agent": _wrap("a:E:P:t:O:"),
    "watchexec": _wrap("e:w:i:", "exts= watch= ignore="),
    "nodemon": _wrap("e:w:x:", "exec= ext= watch=", texts=("x", "exec"), skip=99),
    "nix-shell": _wrap("p:I:A:", "run= command= packages=", texts=("run", "command"), skip=99),
    "capsh": _wrap("c:", "", texts=("c",), skip=99),
}

SUBCOMMANDS: dict[tuple[str, str], Wrapper] = {
    ("uv", "run"): _wrap(
        "p:", "with= python= package= extra= group= directory= project= env-file= module script"
    ),
    ("uv", "x"): _wrap("p:", "from= with= python="),
    ("poetry", "run"): _wrap(),
    ("pdm", "run"): _wrap(),
    ("pipenv", "run"): _wrap(),
    ("hatch", "run"): _wrap(),
    ("rye", "run"): _wrap(),
    ("pipx", "run"): _wrap("", "spec= python="),
    ("conda", "run"): _wrap("n:p:", "name= prefix= cwd="),
    ("mamba", "run"): _wrap("n:p:", "name= prefix="),
    ("micromamba", "run"): _wrap("n:p:", "name= prefix="),
    ("bundle", "exec"): _wrap(),
    ("cargo", "watch"): _wrap("s:x:w:i:d:", "shell= exec=", texts=("s", "shell"), skip=99),
    ("npm", "exec"): _wrap("p:c:", "package= call=", texts=("c", "call")),
    ("npm", "x"): _wrap("p:c:", "package= call=", texts=("c", "call")),
    ("pnpm", "exec"): _wrap(),
    ("pnpm", "dlx"): _wrap(),
    ("yarn", "exec"): _wrap(),
    ("yarn", "dlx"): _wrap(),
    ("mise", "exec"): _wrap(),
    ("mise", "x"): _wrap(),
    ("asdf", "exec"): _wrap(),
    ("direnv", "exec"): _wrap("", "", skip=1),
    ("dotenv", "run"): _wrap("f:", "file="),
    ("op", "run"): _wrap("", "env-file="),
    ("doppler", "run"): _wrap(
        "p:c:",
        "project= config=",
    ),
    ("aws-vault", "exec"): _wrap("d:", "duration=", skip=1),
    ("ip", "netns"): _wrap("", "", skip=2),
    ("docker", "exec"): _wrap(
        "e:u:w:", "env= user= workdir= env-file= detach-keys=", skip=1, place="container"
    ),
    ("kubectl", "exec"): _wrap(
        "c:n:f:", "container= namespace= filename= context=", skip=1, place="container"
    ),
    ("lxc", "exec"): _wrap("", "cwd= env= user=", skip=1, place="container"),
    ("vagrant", "ssh"): _wrap("c:", "command=", texts=("c", "command"), skip=99, place="remote"),
    ("adb", "shell"): _wrap("", "", joined=True, place="remote"),
    ("toolbox", "run"): _wrap("c:", "container=", place="container"),
    ("distrobox", "enter"): _wrap("n:e:", "name=", place="container"),
    ("flatpak-spawn", "--host"): _wrap(),
    ("gcloud", "compute"): _wrap(
        "", "command= zone= project=", texts=("command",), skip=99, place="remote"
    ),
    ("heroku", "run"): _wrap("a:", "app=", joined=True, place="remote"),
    ("fly", "ssh"): _wrap("C:a:", "command= app=", texts=("C", "command"), skip=99, place="remote"),
    ("tmux", "new-session"): _wrap("s:n:c:t:F:x:y:e:", "", joined=True),
    ("tmux", "new"): _wrap("s:n:c:t:F:x:y:e:", "", joined=True),
    ("tmux", "new-window"): _wrap("n:c:t:F:e:", "", joined=True),
    ("tmux", "neww"): _wrap("n:c:t:F:e:", "", joined=True),
    ("tmux", "split-window"): _wrap("c:t:F:l:e:p:", "", joined=True),
    ("tmux", "splitw"): _wrap("c:t:F:l:e:p:", "", joined=True),
    ("tmux", "send-keys"): _wrap("t:N:", "", joined=True),
    ("tmux", "send"): _wrap("t:N:", "", joined=True),
    ("tmux", "run-shell"): _wrap("t:d:", "", joined=True),
    ("tmux", "run"): _wrap("t:d:", "", joined=True),
}

SHELLS = frozenset(
    names("sh bash dash zsh ksh mksh ash fish rbash rksh yash csh tcsh lksh hush posh ksh93")
)


@cache
def run_options() -> Spec:
    """The options of `docker run`: those without a value are few, so the others are listed."""
    return spec(
        "v:e:p:u:w:h:m:l:a:c:",
        "volume= env= publish= user= workdir= hostname= memory= label= name= network= net= "
        "env-file= mount= entrypoint= cpus= gpus= device= cap-add= cap-drop= security-opt= "
        "add-host= dns= ip= ipc= pid= platform= pull= restart= shm-size= tmpfs= ulimit= uts= "
        "userns= volumes-from= log-driver= log-opt= cgroupns= runtime= expose= link= group-add= "
        "rm privileged init read-only interactive tty detach publish-all",
        True,
    )
