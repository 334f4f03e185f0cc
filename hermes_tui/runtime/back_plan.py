"""Work out what going back to a checkpoint changes, and what of that is not the agent's doing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from hermes_tui.store.checkpoints import Checkpoint
from hermes_tui.store.checkpoints_scan import is_git_object
from hermes_tui.store.checkpoints_tree import Change, Tree, above, diff

Load = Callable[[str], Tree]


class Plan(Struct, kw_only=True):
    """Going back to `row`. changes: what became of each path since; yours: those not the agent's.

    target: the tree to go back to; left: what it left out, and why.
    """

    row: Checkpoint
    target: Tree
    changes: dict[str, Change]
    yours: set[str]
    left: dict[str, str]

    def paths(self, yours: bool) -> list[str]:
        """What is to be put back, with or without what is not the agent's."""
        return sorted(self.changes if yours else self.changes.keys() - self.yours)

    def shown(self) -> list[str]:
        """The paths worth naming: folders only where nothing in them is named."""
        inner = {one for path in self.changes for one in above(path)}
        git = {top for path in self.changes if (top := _git(path))}
        plain = {path for path in self.changes if path not in inner and not _git(path)}
        return sorted(plain | git)

    def change_of(self, path: str) -> Change:
        """What became of a path that is shown."""
        return self.changes.get(path, "changed")

    def is_yours(self, path: str) -> bool:
        """Whether a path that is shown is not the agent's doing."""
        return path in self.yours or any(_git(one) == path for one in self.yours)


def make_plan(rows: Sequence[Checkpoint], now: tuple[str, Tree], load: Load) -> Plan:
    """Plan going back to the first of these rows, the others being all later ones.

    now: what the folder holds, with its digest. What changed between two rows, or since the last
    one ended, was done by a person or another session. Raises StoreError when a tree is lost.
    """
    known: dict[str, Tree] = {now[0]: now[1]}

    def tree(digest: str) -> Tree:
        if digest not in known:
            known[digest] = load(digest)
        return known[digest]

    def touched(pairs: Sequence[tuple[str, str]]) -> set[str]:
        differ = [(tree(one), tree(other)) for one, other in pairs if one != other]
        return {path for one, other in differ for path in diff(one, other)}

    target = tree(rows[0].before)
    changes = diff(target, now[1])
    agents, others = _steps(rows, now[0])
    yours = changes.keys() & touched(others)
    if any(_git(path) for path in changes):
        _settle_git(changes, touched(agents), yours)
    yours &= changes.keys()
    left = {path: entry.key for path, entry in target.items() if entry.kind == "left"}
    return Plan(row=rows[0], target=target, changes=changes, yours=yours, left=left)


def _steps(
    rows: Sequence[Checkpoint], now: str
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """(before, after), as digests, of all that the agent did, and of all that others did."""
    holding = [row for row in rows if row.before]
    later = [*(row.before for row in holding[1:]), now]
    agents = [(row.before, row.after or end) for row, end in zip(holding, later, strict=True)]
    others = [(after, end) for (_, after), end in zip(agents, later, strict=True)]
    return agents, others


def _git(path: str) -> str:
    """The `.git` folder a path lies in, else empty."""
    parts = path.split("/")[:-1]
    return "/".join(parts[: parts.index(".git") + 1]) if ".git" in parts else ""


def _settle_git(changes: dict[str, Change], agent: set[str], yours: set[str]) -> None:
    """A repository goes back as a whole, only when the agent changed what it points at.

    Its objects are never taken away, unless all of it is new: others may point at them.
    """
    moved = {_git(path) for path in agent if _git(path) and _points(path)}
    kept = {_git(path) for path in yours if _git(path) and _points(path)}
    for path in [one for one in changes if _git(one)]:
        top = _git(path)
        new = changes.get(top) == "added"
        if top not in moved or (is_git_object(path) and changes[path] != "removed" and not new):
            del changes[path]
        elif top in kept:
            yours.add(path)
        else:
            yours.discard(path)


_PASSING = ("index", "FETCH_HEAD", "ORIG_HEAD", "COMMIT_EDITMSG", "gc.log", "gc.pid", "logs")


def _points(path: str) -> bool:
    """Whether it says where branches are or how git behaves, not just how git works."""
    inner = path[len(_git(path)) + 1 :]
    first = inner.split("/")[0]
    return bool(inner) and not (
        first in _PASSING or first == "objects" or inner.endswith((".lock", "/objects"))
    )
