# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0
#
# One debug build (.build/debug) and one release build (.build/release/weir) are shared by everything.

SWIFT ?= swift
export SWIFT

.PHONY: help demo debug test-servers test check stubs apple examples long bench format lint docs clean release install uninstall dist deb trials storms set-up-build set-up-install set-up-play set-up-bench set-up-check set-up-package

help: ## show this
	@echo 'make demo    play audio and video through weir with real programs, then again without the origin'
	@echo 'make release build .build/release/weir'
	@echo 'make install PREFIX=/usr/local puts the program, its manual pages and completions there'
	@echo 'make uninstall PREFIX=/usr/local takes them away again'
	@echo 'make dist    the same as an archive, make deb as a Debian package, below .build/dist'
	@echo 'make test    build and run the tests'
	@echo 'make check   check the release build against real players, origins and cloud servers, in short forms'
	@echo 'make stubs   compile and run the Apple part on Linux, against declarations of our own (check does it, too)'
	@echo 'make apple   compile what is for Apple alone, on Linux, against headers of our own (check does it, too)'
	@echo 'make storms  storm the player, radio and the concurrency primitives under ThreadSanitizer (check does it, too)'
	@echo 'make examples build and test the examples'
	@echo 'make long    the same in long forms, power cuts, and the tests under ThreadSanitizer'
	@echo 'make bench   measure the release build beside its peers; writes the tables into Documentation/Benchmarks.md and'
	@echo '             README.md (INTO=FILE: only into that file)'
	@echo 'make lint    say where a file is not formatted or breaks a rule'
	@echo 'make format  format every Swift file'
	@echo 'make docs    build the documentation of the libraries into .build/documentation'
	@echo 'make clean   remove every build'
	@echo
	@echo 'Each does its own set-up: what is missing is said, and installed with apt-get where there is one.'

set-up-build:
	@Scripts/set-up build

set-up-play:
	@Scripts/set-up build play

set-up-check:
	@Scripts/set-up build play costs clouds players sounds radio package

set-up-install:
	@Scripts/set-up build install

set-up-package:
	@Scripts/set-up build package

set-up-bench:
	@Scripts/set-up build bench radio costs clouds players

debug: set-up-build
	Scripts/swift build --build-tests

release: set-up-build
	Scripts/swift build -c release --product weir

# Servers that the checks and the benchmarks talk to.
test-servers: release
	Scripts/swift build -c release --product weir-test-servers

# For the system, or for another; what is installed needs nothing of this folder.
PREFIX ?= /usr/local
# One word for the shell, whatever characters it has.
quoted_prefix = '$(subst ','\'',$(PREFIX))'

install: set-up-install release
	@Scripts/dist install $(quoted_prefix)

uninstall:
	@Scripts/dist uninstall $(quoted_prefix)

dist: set-up-install release
	@Scripts/dist tarball

deb: set-up-package release
	@Scripts/dist deb

# Programs that measure; they share the release build. The checks run one of them, the benchmarks another.
trials: release test-servers
	WEIR_TRIALS=1 Scripts/swift build -c release --product CipherTrial
	WEIR_TRIALS=1 Scripts/swift build -c release --product OpeningTrial
	WEIR_TRIALS=1 Scripts/swift build -c release --product PlayerTrial
	WEIR_TRIALS=1 Scripts/swift build -c release --product AudioTrial
	WEIR_TRIALS=1 Scripts/swift build -c release --product StationTrial

test: debug
	@Scripts/test --built

# An installed weir is as good as one that was built here; a program that WEIR_PROGRAM names is taken as it is.
demo:
	@Scripts/set-up play
	@if [ -n "$$WEIR_PROGRAM" ]; then \
		Scripts/demo; \
	elif [ ! -x .build/release/weir ] && command -v weir >/dev/null; then \
		WEIR_PROGRAM=$$(command -v weir) Scripts/demo; \
	else \
		[ -x .build/release/weir ] || echo 'demo: weir is built first, which takes some ten minutes on two cores, once'; \
		$(MAKE) --no-print-directory release && Scripts/demo; \
	fi

check: set-up-check release trials stubs apple storms
	@Scripts/fuzz replay
	@Checks/run

# The Apple part, compiled and run against declarations of our own.
stubs: set-up-build
	@Scripts/stubs

# What is for Apple's platforms alone, compiled as iOS and macOS see it, and mistakes that must be found.
apple:
	@Scripts/apple-check --mistakes --symbols

# Commands, listeners and the concurrency primitives from many tasks at once, under ThreadSanitizer.
storms: set-up-build
	@WEIR_STORMS=1 Scripts/sanitize/thread "CommandStormTests|ListenerStormTests|BroadcastTests|SignalTests|EffectQueueTests"

# What the articles quote, and a player: a package of its own, with a build of its own.
examples: set-up-build
	@Examples/check

long: set-up-check trials
	@Scripts/sanitize/thread
	WEIR_LONG=1 Scripts/test --filter "PowerCutTests|FaultTests|LivePlayTests|RadioPlayingTests|RadioDayTests|StationBurstTests|ConnectionJoinTests|ServerPaceTests|ServedPathTests|SigningKeysTests|TopViewTests|FrameLearningTests|BisectionTests|ServerFarmTests|EvictionTests|SimulationTests"
	WEIR_LONG=1 WEIR_STORMS=1 Scripts/sanitize/thread "CommandStormTests|ListenerStormTests|BroadcastTests|SignalTests|EffectQueueTests"
	.build/release/CipherTrial table
	.build/release/CipherTrial ranges
	.build/release/PlayerTrial
	@Scripts/fuzz run 600
	@Examples/check
	@Checks/run --long

bench: set-up-bench set-up-play trials
	@Benchmarks/run $(if $(INTO),--into $(INTO),--into Documentation/Benchmarks.md --ratios-into README.md)

lint:
	@Scripts/lint
	@Scripts/check-tree

format:
	@Scripts/lint --fix

docs: set-up-build
	Scripts/swift build
	@Scripts/documentation

clean:
	rm -rf .build .build-tsan .build-storms .build-stub .build-examples .build-fuzz
