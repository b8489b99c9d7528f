# The commands of the project. "make" alone lists them; each target says in its last line where
# its result is. Needs GNU make, a POSIX shell and Python >= 3.11.
# Another interpreter: make PYTHON=/path/to/python book

PY := .venv/bin/python

# Compiled functions are kept under names that carry a hash of src/ (src/litlearn/_core/jit.py), so that an
# edit makes new ones. Runs with other compiler settings get folders of their own.
CACHE := $(CURDIR)/.cache/numba
export NUMBA_CACHE_DIR := $(CACHE)
export PYTHONUNBUFFERED := 1
# Modules are kept compiled, and the tests' assertions rewritten, whatever the environment says: that is
# a third of the time in which the tests are found.
export PYTHONDONTWRITEBYTECODE :=

# Of the 14,000 files that are installed, Python translates those that it imports.
PIP_INSTALL := $(PY) -m pip install --no-compile --disable-pip-version-check --quiet --progress-bar off
PYTEST := $(PY) -m pytest
# Without what compares notebooks: it takes two seconds to start, in each process.
PYTEST_MODULE := $(PYTEST) -p no:nbval \
  -o addopts='--import-mode importlib --strict-markers --strict-config -ra'
WORKERS ?= $(shell nproc 2>/dev/null || echo 2)
# A worker that a hanging test has ended is replaced once.
PARALLEL := -n $(WORKERS) --dist loadfile --max-worker-restart 1

.PHONY: help book pdf test test-nojit test-figures test-weekly test-cpus lab pages-test students bench bench-more notebooks claims lint format coverage fuzz attack threads mutants pin compat address dist keep-speed soak gallery kernels try-kernels first-calls clean

help:
	@echo 'make book       build the book into _build/html'
	@echo 'make pdf        print the book into _build/litlearn.pdf (Chromium; about four minutes)'
	@echo 'make test       lint, then test the module and every notebook of the book'
	@echo 'make test-weekly  all cases of the tests that take long, and indices checked'
	@echo 'make test-cpus  notebooks and comparisons once more, computed as on other processors'
	@echo 'make lab        open copies of the notebooks, made for reading, in JupyterLab'
	@echo 'make students   notebooks without solutions, with cells that check answers, into students/'
	@echo 'make pages-test open every page, figure and notebook in a browser'
	@echo 'make bench      compare speed and memory with other libraries (BENCH="--only knn")'
	@echo 'make bench-more measure fits in chunks, and first calls after an installation'
	@echo 'make notebooks  execute notebooks in place (NB=book/nearest_neighbors.ipynb for one;'
	@echo '                AGAIN=1 renews the outputs of what is up to date, too)'
	@echo 'make claims     sentences without a claim, and how often claims hold with other seeds'
	@echo '                (NB=book/nearest_neighbors.ipynb for one; about ten minutes a chapter)'
	@echo 'make lint       check style; make format repairs what can be repaired'
	@echo 'make coverage   line coverage of the module, compiled functions included'
	@echo 'make fuzz       every estimator on data of every kind: indices checked, then compared with'
	@echo '                those of scikit-learn (FUZZ=300 examples)'
	@echo 'make attack     interrupts, damaged caches, locks, unusual data and a soak (over an hour)'
	@echo 'make threads    each test in four threads of one process at once'
	@echo 'make mutants    changes of the source that no test notices (MUTANTS="src/litlearn/tree")'
	@echo 'make pin        fits whose bits differ from those of a commit (BASE=main)'
	@echo 'make compat     the tests of scikit-learn with these classes (COMPAT="svm cluster";'
	@echo '                GALLERY=folder: its examples, too)'
	@echo 'make gallery    the examples of scikit-learn under "python -m litlearn" (GALLERY=folder)'
	@echo 'make kernels    the wheel of compiled functions, for all levels of this processor'
	@echo '                (LEVELS="x86-64-v3"; make try-kernels installs it apart and uses it)'
	@echo 'make dist       build what is published, and use it where nothing else is installed, with the'
	@echo '                newest and the oldest versions of what it needs (about fifteen minutes)'
	@echo 'make keep-speed keep the results of "make bench" as those of this release'
	@echo 'make soak       random work of all kinds in one process: nothing may pile up (MINUTES=30)'
	@echo 'make address    the repository and the site that all pages name (OWNER=name REPO=litlearn'
	@echo '                SITE=https://... PUBLISHED=yes; what is not given stays)'
	@echo 'make clean      remove what the other targets made, the virtual environment too'

