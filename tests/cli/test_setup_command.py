"""`hermes setup` and `hermes model`: a model is found, asked live, and only then kept."""

from __future__ import annotations

import pytest

from hermes_tui.cli import setup_ask
from hermes_tui.configuration.load import load
from hermes_tui.home import Home
from hermes_tui.models import first_run
from hermes_tui.models.discover import Candidate
from tests.cli.conftest import Hermes
from tests.fakes.scripted_model import ScriptedModel, fail, say


def test_an_endpoint_that_answers_is_kept(
    hermes: Hermes, home: Home, threaded: ScriptedModel
) -> None:
    threaded.script = [say("ready")]
    done = hermes("setup", "--base-url", threaded.url, "scripted", "--json")
    assert done.code == 0
    assert done.json["proof"]["text"] == "ready"
    model = load(home, {}).config.model
    assert (model.base_url, model.name) == (threaded.url, "scripted")


def test_an_endpoint_that_refuses_is_not_kept(
    hermes: Hermes, home: Home, threaded: ScriptedModel
) -> None:
    threaded.script = [fail(401, "no such key")]
    done = hermes("setup", "--base-url", threaded.url, "scripted")
    assert done.code == 4
    assert done.err
    assert not home.config.exists()


def test_an_untested_endpoint_is_kept_when_asked_to(hermes: Hermes, home: Home) -> None:
    done = hermes("setup", "--no-test", "--base-url", "http://127.0.0.1:9/v1", "m")
    assert done.code == 0
    assert load(home, {}).config.model.name == "m"


def test_an_address_that_is_none_is_refused(hermes: Hermes, home: Home) -> None:
    done = hermes("setup", "--base-url", "localhost:11434")
    assert done.code == 2
    assert not home.config.exists()


def test_without_a_person_and_without_options_it_says_which_to_give(hermes: Hermes) -> None:
    done = hermes("setup")
    assert done.code == 1
    assert "--local" in done.err


def test_a_new_choice_replaces_the_old_one_whole(hermes: Hermes, home: Home) -> None:
    home.config.write_text(
        "# mine\nmodel:\n  provider: embedded\n  file: /x.gguf # big\n  attempts: 2\n"
    )
    hermes("setup", "--no-test", "--base-url", "http://127.0.0.1:9/v1", "m")
    model = load(home, {}).config.model
    assert (model.provider, model.file, model.attempts) == ("auto", "", 2)
    assert home.config.read_text().startswith("# mine\n")


def test_a_typed_key_goes_to_the_secrets_and_never_into_the_configuration(home: Home) -> None:
    key = "k-" + "3f9a" * 8
    chosen = first_run.custom("http://127.0.0.1:9/v1/", "m", key)
    first_run.keep(chosen, home)
    assert key not in home.config.read_text()
    assert key in home.secrets.read_text()
    assert home.secrets.stat().st_mode & 0o777 == 0o600
    assert load(home, {}).config.model.api_key_env == chosen.key_name


class Person:
    """Types prepared lines; a question too many ends the test."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.asked: list[str] = []

    def __call__(self, question: str = "") -> str:
        self.asked.append(question)
        return self.lines.pop(0)


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch, threaded: ScriptedModel) -> ScriptedModel:
    async def choices(home: Home, env: object) -> tuple[Candidate, ...]:
        models = ("first", "second")
        server = Candidate(kind="server", provider="Scripted", base_url=threaded.url, models=models)
        return (server,)

    monkeypatch.setattr(first_run, "choices", choices)
    return threaded


def test_three_questions_lead_to_a_model_that_answered(
    home: Home, found: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    found.script = [say("ready")]
    person = Person("1", "2", "")
    monkeypatch.setattr("builtins.input", person)
    setup_ask.questions(home)
    assert load(home, {}).config.model.name == "second"
    assert person.lines == []
    assert found.requests[-1].json["model"] == "second"


def test_a_model_that_fails_leads_back_to_the_choice(
    home: Home, found: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    found.script = [fail(401), say("ready")]
    monkeypatch.setattr("builtins.input", Person("1", "1", "1", "2", ""))
    setup_ask.questions(home)
    assert load(home, {}).config.model.name == "second"


@pytest.mark.parametrize("lines", [("s",), ("9", "x", "s"), ("2", "")])
def test_every_question_can_be_skipped(
    home: Home, found: ScriptedModel, monkeypatch: pytest.MonkeyPatch, lines: tuple[str, ...]
) -> None:
    person = Person(*lines)
    monkeypatch.setattr("builtins.input", person)
    setup_ask.questions(home)
    assert person.lines == []
    assert not home.config.exists()


def test_model_list_marks_the_chosen_one(hermes: Hermes, threaded: ScriptedModel) -> None:
    hermes("setup", "--no-test", "--base-url", threaded.url, "scripted")
    listed = hermes("model", "list", "--json").json
    assert listed["current"] == "scripted"
    assert "scripted" in listed["models"]
    assert "* scripted" in hermes("model", "list").out


def test_model_test_asks_the_model_live(hermes: Hermes, threaded: ScriptedModel) -> None:
    threaded.script = [say("ready"), fail(401)]
    hermes("setup", "--no-test", "--base-url", threaded.url, "scripted")
    assert "ready" in hermes("model", "test").out
    done = hermes("model", "test")
    assert (done.code, done.out) == (4, "")
