# SPDX-License-Identifier: Apache-2.0
# The front door. Each target is a line that calls a script; `make help` lists them.

HONE   := build/release/hone/cli/hone
# As root the host's huge pages for a program with a large memory, all put back afterwards; without
# root TCP in private network namespaces.
ARGS   ?= tune $(if $(filter 0,$(shell id -u)),memory,tcp) --yes
PREFIX ?= /usr/local
export PREFIX DESTDIR V

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup run build llm llm-test test test-all guard asan tsan check check-deep format bench bundle install clean

help: ## what you are reading
	@echo 'Hone: learners improve kernels, and every reward is real. Start with: make run'
	@echo
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 13 | sed 's/^/  make /'
	@echo
	@echo 'V=1 shows the output of every stage; without it the output is in build/logs/.'
	@echo 'One part of the tests: scripts/test dev -R Queue'

setup: ## installs the Debian packages that are missing; asks for root only if some are
	@scripts/setup build test check bench

run: ## sets up, builds and tunes: memory on the host as root, else TCP in a namespace; or ARGS='doctor'
	@scripts/setup build && scripts/build release hone
	@$(HONE) $(ARGS)

build: ## the hone program as it is installed, in build/release/
	@scripts/setup build && scripts/build release hone

llm: ## hone-llm, which runs language models (`hone llm`) and needs libtorch, in build/llm/
	@scripts/setup build llm && scripts/build llm hone-llm

llm-test: ## the tests of hone-llm, with torch; `make test` has the rest of them
	@scripts/setup build test llm && scripts/llm-test

test: ## sets up, builds, runs all tests but the slow ones, then all of `make check`; CI runs a fifth of the long ones
	@scripts/setup build test check && scripts/test test -LE '^slow$$'
	@scripts/check && scripts/test-report build/test/ctest.xml

guard: ## sanitizers over the rooms that need them, clang as a reader, a build that sees all files at once
	@scripts/setup build test && scripts/guard

test-all: ## everything: slow tests, unit tests under both sanitizers, a build by clang, all of clang-tidy
	@scripts/setup build test check && scripts/test test
	@CI= scripts/check && scripts/guard --all && scripts/test-report build/test/ctest.xml

asan: ## the unit tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/setup build test && scripts/guard --all asan

tsan: ## the unit tests under ThreadSanitizer
	@scripts/setup build test && scripts/guard --all tsan

check: ## format, layers, sizes, names, likely bugs; unchanged files cost nothing
	@scripts/setup build test check && scripts/check

check-deep: ## the same with clang-tidy's slow checks, the static analyzer among them
	@scripts/setup build test check && scripts/check --deep

format: ## rewrites every C++ file as clang-format likes it
	@scripts/setup check && scripts/check-format --fix

bench: ## runs every benchmark of bench/ in its quick form; the full one: bench/NAME
	@scripts/setup build bench && scripts/bench

bundle: ## hone and its data in one archive that runs on machines without its libraries; FOR=x86_64 for another processor
	@scripts/setup build && scripts/bundle $(FOR)

install: build ## copies hone, its data and completions under PREFIX (/usr/local), with DESTDIR
	@scripts/install $(HONE)

clean: ## removes build/; caches in ~/.cache stay
	@rm -rf build
