# Everything runs in .venv, which is created on first use. Only `make browser` changes anything outside of it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Four processes, also on two cores, since many tests wait. The tests of a file run in one process, because they
# share fixtures. tests/conftest.py starts the longest files first.
PARALLEL := $(BIN)/python -m pytest --numprocesses 4 --dist loadfile --no-loadscope-reorder
# The files whose tests are marked `reproducers`: only they are collected in the second half of `make test`.
REPRODUCERS := tests/test_reproducers.py tests/audit/test_programs.py tests/audit/test_same_as.py tests/audit/test_unchanged_programs.py
# Over a thousand processes import dpkb: without bytecode each of them would compile it.
unexport PYTHONDONTWRITEBYTECODE

# The first target: a bare `make` installs nothing.
help:                 ## list these targets
	@grep -hE '^[a-z]+:.*##' Makefile | sed 's/:.*## */\t/' | expand -t 10

# The rooms whose fast tests need no torch, and those of them (or of BASE) with changes that are not committed.
QUICK := .venv-quick
TORCHLESS := catalogue diagnosis judge lint output patterns relay scripts search tools versions
BASE ?= HEAD
CHANGED = $(sort $(shell { git diff --name-only $(BASE); git ls-files --others --exclude-standard; } \
	| sed -nE 's,^(dpkb|tests)/([a-z]+)/.*,\2,p; s,^(kb|reproducers|evidence)/.*,catalogue,p; s,^tools/.*,tools,p'))

.PHONY: help quick demo test fast guest verify check mutate site browser clean

quick: $(QUICK)/ready ## format, lint, types and what needs no torch of what changed: seconds, 150 MB
	$(QUICK)/bin/ruff format --check --quiet dpkb tests tools bench
	$(QUICK)/bin/ruff check --quiet
	$(QUICK)/bin/python -m mypy --ignore-missing-imports --allow-subclassing-any --allow-untyped-decorators \
	    --no-warn-unused-ignores --no-warn-return-any
	$(QUICK)/bin/dpkb check
	$(QUICK)/bin/python -m pytest -q -n auto -m "not reproducers and not slow" -k "not type_checker" tests/test_structure.py \
	    $(addprefix tests/,$(filter $(TORCHLESS),$(CHANGED)))
	@echo "Not tested here, since it needs torch (make fast): $(or $(filter-out $(TORCHLESS),$(CHANGED)),nothing)"

# A script that cannot run on this machine is skipped, which returns 1.
demo: $(VENV)/ready   ## look up a failure, see it happen here, see the fix work
	$(BIN)/dpkb search "bus error"
	-$(BIN)/dpkb repro DP1
	-$(BIN)/dpkb repro DP1 --fixed

# In CI no test of the site may be skipped. Elsewhere nothing is installed into the system unless asked for.
test: $(VENV)/ready $(if $(CI),browser)   ## everything that CI runs: the parallel tests, then every script
	$(PARALLEL) -m "not reproducers"
	$(BIN)/python -m pytest -m reproducers $(REPRODUCERS) # starts many processes itself; scripts measure time

fast: $(VENV)/ready   ## all but the slow tests and the scripts of the catalogue: some minutes
	$(PARALLEL) -m "not reproducers and not slow"

guest: $(VENV)/ready  ## run programs with and without `dpkb audit`, and compare: nothing may differ
	$(BIN)/python -m tests.support.compare_with_plain

verify: $(VENV)/ready ## run every script of the catalogue and judge it
	$(BIN)/dpkb verify

check: $(VENV)/ready  ## validate the catalogue without running a script
	$(BIN)/dpkb check

mutate: $(VENV)/ready ## change every script in many wrong ways, and list the changes that nothing notices
	$(BIN)/python -m tools.mutate

site: $(VENV)/ready   ## the documentation site, in site/: open site/index.html
	$(BIN)/python -m tools.site
	$(BIN)/mkdocs build --strict --quiet
	$(BIN)/python tests/support/markup_policy.py site

browser: $(VENV)/ready ## Debian's Chromium, which the tests of the site need, where it is missing
	$(BIN)/python tests/support/browser.py

clean:                ## remove .venv and what builds and tools leave here
	rm -rf $(VENV) $(QUICK) site build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

$(VENV)/ready: requirements/all.txt pyproject.toml
$(QUICK)/ready: requirements/quick.txt pyproject.toml
$(VENV)/ready $(QUICK)/ready:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or newer is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --require-hashes -r $<
	$(@D)/bin/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@
