# Each target makes the environments it needs, from nothing but Python 3.11 or later with pip.

# Another interpreter: make PYTHON=python3.12 test
PYTHON ?= python3
# Which torch is installed for test-torch and test-harnesses; any of 2.1 or later will do.
TORCH ?= torch==2.13.0
# Arguments for pytest or the benchmark: make test-compiled ARGS="-x -k scan"
ARGS ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo docs pages space space-repo test quick fuzz test-pure test-compiled test-installed test-sanitized \
	test-harnesses test-torch test-spark test-spacy-oldest coverage lint format bench record-instructions \
	walks dist clean core sdist sanitized-copy FORCE

export PIP_DISABLE_PIP_VERSION_CHECK := 1

# The tests of a file stay together, as some share a server.
PYTEST := -m pytest -n auto --dist loadfile

# What runs where. In this folder, compiled and with all extras, every test runs, and random searches try all
# their examples. A copy is tested only for what may be different there:
# - pure: the source runs uncompiled; the packages that run the core or hand trees to it, with fewer examples;
# - spacy-oldest: the plugin in the same environment, which has the oldest spaCy that it takes;
# - installed: what pip installs, without extras; compiled with bounds checks, so that a place beyond a buffer is
#   an error. Fewer examples, and nothing that takes long;
# - sanitized: addresses and undefined behaviour in C; the packages that run the core, with fewer examples;
# - coverage: the source runs uncompiled with all extras; fewer examples, and nothing that takes long.
TESTS_pure := --hypothesis-profile few -m "not slow" tests/core tests/trees tests/sources tests/metrics \
	tests/packaging/test_compiled.py tests/packaging/test_standin.py
TESTS_spacy-oldest := -W default -m "not hypothesis" tests/plugin_spacy
TESTS_installed := --hypothesis-profile few -m "not slow" --ignore=tests/space --ignore=tests/plugin_spacy
TESTS_sanitized := --hypothesis-profile few tests/core tests/metrics tests/packaging/test_compiled.py
TESTS_torch := tests/hub/test_torchmetrics.py
TESTS_spark := -n 0 tests/scale/test_spark.py
TESTS_harnesses := -n 0 tests/harnesses
TESTS_coverage := --hypothesis-profile few -m "not slow" --ignore=tests/bench --ignore=tests/harnesses

# There are two kinds of installation. `.venv` has this very folder (editable), compiled in place.
# Each of `.venvs/NAME` has a copy, installed from the source package; its tests run in an unpacked
# source package without the packages themselves, so that only the installed copy can be imported.
BIN := .venv/bin
RUNS := .venvs

PACKAGE := pyproject.toml setup.py MANIFEST.in hf_space/struct_iou.py $(wildcard README.md) $(sort $(shell \
	find structiou_metric spacy_structiou -name '*.py' -o -name '*.pxd' -o -name '*.html' -o -name '*.css' -o -name '*.js' \
	-o -name '*.js' -o -name py.typed))

# "yes" if the compiler that setuptools would call finds Python's header. Whether it compiles the core shows
# when it has tried: if it fails, all goes on uncompiled.
HAVE_CC := $(shell $$($(PYTHON) -c 'import os, sysconfig; \
	cc = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"; \
	print(cc, "-I" + sysconfig.get_path("include"))') \
	-include Python.h -fsyntax-only -x c /dev/null >/dev/null 2>&1 && echo yes)

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /\1:/p' Makefile | awk -F: '{ printf "make %-14s %s\n", $$1, $$2 }'

demo: core ## score the bundled English and Hebrew trees
	$(BIN)/structiou score --labels base tests/data/english.reference.mrg tests/data/english.prediction.txt
	$(BIN)/structiou score --unit char tests/data/hebrew.reference.txt tests/data/hebrew.prediction.txt
	$(BIN)/structiou align --labels base --row 7 tests/data/english.reference.mrg tests/data/english.prediction.txt

space: core .venv/.space ## serve the pages and a leaderboard with demo benchmarks on this machine
	@$(BIN)/python hf_space/app.py --demo --host 127.0.0.1 $(ARGS)

space-repo: ## write build/space, the folder to upload to the Hub as a Space
	@$(PYTHON) hf_space/deploy/space_repo.py build/space

# Strict: a link that leads nowhere and a public name without a docstring are errors. All pages are read anew, as
# tables and reference come from the code; notebooks are executed when they have changed.
docs: core .venv/.docs ## build the site into docs/_build/html, from the pages, the docstrings and the notebooks
	$(BIN)/python -m sphinx -M html docs docs/_build -E -W --keep-going -q $(ARGS)
	$(BIN)/python docs/parts/playground.py docs/_build/html/playground
	@echo 'docs/_build/html/index.html'

playground: core .venv/.docs ## write the playground, which runs in browsers, into build/playground
	$(BIN)/python docs/parts/playground.py build/playground

test: lint test-pure test-spacy-oldest test-compiled test-installed ## all that CI runs, in its order

test-pure: $(RUNS)/pure/.installed ## test a copy uncompiled, without Cython
	$(call test-copy,pure,STRUCTIOU_EXPECT_COMPILED=0)

