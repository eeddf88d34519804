# Attention, Head by Head: everything that can be done with the course, one word each. `make help` lists it.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LANG_CODE ?= en
PORT ?= 8000
ASSIGNMENT ?= single-head
SUBMISSIONS ?= submitted
OUT ?= _build/grades
JOBS ?= 1
PROCESSES ?= 2
export PYTHONDONTWRITEBYTECODE ?= 1

.DEFAULT_GOAL := help
.PHONY: help env book serve lab exercises grade test cuda translations clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-14s%s\n", $$1, $$2}' $(MAKEFILE_LIST)

env: $(VENV)/.ready  ## make the Python environment in .venv/

$(VENV)/.ready: requirements.txt
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) is not installed; the course needs Python 3.11 or newer (or say make PYTHON=/path/to/python)"; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make: $(PYTHON) is $$($(PYTHON) -V), and the course needs Python 3.11 or newer (or say make PYTHON=python3.12)"; exit 2; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "make: $(PYTHON) cannot make environments; on Debian and Ubuntu: apt install python3-venv"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

book: env  ## build the site of all languages into _build/site/
	$(BIN)/python -m book.tools.build

serve: book  ## build the site and serve it on http://localhost:8000 (PORT=…)
	$(BIN)/python -m book.tools.serve --port $(PORT)

lab: env  ## work the exercises in JupyterLab (LANG_CODE=en, sv, zh-CN or ru)
	@test -d exercises/$(LANG_CODE) || { echo "make: there are no exercises in '$(LANG_CODE)'; LANG_CODE is one of: $$(ls exercises | xargs)"; exit 2; }
	@test -d exercises/$(LANG_CODE)/$(ASSIGNMENT) || { echo "make: there is no exercise '$(ASSIGNMENT)' in '$(LANG_CODE)'; there are: $$(ls -d exercises/$(LANG_CODE)/*/ | xargs -n1 basename | xargs) (in English: $$(ls -d exercises/en/*/ | xargs -n1 basename | xargs))"; exit 2; }
	$(BIN)/jupyter lab $$([ "$$(id -u)" != 0 ] || echo --allow-root) --ServerApp.root_dir="$(CURDIR)" --LabApp.default_url=/lab/tree/exercises/$(LANG_CODE)/$(ASSIGNMENT)/$(ASSIGNMENT).ipynb

exercises: env  ## generate exercises/ anew from solutions/
	$(BIN)/python -m autograder release

grade: env  ## grade submissions (SUBMISSIONS=submitted ASSIGNMENT=single-head OUT=_build/grades JOBS=1)
	$(BIN)/python -m autograder grade $(SUBMISSIONS) --assignment $(ASSIGNMENT) --out $(OUT) --jobs $(JOBS)

translations: env  ## show which paragraphs and messages wait for a translator
	@status=0; $(BIN)/python -m book.tools.translations || status=1; $(BIN)/python -m autograder messages || status=1; exit $$status

test: env  ## run all tests, in two processes (PROCESSES=2)
	$(BIN)/python -m pytest -n $(PROCESSES) --dist loadfile

cuda: env  ## run the tests that need a GPU (they are skipped where there is none)
	$(BIN)/python -m pytest -m cuda

clean:  ## remove what was built; the environment stays
	rm -rf _build
