# What a newcomer and CI run. Each target is a script that can also be run by hand.

.DEFAULT_GOAL := help
.PHONY: help setup setup-tool demo test cli check bench soak fuzz sanitize test-libcurl

help: ## Say what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install what building and testing need (apt; through sudo when not root)
	@Scripts/setup

setup-tool: ## Install what building the tool needs; no servers
	@Scripts/setup --tool

demo: setup-tool ## See Curlew at work against an origin of its own; needs no network
	swift build --package-path Examples/curlew --product curlew
	@Examples/curlew/.build/debug/curlew demo

test: ## Run everything that CI runs
	@Scripts/test

cli: setup-tool ## Build the command-line tool (Examples/curlew/.build/release/curlew)
	swift build -c release --package-path Examples/curlew --product curlew

check: setup ## Format, house rules, documentation, builds without warnings
	@Scripts/check

bench: setup ## Measure against peers, as ratios taken in one run
	@Scripts/bench

sanitize: setup ## Run the suite under the address and the thread sanitizer
	@Scripts/sanitize address
	@Scripts/sanitize thread

test-libcurl: setup ## Run the suite on libcurl 8.14.1
	@Scripts/test-libcurl

soak: setup ## Run the long tests
	@Scripts/soak

fuzz: setup ## Fuzz the parsers
	@Scripts/fuzz
