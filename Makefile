# Everything a developer does, each a target; `make help` lists them. `make` and a Python from 3.11 on are all it takes.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run demo invoke test e2e torture coverage check format coldstart build deploy docs clean

BIN := .venv/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check
DEPENDENCIES := pyproject.toml layers/messagelog/pyproject.toml layers/messagelog/requirements.txt
ARCHITECTURE := $(if $(filter arm64 aarch64,$(shell uname -m)),arm64,x86_64)
PEERS := peers peers-llama-index peers-pya-memory
export PORT STATE

help: ## List the targets
	@grep -hE '^[a-z0-9]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-9s %s\n", $$1, $$2 }'

run: .venv/run ## Serve the API on http://127.0.0.1:3000 with an embedded DynamoDB (PORT=… changes the port)
	@$(BIN)/python -m local.serve

demo: .venv/run ## Play a short conversation through the API and show what each view returns
	@$(BIN)/python -m local.demo

invoke: .venv/run ## Run one function on its sample event, as in `make invoke OP=append`
	@$(BIN)/python -m local.invoke $(OP)

test: check ## Run all checks and all tests
	$(BIN)/pytest -n auto --dist loadfile $(ARGS)

e2e: .venv/dev ## Run the tests of what SAM builds, deploys to an emulated AWS, and runs in containers
	$(BIN)/pytest tests/e2e $(ARGS)

torture: .venv/dev ## Kill and break writers for two minutes, and check what is left (FOR=600 for ten)
	@$(BIN)/python -m tests.torture --seconds $(or $(FOR),120)

coverage: .venv/dev ## Run the tests and list the lines that none of them runs
	$(BIN)/coverage run -m pytest --quiet $(ARGS)
	$(BIN)/coverage report

check: .venv/dev .venv/checkov ## Check lint, format, types, import arrows and the template's safety
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	.venv/checkov/bin/checkov

format: .venv/dev ## Format the code and mend what the linter can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

build: .venv/dev ## Build the functions and the layer for this machine's architecture (needs python3.13)
	PATH="$(CURDIR)/$(BIN):$$PATH" sam build --parameter-overrides Architecture=$(ARCHITECTURE)

deploy: .venv/dev ## Build for AWS and deploy with samconfig.toml (ENV=prod for production)
	PATH="$(CURDIR)/$(BIN):$$PATH" sam build --config-env $(or $(ENV),default)
	$(BIN)/sam deploy --config-env $(or $(ENV),default)

docs: .venv/dev ## Build the documentation as a site in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

coldstart: .venv/run ## Measure what each function adds to a cold start, in a quiet minute
	@$(BIN)/python -m local.coldstart

bench: .venv/dev $(PEERS:%=.local/%/made) ## Measure cost, speed and scale beside other libraries (QUICK=1 for a minute, after setting them up once)
	@$(BIN)/python -m benchmarks $(if $(QUICK),--quick)

clean: ## Remove what was built and installed, but not the data in .local
	rm -rf .venv .aws-sam .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage

# The environment is made anew when a dependency list changes. Running needs a few packages, testing many more.
.venv/run: $(DEPENDENCIES)
	@echo 'Making .venv, once; a slow network needs a minute or two.'
	@rm -rf .venv
	@python=$$(local/find-python) && $$python -m venv .venv
	@$(PIP) 'pip>=25.1'
	@$(PIP) --group run --editable 'layers/messagelog[aws]'
	@touch $@

# Beside the others, since it is bound to an old boto3.
.venv/checkov: .venv/run
	@echo 'Adding checkov, once.'
	@$(BIN)/python -m venv $@
	@$@/bin/python -m pip install -qq --disable-pip-version-check 'checkov==3.3.*'
	@touch $@

.venv/dev: .venv/run
	@echo 'Adding what checks and tests need to .venv, once.'
	@$(PIP) --group dev
	@touch $@

# Libraries to compare with; one that cannot be installed is left out of the results.
.local/%/made: benchmarks/requirements-%.txt
	@echo 'Making .local/$*, once; a slow network needs a few minutes.'
	@rm -rf .local/$*
	@python=$$(local/find-python) && $$python -m venv .local/$*
	@.local/$*/bin/python -m pip install -qq --disable-pip-version-check -r $< || rm -rf .local/$*/bin
	@touch $@
