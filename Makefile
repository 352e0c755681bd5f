# The commands for newcomers and CI. Each target runs a script that can also be run by hand.

.DEFAULT_GOAL := help
PREFIX ?= /usr/local
.PHONY: help setup setup-tool demo test cli install uninstall check bench docs gallery packages soak fuzz jitter sanitize test-libcurl

help: ## List the targets
	@echo "To try it: make demo. To use the tool: make cli && sudo make install. To change the code: make test."
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install what building and testing need (apt; through sudo when not root)
	@Scripts/setup

setup-tool: ## Install what building the tool needs, without servers
	@Scripts/setup --tool

demo: setup-tool ## Run the tool's demo against a server that it starts itself; needs no network
	swift build --package-path Examples/curlew --product curlew
	@Examples/curlew/.build/debug/curlew demo

test: ## Run everything that CI runs
	@Scripts/test

cli: setup-tool ## Build the command-line tool (Examples/curlew/.build/release/curlew)
	swift build -c release --package-path Examples/curlew --product curlew

install: ## Install the tool that `make cli` built, with completions and a manual page (PREFIX=/usr/local)
	@Scripts/install-tool "$(DESTDIR)$(PREFIX)"

uninstall: ## Remove what `make install` installed
	@Scripts/install-tool --remove "$(DESTDIR)$(PREFIX)"

check: setup ## Format, house rules, documentation, builds without warnings
	@Scripts/check

bench: setup ## Measure against peers, as ratios taken in one run
	@Scripts/bench

sanitize: setup ## Run the suite under the address and the thread sanitizer
	@Scripts/sanitize address
	@Scripts/sanitize thread

test-libcurl: setup ## Run the suite on libcurl 8.14.1
	@Scripts/test-libcurl

docs: setup ## Build the documentation as a static site (.build/docs/site) and check it
	@Scripts/docs

gallery: setup ## Build the examples in Examples/gallery and run their tests
	@Scripts/gallery

packages: ## Build all plugins and examples, and run their tests; takes a quarter of an hour or more
	@Scripts/packages

soak: setup ## Run the long tests
	@Scripts/soak

fuzz: setup ## Fuzz the parsers
	@Scripts/fuzz

jitter: setup ## Run the suite as on a busy machine, where jobs begin late
	@Scripts/jitter
