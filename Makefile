# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# Entry points. Every tool comes from build/root, which `make setup` makes; see docs/guests.md for the guests.
MAKEFLAGS += --no-print-directory
IN := scripts/in-root
JOBS ?= 2
LINK ?= ib
DEMO += $(if $(filter roce,$(LINK)),--roce,$(if $(filter-out ib,$(LINK)),$(error LINK is ib or roce)))
PARTS := formats firmware sim driver libprovider

.PHONY: help setup build demo shell run guests debug-kernel trace deb quick interop compare test lint formal bench fpga depth depth-kept check coverage clean distclean
help:
	@echo 'make quick     a first result in two minutes, without the set-up: a block with a waveform, firmware tests, the simulator'
	@echo 'make setup     tools: a Debian root in build/root, PicoRV32, sources of rdma-core (3 minutes, once)'
	@echo 'make build     firmware, simulator, driver and provider'
	@echo 'make demo      two guests, two adapters, OpenSM, unmodified RDMA programs: a table of figures (LINK=roce: over Ethernet)'
	@echo 'make shell     the same two guests, and a shell in both (NODE=1 in another terminal: one more; in a guest: on node1 COMMAND)'
	@echo 'make run APP=mine.c    compile it, run it on both nodes: as the server, and with "node1" appended as the client (ARGS=... for both)'
	@echo 'make guests PACKAGES="qperf"   Debian packages for the guests (KEEP=usr/include: folders that are left out of them otherwise)'
	@echo 'make debug-kernel   a kernel with KASAN, lockdep, kmemleak, fault injection for the guests (then OHCA_KERNEL=debug make ...)'
	@echo 'make interop   OpenHCA against soft-RoCE of a second guest: every operation, MTU and role, also with loss; a matrix (PEER=address IF=interface: against that)'
	@echo 'make compare   perftest between two guests over OpenHCA and over soft-RoCE, by wall time (LINK=roce)'
	@echo 'make trace     a timeline of a run, for ui.perfetto.dev: doorbells, WQE fetches, packets, completions ... (PROGRAM="ib_write_bw -n 5", LINK=roce)'
	@echo 'make deb       Debian packages of driver (DKMS), provider and simulator, in build/deb'
	@echo 'make test      all tests; T=pattern selects programs of tests/run.d by name'
	@echo 'make lint      RTL through Verilator and Yosys, C and scripts through their checkers'
	@echo 'make formal    proofs'
	@echo 'make bench     figures in device cycles'
	@echo 'make fpga      synthesis, place and route'
	@echo 'make depth     logic depth by module, with its slowest paths (T="ohca_eq u_sq": these only; WIDTH=64)'
	@echo 'make depth-kept  measure again what changed, into constraints/depth-kept.json: CI then takes the figures from there'
	@echo 'make check     tests, the planted bugs that they must find, and guests on the debug kernel'
	@echo 'make coverage  which lines the tests without guests execute: a table, and build/coverage/html (COVERAGE=--no-rtl: of the C code only)'
	@echo 'make clean     remove what was built; the tools stay (make distclean removes them too)'

# Before any set-up: it brings what it needs.
quick:
	@scripts/quick $(QUICK)

setup:
	@scripts/setup

build: setup
	@set -e; for part in $(PARTS); do \
		if [ -e $$part/Makefile ]; then echo "build: $$part"; $(IN) $(MAKE) -j $(JOBS) -C $$part; fi; done
	@[ -z "$(OHCA_FORM)" ] || $(IN) python3 scripts/form.py "$(OHCA_FORM)" --build

demo: build
	@$(IN) python3 scripts/demo.py $(DEMO)

# With NODE the fabric of another terminal's `make shell` is used: nothing to build then.
shell: $(if $(NODE),,build)
	@$(IN) python3 scripts/shell.py $(if $(NODE),--node $(NODE)) $(DEMO)

run: build
	$(if $(APP),,$(error APP=program.c (or an executable) is needed))
	@mkdir -p build/run && cp -p '$(APP)' build/run/
	@$(IN) python3 scripts/shell.py --run 'build/run/$(notdir $(APP))' --include '$(dir $(abspath $(APP)))' --args='$(ARGS)' \
		$(if $(CLIENT),--client='$(CLIENT)') $(DEMO)

debug-kernel: setup
	@$(IN) python3 scripts/guests/debugkernel.py

guests: setup
	@scripts/guests/add '$(PACKAGES)' '$(KEEP)'

trace: build
	@$(IN) python3 scripts/timeline.py $(if $(filter roce,$(LINK)),--roce) $(if $(PROGRAM),--program='$(PROGRAM)') $(TRACE)

deb: build
	@scripts/deb

interop: build
	@$(IN) make -s -C tests/interop
	@$(IN) python3 scripts/interop.py $(if $(PEER),--peer $(PEER) --interface $(IF)) $(INTEROP)

compare: build
	@$(IN) python3 scripts/compare.py $(if $(filter roce,$(LINK)),--roce) $(COMPARE)

# Only the programs with guests need what `make build` makes; the others build what they need themselves.
test: setup
	@set -f; need=; for t in $(or $(T),*); do for p in $$(cd tests/run.d && ls); do \
		case $$p in *$$t*) ! grep -qE 'import (Fabric|interop)|from (demo|interop)|guestlib\.(Guest|pair|several)\(' tests/run.d/$$p || need=1 ;; esac; done; done; \
	if [ -n "$$need" ]; then $(MAKE) build; fi
	@scripts/test tests/lint.d tests/run.d -t "$(T)" -j $(JOBS)

lint: setup
	@scripts/test tests/lint.d tests/run.d -t "lint"

formal: setup
	@scripts/test tests/formal.d -t "$(T)"

bench: build
	@scripts/test tests/bench.d -t "$(T)" -v

fpga: setup
	@scripts/test tests/fpga.d -t "$(T)" -v

depth: setup
	@$(IN) python3 scripts/depth.py --width $(or $(WIDTH),512) $(if $(T),--blocks $(T)) $(DEPTH)

depth-kept: setup
	@$(IN) tests/run.d/17-depth --keep

check: build
	@scripts/test tests/lint.d tests/run.d tests/check.d -j $(JOBS)

coverage: build
	@$(IN) python3 scripts/coverage.py $(COVERAGE)

clean:
	@cd build 2>/dev/null && for f in * .[!.]*; do case $$f in root|root.*|src|picorv32|ccache|.setup.lock|'.[!.]*'|'*') ;; \
		*) rm -rf "$$f" ;; esac; done; true

distclean:
	@if [ "$$(id -u)" = 0 ]; then rm -rf --one-file-system build; \
	else unshare --map-root-user --map-auto rm -rf --one-file-system build; fi
