# NPU Portal. `make help` lists what there is to do; `make run` needs git, make and python3 with venv, nothing else.

PORT ?= 8000
HOST ?= 127.0.0.1
VAR  ?= var
CASES ?= tests/jobspec/corpus
PYTHON ?= python3

PY := .venv/bin/python
.DEFAULT_GOAL := help
SHELL := /bin/bash
MAKEFLAGS += --no-print-directory

# What was installed is remembered under the hash of what asked for it: nothing changed, nothing to do.
hash = $(shell cat $(1) 2>/dev/null | sha256sum | cut -c1-16)
VENV := .venv/.made-$(call hash,requirements/uv.txt)
APP  := .venv/.app-$(call hash,requirements/app.txt requirements/uv.txt)
DEV  := .venv/.dev-$(call hash,requirements/dev.txt requirements/uv.txt)
NODE := node_modules/.made-$(call hash,package-lock.json .npmrc)

# A machine without Node (18 or newer) gets one from a Python package.
NPM := $(shell command -v npm >/dev/null && node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' 2>/dev/null && echo npm)
ifeq ($(NPM),)
  NPM := PATH="$(CURDIR)/.venv/bin:$$PATH" npm
  NPM_NEEDS := .venv/.node-$(call hash,requirements/node.txt)
endif

CATALOGUES := $(patsubst %.po,%.mo,$(wildcard locale/*/LC_MESSAGES/django.po))
UV := $(PY) -m uv pip install --quiet --python $(PY) --require-hashes

.PHONY: help run test lint format types corpus messages requirements hooks bench clean

help:  ## What there is to do
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | awk -F'\t' '{printf "make %-14s%s\n", $$1, $$2}'

run:  ## The portal with a demo on this machine (PORT=8000, VAR=var for its data, HOST=127.0.0.1)
	@$(MAKE) -sj3 $(APP) $(NODE) $(CATALOGUES)
	@VAR="$(VAR)" exec $(PY) manage.py run --host "$(HOST)" --port "$(PORT)"

test: $(VENV)  ## Everything that can be tested, on real PostgreSQL, Redis and Chromium
	@$(MAKE) -sj3 $(DEV) $(NODE) $(CATALOGUES)
	@exec $(PY) -m tests.services suite

lint: $(DEV)  ## Style, imports between the parts, templates
	$(PY) -m tests.services lint

format: $(DEV)  ## Bring code and templates into their form
	$(PY) -m ruff check --fix-only --quiet . && $(PY) -m ruff format --quiet .
	git ls-files -z -- 'templates/*.html' '*/templates/*.html' | xargs -0 -r .venv/bin/djade --target-version 5.2

types: $(DEV)  ## Check the types
	$(PY) -m mypy portal scheduling accounting npu_inventory

corpus: $(DEV)  ## Read a folder of job scripts and compare with what is wanted of each (CASES=folder)
	@$(PY) -m tests.jobspec.corpus_runner $(CASES)

messages: $(DEV)  ## Collect the texts for translators (needs gettext) and compile their catalogues
	@if command -v xgettext >/dev/null; \
	  then SECRET_KEY=unused $(PY) manage.py makemessages --locale zh_Hans --no-obsolete --no-wrap --no-location --ignore node_modules --ignore '.venv' --ignore 'var' \
	    && sed -i '/^"POT-Creation-Date:/d' locale/*/LC_MESSAGES/django.po; \
	  else echo "xgettext is missing (sudo apt-get install gettext): only compiling what is there"; fi
	@$(MAKE) $(CATALOGUES)

requirements: $(VENV)  ## Pin requirements/*.in anew into requirements/*.txt
	cd requirements && for name in uv app dev node; do ../$(PY) -m uv pip compile --upgrade --quiet --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-header $$name.in --output-file $$name.txt; done

hooks: $(DEV)  ## Have git run the fast checks before each commit
	$(PY) -m pre_commit install

bench: $(DEV)  ## How fast it starts, shows, plans and takes jobs (two or three minutes)
	@$(PY) -m tests.bench

clean:  ## Remove what was installed and built; the data in var/ stay
	rm -rf .venv node_modules .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	rm -f locale/*/LC_MESSAGES/*.mo

$(VENV): $(if $(shell $(PY) -c 'print(1)' 2>/dev/null),,FORCE)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	  || { echo "Python 3.11 or newer is needed and $(PYTHON) is not: sudo apt-get install python3, or say PYTHON=/path/to/python3.11" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "Python's venv is missing: sudo apt-get install python3-venv" >&2; exit 2; }
	@echo "Making .venv ..."
	@$(PY) -c '' 2>/dev/null || $(PYTHON) -m venv --clear .venv
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@touch $@

$(APP): $(VENV)
	@echo "Installing Python packages ..."
	@$(UV) -r requirements/app.txt
	@touch $@

$(DEV): $(APP)
	@echo "Installing Python packages for development ..."
	@$(UV) -r requirements/dev.txt
	@touch $@

.venv/.node-%: $(VENV)
	@echo "Installing Node ..."
	@$(UV) -r requirements/node.txt
	@touch $@

$(NODE): $(NPM_NEEDS)
	@echo "Installing what the pages need in the browser ..."
	@$(NPM) ci --silent --ignore-scripts
	@touch $@

FORCE:

# pybabel, since msgfmt is not on a minimal machine
%.mo: %.po | $(APP)
	@$(PY) -m babel.messages.frontend --quiet compile --input-file $< --output-file $@
