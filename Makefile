# Everything a newcomer needs: `make` lists it, `make test` proves it.
.DEFAULT_GOAL := help
.PHONY: help web build run compiled watch release clean test webtest webe2e webinbox lighthouse unit vet race sim mutants mutate bench bench-peers searchbench microbench toolsearch lint soak attack fuzz vuln

GO      ?= go
SEEDS   ?= 20000
FROM    ?= 1
FUZZFOR ?= 30s
VULNDB  ?= https://vuln.go.dev

# Building, vetting and testing share these, so that nothing is compiled twice, and
# a build cache serves every checkout. The race detector needs cgo, nothing else does.
export GOFLAGS     := $(strip $(GOFLAGS) -trimpath -buildvcs=false)
export CGO_ENABLED ?= 0

help: ## list what can be made
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# What a build says about itself. The date is that of the commit, so that the
# same commit gives the same bytes.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT  ?= $(shell git rev-parse HEAD 2>/dev/null)
DATE    ?= $(shell git log -1 --format=%cI 2>/dev/null)
STAMP   := -X main.version=$(VERSION) -X main.commit=$(COMMIT) -X main.date=$(DATE)
GOBUILD  = $(GO) build

# The pages are built when their sources changed, their libraries are installed
# when package-lock.json changed. WEB= leaves them out: make build WEB=
WEB        ?= web
WEBMODULES := web/node_modules/.assent-installed
WEBBUILT   := web/dist/.assent-built
WEBSOURCES := $(shell find web/src web/public web/scripts -type f 2>/dev/null) web/index.html web/vite.config.ts web/package.json docs/openapi.json

web: $(WEBBUILT) ## build the pages into web/dist, where the program takes them from
	@:

$(WEBMODULES): web/package-lock.json
	@command -v npm >/dev/null || { echo "make web: building the pages needs Node.js 20.19 or newer with npm (https://nodejs.org). To build without pages: make build WEB="; exit 1; }
	cd web && npm ci --no-audit --no-fund
	@touch $@

$(WEBBUILT): $(WEBMODULES) $(WEBSOURCES)
	cd web && npm run --silent build
	@touch $@

webtest: $(WEBBUILT) ## the pages: format and lint, types, unit tests, and that the inbox loads at most 160 kB
	cd web && npm run --silent check && npm run --silent tsc && npm run --silent unit && npm run --silent size

webe2e: build ## the program with its pages in a real Chromium: every story, size and theme; pictures are in web/e2e/shots
	cd web && npm run --silent e2e

webinbox: build ## an inbox of 100,000 and a run of 500 steps in a real Chromium: frame times, requests, memory; takes minutes and wants a quiet machine
	cd web && npm run --silent e2e:many

LIGHTHOUSE := web/e2e/lighthouse/node_modules/.assent-installed
$(LIGHTHOUSE): web/e2e/lighthouse/package-lock.json
	cd web/e2e/lighthouse && npm ci --no-audit --no-fund
	@touch $@

lighthouse: build $(LIGHTHOUSE) ## Lighthouse on inbox and approval: 95 or more for speed and accessibility; wants a quiet machine
	cd web && npm run --silent lighthouse

# Only the last packages need the pages, so the others are compiled while those are built.
build: ## build bin/assent
	@$(MAKE) --no-print-directory -j2 $(WEB) compiled
	$(GOBUILD) -ldflags '$(STAMP)' -o bin/assent ./cmd/assent

compiled:
	@$(GO) build $$($(GO) list ./internal/... | grep -vE '/internal/cli(/host)?$$')

run: build ## start a server on this machine with the examples in it; the store is in ./.assent
	./bin/assent serve --demo --load examples $(ARGS)

watch: $(WEBBUILT) ## start the server and the pages at http://127.0.0.1:5173; both follow changes of the code
	node web/scripts/watch.mjs

PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
release: $(WEB) ## build for all platforms into dist/, with checksums; the same commit gives the same bytes
	@rm -rf dist && mkdir -p dist
	@set -e; for p in $(PLATFORMS); do \
	  os=$${p%/*}; arch=$${p#*/}; ext=; [ $$os = windows ] && ext=.exe; \
	  out=dist/assent_$(VERSION)_$${os}_$${arch}$$ext; echo "$$out"; \
	  GOOS=$$os GOARCH=$$arch $(GOBUILD) -ldflags '-s -w -buildid= $(STAMP)' -o $$out ./cmd/assent; \
	done
	@cd dist && if command -v sha256sum >/dev/null; then sha256sum assent_*; else shasum -a 256 assent_*; fi > SHA256SUMS
	@cat dist/SHA256SUMS

clean: ## remove what was built; ./.assent stays
	rm -rf bin dist
	find web/dist -mindepth 1 ! -name .gitkeep -delete

test: $(WEB) ## everything that has to pass: formatting, vet, all tests, races, 2,000 simulated seeds, planted bugs, the pages, and every story in a real browser

vet:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go' 2>/dev/null || find . -name '*.go')); \
	if [ -n "$$unformatted" ]; then echo "gofmt wants to change:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags mutant ./internal/core/... ./internal/engine/... ./sim/...

# The phases of `make test` share one PostgreSQL.
PHASES := vet unit race mutants webtest webe2e
test:
	@mkdir -p bin && $(GO) build -o bin/share ./internal/store/postgres/pgtest/share
	@bin/share $(MAKE) --no-print-directory ONCE=yes $(PHASES)

# Vetting is a phase of its own, so tests are not vetted a second time.
GOTEST = $(GO) test -vet=off $(PATIENCE)
# Busy machines are slow, which is no failure: the longest package takes minutes.
PATIENCE = -timeout 25m

# `make test` runs what RACY names, and the tests that RACING names, once: with the
# race detector, where there is a C compiler for it. `make unit`, and `make test`
# without one, run everything.
ONCE =
unit:
	@if [ -n "$(ONCE)" ] && command -v cc >/dev/null; then \
	  echo "$(GO) test ./... (but for what is tested for races)"; \
	  all=$$($(GO) list ./...) && racy=$$($(GO) list $(RACY)) && raced=$$($(GO) list $(RACED)) && \
	  $(GOTEST) $$(echo "$$all" | grep -vxF "$$racy" | grep -vxF "$$raced") && \
	  $(GOTEST) -skip '^($(RACING))' $$raced; \
	else echo "$(GO) test ./..."; $(GOTEST) ./...; fi

# Whole packages, and in the larger ones the tests that do many things at once: the
# race detector makes the others ten times slower, and they would tell it nothing.
RACY   ?= . ./internal/api/traffic ./internal/engine/... ./internal/agent/... ./internal/outbound/... ./internal/tool/...
RACING := TestStorm|TestEmergencyStop|TestFilesAreLoadedWhenTheyChange|TestGrantsAreUsedUp|TestOneOfManyDecidersWins|TestStreamsMissNothing|TestSumsHoldUnderLoad|TestConcurrentDuplicatesHaveOneEffect|TestNoGapAndNoDuplicate|TestOnlyOneOfManyDecides|TestStreamsEndWithTheSession|TestSocketsEndCleanly|TestVerifyUnderLoad|TestAFloodBlocksNobodyElse|TestNamesAreGivenOnce|TestStartOnce|TestConcurrent|TestReadersDoNotWaitForRotation
RACED  := ./internal/app ./internal/api ./internal/audit ./internal/auth ./internal/mcpserver ./internal/core/plan ./internal/core/schema ./internal/store/storekit
race: ## look for data races where things run at once; make soak looks everywhere
	@if command -v cc >/dev/null; then \
	  echo "$(GO) test -race $(RACY)"; CGO_ENABLED=1 $(GOTEST) -race $(RACY) && \
	  echo "$(GO) test -race $(RACED) (what runs at once)" && CGO_ENABLED=1 $(GOTEST) -race -run '^($(RACING))' $(RACED) && \
	  CGO_ENABLED=1 $(GOTEST) -race -run '^TestStore$$/Race' ./internal/store/sqlite ./internal/store/postgres; \
	elif [ -n "$$CI" ]; then echo "make race: the race detector needs a C compiler, and there is none"; exit 1; \
	else echo "make race: left out, the race detector needs a C compiler (apt-get install gcc)"; fi

