# Two commands do everything on a fresh machine: make serve, make test.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet -c constraints.txt

SITE := docs/_build/html

# A browser test that failed on a busy machine is tried once more, alone; the first run's output still names it.
AGAIN := --last-failed --last-failed-no-failures none

.PHONY: serve test check site screenshots bench clean

# The labs, in the browser.
serve: $(VENV)/.serve
	$(BIN)/otlab serve

# Every check and every test: style, types, layers, the site, then plain, slow, browser and notebook tests.
test: $(VENV)/.test check site
	$(BIN)/python -m pytest -n 2 --dist loadfile
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "slow and not browser and not notebook"
	$(BIN)/python -m pytest -m "browser or notebook" || $(BIN)/python -m pytest $(AGAIN) -m "browser or notebook"

check: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The documentation as a site, in docs/_build/html; a warning is an error.
site: $(VENV)/.test
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs $(SITE)

screenshots: $(VENV)/.test
	$(BIN)/python -m tests.ui.screenshots

# Ratios against peers and floors; NAME=... for one of them.
bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks $(NAME)

clean:
	rm -rf $(VENV)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.serve: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) -e ".[audio,stats]"
	touch $@

$(VENV)/.test: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) -e ".[test]"
	touch $@

$(VENV)/.bench: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) -e ".[bench,audio,stats]"
	touch $@
