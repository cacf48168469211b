# The front door. `make demo` and `make test` need a Python and a C++ compiler, nothing else: each makes .venv, builds
# the kernels, installs the package there (editable) and runs. Stamps inside .venv remember what is done.
# Written for GNU make 3.81, the one macOS comes with, and newer.

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
SOURCES := pyproject.toml CMakeLists.txt $(wildcard cpp/*)

# Once `make test` has built here with warnings as errors, `make demo` keeps to that build.
STRICT := $(VENV)/.built-strict
BUILT := $(or $(wildcard $(STRICT)),$(VENV)/.built)

# The first Python that will do; another one: make demo PYTHON=/path/to/python3.12
PYTHON ?= $(shell for python in python3.13 python3.12 python3.11 python3; do \
	$$python -c '$(NEW); $(WITH_VENV); $(WITH_HEADERS)' 2>/dev/null && echo $$python && exit; done; echo python3)
NEW := import sys; assert sys.version_info >= (3, 11)
WITH_VENV := import ensurepip, venv
WITH_HEADERS := import os, sysconfig; os.stat(os.path.join(sysconfig.get_path("include"), "Python.h"))

# The first compiler that will do. Compiling tells more than a name does: macOS has a placeholder, old compilers know no
# C++20. It is handed on, for else the build takes the one that Python was built with, which may not be here.
GIVEN := $(if $(filter-out default,$(origin CXX)),$(CXX))
COMPILERS := $(or $(GIVEN),c++ g++ clang++)
COMPILER = $(shell for compiler in $(COMPILERS); do \
	echo | $$compiler -std=c++20 -include concepts -x c++ -fsyntax-only - 2>/dev/null && echo $$compiler && exit; done)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test lint sanitize wheel bench clean anew

help:
	@echo 'make demo       fit the four models on data that comes with the package and compare them'
	@echo 'make test       run the tests; some of them: make test ARGS="tests/test_counts.py -x"'
	@echo 'make lint       ruff, mypy, import-linter'
	@echo 'make sanitize   the tests of the kernels under sanitizers of memory, arithmetic and threads (minutes)'
	@echo 'make wheel      build dist/: the sdist, and a wheel of it, tried out in an empty environment'
	@echo 'make bench      time kernels and learners beside others; some of it: make bench ARGS="--only b growth"'
	@echo '                with LightGBM, XGBoost and pyAgrum, which it installs: make bench PEERS=yes'
	@echo 'make clean      remove .venv, build and caches'
	@echo
	@echo 'Needed: Python 3.11 or newer (PYTHON=... chooses one) and a C++20 compiler (CXX=...).'

demo: $(VENV)/.group-demo $(BUILT)
	@$(BIN)/python examples/01_first_look.py $(ARGS)

test: $(VENV)/.group-test $(STRICT)
	@SCIPY_ARRAY_API=1 $(BIN)/python -m pytest $(ARGS)

lint: $(VENV)/.group-lint $(STRICT)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

sanitize: $(VENV)/.group-test $(BUILT)
	@CXX='$(or $(GIVEN),$(COMPILER))' tools/sanitize.sh $(BIN)/python $(ARGS)

wheel: $(VENV)/.group-wheel
	@$(check_compiler)
	@CXX='$(or $(GIVEN),$(COMPILER))' $(BIN)/python tools/wheel.py

bench: $(VENV)/.group-bench $(if $(filter yes,$(PEERS)),$(VENV)/.group-peers) $(BUILT)
	@$(BIN)/python benchmarks/run.py $(ARGS)

clean:
	rm -rf $(VENV) build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- The steps. Each says one line, and shows its log only when it fails.

quietly = > $(VENV)/last.log 2>&1 || { cat $(VENV)/last.log; exit 1; }

# The stamp holds the path: a .venv that was moved or copied, or whose Python is gone, is made anew.
$(VENV)/.made: $(if $(shell test -e $(BIN)/python && grep -xF "$(CURDIR)" $(VENV)/.made 2>/dev/null),,anew)
	@$(check_compiler)
	@$(check_python)
	@echo 'Making $(VENV) ...'
	@mkdir -p $(VENV)
	@if [ -e $@ ] || [ ! -e $(BIN)/python ]; then $(PYTHON) -m venv --clear $(VENV); fi
	@{ $(PIP) --version || $(BIN)/python -m ensurepip; } $(quietly)
	@$(PIP) install --upgrade 'pip>=25.1' $(quietly)
	@echo "$(CURDIR)" > $@

$(VENV)/.group-%: pyproject.toml $(VENV)/.made
	@echo 'Installing what `make $*` needs ...'
	@$(PIP) install --group $* $(quietly)
	@touch $@

$(VENV)/.built: WERROR := OFF
$(STRICT): WERROR := ON
$(VENV)/.built $(STRICT): $(SOURCES) $(VENV)/.made
	@$(check_compiler)
	@echo 'Building the kernels (a minute on first use) ...'
	@$(PIP) install --group build $(quietly)
	@CXX='$(or $(GIVEN),$(COMPILER))' $(PIP) install --no-build-isolation -Ceditable.mode=redirect \
		-Ccmake.define.SAVVYBAYES_WERROR=$(WERROR) --editable . $(quietly)
	@touch $@

# --- What a machine may lack, and how to get it.

define check_compiler
if [ -z "$(COMPILER)" ]; then lack='none of these is one: $(COMPILERS)'; $(complain); fi
endef

define check_python
can() { $(PYTHON) -c "$$1" 2>/dev/null; }; \
if ! can 'pass'; then lack='$(PYTHON) does not run'; \
elif ! can '$(NEW)'; then lack="$(PYTHON) is $$($(PYTHON) --version 2>&1)"; \
elif ! can '$(WITH_VENV)'; then lack='$(PYTHON) has no venv module'; \
elif ! can '$(WITH_HEADERS)'; then lack='$(PYTHON) has no headers (Python.h)'; \
else exit 0; fi; $(complain)
endef

complain = echo "$$HINTS" | sed "s|LACK|$$lack|" >&2; exit 1

define HINTS

savvybayes needs Python 3.11 or newer, with its venv module and headers, and a C++20 compiler,
such as GCC 11 or Clang 14. Here LACK.

    Debian 12, Ubuntu 24.04 or newer    sudo apt install g++ python3 python3-venv python3-dev
    Ubuntu 22.04                        sudo apt install g++ python3.11 python3.11-venv python3.11-dev
    Fedora                              sudo dnf install gcc-c++ python3 python3-devel
    macOS                               xcode-select --install && brew install python

Then give the same command again. PYTHON=python3.12 or CXX=g++-13 after it chooses another Python or compiler.

endef
export HINTS
