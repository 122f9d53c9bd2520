# Each thing that a developer does is a target. `make help` lists them. They need only make and a Python from 3.11 on.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run demo invoke test pythons e2e torture coverage check format docs coldstart bench build deploy clean \
	clean-layers

BIN := .venv/bin
ENV ?= default
PEERS := peers peers-llama-index peers-pya-memory
# `sam build` installs the layers with the Python of the functions' runtime, which it looks for on the PATH.
RUNTIME := $(shell sed -n 's/^ *Runtime: python//p' template.yaml)
SAM = PATH="$$(dirname "$$(local/find-python $(RUNTIME))"):$$PATH" $(CURDIR)/$(BIN)/sam
ARCHITECTURE := $(if $(filter arm64 aarch64,$(shell uname -m)),arm64,x86_64)
export PORT STATE

include local/environments.mk

help: ## List the targets
	@grep -hE '^[a-z0-9]+:.*## ' Makefile | awk -F ':.*## ' '{ printf "  make %-9s %s\n", $$1, $$2 }'

run: .venv/run ## Serve the API on http://127.0.0.1:3000 with an embedded DynamoDB (PORT=… changes the port)
	@$(BIN)/python -m local.serve

demo: .venv/run ## Play a short conversation through the API, and show each view of it
	@$(BIN)/python -m local.demo

invoke: .venv/run ## Run one function on its sample event, as in `make invoke OP=append`
	@$(BIN)/python -m local.invoke $(OP)

test: check ## Run all checks and tests, and fail below the floor of coverage (ARGS=… runs some tests, without it)
	$(BIN)/pytest -n auto --dist loadfile $(or $(ARGS),--cov --cov-report=)

coverage: .venv/dev ## Run the tests, and list the lines that no test runs
	$(BIN)/pytest -n auto --dist loadfile --cov --cov-report=term-missing:skip-covered $(ARGS)

pythons: .venv/dev ## Run the unit tests on each other supported Python that is installed
	@local/test-pythons $(BIN)/python

e2e: .venv/dev ## Test what SAM builds, deployed to an emulated AWS and run in containers
	$(BIN)/pytest tests/e2e $(ARGS)

torture: .venv/dev ## Kill and break writers for two minutes, then check what they left (FOR=600 for ten minutes)
	@$(BIN)/python -m tests.torture --seconds $(or $(FOR),120)

check: .venv/dev .venv/checkov ## Check lint, format, types, import rules, and the security of the template
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	.venv/checkov/bin/checkov

format: .venv/dev ## Format the code, and fix what the linter can fix
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: .venv/dev ## Build the documentation as a site in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

coldstart: .venv/run ## Measure the part of each function in a cold start (let nothing else run)
	@$(BIN)/python -m local.coldstart

bench: .venv/dev $(PEERS:%=.local/%/made) ## Measure cost, speed and scale beside other libraries (QUICK=1 for a minute)
	@$(BIN)/python -m benchmarks $(if $(QUICK),--quick)

build: .venv/dev clean-layers ## Build the functions and layers for this machine's architecture
	$(SAM) build --parameter-overrides Architecture=$(ARCHITECTURE)

deploy: .venv/dev clean-layers ## Build and deploy with the settings of samconfig.toml (ENV=prod for production)
	$(SAM) build --config-env $(ENV)
	$(SAM) deploy --config-env $(ENV)

# SAM copies a layer's whole folder. Some build tools leave copies of the package there.
clean-layers:
	@rm -rf layers/*/build layers/*/dist layers/*/*.egg-info

clean: clean-layers ## Remove what was built and installed, except the data in .local
	rm -rf .venv .aws-sam site .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage*
