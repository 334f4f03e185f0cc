"""Which arguments of a program are files it reads, files it writes, or plain data.

Facts from each program's own manual; only what matters for what may be read and written.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from hermes_tui.security.shell_options import Spec, names, spec

Operands = Literal["read", "write", "copy", "pattern", "data", "list", "script", "remove"]


class Role(Struct, frozen=True, kw_only=True):
    """What a program does with its arguments.

    operands: `read`, `write`, `copy` (the last is written, the others read), `pattern` (the
    first is data, the others read), `data`, `list` (looked at, content not read), `script`
    (the first is run), `remove`. patterned: options that give the pattern, so that all
    operands are read. deep: options that make it read whole folders ("*" for always).
    """

    operands: Operands
    options: Spec = spec()
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    patterned: frozenset[str] = frozenset()
    in_place: frozenset[str] = frozenset()
    deep: frozenset[str] = frozenset()


def _role(
    operands: Operands,
    options: Spec | None = None,
    reads: str = "",
    writes: str = "",
    deep: str = "",
) -> Role:
    return Role(
        operands=operands,
        options=options or spec(),
        reads=frozenset(reads.split()),
        writes=frozenset(writes.split()),
        deep=frozenset(deep.split()),
    )


_GREP = spec(
    "e:f:A:B:C:m:d:D:g:t:T:j:r::M:E:",
    "regexp= file= include= exclude= exclude-dir= exclude-from= color= max-count= context= "
    "after-context= before-context= glob= type= type-not= ignore-case recursive line-number "
    "files-with-matches dereference-recursive pre= pre-glob= max-depth= threads= sort= "
    "replace= ignore-file= hidden no-ignore count invert-match word-regexp only-matching",
)
_HEAD = spec("n:c:s:", "lines= bytes= quiet verbose follow= pid= retry")
_COPY = spec(
    "t:S:m:o:g:",
    "target-directory= suffix= backup= mode= owner= group= recursive force no-clobber archive "
    "update= preserve= no-target-directory parents verbose interactive symbolic strip-program=",
)

ROLES: dict[str, Role] = {
    **dict.fromkeys(
        names(
            "echo printf true false : sleep date cal seq yes expr hostname uname whoami id "
            "groups tty arch nproc uptime free ps top htop w who last jobs wait kill killall "
            "pkill pgrep man info apropos whatis which whereis type help exit return break "
            "continue shift getopts ulimit umask times let trap set unset export alias "
            "unalias tr git gh hg svn bzr docker podman kubectl helm systemctl journalctl "
            "service npm yarn pnpm cargo go pip pip3 brew apt apt-get dnf yum pacman "
            "terraform ansible ansible-playbook make cmake ninja mvn gradle ping dig nslookup "
            "host traceroute curl wget nc ncat netcat socat telnet ssh aws gcloud az gsutil "
            "crontab at batch psql mysql mongosh mongo redis-cli tput clear reset stty locale "
            "loginctl timedatectl hostnamectl dmesg lsof fuser ip ifconfig netstat ss arp "
            "route iptables nmap tcpdump hermes hermes-tui poetry uv pipx conda rustup "
            "ssh-keygen ssh-add ssh-agent gpg security pass op vault openssl xdg-open open "
            "notify-send tmux screen figlet cowsay bc factor logger wall write mesg mail "
            "sendmail say read declare local readonly typeset printenv env hash command "
            "builtin pushd popd dirs history fc basename dirname pathchk robocopy vim vi nvim "
            "ex view ed alarm sl fortune cloudflared ngrok sftp ftp lftp heroku fly find "
            "gfind fd parallel chmod chgrp chown setfacl getfacl chattr su sudo doas"
        ),
        _role("data"),
    ),
    **dict.fromkeys(
        names(
            "ls dir vdir ll la exa eza lsd stat file test [ [[ du df tree readlink realpath "
            "cd chdir lsattr lsblk blkid findmnt mountpoint mount umount chroot namei "
            "getfattr"
        ),
        _role("list"),
    ),
    **dict.fromkeys(
        names(
            "cat less more most bat batcat tac nl od hexdump hd strings wc md5sum sha1sum "
            "sha224sum sha256sum sha384sum sha512sum b2sum cksum sum diff sdiff colordiff "
            "vimdiff cmp comm paste join fold fmt column expand unexpand rev shuf nano emacs "
            "micro code subl pico gedit kate zcat bzcat xzcat zless pr look iconv jsonlint "
            "ccze lolcat pygmentize highlight mdcat glow hexyl"
        ),
        _role("read"),
    ),
    **dict.fromkeys(
        ("rg", "ag", "ack", "ugrep", "rgrep"),
        Role(
            operands="pattern",
            options=_GREP,
            reads=frozenset({"f", "file"}),
            patterned=frozenset({"e", "regexp", "f", "file"}),
            deep=frozenset({"*"}),
        ),
    ),
    **dict.fromkeys(
        names("grep egrep fgrep zgrep pcregrep"),
        Role(
            operands="pattern",
            options=_GREP,
            reads=frozenset({"f", "file"}),
            patterned=frozenset({"e", "regexp", "f", "file"}),
            deep=frozenset({"r", "R", "recursive", "dereference-recursive"}),
        ),
    ),
    "sed": Role(
        operands="pattern",
        options=spec(
            "e:f:i::l:E",
            "expression= file= in-place regexp-extended quiet silent line-length= null-data",
        ),
        reads=frozenset({"f", "file"}),
        patterned=frozenset({"e", "expression", "f", "file"}),
        in_place=frozenset({"i", "in-place", "I"}),
    ),
    **dict.fromkeys(
        ("awk", "gawk", "mawk", "nawk"),
        Role(
            operands="pattern",
            options=spec("F:v:f:i:", "field-separator= assign= file= include="),
            reads=frozenset({"f", "file"}),
            patterned=frozenset({"f", "file"}),
        ),
    ),
    **dict.fromkeys(
        names("jq yq gron jaq dasel xmllint htmlq pup mlr"),
        Role(
            operands="pattern",
            options=spec("f:L:", "from-file= raw-output slurp compact-output"),
            patterned=frozenset({"f", "from-file"}),
        ),
    ),
    **dict.fromkeys(("head", "tail"), _role("read", _HEAD)),
    "cut": _role(
        "read", spec("b:c:d:f:", "bytes= characters= delimiter= fields= output-delimiter=")
    ),
    "sort": _role(
        "read",
        spec(
            "k:t:o:S:T:",
            "key= field-separator= output= buffer-size= compress-program= "
            "temporary-directory= files0-from= parallel=",
        ),
        writes="o output",
        reads="files0-from",
    ),
    "uniq": _role("copy", spec("f:s:w:", "skip-fields= skip-chars= check-chars=")),
    "split": _role("read", spec("a:b:C:l:n:t:", "filter= bytes= lines= number=")),
    "base64": _role(
        "read", spec("w:i:o:", "wrap= decode input= output="), reads="i input", writes="o output"
    ),
    "base32": _role("read", spec("w:", "wrap= decode")),
    "xxd": _role("copy", spec("c:g:l:s:o:n:R:", "")),
    "iconv": _role("read", spec("f:t:o:", "from-code= to-code= output="), writes="o output"),
    "uuencode": _role("read"),
    **dict.fromkeys(
        names("gzip gunzip bzip2 bunzip2 xz unxz zstd lz4 compress"),
        _role("read", spec("S:o:", "suffix= keep stdout force recursive"), deep="r recursive"),
    ),
    "tee": _role("write", spec("", "append ignore-interrupts")),
    "sponge": _role("write"),
    "touch": _role("write", spec("d:r:t:", "date= reference= time= no-create"), reads=""),
    "mkdir": _role("write", spec("m:Z:", "mode= parents verbose")),
    "mkfifo": _role("write", spec("m:", "mode=")),
    "mknod": _role("write", spec("m:", "mode=")),
    "mktemp": _role("data", spec("p:", "tmpdir= suffix=")),
    "truncate": _role("write", spec("s:r:", "size= reference= no-create io-blocks")),
    "fallocate": _role("write", spec("l:o:", "length= offset=")),
    "patch": _role(
        "write",
        spec("p:i:d:o:r:", "strip= input= directory= output= dry-run"),
        reads="i input",
        writes="o output d directory",
    ),
    **dict.fromkeys(("cp", "gcp"), _role("copy", _COPY, deep="r R a recursive archive")),
    "mv": _role("copy", _COPY, deep="*"),
    "ln": _role(
        "copy",
        spec("t:S:", "symbolic force target-directory= suffix= relative no-target-directory"),
    ),
    "install": _role("copy", _COPY),
    **dict.fromkeys(names("rm unlink rmdir shred srm wipe trash trash-put gio"), _role("remove")),
    **dict.fromkeys(("zip", "7z", "7za", "rar", "ar"), _role("data")),
    **dict.fromkeys(("tar", "gtar", "bsdtar", "star"), _role("data")),
    "xargs": _role("data", spec("I:i::n:L:P:s:d:E:a:", "arg-file="), reads="a arg-file"),
    "sqlite3": _role("pattern", spec("", "")),
    **dict.fromkeys(
        names(
            "python python2 python3 pypy pypy3 node nodejs deno bun ruby perl php lua luajit "
            "Rscript julia tclsh wish expect osascript pwsh powershell groovy scala kotlin "
            "ghc runghc elixir erl swift bash sh zsh dash ksh mksh ash fish source . ipython "
            "ts-node tsx"
        ),
        _role("script"),
    ),
}
