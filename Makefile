# Everything needs only Python 3.11 or later, git and make: the environment is made in .venv.
# `make help` lists the targets.

PYTHON ?= python3
CORES ?= all
ARGS ?=
MODULE ?= evaluations/pair_outcomes

VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --no-input
STAMP := $(VENV)/.installed
KERNELS := $(VENV)/.compiled
DEMO_KERNELS := $(VENV)/.compiled-demo
REPORT := results/demo/report.html
SNAKEFILES := Snakefile workflow

# the environment is the lock's, whatever the caller's shell adds to Python's and pip's
unexport PYTHONPATH
unexport PYTHONHOME
unexport PIP_USER
unexport PIP_TARGET
unexport PIP_PREFIX
unexport PIP_CONSTRAINT
# each process would compile each module again
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo environment test test-slow test-all lint mutants docs release benchmark lock clean help
.DEFAULT_GOAL := demo

## demo: set up .venv, run the embedded demo to results/demo/report.html (the default)
demo: $(DEMO_KERNELS)
	$(PY) -m snakemake --cores $(CORES) $(ARGS)
	@echo "The demo's report: $(CURDIR)/$(REPORT)"

## environment: set up .venv from the lock and compile the kernels, nothing else
environment: $(KERNELS)

# What tells one Python from another; an environment that works answers like the one that made it.
WHICH := -c 'import ssl, sys; print(sys.base_prefix, *sys.version_info[:3])'
NAMED := $(filter-out file default undefined,$(origin PYTHON))

# Where an environment is, another Python's `venv` would write itself into its pyvenv.cfg and leave
# the links to the first: it is used as it is, or made anew where another is named or it is broken.
$(STAMP): requirements.lock pyproject.toml
	@own=$$($(PY) $(WHICH) 2>/dev/null); \
	if [ -n "$$own" ] && { [ -z "$(NAMED)" ] || [ "$$own" = "$$($(PYTHON) $(WHICH))" ]; }; then \
	  echo "Using $(VENV), of $$($(PY) --version)"; \
	else \
	  $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "regrade needs Python 3.11 or later, and '$(PYTHON)' is older or missing:" >&2; \
	    echo "name another one, as in: make PYTHON=python3.12" >&2; \
	    exit 1; }; \
	  [ ! -e $(VENV) ] || echo "$(VENV) is of another Python, or broken: it is made anew"; \
	  echo "Making $(VENV) with $$($(PYTHON) --version)"; \
	  $(PYTHON) -m venv --clear $(VENV); \
	fi
	@echo "Installing what requirements.lock pins (some minutes on a slow line)"
	@$(PIP) install --quiet --no-compile --require-hashes -r requirements.lock
	@echo "Installing regrade"
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# numba keeps what it compiles beside the sources; whoever changes some compiles those anew
$(KERNELS) $(DEMO_KERNELS): $(STAMP) src/regrade/kernels.txt \
    $(shell grep -rl --include='*.py' '^@njit' src)
	@echo "Compiling the kernels$(if $(OF), of the demo) (once; a minute or two on two cores)"
	@$(PY) -m regrade.kernels $(OF)
	@touch $@

$(DEMO_KERNELS): OF := --demo

TESTS := $(PY) -m pytest -n logical --dist loadfile --no-loadscope-reorder

## test: set up .venv, run the tests but the slow ones (ARGS="-k cuts" for some of them)
test: $(KERNELS)
	$(TESTS) -m "not slow" $(ARGS)

## test-slow: the others: worlds of intervals, clusters, kills, real data (both: test-all)
test-slow: $(KERNELS)
	$(TESTS) -m slow $(ARGS)

## test-all: all tests
test-all: $(KERNELS)
	$(TESTS) $(ARGS)

## lint: check the style of the workflow and of the code
lint: $(STAMP)
	$(PY) -m snakemake --lint
	$(PY) -m snakefmt --check $(SNAKEFILES)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

## docs: the site, in build/docs; a link that leads nowhere is an error
docs: $(STAMP)
	$(PY) -m sphinx --jobs auto --quiet --fail-on-warning --keep-going -c docs -d build/sphinx . build/docs
	@echo "The site: $(CURDIR)/build/docs/docs/index.html"

# cosmic-ray is no part of the lock, as what is tested does not depend on it
## mutants: which changes of a module its tests notice (MODULE=evaluations/pair_outcomes ARGS="--most 50")
mutants: $(KERNELS)
	@$(PY) -c 'import cosmic_ray' 2>/dev/null || $(PIP) install --quiet --editable '.[dev]'
	$(PY) -m tests.mutants $(MODULE) $(ARGS)

## benchmark: speed and memory beside peers, as a table
benchmark: $(KERNELS)
	$(PY) -m benchmarks $(ARGS)

# What the lock holds must not depend on its maker's pip settings: no find-links, no further index,
# and no addresses in the file.  It has an environment of its own, for pip-tools are not pinned.
LOCK_VENV := build/lock

## lock: pin and hash dependencies, keeping what is pinned (ARGS=--upgrade: all anew; Python 3.11)
lock:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || { \
	  echo "the lock is made by Python 3.11: make lock PYTHON=python3.11" >&2; \
	  exit 1; }
	@$(PYTHON) -m venv $(LOCK_VENV)
	@$(LOCK_VENV)/bin/python -m pip install --quiet --upgrade pip pip-tools
	PIP_CONFIG_FILE=/dev/null PIP_FIND_LINKS= PIP_EXTRA_INDEX_URL= \
	CUSTOM_COMPILE_COMMAND="make lock" $(LOCK_VENV)/bin/python -m piptools compile \
	  --quiet --no-config $(ARGS) --extra test --build-deps-for editable --generate-hashes \
	  --no-emit-options --strip-extras --allow-unsafe \
	  --output-file requirements.lock pyproject.toml

# what makes a release is no part of the lock: what is released does not depend on it
RELEASE := build/release
FRESH := build/fresh
MADE_AT := $(shell git log -1 --format=%ct 2>/dev/null)

## release: sdist and wheel in dist, checked in a fresh environment by the demo; SBOM, checksums
release:
	rm -rf dist $(RELEASE) $(FRESH)
	@$(PYTHON) -m venv $(RELEASE)
	@$(RELEASE)/bin/python -m pip install --quiet build twine cyclonedx-bom
	SOURCE_DATE_EPOCH=$(MADE_AT) $(RELEASE)/bin/python -m build --outdir dist .
	$(RELEASE)/bin/python -m twine check --strict dist/*
	@$(PYTHON) -m venv $(FRESH)
	@$(FRESH)/bin/python -m pip install --quiet "$$(echo dist/*.whl)[workflow]"
	$(RELEASE)/bin/cyclonedx-py environment --output-reproducible --pyproject pyproject.toml \
	  --output-file dist/sbom.json $(FRESH)
	cd $(FRESH) && bin/python -m regrade.kernels && bin/regrade --version \
	  && bin/regrade demo --files example \
	  && bin/regrade rank example/qrels.txt example/runs -m nDCG@10 \
	  && bin/regrade demo --directory demo --cores $(CORES)
	cd dist && sha256sum * > SHA256SUMS

## clean: remove the environment, the caches and the demo's results; other results stay
clean:
	rm -rf $(VENV) build dist results/demo .pytest_cache .ruff_cache .hypothesis
	find src workflow tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

## help: list the targets
help:
	@sed -n 's/^## //p' $(firstword $(MAKEFILE_LIST))
