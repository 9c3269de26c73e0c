# SPDX-License-Identifier: Apache-2.0
# Thin wrappers over CMake presets and CTest (see CMakePresets.json); `make help` lists them.
# Variables: JOBS=<n> limits parallel work; SETUP=no never calls apt.
JOBS ?= $(shell nproc)
SETUP ?= yes
PREFIX ?= /usr/local

MODEL ?= examples/models/llama-3.1-8b.json
BENCH_ARGS ?= --model $(MODEL) --tokens 256 --tp 2 --dtype f32

build_preset = cmake --preset $(1) && cmake --build --preset $(1) --parallel $(JOBS)
ifeq ($(SETUP),yes)
  setup = scripts/setup.sh $(1)
else
  setup = @:
endif

.DEFAULT_GOAL := help
.PHONY: help demo build build-dev test install asan tsan fuzz bench consumer device format lint clean

help:  ## Lists the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' Makefile

demo:  ## Records the linear layers of a model on this machine, then runs what was chosen
	$(call setup,build)
	$(call build_preset,release)
	build/release/tools/cli/weft bench --record $(BENCH_ARGS)
	build/release/tools/cli/weft bench $(BENCH_ARGS)

build:  ## Builds library and command into build/release
	$(call setup,build)
	$(call build_preset,release)

build-dev:  ## Builds library, command, tests and benchmarks into build/dev
	$(call setup,build test)
	$(call build_preset,dev)

test: build-dev  ## Builds with tests and runs them all
	ctest --preset dev --parallel $(JOBS)

install: build  ## Installs under PREFIX (default /usr/local)
	cmake --install build/release --prefix $(PREFIX)

asan:  ## Runs the tests under the address and undefined-behaviour sanitizers
	$(call setup,build test)
	$(call build_preset,asan)
	ctest --preset asan --parallel $(JOBS)

tsan:  ## Runs the tests labelled `protocol` under the thread sanitizer
	$(call setup,build test)
	$(call build_preset,tsan)
	ctest --preset tsan --parallel $(JOBS)

fuzz:  ## Fuzzes the database loader for a bounded time, from the committed corpus on
	$(call setup,build lint)
	$(call build_preset,fuzz)
	ctest --preset fuzz --verbose

bench: build-dev  ## Runs the speed benchmarks (no unit tests; minutes)
	build/dev/bench/weft_bench

consumer: build-dev  ## Uses the installed package from another project, static and shared
	ctest --preset consumer
	$(call build_preset,shared)
	cmake -DBUILD=$(CURDIR)/build/shared -DSOURCE=$(CURDIR) -DCOMPILER=c++ -DGENERATOR=Ninja \
	  -DWORK=$(CURDIR)/build/shared/consumer -P tests/consumer/install_and_use.cmake

device:  ## Compiles the device-clean headers with nvcc, where there is one
	$(call setup,build)
	$(call build_preset,device)

format:  ## Formats all C++ and CUDA sources
	$(call setup,lint)
	scripts/format.sh

lint:  ## Checks formatting, and clang-tidy over all sources
	$(call setup,build test lint)
	scripts/format.sh --check
	cmake --preset dev -B build/tidy -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
	scripts/tidy.sh build/tidy

clean:  ## Removes everything that was built
	rm -rf build
