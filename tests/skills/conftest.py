"""A home with a store and its skills, without a core around them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import msgspec
import pytest

from hermes_tui.config import SkillsConfig
from hermes_tui.home import Home
from hermes_tui.skills.changing import Changing
from hermes_tui.skills.hub import Hub
from hermes_tui.skills.service import Skills
from hermes_tui.store.db import Database

BODY = """# Deploy notes

1. Build the site with the release flag and look at the size of the bundle.
2. Push the tag, wait for the pipeline and read its last line.
3. Compare checksums on both hosts.
4. Tell the channel which version is live.
"""


def skill_text(name: str, description: str = "Deploys the site.", body: str = BODY) -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n\n{body}"


class House:
    """What a test needs of the skills of one home."""

    def __init__(self, home: Home, db: Database) -> None:
        self.home = home
        self.db = db
        self.config = SkillsConfig()
        self.skills = Skills(home, db, lambda: self.config)
        self.changing = Changing(self.skills)
        self.hub = Hub(self.skills)

    def set(self, **changes: object) -> None:
        self.config = msgspec.structs.replace(self.config, **changes)

    def put(self, name: str, text: str = "", where: str = "") -> None:
        folder = self.home.skills / where / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "SKILL.md").write_text(text or skill_text(name))

    def learned(self, name: str, text: str = "") -> None:
        self.put(name, text, ".learned")

    def again(self) -> House:
        """The same home as a later core finds it."""
        return House(self.home, self.db)


@pytest.fixture
async def house(home: Home) -> AsyncIterator[House]:
    db = Database(home.database).open()
    yield House(home, db)
    await db.close()


@pytest.fixture
def text() -> Callable[..., str]:
    return skill_text
