"""What a path is: workspace, scratch, device, a secret, a place that code starts from."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from functools import lru_cache
from typing import Literal

from hermes_tui.security.shell_options import names
from hermes_tui.security.shell_state import UNKNOWN

Zone = Literal["workspace", "scratch", "device", "system", "home", "self", "unknown", "other"]

_TOP = frozenset(
    names(
        "bin boot dev etc home lib lib32 lib64 libx32 opt proc root run sbin sys usr var "
        "Users System Library Applications Volumes private"
    )
)
_SYSTEM = frozenset(
    names("bin boot etc lib lib32 lib64 libx32 sbin sys proc usr var run System Library")
)
_VITAL = frozenset(
    ["/usr/" + one for one in names("bin lib lib64 sbin share local libexec include")]
    + ["/var/" + one for one in names("lib log spool cache db")]
    + ["/etc/" + one for one in names("passwd shadow sudoers fstab pam.d ssh systemd group")]
    + ["/boot/grub", "/boot/efi", "/lib/modules", "/dev/shm/.."]
)
_HARMLESS_DEVICES = re.compile(
    r"/dev/(?:null(?:/.*)?|zero|full|u?random|tty|std(?:in|out|err)|fd(?:/.*)?|ptmx|pts/.*"
    r"|shm(?:/.*)?"
    r"|console|log|tcp/.*|udp/.*)\Z"
)
_SECRET_NAMES = re.compile(
    r"(?:\.env(?:\.(?!example|sample|template|dist|defaults|schema|test\Z)[\w.-]+)?|\.envrc\.local"
    r"|[\w.-]+\.env|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.mylogin\.cnf|\.git-credentials|\.npmrc"
    r"|\.pypirc|\.vault-token|\.htpasswd|\.s3cfg|\.boto|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?"
    r"|[\w.-]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx?|ppk|asc|gpg|age|tfstate|tfvars|ovpn)"
    r"|(?:aws_)?credentials(?:\.(?:json|ya?ml|toml|ini|csv|xml|db))?|secrets?\.(?:json|ya?ml"
    r"|toml|ini|env|txt|enc)"
    r"|service[-_]account[\w-]*\.json|client_secret[\w.-]*\.json|wp-config\.php|master\.key"
    r"|wallet\.dat"
    r"|\.(?:bash|zsh|python|psql|mysql|sqlite|node_repl|sh|rediscli|irb)_?history"
    r"|fish_history|Login Data|Cookies|key[34]\.db|logins\.json|cookies\.sqlite|secring\.gpg"
    r"|[\w.-]*keychain(?:-db)?|shadow-?|gshadow-?|sudoers|passwords?\.(?:txt|csv|json|ya?ml"
    r"|db)|tokens?\.(?:json|txt)"
    r"|api[-_]?keys?\.\w+|core\.sock)\Z",
    re.IGNORECASE,
)
_NOT_SECRET = re.compile(
    r".*(?:\.pub|known_hosts(?:\.old)?|\.example|\.sample|\.template|\.dist|/authorized_keys2?)\Z"
    r"|/(?:usr/share|usr/lib|etc/ssl/certs|etc/ca-certificates|usr/local/share)/.*"
    r"|.*/(?:cacert|ca-bundle|ca|fullchain|cert|chain|public)\.pem\Z|.*/certifi/.*"
)
_SECRET_FOLDERS = (
    ".ssh", ".gnupg", ".aws", ".azure", ".config/gcloud", ".config/gh", ".kube", ".password-store",
    ".local/share/keyrings", ".mozilla", ".config/chromium", ".config/google-chrome",
    ".config/BraveSoftware", ".config/microsoft-edge", ".thunderbird", ".docker/config.json",
    ".config/op", ".1password", ".config/rclone", ".config/hub", ".cargo/credentials.toml",
    ".cargo/credentials", ".config/sops", ".config/age", ".terraform.d/credentials.tfrc.json",
    ".gem/credentials", ".config/doctl", ".config/heroku", ".config/configstore", ".electrum",
    ".bitcoin", ".config/Bitwarden", "Library/Keychains", ".config/filezilla", ".config/keepassxc",
    "Library/Application Support/Google/Chrome", "Library/Application Support/Firefox",
    "snap/firefox", ".config/Signal", ".config/Slack", ".config/discord", ".minikube",
)  # fmt: skip
_NOT_KEYS = re.compile(
    r".*/\.ssh/(?:config|known_hosts.*|.*\.pub|environment|rc|authorized_keys2?)\Z"
)
_SYSTEM_SECRETS = (
    "/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssh/ssh_host_*_key", "/etc/ssl/private",
    "/etc/ssl/private/*", "/proc/*/environ", "/proc/*/mem", "/proc/kcore", "/dev/mem",
    "/dev/kmem", "/run/secrets", "/run/secrets/*", "/var/run/secrets", "/var/run/secrets/*",
    "/etc/krb5.keytab", "/etc/openvpn/*.key", "/etc/wireguard", "/etc/wireguard/*",
    "/etc/sudoers.d/*", "/etc/NetworkManager/system-connections",
    "/etc/NetworkManager/system-connections/*", "/var/lib/docker", "/etc/kubernetes/admin.conf",
    "/etc/kubernetes/pki/*", "/etc/mysql/debian.cnf", "/etc/letsencrypt/live/*",
    "/etc/letsencrypt/archive/*", "/root/.ssh/*", "/home/*/.ssh/id_*", "/var/log/auth.log",
    "/proc/*/task/*/environ", "/proc/*/root/*", "/etc/master.passwd", "/var/db/dslocal/*",
    "/var/spool/cron/*",
)  # fmt: skip
_START_HOME = re.compile(
    r"\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|bash_completion|profile"
    r"|login|logout"
    r"|zshrc|zshenv|zprofile|zlogin|zlogout|cshrc|tcshrc|kshrc|mkshrc|inputrc|xinitrc|xprofile"
    r"|xsession(?:rc)?|xsessionrc|Xresources|pam_environment|gitconfig|vimrc|gvimrc|exrc"
    r"|nanorc|emacs"
    r"|tmux\.conf|screenrc|pythonrc(?:\.py)?|pystartup|gdbinit|lldbinit|psqlrc|sqliterc|irbrc"
    r"|Rprofile|npmrc|curlrc|wgetrc"
    r"|selected_editor|hushlogin|forward|procmailrc|mailcap|muttrc|envrc|direnvrc"
    r"|yarnrc(?:\.yml)?|condarc"
    r"|condarc|ackrc|guile|octaverc|sbclrc|lesskey|dircolors|editorconfig-checker|bash_history)\Z"
)
_START_HOME_FOLDERS = (
    ".config/autostart", ".config/systemd", ".local/share/systemd", ".config/fish", ".config/git",
    ".ssh", ".config/environment.d", ".config/nvim", ".config/zsh", ".vim", ".emacs.d",
    ".config/emacs", ".oh-my-zsh", ".zsh", ".local/bin", "bin", ".cargo/bin", ".config/i3",
    ".config/sway", ".config/hypr", ".config/openbox", ".config/plasma-workspace", ".config/pip",
    ".pip", ".config/direnv", ".config/tmux", ".config/powershell", ".local/share/applications",
    ".local/share/dbus-1", "Library/LaunchAgents", ".config/upstart", ".ipython", ".jupyter",
    ".kde/Autostart", ".config/nushell", ".config/bash", ".bashrc.d", ".profile.d",
    ".config/kitty", ".config/alacritty", ".config/wezterm", ".gnupg", ".docker/cli-plugins",
    ".git-templates", ".githooks", ".config/htop", ".vscode/extensions", ".local/lib",
    ".config/containers/systemd", ".xmonad", ".termux/boot",
)  # fmt: skip
_START_SYSTEM = (
    "/etc/cron*", "/etc/cron*/*", "/var/spool/cron", "/var/spool/cron/*", "/etc/anacrontab",
    "/var/spool/at*", "/etc/systemd/*", "/lib/systemd/*", "/usr/lib/systemd/*",
    "/usr/local/lib/systemd/*", "/run/systemd/*", "/etc/init.d*", "/etc/rc*", "/etc/profile*",
    "/etc/bash*", "/etc/zsh*", "/etc/environment*", "/etc/ld.so*", "/etc/sudoers*", "/etc/pam.d*",
    "/etc/ssh/*", "/etc/passwd", "/etc/shadow", "/etc/group", "/etc/hosts*", "/etc/resolv.conf",
    "/etc/xdg/*", "/etc/udev/*", "/etc/modules*", "/etc/modprobe.d*", "/etc/apt/*", "/etc/yum*",
    "/etc/dnf*", "/etc/init/*", "/etc/inittab", "/etc/update-motd.d*", "/etc/security/*",
    "/etc/polkit-1/*", "/usr/local/bin/*", "/usr/local/sbin/*", "/usr/bin/*", "/usr/sbin/*",
    "/bin/*", "/sbin/*", "/Library/Launch*", "/etc/skel*", "/etc/logrotate*",
    "/etc/NetworkManager/*", "/etc/network/*", "/etc/X11/*", "/etc/sysctl*", "/etc/fstab",
    "/etc/crontab", "/etc/at.*", "/etc/gitconfig", "/etc/shells", "/boot/*", "/etc/default/*",
    "/etc/supervisor*", "/etc/monit*", "/etc/dbus-1/*", "/etc/rc.local", "/etc/inputrc",
    "/etc/vim*", "/etc/nsswitch.conf", "/etc/hosts.allow", "/etc/exports", "/etc/docker/*",
    "/usr/share/applications/*", "/proc/sys/kernel/core_pattern",
)  # fmt: skip
_START_ANYWHERE = re.compile(
    r".*(?:/\.git/(?:hooks(?:/.*)?|config(?:\.worktree)?|info/attributes)|/\.husky/[^/]+"
    r"|/hooks/(?:pre|post)-[\w-]+"
    r"|/(?:site|user)customize\.py|/\.envrc|/\.vscode/(?:tasks|settings|launch)\.json|/[^/]+\.pth"
    r"|/conftest_autoload\.py|/\.ssh/(?:authorized_keys2?|config|rc|environment)|/\.netrc"
    r"|/(?:crontabs|cron\.(?:d|daily|hourly|weekly|monthly))/[^/]+|/\.bashrc|/\.zshrc"
    r"|/\.profile|/\.bash_profile"
    r"|/\.devcontainer/[^/]+|/\.idea/workspace\.xml|/\.claude/settings[\w.]*\.json|/\.mcp\.json)\Z"
)
_PRODUCT = re.compile(
    r"(?:.*/)?\.hermes[-_]tui(?:/.*)?\Z|.*/(?:site|dist)-packages/hermes_tui(?:/.*)?\Z"
)

_PRODUCT_TOP = re.compile(r"(?:.*/)?\.hermes[-_]tui\Z")


class Places:
    """Knows the folders that matter: the workspace, the home, the product's own state."""

    def __init__(self, workspace: str, home: str, state: str) -> None:
        self.workspace = posixpath.normpath(workspace)
        self.home = posixpath.normpath(home)
        self.state = posixpath.normpath(state)
        self.samples = _samples(self.home, self.state)

    def zone(self, path: str) -> Zone:
        """Where an absolute, normalised path lies."""
        if path.startswith(UNKNOWN) or path == "/" + UNKNOWN:
            return "unknown"
        if self.is_own(path):
            return "self"
        if within(path, self.workspace) and self.workspace != "/":
            return "workspace"
        if within(path, "/tmp") or within(path, "/var/tmp") or within(path, "/private/tmp"):
            return "scratch"
        if within(path, "/dev"):
            return "scratch" if _HARMLESS_DEVICES.match(path) else "device"
        if within(path, self.home):
            return "home"
        return "system" if path.split("/")[1] in _SYSTEM or path == "/" else "other"

    def is_own(self, path: str) -> bool:
        """Whether a path is the product's own state or code."""
        if within(path, self.state) or path == self.state:
            return True
        return bool(_PRODUCT.match(path))

    def holds_own_keys(self, path: str, deep: bool = False) -> bool:
        """Whether a path is the product's file of keys, may stand for it, or is above it."""
        name = posixpath.basename(path).replace(UNKNOWN, "*")
        folder = posixpath.dirname(path)
        if deep and (within(f"{self.state}/secrets.env", path) or _PRODUCT_TOP.match(path)):
            return True
        ours = folder == self.state or bool(_PRODUCT_TOP.match(folder))
        return ours and fnmatch.fnmatchcase("secrets.env", name)

    def vital(self, path: str) -> str:
        """What would be lost with everything at a path, when that may never go; else empty."""
        if path.startswith(UNKNOWN):
            return ""
        bare = path
        while posixpath.basename(bare) in (
            "*",
            ".*",
            ".[!.]*",
            "{*,.*}",
            "**",
            ".??*",
            "?*",
            ".[^.]*",
        ):
            bare = posixpath.dirname(bare)
        if bare == "/":
            return "the whole system"
        if self._is_a_home(bare):
            return "a home folder"
        parts = bare.strip("/").split("/")
        if len(parts) == 1 and any(fnmatch.fnmatchcase(top, parts[0]) for top in _TOP):
            return f"the system folder {bare}"
        if any(fnmatch.fnmatchcase(one, bare) for one in _VITAL):
            return f"the system folder {bare}"
        return ""

    def _is_a_home(self, path: str) -> bool:
        if path == self.home or (within(self.home, path) and path != "/tmp"):
            return not within(path, self.workspace) or path == self.home
        return re.fullmatch(r"/(?:home|Users)/[^/]+", path) is not None and not within(
            self.workspace, path
        )

    def secret(self, path: str, deep: bool = False) -> str:
        """Which secret reading a path would reveal; empty for none.

        deep: the whole folder is read. A pattern counts as every secret it may stand for.
        """
        if any(char in path for char in "*?[" + UNKNOWN):
            pattern = path.replace(UNKNOWN, "*")
            if pattern.strip("/*") and not _broad(pattern):
                found = next((one for one in self.samples if fnmatch.fnmatchcase(one, pattern)), "")
                return found or self._plain_secret(re.sub(r"\[.*?\]|[*?\ue000]", "x", path))
            return ""
        return self._plain_secret(path) or (self._deep_secret(path) if deep else "")

    def _plain_secret(self, path: str) -> str:
        if _NOT_SECRET.match(path) or _NOT_KEYS.match(path):
            return ""
        if _SECRET_NAMES.match(posixpath.basename(path)) and not self._is_code(path):
            return path
        if self._secret_folder(path) or any(
            fnmatch.fnmatchcase(path, one) for one in _SYSTEM_SECRETS
        ):
            return path
        if within(path, self.state) and posixpath.basename(path) in (
            "secrets.env",
            "state.db",
            "config.yaml",
        ):
            return path
        return ""

    @staticmethod
    def _is_code(path: str) -> bool:
        return "/node_modules/" in path or (
            path.endswith((".asc", ".gpg")) and "/keyrings/" in path
        )

    def _secret_folder(self, path: str) -> bool:
        homes = (self.home, "/root", re.sub(r"^(/(?:home|Users)/[^/]+).*", r"\1", path))
        return any(within(path, f"{home}/{one}") for home in homes for one in _SECRET_FOLDERS)

    def _deep_secret(self, path: str) -> str:
        inside = within(path, self.workspace) and (self.workspace != self.home or path == self.home)
        if inside or (path == "/" and self.workspace == "/"):
            return ""
        homes = (one for one in self.samples if not one.startswith(("/etc/", "/proc/")))
        return next((one for one in homes if within(one, path)), "")

    def starts_code(self, path: str) -> bool:
        """Whether something runs what is written to a path: shell start files, services, hooks."""
        if any(char in path for char in "*?["):
            path = path.replace("[", "").replace("]", "")
        for home in (self.home, "/root", re.sub(r"^(/(?:home|Users)/[^/]+).*", r"\1", path)):
            below = path[len(home) + 1 :] if within(path, home) else ""
            if below and self._starts_in_home(below):
                return True
        return bool(_START_ANYWHERE.match(path)) or any(
            fnmatch.fnmatchcase(path, one) for one in _START_SYSTEM
        )

    def _starts_in_home(self, below: str) -> bool:
        inside = within(f"{self.home}/{below}", self.workspace) and self.workspace != self.home
        if _START_HOME.match(below):
            return not inside
        return any(within(below, one) for one in _START_HOME_FOLDERS) and not inside


