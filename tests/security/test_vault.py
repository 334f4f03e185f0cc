"""The vault: what is put comes back, nobody else can read it, and keyrings are used politely."""

from __future__ import annotations

import stat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.errors import HermesError
from hermes_tui.home import Home
from hermes_tui.models.credentials import read_secrets, save_secret
from hermes_tui.security.vault import IN_KEYRING, Keyring, Vault, parse


class FakeKeyring:
    """A keyring in memory."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


def nowhere() -> Keyring | None:
    return None


def test_a_secret_is_kept_in_a_file_only_its_owner_can_read(home: Home) -> None:
    vault = Vault(home, nowhere)
    vault.put("ALPHA", "one")
    vault.put("BETA", "two")
    vault.put("ALPHA", "three")
    assert vault.values() == {"BETA": "two", "ALPHA": "three"}
    assert stat.S_IMODE(home.secrets.stat().st_mode) == 0o600
    assert vault.remove("BETA")
    assert not vault.remove("BETA")
    assert vault.names() == ("ALPHA",)


def test_a_file_written_by_hand_is_closed_to_others_when_it_is_read(home: Home) -> None:
    home.secrets.write_text("# mine\nexport KEY='a b'\n")
    home.secrets.chmod(0o644)
    assert Vault(home, nowhere).get("KEY") == "a b"
    assert stat.S_IMODE(home.secrets.stat().st_mode) == 0o600


def test_comments_and_other_lines_survive_a_change(home: Home) -> None:
    home.secrets.write_text("# mine\nA=1\n\n# B=2\n")
    Vault(home, nowhere).put("C", "3")
    assert home.secrets.read_text() == "# mine\nA=1\n\n# B=2\nC=3\n"


BREAKS = "\0\v\f\x1c\x1d\x1e\x85\u2028\u2029"
VALUES = st.text(
    st.characters(codec="utf-8", exclude_characters=BREAKS), min_size=1, max_size=80
).filter(lambda value: bool(value.strip()) and value != IN_KEYRING)


@settings(max_examples=60, deadline=None)
@given(value=VALUES)
def test_every_value_comes_back_as_it_was_put(
    tmp_path_factory: pytest.TempPathFactory, value: str
) -> None:
    vault = Vault(Home(tmp_path_factory.mktemp("home")), nowhere)
    vault.put("ONE", value)
    vault.put("TWO", "x")
    assert vault.get("ONE") == value


@pytest.mark.parametrize("name", ["", "A=B", "# A", "A B", "A\nB", "é"])
def test_a_name_that_would_break_the_file_is_refused(home: Home, name: str) -> None:
    with pytest.raises(HermesError):
        Vault(home, nowhere).put(name, "value")
    assert not home.secrets.exists()


def test_with_a_keyring_the_file_holds_names_alone(home: Home) -> None:
    keyring = FakeKeyring()
    vault = Vault(home, lambda: keyring)
    vault.put("KEY", "value-in-the-ring")
    assert "value-in-the-ring" not in home.secrets.read_text()
    assert vault.names() == ("KEY",)
    assert vault.get("KEY") == "value-in-the-ring"
    assert vault.values() == {"KEY": "value-in-the-ring"}
    vault.remove("KEY")
    assert keyring.kept == {}


def test_a_keyring_out_of_reach_is_named_and_other_secrets_still_work(home: Home) -> None:
    keyring = FakeKeyring()
    Vault(home, lambda: keyring).put("RING", "value")
    Vault(home, nowhere).put("PLAIN", "here")
    locked = Vault(home, nowhere)
    assert locked.values() == {"PLAIN": "here"}
    with pytest.raises(HermesError, match="RING is kept in the system keyring"):
        locked.get("RING")


def test_two_homes_do_not_share_a_keyring_entry(home: Home) -> None:
    keyring = FakeKeyring()
    other = Home(home.path / "other")
    Vault(home, lambda: keyring).put("KEY", "first")
    Vault(other, lambda: keyring).put("KEY", "second")
    assert Vault(home, lambda: keyring).get("KEY") == "first"


def test_model_keys_come_from_the_same_file(home: Home) -> None:
    save_secret(home, "SOME_KEY", " abc ")
    assert read_secrets(home) == {"SOME_KEY": "abc"}


def test_quotes_and_escapes_are_read_as_people_write_them() -> None:
    text = 'A="x y"\nB=\'it\\n\'\nC="a\\nb"\nD=C:\\new\n#E=1\nF\n'
    assert parse(text) == {"A": "x y", "B": "it\\n", "C": "a\nb", "D": "C:\\new"}
