# Two commands do everything on a fresh machine: make serve, make test. What takes longer is make campaigns.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet -c constraints.txt

SITE := docs/_build/html

# A browser test that failed on a busy machine is tried once more, alone; the first run's output still names it.
AGAIN := -n 0 --last-failed --last-failed-no-failures none

.PHONY: serve test campaigns check site kernels machine-code page release screenshots bench clean

# The labs, in the browser.
serve: $(VENV)/.serve
	$(BIN)/otlab serve

# What takes some minutes: style, types, layers, the site, the plain tests, and a walk through each lab.
test: $(VENV)/.test
	$(MAKE) --jobs=3 check site kernels
	$(BIN)/python -m pytest
	$(BIN)/python -m pytest -m walk || $(BIN)/python -m pytest $(AGAIN) -m walk

# The other tests, which take longer: statistics, then all that needs a browser or a notebook.
REST := (browser or notebook) and not walk
campaigns: $(VENV)/.test
	$(BIN)/python -m pytest -m "slow and not browser and not notebook"
	$(BIN)/python -m pytest -m "$(REST)" || $(BIN)/python -m pytest $(AGAIN) -m "$(REST)"

check: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The documentation as a site, in docs/_build/html; a warning is an error.
site: $(VENV)/.test
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs $(SITE)

# The compiled kernels, by two processes that take about as long: each worker of the tests would compile all of them.
kernels: $(VENV)/.test
	$(BIN)/python -m otlab.compiling discovery & other=$$!; $(BIN)/python -m otlab.compiling tagging ot mg && wait $$other

# The machine code of what the labs begin with, for all platforms, which is kept with its sources (two minutes).
machine-code: $(VENV)/.test
	$(BIN)/python -m otlab.shipping

# The kernels as WebAssembly, which is kept with their sources, and the OT lab as one page; needs npm, for Binaryen.
page: $(VENV)/.test
	$(PIP) -e ".[page]"
	npm install --no-save --silent --prefix $(VENV)/npm binaryen@132
	$(BIN)/python -m otlab.web.build --wasm-opt $(VENV)/npm/node_modules/.bin/wasm-opt
	$(BIN)/otlab page -o otlab.html

# Wheel and source distribution in dist/, checked.
release: $(VENV)/.release
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*

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

$(VENV)/.release: $(VENV)/bin/python pyproject.toml
	$(PIP) -e ".[release]"
	touch $@

$(VENV)/.bench: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) -e ".[bench]"
	touch $@
