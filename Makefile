# Everything a developer or a new user types. `make help` lists it.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCKS := .ci
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help demo test check lint types imports unit bench torture faults format deploy lock clean

help: ## List the commands
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.run ## Watch five days of a simulated job market (sets everything up first)
	@$(BIN)/jobmonitor demo --days 5 --seed 7

test: $(VENV)/.dev lint types imports ## Run every check and test (sets everything up first)
	@$(BIN)/python -m pytest -n 2 $(PYTEST)

check: $(VENV)/.dev lint types imports ## Run the checks that need no database

lint: $(VENV)/.dev ## Style (ruff)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet . || { echo "Run: make format"; exit 1; }

types: $(VENV)/.dev ## Types (mypy, strict)
	@$(BIN)/mypy

imports: $(VENV)/.dev ## Import contracts: who may know whom
	@$(BIN)/lint-imports --no-logo

unit: $(VENV)/.dev ## Only the tests that need nothing (seconds)
	@$(BIN)/python -m pytest tests/unit tests/sites

bench: $(VENV)/.run ## Measure a crawl against bare Scrapy and a naive pipeline (minutes; BENCH="--items 47000")
	@$(BIN)/python -m tests.bench $(BENCH)

torture: $(VENV)/.dev ## Kill a crawl two hundred times and compare with one that nobody touched (about 15 minutes)
	@$(BIN)/python -m tests.acceptance.torture $(TORTURE)

faults: $(VENV)/.dev ## Play every fault of a site, day by day, and write the table of docs/lifecycle.md (minutes)
	@$(BIN)/python -m tests.acceptance.faults

format: $(VENV)/.dev ## Rewrite the code in the house style
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format --quiet .

deploy: $(VENV)/.dev ## Build the egg and send it to the scrapyd of scrapy.cfg (docs/deploy.md; TARGET=name)
	@trap 'rm -f setup.py' EXIT; $(BIN)/scrapyd-deploy $(TARGET)

lock: $(VENV)/.dev ## Make the lock files again from pyproject.toml
	@$(PIP) install uv
	@$(BIN)/uv pip compile pyproject.toml --extra build --extra model $(UV) -o $(LOCKS)/requirements.lock
	@$(BIN)/uv pip compile pyproject.toml --extra scrapyd --extra model -c $(LOCKS)/requirements.lock $(UV) -o $(LOCKS)/requirements-scrapyd.lock
	@$(BIN)/uv pip compile pyproject.toml --extra build --extra model --extra scrapyd --extra dev -c $(LOCKS)/requirements-scrapyd.lock $(UV) -o $(LOCKS)/requirements-dev.lock

UV := --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --quiet

clean: ## Remove the virtual environment and caches (the database stays)
	@rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# The environment: made with the stock venv module, filled from the locks, which carry hashes.

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	  || { echo "Job Market Monitor needs Python 3.11 or newer as $(PYTHON). Name another: make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "Python's venv module is missing. On Debian: apt-get install python3-venv"; exit 1; }
	@echo "Making $(VENV) …"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.made $(LOCKS)/requirements.lock pyproject.toml
	@echo "Installing what it needs …"
	@$(PIP) install --require-hashes -r $(LOCKS)/requirements.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run $(LOCKS)/requirements-dev.lock
	@echo "Installing what the tests need …"
	@$(PIP) install --require-hashes -r $(LOCKS)/requirements-dev.lock
	@touch $@