test-compiled: core .venv/.dev ## test this folder, compiled
	@$(if-compiled) STRUCTIOU_EXPECT_COMPILED=1 $(BIN)/python $(PYTEST) $(ARGS); $(else-skipped)

test-installed: core $(RUNS)/installed/.installed ## test a copy as pip installs it, without any extra, with bounds checks
	$(call test-copy,installed,STRUCTIOU_EXPECT_COMPILED=$(expected) $(if $(filter 1,$(expected)),STRUCTIOU_EXPECT_CHECKED=1))

# Not part of `test`: gcc's checks slow the core down, and every module has to be compiled once more.
test-sanitized: core ## test the core in a copy compiled with checks of addresses and undefined behaviour
	@$(if-compiled) $(MAKE) --no-print-directory sanitized-copy; $(else-skipped)

# Python's own allocator would hide what overruns a buffer; leaks are not looked for, as Python frees little
# when it ends.
sanitized-copy: $(RUNS)/sanitized/.installed
	$(call test-copy,sanitized,STRUCTIOU_EXPECT_COMPILED=1 STRUCTIOU_EXPECT_SANITIZED=1 PYTHONMALLOC=malloc \
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
		LD_PRELOAD=$$($(CC) -print-file-name=libasan.so))

test-harnesses: $(RUNS)/harnesses/.installed ## test with lm-eval, lighteval, a Trainer and Stanza, which need torch (2 GB)
	$(call test-copy,harnesses)

# Torch is gigabytes on many machines, so this is no part of `make test`.
test-torch: $(RUNS)/torch/.installed ## test the metric of torchmetrics, with TORCH as pip names it
	$(call test-copy,torch)

# Spark takes most of a gigabyte and Java 17, so this is no part of `make test`.
test-spark: $(RUNS)/spark/.installed ## test with Spark, on threads and on a cluster of this machine
	$(call test-copy,spark)

test-spacy-oldest: $(RUNS)/pure/.installed ## test the plugin with the oldest spaCy that it takes, uncompiled
	$(call test-copy,pure,STRUCTIOU_WARNINGS=default,spacy-oldest)

# A copy of the source, with the libraries of .venv. The figures are those of the tests that ran: ARGS may name some,
# and what fails is told at the end, after the figures.
coverage: .venv/.dev sdist ## print which lines and branches tests run uncompiled; pages into htmlcov/
	@rm -rf $(COVERED) htmlcov
	@$(call unpack,$(COVERED))
	@cd $(COVERED) && $(covering) ../../../$(BIN)/python -m coverage run $(PYTEST) $(TESTS_coverage) $(ARGS); \
		echo $$? >exit
	@cd $(COVERED) && $(covering) ../../../$(BIN)/python -m coverage combine -q
	@cd $(COVERED) && $(covering) ../../../$(BIN)/python -m coverage html -q -d $(CURDIR)/htmlcov
	@cd $(COVERED) && $(covering) ../../../$(BIN)/python -m coverage report --skip-covered --sort=cover
	@exit $$(cat $(COVERED)/exit)

COVERED := $(RUNS)/coverage/run
covering = PYTHONPATH=$(CURDIR)/$(COVERED) COVERAGE_FILE=$(CURDIR)/$(COVERED)/.coverage \
	STRUCTIOU_COVERED=$(CURDIR)/$(COVERED) STRUCTIOU_EXPECT_COMPILED=0

pages: core .venv/.dev ## write the tables of the documentation and the README's pictures again, from the code
	@cd docs && ../$(BIN)/python -m parts.write

quick: core .venv/.dev ## test this folder without a browser, synthesised speech and long searches
	$(BIN)/python $(PYTEST) -m "not slow" $(ARGS)

fuzz: core .venv/.dev ## search at random with hypothesis; what it finds becomes an example of its test
	$(BIN)/python $(PYTEST) -m hypothesis --hypothesis-profile fuzz $(ARGS)

lint: .venv/.dev ## check formatting, style, spelling and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/codespell
	$(BIN)/mypy

format: .venv/.dev ## format the code and repair what ruff can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Others: make bench-scale and so on, for each tests/bench/bench_*.py.
bench: core .venv/.dev ## run the benchmark of scores
	$(BIN)/python tests/bench/bench_align.py $(ARGS)

record-instructions: core .venv/.dev ## put the instructions of a small corpus on record, which a test keeps to
	$(BIN)/python tests/bench/instructions.py --record

walks: .venv/.dev ## count how many functions and modules common tasks go through
	$(BIN)/python tests/support/walks.py $(ARGS)

bench-%: core .venv/.dev
	$(BIN)/python tests/bench/bench_$*.py $(ARGS)

