# Everything runs in .venv, which is made once from a Python >= 3.11 found on the machine
# (or given: make test PYTHON=/path/to/python) and again when pyproject.toml changes.

VENV := .venv
RUN := $(VENV)/bin/python
STAMP := $(VENV)/installed

.DEFAULT_GOAL := help
.PHONY: help demo test fuzz lint types format bench golden clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' Makefile

demo: $(STAMP)  ## train a network on handwritten digits, its backward pass shown first
	$(RUN) examples/digits_mlp.py

test: $(STAMP)  ## the test suite; ARGS="..." is passed on to pytest
	$(RUN) -m pytest -n auto --dist worksteal $(ARGS)

fuzz: $(STAMP)  ## 2,000 random programs (COUNT=5000 for more), all functions at extreme points
	SYMGRAD_FUZZ=$(or $(COUNT),2000) $(RUN) -m pytest tests/fuzz -s $(ARGS)

lint: $(STAMP)  ## ruff: faults and format
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .

types: $(STAMP)  ## mypy, strict
	$(RUN) -m mypy

format: $(STAMP)  ## put every file into shape
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

bench: $(STAMP)  ## time against gradients written by hand; ARGS="w1 w6 --budget 5"
	$(RUN) benchmarks/bench.py $(ARGS)

golden: $(STAMP)  ## write the expected generated code anew: read the difference
	$(RUN) -m pytest tests/golden tests/test_readme.py --update-golden -q
	git --no-pager diff --stat -- tests/golden README.md

$(STAMP): pyproject.toml .ci/find-python
	$(or $(PYTHON),$$(.ci/find-python)) -m venv --clear $(VENV)
	$(RUN) -m pip install --quiet --no-compile --disable-pip-version-check --editable '.[dev]'
	touch $@

clean:  ## remove what was made here
	rm -rf $(VENV) build dist out ./*.egg-info .pytest_cache .mypy_cache .ruff_cache
