# Every target but help and clean first brings its .venv up to date. More words for a command: make bench ARGS="--seconds 5"

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help setup train test test-slow lint types format docs bench bench-peers smoke smoke-versions test-interop test-cluster fuzz solve kills bench-train bench-sb3 ablations opponents opponent onnx deals clean

help:  ## list these targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r target what; do \
		printf '%-20s %s\n' "$$target" "$$what"; done

setup: $(STAMP)  ## make .venv with everything that the other targets need

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[train,eval,play,render,hpo,onnx,dev]'
	$(BIN)/casino compile
	@touch $@

train: $(STAMP)  ## train a first opponent for three minutes, then match it with the bots
	$(BIN)/casino train configs/first.toml $(ARGS)

test: $(STAMP)  ## run the fast tests
	$(BIN)/python -m pytest -n 2 $(ARGS)

test-slow: $(STAMP)  ## run the others: documents, browser, kills, processes, exported policies, OpenSpiel
	$(BIN)/python -m pytest -n 2 -m slow $(ARGS)

deals: $(STAMP)  ## play whole deals of all games by clicks in a browser, at the sizes of a laptop and a phone
	$(BIN)/python -m pytest -n 2 -m "slow or wide" tests/test_play_deals.py $(ARGS)

lint: $(STAMP)  ## check style and formatting
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(STAMP)  ## check types
	$(BIN)/mypy

format: $(STAMP)  ## sort imports and format all files
	$(BIN)/ruff check --select I --fix
	$(BIN)/ruff format

docs: .venv-docs/.done  ## build the pages of docs/ as HTML in build/docs; a warning is an error
	.venv-docs/bin/python -m sphinx -W --keep-going -q -E -b html docs build/docs
	@echo build/docs/index.html

.venv-docs/.done: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install -q -c constraints.txt -e '.[docs]'
	@touch $@

bench: $(STAMP)  ## measure decisions a second
	$(BIN)/casino bench $(ARGS)

bench-peers: .venv-peers/.done  ## measure other projects' card games beside ours, into docs/benchmarks.md
	.venv-peers/bin/python -m benchmarks peers --write $(ARGS)

# One project at a time: what cannot be installed is a row that says so, and the others are measured all the same.
.venv-peers/.done: docs/peers.txt constraints.txt pyproject.toml
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install -q -c constraints.txt -e .
	-sed 's/ *#.*//; /^$$/d' docs/peers.txt | xargs -n 1 .venv-peers/bin/python -m pip install -q -c constraints.txt
	@touch $@

INTEROP := sb3 torchrl tianshou rllib agilerl supersuit minari spiel

test-interop: $(INTEROP:%=.venv-%/.done)  ## run the examples with the libraries that they connect to, each for a moment
	for name in $(INTEROP); do .venv-$$name/bin/python -m pytest -m slow tests/test_examples.py || exit 1; done
	.venv-spiel/bin/python -m pytest -m "" tests/test_openspiel.py tests/test_evaluate_populations.py

test-cluster: .venv-cluster/.done  ## play on a Ray cluster of two nodes on this machine, one of which is killed
	.venv-cluster/bin/python -m pytest -m slow tests/test_cluster.py $(ARGS)

EXTRAS_spiel := train,eval,spiel
EXTRAS_cluster := train,eval,hpo,cluster

# torch is pinned: another version would bring gigabytes of GPU libraries along.
.venv-%/.done: pyproject.toml
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip install -q torch==2.13.0 pytest pytest-timeout -e '.[$(or $(EXTRAS_$*),interop-$*)]'
	@touch $@

# A bare environment, made anew each time: the package as others install it, and what it needs. PYTHON=python3.13 for
# another Python, PINS=FILE for other versions. The script runs from there, isolated (-I): the checkout is not on its path.
smoke:  ## install the package alone into an empty environment and play there
	$(PYTHON) -m venv --clear .venv-bare
	.venv-bare/bin/python -m pip install -q $(if $(PINS),-c $(PINS)) .
	cd .venv-bare && CASINO_ENV_CACHE=cache bin/python -I ../tests/smoke.py

smoke-versions:  ## the same with the oldest versions of what it needs, then with the newest
	$(MAKE) smoke PINS=oldest.txt
	$(MAKE) smoke PINS=

fuzz: $(STAMP)  ## compare the engine with the slow one on random positions; ARGS="--hostile": spoilt inputs of every kind
	$(BIN)/python -m tests.fuzz $(ARGS)

solve: $(STAMP)  ## compare the solver with plain minimax on 1,000 endings
	$(BIN)/python -m tests.solving $(ARGS)

kills: $(STAMP)  ## cut off trainings, tournaments and the web server by kills and full disks, and go on with them
	$(BIN)/python -m tests.kills $(ARGS)

bench-train: $(STAMP)  ## measure where the time of training goes, beside the arithmetic, into docs/benchmarks.md
	$(BIN)/python -m benchmarks training --write $(ARGS)

bench-sb3: $(STAMP) .venv-sb3/.done  ## train five minutes with SB3's MaskablePPO, five with our PPO, and match them
	.venv-sb3/bin/python examples/sb3_as_policy.py --minutes 5 --out runs/sb3
	$(BIN)/casino train --minutes 5 --set run.algorithm=ppo --set "network.hidden=[128,128]" --set run.name=beside-sb3-$$(date +%s) --runs runs/sb3 --json
	$(BIN)/casino evaluate match policy:$$(ls -td runs/sb3/beside-* | head -1) policy:runs/sb3 --deals 2000 --variant south-african --players 2

ablations: $(STAMP)  ## train with one setting changed at a time and match with the default (half an hour)
	$(BIN)/casino train ablate configs/ablations.toml $(ARGS)

opponents: $(STAMP)  ## train the policies that come with the project and measure them (hours; goes on where it was)
	$(BIN)/casino train opponents
	$(BIN)/casino evaluate measure strength
	$(BIN)/casino evaluate measure profile
	$(BIN)/python docs/generate.py

opponent: $(STAMP)  ## the same for one of them: make opponent GAME=swazi-3
	$(BIN)/casino train opponents $(GAME)
	$(BIN)/casino evaluate measure strength $(GAME)
	$(BIN)/casino evaluate measure profile $(GAME)
	$(BIN)/python docs/generate.py

onnx: $(STAMP)  ## distil the policies that come with the project and write them as ONNX files to build/onnx; skips what is there
	mkdir -p build/onnx
	for file in agents/policies/*.safetensors; do \
		name=$$(basename $$file .safetensors); to=build/onnx/$$name; \
		test -f $$to.safetensors || $(BIN)/casino train distil policy:$$name --to $$to.safetensors $(ARGS) || exit 1; \
		test -f $$to.onnx || $(BIN)/casino agents export $$to.safetensors $$to.onnx || exit 1; done

clean:  ## remove caches and build results; .venv and runs/ stay
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -path ./.venv -prune -o -name __pycache__ -type d -print0 | xargs -0 rm -rf