# STRUCTIOU_COMPILE=0 make dist: a wheel without compiled modules, for all systems.
dist: .venv/.dist ## build the source package and the wheel into dist/, and check them
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	@for wheel in dist/*-linux_*.whl; do test ! -e "$$wheel" || $(BIN)/auditwheel show "$$wheel"; done
	STRUCTIOU_DIST=$(CURDIR)/dist $(BIN)/python -m pytest -q tests/packaging/test_dist.py

clean: ## remove all that was made, the environments too
	rm -rf .venv $(RUNS) build dist docs/_build *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache htmlcov
	rm -f structiou_metric/_core/*.so structiou_metric/_core/*.c structiou_metric/_core/*.html
	find structiou_metric spacy_structiou hf_space docs tests -name __pycache__ -prune -exec rm -r {} +

# --- this folder, in .venv

# The plain path of "compat" costs no time when Python starts; the default finder costs 10 ms.
install-folder = STRUCTIOU_COMPILE=0 $(BIN)/python -m pip install -q --no-build-isolation \
	--config-settings editable_mode=compat -e $(1)

.venv/.package: pyproject.toml setup.py structiou_metric/_version.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
		"$(PYTHON) is too old: name Python 3.11 or later, as in: make PYTHON=python3.11 $(MAKECMDGOALS)")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q $$($(BIN)/python -c 'import tomllib; \
		print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])')
	$(call install-folder,.)
	@touch $@

.venv/.dev .venv/.docs .venv/.space .venv/.dist: .venv/.%: .venv/.package
	$(call install-folder,'.[$*]')
	@touch $@

# Always asked, as setuptools knows best which modules have changed.
core: .venv/.package
ifdef HAVE_CC
	@$(BIN)/python setup.py -q build_ext --inplace >.venv/core.log 2>&1 || { rm -f $(COMPILED); \
		echo 'structiou-metric: not compiled, so the same but slower; .venv/core.log tells why'; }
else
	@rm -f $(COMPILED)
	@echo 'structiou-metric: not compiled, so the same but slower; there is no working C compiler'
endif

COMPILED := structiou_metric/_core/*.so structiou_metric/_core/*.pyd
is-compiled := ls $(COMPILED) 2>/dev/null | grep -q .
if-compiled := if $(is-compiled); then set -x;
expected = $(shell $(is-compiled) && echo 1 || echo 0)
else-skipped = else echo '***  SKIPPED $@: the core is not compiled, see above'; fi

# --- copies, in .venvs

# With the oldest spaCy that the plugin takes, whose typer does not know what click has had since 8.2.
INSTALL_pure = STRUCTIOU_COMPILE=0 $(1) '$(2)[nltk,spacy,test]' 'click<8.2' \
	"$$(sed -n 's/^spacy = \["spacy>=\(.*\)"\]/spacy==\1/p' pyproject.toml)"
INSTALL_torch = STRUCTIOU_COMPILE=0 $(1) '$(TORCH)' '$(2)[test,torchmetrics]'
INSTALL_sanitized = STRUCTIOU_COMPILE=1 STRUCTIOU_SANITIZED=1 $(1) '$(2)[test]'
INSTALL_spark = STRUCTIOU_COMPILE=0 $(1) '$(2)[arrow,test]' pandas pyspark
INSTALL_installed = STRUCTIOU_CHECKED=1 STRUCTIOU_OPTIMIZED=0 $(1) '$(2)' pytest pytest-timeout pytest-xdist hypothesis
# lighteval 0.13 hashes texts, which xxhash 4 refuses.
INSTALL_harnesses = STRUCTIOU_COMPILE=0 $(1) '$(2)[evaluate,test]' '$(TORCH)' lm-eval lighteval stanza 'xxhash<4'

unpack = rm -rf $(1) && mkdir -p $(1) && tar -xzf $(RUNS)/*.tar.gz -C $(1) --strip-components=1

# From an unpacked folder: of an archive pip would keep the wheel and take it again for other settings.
$(RUNS)/%/.installed: $(RUNS)/package.sum | sdist
	$(PYTHON) -m venv --clear $(@D)
	@$(call unpack,$(@D)/source)
	$(call INSTALL_$*,$(@D)/bin/python -m pip install -q,$(@D)/source)
	@rm -r $(@D)/source
	@touch $@

# Runs the tests of an environment, with these variables; or those of another name in it.
define test-copy
@$(call unpack,$(RUNS)/$(1)/run)
@rm -r $(RUNS)/$(1)/run/structiou_metric $(RUNS)/$(1)/run/spacy_structiou
cd $(RUNS)/$(1)/run && $(2) ../bin/python $(PYTEST) $(TESTS_$(or $(3),$(1))) $(ARGS)
endef

sdist: .venv/.dev
	@mkdir -p $(RUNS)
	@rm -rf $(RUNS)/*.tar.gz *.egg-info
	$(BIN)/python -m build --sdist --no-isolation --outdir $(RUNS) >$(RUNS)/sdist.log 2>&1 \
		|| { cat $(RUNS)/sdist.log; exit 1; }

# Rewritten only when a file of the package came, went or changed; file times would not tell all that.
$(RUNS)/package.sum: FORCE
	@mkdir -p $(RUNS)
	@{ echo "$(PYTHON), C compiler: $(HAVE_CC)"; cksum $(PACKAGE); } >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
