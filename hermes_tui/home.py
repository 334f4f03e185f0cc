"""Where one agent keeps everything: the home folder and the paths inside it."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

ENV = "HERMES_TUI_HOME"
_SOCKET_LIMIT = 100


class Home:
    """The home folder of one agent. Making one touches nothing on disk; `ensure` creates it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(os.path.abspath(os.path.expanduser(path)))

    @classmethod
    def find(cls) -> Home:
        """The home named by `HERMES_TUI_HOME`, else `~/.hermes-tui`."""
        return cls(os.environ.get(ENV) or "~/.hermes-tui")

    def ensure(self) -> Home:
        """Create the folder if need be, readable by its owner alone."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.path.stat().st_mode & 0o077:
            self.path.chmod(0o700)
        return self

    @property
    def config(self) -> Path:
        """The configuration file."""
        return self.path / "config.yaml"

    @property
    def secrets(self) -> Path:
        """Keys, one `NAME=value` a line, mode 0600; never in the configuration."""
        return self.path / "secrets.env"

    def secrets_mark(self) -> tuple[int, int]:
        """(mtime in ns, size) of the stored keys; another one when they have changed."""
        try:
            found = os.stat(self.secrets)
        except OSError:
            return (0, 0)
        return found.st_mtime_ns, found.st_size

    @property
    def pools(self) -> Path:
        """How the keys of providers are: which rest and why; no key is in it."""
        return self.path / "pools.json"

    @property
    def database(self) -> Path:
        """The one SQLite file, opened by the core alone."""
        return self.path / "state.db"

    @property
    def backups(self) -> Path:
        """Copies of the database, each proved sound, and one from before each upgrade."""
        return self.path / "backups"

    @property
    def aside(self) -> Path:
        """What a restore took out of the way; one folder a restore."""
        return self.path / "set-aside"

    @property
    def lock(self) -> Path:
        """The file a living core holds an flock on."""
        return self.path / "core.lock"

    @property
    def log(self) -> Path:
        """The core's own log."""
        return self.path / "core.log"

    @property
    def audit(self) -> Path:
        """The folder of the audit log, written by the core alone."""
        return self.path / "audit"

    @property
    def outputs(self) -> Path:
        """Tool output too long for the model, kept whole; one folder a session."""
        return self.path / "outputs"

    @property
    def scratch(self) -> Path:
        """Caches and stand-ins of sandboxed commands, one folder a workspace."""
        return self.path / "scratch"

    @property
    def checkpoints(self) -> Path:
        """How folders were before turns changed them; contents only their owner can read."""
        return self.path / "checkpoints"

    @property
    def restoring(self) -> Path:
        """What is being put back right now; there only while it is, or after a crash."""
        return self.checkpoints / "restoring"

    @property
    def replaced(self) -> Path:
        """The code a running core goes on with while `hermes update` replaces it."""
        return self.path / "cache" / "replaced"

    @property
    def themes(self) -> Path:
        """The person's own themes."""
        return self.path / "themes"

    @property
    def keys(self) -> Path:
        """The person's own keys for the full-screen UI."""
        return self.path / "keys.yaml"

    @property
    def skills(self) -> Path:
        """The person's own and learned skills."""
        return self.path / "skills"

    @property
    def models(self) -> Path:
        """Model files of the embedded model."""
        return self.path / "models"

    @property
    def ui_state(self) -> Path:
        """What the full-screen UI remembers: pane widths, the draft."""
        return self.path / "ui.json"

    @property
    def drafts(self) -> Path:
        """What was typed and not sent: the draft of each session, and drafts put away."""
        return self.path / "drafts"

    @property
    def protected(self) -> tuple[str, ...]:
        """What no tool may write, and read in but two folders of it: the home, and the socket."""
        return os.path.realpath(self.path), os.path.realpath(self.socket)

    @property
    def socket(self) -> Path:
        """The core's Unix socket; under a digest in the run folder when the home's path is long."""
        near = self.path / "core.sock"
        if len(os.fsencode(near)) <= _SOCKET_LIMIT:
            return near
        digest = hashlib.sha256(os.fsencode(self.path)).hexdigest()[:16]
        name = f"hermes-tui-{digest}.sock"
        run = os.environ.get("XDG_RUNTIME_DIR", "")
        if run and len(os.fsencode(run)) + len(name) < _SOCKET_LIMIT:
            return Path(run) / name
        return Path(f"/tmp/hermes-tui-{os.getuid()}") / name
