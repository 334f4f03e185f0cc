# Two commands do all set-up: `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXTRAS ?= local
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test check bench snap docs clean
run: $(VENV)/.installed
	@$(BIN)/hermes

test: $(VENV)/.installed-dev
	@$(BIN)/pytest tests $(TESTARGS)

check: $(VENV)/.installed-dev
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh scripts/check.sh

bench: $(VENV)/.installed-dev
	@$(BIN)/python benchmarks/run.py

snap: $(VENV)/.installed-dev
	@$(BIN)/pytest tests/ui -k snapshot --snapshot-update

docs: $(VENV)/.installed-dev
	@$(BIN)/python scripts/make_docs.py

$(VENV)/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check --compile -c constraints.txt -e '.[$(EXTRAS)]'
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@$(BIN)/python -m pip install -q --disable-pip-version-check --compile -c constraints.txt -e '.[$(EXTRAS),dev]'
	@touch $@

clean:
	@rm -rf $(VENV) dist build