# --- the environment -----------------------------------------------------------------------

$(PY):
	@for p in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
	  if "$$p" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	  then found="$$p"; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo 'No Python >= 3.11 with venv found. On Debian: apt install python3 python3-venv.' >&2; \
	  echo 'Or name one: make PYTHON=/path/to/python' >&2; exit 1; \
	fi; \
	echo "Creating .venv with $$($$found --version)"; \
	"$$found" -m venv .venv

.venv/.book: $(PY) pyproject.toml
	@echo 'Installing the module and what the book needs (about a minute)'
	@$(PIP_INSTALL) -e '.[book]'
	@touch $@

# In one step with the above, which pip would otherwise resolve twice.
.venv/.test: $(PY) pyproject.toml
	@echo 'Installing the module and what the book and the tests need (about two minutes)'
	@$(PIP_INSTALL) -e '.[book,test]'
	@touch .venv/.book $@

.venv/.bench: .venv/.book
	@echo 'Installing the libraries to compare with'
	@$(PIP_INSTALL) -e '.[book,bench]'
	@touch $@

# Compile once, before several processes would compile the same function at once.
# What was compiled more than a week ago goes: most of it is of earlier states of src/.
$(CACHE)/.filled: .venv/.book $(shell find src -name '*.py')
	@echo 'Compiling the module (once for each state of src/)'
	@mkdir -p '$(CACHE)'
	@find '$(CACHE)' -type f -mtime +7 -delete
	@$(PY) tests/fill_cache.py
	@touch '$@'

# OPENBLAS_CORETYPE chooses the kernels of the matrix products, whatever the processor at hand. Those of
# x86 have names that others do not know.
X86 := $(filter x86_64 amd64 AMD64,$(shell uname -m))
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
PRESCOTT := $(if $(X86),OPENBLAS_CORETYPE=Prescott) $(ONE_THREAD)
HASWELL := $(if $(X86),OPENBLAS_CORETYPE=Haswell)
# Notebooks run as many at a time as there are processors. With several threads each they wait for one
# another: one that takes 14 seconds of a processor took 184.
BOOK := $(HASWELL) $(ONE_THREAD)

# --- the book ------------------------------------------------------------------------------

# The outputs in the files are those of the processor that they were written on ("make notebooks"). The
# book is executed with the matrix products of one that nearly every reader's can take the place of,
# so that it is the same wherever it is built, and "make test" compares the two.

book: .venv/.book $(CACHE)/.filled
	@$(BOOK) $(PY) .ci/build_book.py

# The pages of the book, printed by Chromium with page numbers for their links.
pdf: book .venv/.test
	@$(PY) .ci/pdf.py

lab: .venv/.book $(CACHE)/.filled
	@$(PY) .ci/reading.py reading
	$(PY) -m jupyter lab --notebook-dir=. --LabApp.default_url=/lab/tree/reading

students: .venv/.book
	@$(PY) .ci/reading.py students --students

# As "make test" does with some of the pages, of the places of figures and of the notebooks in JupyterLab.
pages-test: book .venv/.test
	$(PYTEST_MODULE) tests/test_book_*.py -m browser -n $(WORKERS) --dist load

