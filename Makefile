# Two commands do all set-up: `make run` and `make test`.
VENV := .venv
BIN := $(VENV)/bin
EXTRAS ?= local
QUICK := $(addprefix tests/,agent config models security skills memory search tools style)
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test quick live check bench agentdojo snap docs clean

run: $(VENV)/.installed  ## install, then start
	@$(BIN)/hermes

test: $(VENV)/.installed-dev  ## the whole suite; TESTARGS="-k name" for a part of it
	@$(BIN)/pytest $(or $(TESTARGS),tests)

quick: $(VENV)/.installed-dev  ## the fast part of the suite, in two processes
	@$(BIN)/pytest -n 2 --dist loadfile -m "not slow and not tmux and not sandbox" $(QUICK)

live: $(VENV)/.installed-dev  ## chat and one tool call with the embedded model (fetches it)
	@$(BIN)/pytest -m live tests/live

check: $(VENV)/.installed-dev  ## format, lint, sizes, layers, types, spelling
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh scripts/check.sh

bench: $(VENV)/.installed-dev  ## measure; figures go to docs/performance.md
	@$(BIN)/python benchmarks/run.py

agentdojo:  ## attacks on an obedient model, in an environment of its own
	@PYTHON="$(PYTHON)" sh scripts/agentdojo.sh

snap: $(VENV)/.installed-dev  ## draw the snapshots of the screens anew
	@$(BIN)/pytest tests/ui -k snapshot --snapshot-update

docs: $(VENV)/.installed-dev  ## write the generated pages
	@$(BIN)/python scripts/make_docs.py

$(VENV)/.installed: pyproject.toml constraints.txt
	@PYTHON="$(PYTHON)" sh scripts/install.sh $(VENV) $(EXTRAS)
	@touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt
	@PYTHON="$(PYTHON)" sh scripts/install.sh $(VENV) $(EXTRAS),dev
	@touch $@ $(VENV)/.installed

clean:
	@rm -rf $(VENV) dist build
