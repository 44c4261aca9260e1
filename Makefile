# All tasks of this repository, one verb each. `make demo` and `make test` need only a Debian 12
# machine: they install missing packages and name them.
SHELL := /bin/bash
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60

.PHONY: help demo test build configure bench fuzz fuzz-smoke format lint install asan tsan package setup setup-bench setup-fuzz setup-page clean

help:
	@echo "make demo     install, build, and show the tool on a recording of an H200"
	@echo "make test     install, build, run all tests and a short fuzz run of every reader"
	@echo "make build    build/release/tactus"
	@echo "make bench    measure against other tools (see benchmarks/README.md)"
	@echo "make fuzz     fuzz every reader for FUZZ_SECONDS ($(FUZZ_SECONDS)) each"
	@echo "make asan     the tests with address and undefined-behaviour sanitizers"
	@echo "make tsan     the tests with the thread sanitizer"
	@echo "make format   clang-format; make lint: clang-tidy"
	@echo "make package  a .deb and a tarball in build/release/package"
	@echo "make install  the tool, the operator library and its CMake package to PREFIX (/usr/local)"

setup:
	@scripts/setup build

configure: setup
	@mkdir -p build; cmake --preset release >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }

build: configure
	@cmake --build --preset release -j $(JOBS)

demo: configure
	@cmake --build --preset release -j $(JOBS) --target tactus
	@scripts/demo

test: build setup-page fuzz-smoke
	ctest --test-dir build/release --output-on-failure -j $(JOBS)

# Packages of the tests of the page; without them, these tests are skipped.
setup-page: setup
	@scripts/setup page
	@mkdir -p build; [ -d ui/node_modules ] || (cd ui && npm ci --no-audit --no-fund) >build/npm.log 2>&1 \
	  || echo "npm ci failed (build/npm.log): the tests of the page in a browser are skipped"

setup-fuzz: setup
	@scripts/setup fuzz

asan: setup-fuzz
tsan: setup
asan tsan:
	@mkdir -p build; cmake --preset $@ >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset $@ -j $(JOBS)
	ctest --test-dir build/$@ --output-on-failure -j $(JOBS)

fuzz-build: setup-fuzz
	@mkdir -p build; cmake --preset asan >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset asan -j $(JOBS) --target fuzz_targets

fuzz-smoke: fuzz-build
	@scripts/fuzz 3 $(JOBS)

fuzz: fuzz-build
	@scripts/fuzz $(FUZZ_SECONDS) $(JOBS)

setup-bench: setup
	@scripts/setup bench

bench: setup-bench build
	@cmake -S . -B build/bench -G Ninja -DCMAKE_BUILD_TYPE=Release -DTACTUS_BENCHMARKS=ON -DTACTUS_TESTS=OFF >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build build/bench -j $(JOBS)
	@benchmarks/run

format:
	@git ls-files '*.h' '*.cc' | xargs clang-format -i

lint: setup
	@scripts/setup lint
	@scripts/lint $(JOBS)

install: build
	cmake --install build/release --prefix $(or $(PREFIX),/usr/local)

package: setup
	@scripts/setup package
	@$(MAKE) --no-print-directory build
	@rm -rf build/release/package
	@cd build/release && cpack >package.log 2>&1 || { cat package.log; exit 1; }
	@ls build/release/package/*.deb build/release/package/*.tar.gz

clean:
	rm -rf build