mutants: ## plant each known bug and see that the simulator or the scenarios catch it
	$(GO) test -vet=off -tags mutant -count=1 -run 'TestMutants|TestEngineMutants|CatchMutants' ./sim ./internal/core/decide ./internal/engine/local

# SAMPLE=200 tries that many mutants of each package.
MUTATE ?=
SAMPLE ?= 0
mutate: ## plant small bugs everywhere in MUTATE=internal/core/gate (or in every package that matters) and list those no test notices; takes hours
	$(GO) run ./mutate -sample $(SAMPLE) $(MUTATE)

sim: ## simulate SEEDS=20000 random runs, FROM=1 on, with crashes, lost answers and clock jumps: on the core, and on two real engines; lists every seed that fails
	SEEDS=$(SEEDS) FROM=$(FROM) $(GO) test ./sim -count=1 -run 'TestSeeds|TestEngineSeeds' -timeout 0 -v

bench: ## hold everything against its budget: a table, and bench.json; BENCH='-quick' or '-only decision,http' takes less
	$(GO) run ./bench -postgres -json bench.json $(BENCH)

bench-peers: ## measure Assent beside systems it is weighed against: tables, and peers.json; PEERS='-only dbos,langgraph' takes less
	$(GO) run ./bench/peers -json peers.json $(PEERS)

searchbench: ## measure searches among 1,000,000 rows of each store; ROWS=100000 takes less
	ASSENT_SEARCH_ROWS=$(or $(ROWS),1000000) $(GO) test ./internal/store/sqlite ./internal/store/postgres -run '^$$' -bench '^BenchmarkStore$$/^Search$$' -benchtime 40x -timeout 2h

toolsearch: ## find tools on the public sets in the folder SETS (clones of COLT, MetaTool and Seal-Tools), and among 10,000 and 100,000
	SETS=$(abspath $(SETS)) $(GO) test ./internal/tool/toolgraph -count=1 -run '^TestPublicSets$$' -bench '^BenchmarkScale$$' -benchtime 1x -timeout 1h

microbench: ## measure the core, the store, the engine, the API and the policy by themselves
	$(GO) test ./internal/core/... ./internal/store/sqlite ./internal/engine/local ./internal/app ./internal/api -run '^$$' -bench . -benchmem

lint: ## lint the OpenAPI document with a tool from npm (the tests check its structure anyway)
	npx -y @redocly/cli@2.73.0 lint --skip-rule operation-2xx-response docs/openapi.json

KILLS ?= 2000
soak: ## kill the real binary KILLS=2000 times under load, and audit what is left; then every test with the race detector
	KILLS=$(KILLS) $(GO) test ./e2e -run TestKilled -count=1 -timeout 0 -v
	CONVERSATIONS=7 $(GO) test ./e2e -run TestConversations -count=1 -timeout 0 -v
	CGO_ENABLED=1 ASSENT_STORETEST=all $(GO) test -race ./... -count=1 -timeout 0

EDITS ?= 1000
SEED  ?= 1
attack: ## edit the database of both stores behind the server's back, EDITS=1000 times at random and in all known clever ways; every edit has to be noticed
	EDITS=$(EDITS) SEED=$(SEED) $(GO) test ./internal/audit -run 'TestRandomEdits|TestCleverEdits' -count=1 -timeout 0 -v
	$(GO) test ./e2e -run 'TestAttacked|TestForgery|TestStolenKey|TestEditedEventsAreNoticed' -count=1 -v

vuln: ## look for known weaknesses of libraries (needs the network)
	@tmp=$$(mktemp -d); GOBIN=$$tmp $(GO) install golang.org/x/vuln/cmd/govulncheck@v1.8.0 && $$tmp/govulncheck -db=$(VULNDB) ./...; code=$$?; rm -rf $$tmp; \
	case $$code in 0) ;; 3) echo "make vuln: weaknesses found, see above" ;; \
	*) echo "make vuln: NOTHING WAS CHECKED, see above: the vulnerability database is $(VULNDB) (VULNDB=file:///a/copy reads another one)" ;; esac; exit $$code

fuzz: ## fuzz every parser and the state machine for FUZZFOR=30s each
	@set -e; for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "== $$pkg $$f"; $(GO) test $$pkg -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZFOR) -fuzzminimizetime 10x; \
	  done; done
