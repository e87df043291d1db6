# Every target but help, lock and clean first brings .venv up to date. ARGS goes to the command: make bench ARGS="--seconds 5"

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
PACKAGE := packages/casino
NODE_STAMP := $(PACKAGE)/node_modules/.package-lock.json
ENGINE := $(PACKAGE)/dist/facts.json
BUNDLE := $(PACKAGE)/dist/page/main.js
ESLINT := $(CURDIR)/$(PACKAGE)/node_modules/.bin/eslint
# pip writes no bytecode (--no-compile), because that takes it longer than the rest; the first import writes what it needs.
unexport PYTHONDONTWRITEBYTECODE
UV := uv==0.13.9
AUDIT := pip-audit==2.10.1
# The packages that compile kernels: `make setup` installs them first.
COMPILERS := cloudpickle|farama-notifications|gymnasium|llvmlite|numba|numpy|pettingzoo|typing-extensions|ziglang
SYSTEM ?= all
ARGS ?=
# Run a command in the folder of the JavaScript package, with the tools of its lock file.
javascript = @if command -v npm > /dev/null; then $(MAKE) -s $(NODE_STAMP) && cd $(PACKAGE) && $(1); \
	else echo "node is missing: $(2) of JavaScript not checked"; fi

.DEFAULT_GOAL := help
.PHONY: help setup train page test test-slow test-interop lint types format docs wasm wheels bench fuzz audit lock clean

help:  ## list these targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r target what; do \
		printf '%-20s %s\n' "$$target" "$$what"; done

setup: $(STAMP) $(ENGINE)  ## make .venv with everything that the other targets need, and the engine of the page

$(STAMP): pyproject.toml lock.txt constraints.txt
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit( \
		"casino-env needs Python 3.11 or later, $(PYTHON) is %d.%d: make setup PYTHON=python3.12" % sys.version_info[:2])'
	$(PYTHON) -m venv .venv
	sed -nE '/^($(COMPILERS))==/,/[^\]$$/p' lock.txt > .venv/compilers.txt
	$(BIN)/python -m pip install -q --no-compile --require-hashes -r .venv/compilers.txt
	@# Compile kernels while pip fetches the rest. torch has no hash, because its file differs between kinds of machines.
	$(BIN)/python -m casino_env compile & compiling=$$!; \
		$(BIN)/python -m pip install -q --no-compile --require-hashes -r lock.txt \
		&& $(BIN)/python -m pip install -q --no-compile -c constraints.txt torch \
		&& CASINO_ENV_LIBRARY=none $(BIN)/python -m pip install -q --no-compile --no-deps --no-build-isolation -e . \
		&& wait $$compiling
	@touch $@

lock: constraints.txt  ## make lock.txt, the hashes of what constraints.txt pins
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install -q $(UV)
	grep -v '^torch==' constraints.txt | build/lock/bin/uv pip compile - --universal --python-version 3.11 \
		--generate-hashes --no-annotate --custom-compile-command "make lock (only torch has no hash: its file differs with and without a GPU)" -q -o lock.txt

$(NODE_STAMP): $(PACKAGE)/package-lock.json
	cd $(PACKAGE) && npm ci --silent --no-audit --no-fund
	@touch $@

$(ENGINE): $(wildcard casino_env/*.py $(addprefix casino_env/,engine/*.py knowledge/*.py compiler/*.py aot/*.py aot/c/*)) \
		$(wildcard agents/*.py agents/*/*.py agents/policies/*) | $(STAMP)
	$(BIN)/casino compile --target wasm32 --to $(PACKAGE)/dist

# The page's scripts in a few files. Without node the page loads them one by one.
$(BUNDLE): $(wildcard play/web/page/*.js play/web/page/*/*.js $(PACKAGE)/src/*/*.js) $(ENGINE) $(PACKAGE)/package.json
	$(call javascript,npm run -s bundle,the bundle)

page: $(STAMP) $(BUNDLE)  ## write the page as a static folder, build/page; casino play --web serves it on this machine
	$(BIN)/casino play --page build/page

train: $(STAMP)  ## train a first opponent for a minute, then play it against the bots
	$(BIN)/casino train configs/first.toml --deals 500 $(ARGS)

test: $(STAMP) $(ENGINE)  ## run the fast tests
	$(BIN)/python -m pytest -n 2 $(ARGS)

test-slow: $(STAMP) $(BUNDLE)  ## run the slow tests: documents, browser, kills, processes, exported policies, OpenSpiel
	$(BIN)/python -m pytest -n 2 -m slow $(ARGS)

test-interop:  ## run the examples with their libraries; ARGS="sb3 spiel cluster": only these
	PYTHON=$(PYTHON) tests/interop.sh $(ARGS)

lint: $(STAMP)  ## check style and formatting
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(call javascript,$(ESLINT) . && cd ../../play/web && $(ESLINT) page tests tools,the style)

types: $(STAMP)  ## check types; those of the packages for Linux, macOS and Windows
	$(BIN)/mypy
	@for system in darwin win32; do echo mypy --platform $$system; \
		$(BIN)/mypy --platform $$system --cache-dir .mypy_cache/$$system casino_env || exit 1; done
	$(call javascript,npx tsc && npx tsc -p ../../play/web/tsconfig.json,the types)

format: $(STAMP)  ## sort imports and format all files
	$(BIN)/ruff check --select I --fix
	$(BIN)/ruff format

docs: $(STAMP)  ## build the pages of docs/ as HTML in build/docs; a warning is an error
	$(BIN)/python docs/file_list.py
	$(BIN)/python -m sphinx -W --keep-going -q -E -b html docs build/docs
	@echo build/docs/index.html

wasm: $(ENGINE)  ## make packages/casino/dist: kernels and policies for JavaScript

wheels: $(STAMP) $(BUNDLE)  ## make dist/: wheels for Linux, macOS and Windows, and the sdist
	rm -rf build/libraries
	$(BIN)/casino compile --target $(SYSTEM) --to build/libraries$(if $(filter-out all,$(SYSTEM)),/$(SYSTEM))
	for library in build/libraries/*; do CASINO_ENV_LIBRARY=$$library $(BIN)/python -m hatchling build -t wheel -d dist || exit 1; done
	$(BIN)/python -m hatchling build -t sdist -d dist

bench: $(STAMP)  ## measure decisions a second
	$(BIN)/casino bench $(ARGS)

fuzz: $(STAMP)  ## compare the engine with the reference engine on random positions; ARGS="--hostile": corrupt inputs of every kind
	$(BIN)/python -m tests.fuzz $(ARGS)

audit: $(STAMP)  ## look for known vulnerabilities in the pinned packages; needs the network
	$(PYTHON) -m venv build/audit
	build/audit/bin/python -m pip install -q $(AUDIT)
	build/audit/bin/pip-audit --strict --disable-pip --require-hashes -r lock.txt
	cd $(PACKAGE) && npm audit

clean:  ## remove caches and build results; .venv and runs/ stay
	rm -rf build dist $(PACKAGE)/dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -path ./.venv -prune -o -name __pycache__ -type d -print0 | xargs -0 rm -rf
