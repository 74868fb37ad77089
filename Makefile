# Two commands do everything: `make demo` and `make test`. Both set up what they need.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Bytecode is kept wherever the machine would not: the tests start the program hundreds of times.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo docs explore test test-slow mutants lint types contracts benchmarks clean

demo: $(VENV)/.installed  ## fetch the material from behind a door, watched live
	$(BIN)/bt-exec run "문 안의 자재를 가져와"

# Half as many workers again as cores: some of the tests wait for clocks, terminals and servers.
WORKERS ?= $(shell expr \( $$(nproc 2>/dev/null || echo 2) \* 3 + 1 \) / 2)

test: $(VENV)/.installed-dev  ## everything but the long missions
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not slow"

test-slow: $(VENV)/.installed-dev  ## the long missions: hundreds of worlds; every property at length
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --hypothesis-profile long -m "slow or hypothesis"

explore: $(VENV)/.installed-dev  ## every property with other examples than last time: make explore WORKERS=2
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --hypothesis-profile explore -m hypothesis

MUTANTS ?= --changed
mutants: $(VENV)/.installed-dev  ## faults put in one at a time: make mutants MUTANTS="--group kernel --sample 300 --seed 1"
	$(BIN)/python -m tests.mutants $(MUTANTS)

lint: $(VENV)/.installed-dev  ## style, types and import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/.installed-dev  ## the documentation as a site in build/site; broken links are errors
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	$(BIN)/mkdocs build --strict

benchmarks: $(VENV)/.installed-dev  ## ratios against a peer in the same run: make benchmarks BENCHMARKS="--results tick"
	$(BIN)/python -m tests.benchmarks $(BENCHMARKS)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "bt-exec needs Python 3.11 or newer; say make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[model,sim]'
	touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
