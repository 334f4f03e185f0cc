"""Skills written as standard folders, for another agent or another machine."""

from __future__ import annotations

from pathlib import Path

from hermes_tui.errors import HermesError
from hermes_tui.skills.library import Library
from hermes_tui.skills.skill import FILE, Skill, checked
from hermes_tui.skills.tree import TreeError, read_tree, write_tree


def export(library: Library, names: tuple[str, ...], to: Path, force: bool = False) -> list[Path]:
    """Write skills below a folder, overlays merged; without names all that are not just bundled.

    Returns their folders. Raises HermesError, before anything is written, for a skill that breaks
    the format's rules or whose folder is there already (unless `force`).
    """
    skills = [library.find(name) for name in names] or _worth_taking(library)
    trees = [(one, _files(library, one)) for one in skills]
    taken = [str(to / one.name) for one in skills if (to / one.name).exists()]
    if taken and not force:
        raise HermesError(f"{taken[0]} is there already", "--force replaces it")
    made: list[Path] = []
    for skill, files in trees:
        folder = to / skill.name
        write_tree(folder, files)
        made.append(folder)
    return made


def _worth_taking(library: Library) -> list[Skill]:
    whole = [one for one in library.all() if one.origin != "bundled" or one.overlaid]
    return [one for one in whole if not one.held]


def _files(library: Library, skill: Skill) -> dict[str, bytes]:
    text = library.read(skill.name)
    checked(text, skill.name)
    try:
        files = dict(read_tree(skill.folder).files)
    except TreeError as error:
        raise HermesError(f"{skill.name} can't be exported: {error.message}", error.hint) from error
    return {**files, FILE: text.encode()}