NB ?= $(wildcard book/*.ipynb)
notebooks: .venv/.book $(CACHE)/.filled
	@$(PY) .ci/notebooks.py run $(if $(AGAIN),--again) $(NB)

# All seeds moved, twenty times: only chapters whose code is newer than the record in book/claims.
claims: .venv/.book $(CACHE)/.filled
	@$(PY) .ci/claims.py --workers $(WORKERS) $(if $(filter command line,$(origin NB)),$(NB))

# --- the tests -----------------------------------------------------------------------------

lint: .venv/.test
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

format: .venv/.test
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .
	@$(PY) .ci/stubs.py
	@$(PY) .ci/notebooks.py format $(wildcard book/*.ipynb)

# Tests marked "nojit" run three times: compiled, as plain Python (NUMBA_DISABLE_JIT), where an index
# too large is an error as well, and, once a week, compiled with every index checked (NUMBA_BOUNDSCHECK).
# The repetitions compute as other processors do: NUMBA_CPU_NAME=generic uses no vectors beyond the
# oldest and never rounds a product and a sum at once. LITLEARN_PARTS=none compiles all functions in
# Numba's own way, as where ours no longer works. The notebooks run once, for their comparison and for
# the book. The pages are opened in a browser last, when the rest is known to be right.
NOTEBOOKS := $(wildcard book/*.ipynb)
# Only these files have tests that run again: to find them among all takes each process longer.
NOJIT = $$(grep -rlw nojit tests --include='test_*.py')
ON_PAGES := $(filter-out tests/test_book_figures.py,$(wildcard tests/test_book_*.py))
# Threads of scikit-learn's that have nothing to do are not to keep a processor from other tests.
test test-nojit test-figures test-weekly test-cpus: export OMP_WAIT_POLICY := passive
test: lint $(CACHE)/.filled
	@echo '--- tests'
	$(PYTEST_MODULE) tests $(PARALLEL) --quick -m 'not browser'
	@echo '--- notebooks'
	$(BOOK) $(PYTEST) $(NOTEBOOKS) $(PARALLEL)
	@echo '--- again without compilation and then the figures, while one process reads the pages'
	@$(MAKE) --no-print-directory -j 2 test-nojit book test-figures
	@echo '--- the pages in a browser'
	$(PYTEST_MODULE) $(ON_PAGES) --quick -m browser -n $(WORKERS) --dist load
	@echo 'All tests for a change passed. "make test-weekly pages-test" has all cases of the long ones.'

test-nojit: .venv/.test
	@$(PRESCOTT) NUMBA_DISABLE_JIT=1 NUMBA_CACHE_DIR='$(CACHE)-nojit' \
	  $(PYTEST_MODULE) $(NOJIT) $(PARALLEL) --quick -m nojit

# Figures to play with, each on a page of its own: nothing of the built book.
test-figures: .venv/.test
	@$(PYTEST_MODULE) tests/test_book_figures.py --quick -m browser -n $(WORKERS) --dist load

# What "make test" leaves out, but for pages: all cases of the tests that take long, and indices.
test-weekly: .venv/.test $(CACHE)/.filled
	@echo '--- all cases of the tests that take long'
	$(PYTEST_MODULE) tests $(PARALLEL) -m 'weekly and not browser'
	@echo '--- again with bounds checking'
	$(HASWELL) NUMBA_CPU_NAME=generic NUMBA_BOUNDSCHECK=1 LITLEARN_PARTS=none \
	  NUMBA_CACHE_DIR='$(CACHE)-boundscheck' \
	  $(PYTEST_MODULE) $(NOJIT) $(PARALLEL) -m nojit
	@echo 'All cases of the long tests passed.'

# What "make test" computes on this processor only: the remaining tests, and every fifth notebook, as on
# an old one; and all these tests as on the one at hand where the environment names another.
# Trees and forests multiply no matrices; errors by the jackknife do. The protocol is about names,
# copies, threads and bad input.
PRODUCTS := $(addprefix tests/,cluster decomposition ensemble/test_jackknife.py linear_model mixture neighbors svm)
COMPARISONS := $(filter-out tests/ensemble/%,$(PRODUCTS)) tests/ensemble tests/tree
test-cpus: .venv/.test $(CACHE)/.filled
	@echo '--- as on an old processor with one thread'
	$(PRESCOTT) $(PYTEST) $(PARALLEL) -m 'not nojit' --ignore-glob='*/test_protocol.py' \
	  $(PRODUCTS) $$(ls book/*.ipynb | awk 'NR % 5 == 3')
	@if [ -n "$$OPENBLAS_CORETYPE" ] && grep -qs avx512f /proc/cpuinfo; then \
	  echo '--- as on a processor with AVX-512'; \
	  OPENBLAS_CORETYPE=SkylakeX $(PYTEST_MODULE) $(PARALLEL) -m 'not nojit' \
	    --ignore-glob='*/test_protocol.py' $(PRODUCTS); \
	fi
	@echo 'The other processors agree.'

FUZZ ?= 300
fuzz: .venv/.test $(CACHE)/.filled
	FUZZ=$(FUZZ) NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR='$(CACHE)-boundscheck' \
	  $(PYTEST_MODULE) tests/test_fuzz.py
	FUZZ=$(FUZZ) $(PYTEST_MODULE) tests/attack/test_fuzz_*.py $(PARALLEL)
	@echo 'No estimator failed on $(FUZZ) examples.'

# What "make test" tries a few times, tried at length; a table says what held and what broke.
attack: .venv/.test $(CACHE)/.filled
	ATTACK=full $(PYTEST_MODULE) tests/attack $(PARALLEL)

# Each test in several threads of one process at once, where the test itself allows it.
threads: .venv/.test $(CACHE)/.filled
	$(PYTEST_MODULE) --parallel-threads 4 -m 'not nojit' $(COMPARISONS) \
	  $(addprefix tests/test_,discriminant_analysis.py kernel_approximation.py kernel_ridge.py multiclass.py naive_bayes.py new_estimators.py)

mutants: .venv/.test $(CACHE)/.filled
	$(PY) .ci/mutants.py $(MUTANTS)

BASE ?= HEAD
pin: .venv/.test $(CACHE)/.filled
	$(PY) .ci/pin.py compare $(BASE)

# Takes four minutes on two processors, so that CI runs it once a week.
compat: .venv/.test $(CACHE)/.filled
	$(PY) .ci/compat.py --workers $(WORKERS) $(COMPAT)
	@if [ -n '$(GALLERY)' ]; then $(MAKE) gallery; fi

# GALLERY names the folder "examples" of a checkout of scikit-learn; make compat takes it, too.
gallery: .venv/.test $(CACHE)/.filled
	$(PY) .ci/gallery.py $(GALLERY) --workers $(WORKERS)

dist: .venv/.test
	$(PY) .ci/dist.py --kernels

# For the page Performance, which compares releases.
keep-speed: .venv/.book
	$(PY) -m benchmarks.releases

MINUTES ?= 30
soak: .venv/.test $(CACHE)/.filled
	$(PY) .ci/soak.py --minutes $(MINUTES)

# A variable that is given and empty takes the setting away.
given = $(if $(filter command line environment,$(origin $(1))),$(2) '$($(1))')
address:
	@$(or $(wildcard $(PY)),python3) .ci/address.py write $(call given,OWNER,--owner) \
	  $(call given,REPO,--repository) $(call given,SITE,--site) $(call given,PUBLISHED,--published)

# Two minutes a level on two processors.
LEVELS ?=
kernels: .venv/.test
	$(PY) .ci/kernels.py build $(if $(LEVELS),--levels $(LEVELS))

# A fit of each estimator in a new process, without a cache: nothing may be compiled.
KERNELS = "$$(ls -t dist/litlearn_kernels-*.whl | head -1)"
try-kernels: .venv/.test
	$(PY) .ci/kernels.py try $(KERNELS)

# The same with the times of compiling, for the page Performance.
first-calls: .venv/.test
	$(PY) .ci/kernels.py try $(KERNELS) --json benchmarks/first_calls.json

# Lines of compiled functions are counted when they run as plain Python; the others, compiled.
coverage: .venv/.test $(CACHE)/.filled
	$(PY) -m coverage run --parallel-mode -m pytest tests -m 'not nojit and not browser'
	NUMBA_DISABLE_JIT=1 NUMBA_CACHE_DIR='$(CACHE)-nojit' \
	  $(PY) -m coverage run --parallel-mode -m pytest tests -m nojit
	$(PY) -m coverage combine --quiet
	$(PY) -m coverage html --quiet
	$(PY) -m coverage report
	@echo 'Coverage: htmlcov/index.html'

# The table of all cases, and what else compares litlearn with scikit-learn. "make bench-more"
# measures fits in chunks, and the first calls after an installation.
bench: .venv/.bench $(CACHE)/.filled
	$(PY) -m benchmarks $(BENCH)
	@if [ -z '$(BENCH)' ]; then for one in small_fits growth bins; do \
	  $(PY) -m benchmarks.$$one || exit 1; done; fi
	@$(PY) .ci/readme_speed.py

bench-more: .venv/.bench $(CACHE)/.filled
	$(PY) -m benchmarks.chunks --json benchmarks/chunks.json
	$(MAKE) kernels first-calls
	@$(PY) .ci/readme_speed.py

clean:
	rm -rf .venv .cache _build build dist htmlcov .coverage* .pytest_cache .ruff_cache
	rm -rf .hypothesis reading students src/*.egg-info
	find . '(' -name __pycache__ -o -name .ipynb_checkpoints ')' -prune -exec rm -rf {} +
	@echo 'Removed everything that make had made.'
