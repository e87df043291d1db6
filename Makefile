# Every target but help, docs and clean first brings .venv up to date. More words for a command: make bench ARGS="--seconds 5"

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
TO_COMPILE := numpy gymnasium pettingzoo numba ziglang pydantic safetensors
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help setup train test test-slow test-interop lint types format docs wasm wheels bench fuzz clean

help:  ## list these targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r target what; do \
		printf '%-20s %s\n' "$$target" "$$what"; done

setup: $(STAMP)  ## make .venv with everything that the other targets need

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -c constraints.txt $(TO_COMPILE)
	@# Kernels are compiled while the rest is fetched.
	$(BIN)/python -m casino_env compile & compiling=$$!; \
		CASINO_ENV_LIBRARY=none $(BIN)/python -m pip install -q -c constraints.txt -e '.[compile,train,eval,play,render,hpo,onnx,dev]' \
		&& wait $$compiling
	@touch $@

train: $(STAMP)  ## train a first opponent for a minute, then match it with the bots
	$(BIN)/casino train configs/first.toml --deals 500 $(ARGS)

test: $(STAMP)  ## run the fast tests
	$(BIN)/python -m pytest -n 2 $(ARGS)

test-slow: $(STAMP)  ## run the others: documents, browser, kills, processes, exported policies, OpenSpiel
	$(BIN)/python -m pytest -n 2 -m slow $(ARGS)

test-interop:  ## run the examples with the libraries that they connect to; ARGS="sb3 spiel cluster": only these
	PYTHON=$(PYTHON) tests/interop.sh $(ARGS)

lint: $(STAMP)  ## check style and formatting
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(STAMP)  ## check types
	$(BIN)/mypy

format: $(STAMP)  ## sort imports and format all files
	$(BIN)/ruff check --select I --fix
	$(BIN)/ruff format

docs: .venv-docs/.done  ## build the pages of docs/ as HTML in build/docs; a warning is an error
	.venv-docs/bin/python docs/file_list.py
	.venv-docs/bin/python -m sphinx -W --keep-going -q -E -b html docs build/docs
	@echo build/docs/index.html

.venv-docs/.done: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install -q -c constraints.txt -e '.[docs]'
	@touch $@

wasm: $(STAMP)  ## make packages/casino/dist: the kernels for JavaScript
	$(BIN)/casino compile --target wasm32 --to packages/casino/dist

wheels: $(STAMP)  ## make dist/: wheels for Linux, macOS and Windows, and the sdist
	rm -rf build/libraries
	$(BIN)/casino compile --target all --to build/libraries
	for library in build/libraries/*; do CASINO_ENV_LIBRARY=$$library $(BIN)/python -m hatchling build -t wheel -d dist || exit 1; done
	$(BIN)/python -m hatchling build -t sdist -d dist

bench: $(STAMP)  ## measure decisions a second
	$(BIN)/casino bench $(ARGS)

fuzz: $(STAMP)  ## compare the engine with the slow one on random positions; ARGS="--hostile": spoilt inputs of every kind
	$(BIN)/python -m tests.fuzz $(ARGS)

clean:  ## remove caches and build results; .venv and runs/ stay
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -path ./.venv -prune -o -name __pycache__ -type d -print0 | xargs -0 rm -rf
