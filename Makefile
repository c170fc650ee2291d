# Everything a newcomer needs: `make` lists it, `make test` proves it.
.DEFAULT_GOAL := help
.PHONY: help test unit vet sim mutants bench fuzz

GO      ?= go
SEEDS   ?= 20000
FUZZFOR ?= 30s

help: ## list what can be made
	@awk -F':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: vet unit mutants ## everything that has to pass: formatting, vet, all tests, 2,000 simulated seeds, planted bugs

vet:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go' 2>/dev/null || find . -name '*.go')); \
	if [ -n "$$unformatted" ]; then echo "gofmt wants to change:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags mutant ./...

unit:
	$(GO) test ./...

mutants: ## plant each known bug and see that the simulator catches it
	$(GO) test -tags mutant -count=1 -run TestMutants ./sim

sim: ## simulate SEEDS=20000 random runs with crashes, lost answers and clock jumps
	SEEDS=$(SEEDS) $(GO) test ./sim -count=1 -run TestSeeds -timeout 0 -v

bench: ## measure the core (see docs/performance.md)
	$(GO) test ./internal/core/... -run '^$$' -bench . -benchmem

fuzz: ## fuzz every parser and the state machine for FUZZFOR=30s each
	@set -e; for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "== $$pkg $$f"; $(GO) test $$pkg -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZFOR); \
	  done; done