def within(path: str, folder: str) -> bool:
    """Whether a normalised path is a folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _broad(pattern: str) -> bool:
    """Whether a pattern stands for everything, so that it says nothing about secrets."""
    name = posixpath.basename(pattern)
    return name in ("*", "**", "*.*") and not any(
        f"/{one}" in pattern for one in (".ssh", ".aws", ".gnupg", ".kube", ".password-store")
    )


@lru_cache(maxsize=8)
def _samples(home: str, state: str) -> tuple[str, ...]:
    """Files that hold secrets, for holding patterns and folders against."""
    files = (
        ".ssh/id_rsa", ".ssh/id_ed25519", ".ssh/id_ecdsa", ".aws/credentials", ".netrc", ".pgpass",
        ".git-credentials", ".npmrc", ".pypirc", ".kube/config", ".docker/config.json",
        ".config/gh/hosts.yml", ".gnupg/secring.gpg", ".gnupg/private-keys-v1.d/1.key", ".env",
        ".bash_history", ".zsh_history", ".password-store/a.gpg", ".config/gcloud/credentials.db",
        ".mozilla/firefox/x.default/logins.json", ".mozilla/firefox/x.default/key4.db",
        ".config/chromium/Default/Cookies", ".config/google-chrome/Default/Login Data",
        ".local/share/keyrings/login.keyring",
    )  # fmt: skip
    return (
        *(f"{home}/{name}" for name in files),
        "/root/.ssh/id_rsa", "/home/user/.ssh/id_rsa", "/etc/shadow",

        "/etc/ssh/ssh_host_rsa_key", "/proc/1/environ", "/proc/self/environ", "/etc/gshadow",
        f"{state}/secrets.env",
    )  # fmt: skip
