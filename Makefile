# Start here: `make` lists the targets, `make run` starts a server, `make test` tests everything.
.DEFAULT_GOAL := help
.PHONY: golane weblane temporallane faults help web build run compiled watch release image clean test webtest webe2e shots webinbox lighthouse unit vet race sim mutants mutate bench bench-peers bench-temporal searchbench microbench toolsearch lint soak attack fuzz vuln upgrade temporal assent-temporal temporal-server

GO      ?= go
SEEDS   ?= 20000
FROM    ?= 1
FUZZFOR ?= 30s
VULNDB  ?= https://vuln.go.dev

# Building, vetting and testing share these, so that nothing is compiled twice, and
# a build cache serves every checkout. The race detector needs cgo, nothing else does.
export GOFLAGS     := $(strip $(GOFLAGS) -trimpath -buildvcs=false)
export CGO_ENABLED ?= 0

help: ## list these targets
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Version information of a build. The date is that of the commit, so that builds of
# the same commit are identical.
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

web: $(WEBBUILT) ## build the pages into web/dist, from where they are embedded
	@:

$(WEBMODULES): web/package-lock.json
	@command -v npm >/dev/null || { echo "make web: building the pages needs Node.js 20.19 or newer with npm (https://nodejs.org). To build without pages: make build WEB="; exit 1; }
	cd web && npm ci --no-audit --no-fund
	@touch $@

$(WEBBUILT): $(WEBMODULES) $(WEBSOURCES)
	cd web && npm run --silent build
	@touch $@

webtest: $(WEBBUILT) ## check the pages: format, lint, types, unit tests, and that the inbox loads at most 160 kB
	cd web && npm run --silent check && npm run --silent tsc && npm run --silent unit && npm run --silent size

webe2e: build ## test the program with its pages in a real Chromium: every story, size and theme
	cd web && npm run --silent e2e

shots: build ## take pictures of every page, size and theme, and those of the README, into web/e2e/shots
	cd web && SHOTS=1 npm run --silent e2e -- pages readme suggest replan automation signin plan-form

webinbox: build ## measure an inbox of 100,000 and a run of 500 steps in a real Chromium: frame times, requests, memory; takes minutes, needs a quiet machine
	cd web && npm run --silent e2e:many

LIGHTHOUSE := web/e2e/lighthouse/node_modules/.assent-installed
$(LIGHTHOUSE): web/e2e/lighthouse/package-lock.json
	cd web/e2e/lighthouse && npm ci --no-audit --no-fund
	@touch $@

lighthouse: build $(LIGHTHOUSE) ## run Lighthouse on inbox and approval: 95 or more for speed and accessibility; needs a quiet machine
	cd web && npm run --silent lighthouse

# Only the last packages need the pages, so the others are compiled while those are built.
build: ## build bin/assent
	@$(MAKE) --no-print-directory -j2 $(WEB) compiled
	$(GOBUILD) -ldflags '$(STAMP)' -o bin/assent ./cmd/assent

compiled:
	@$(GO) build $$($(GO) list ./internal/... | grep -vE '/internal/cli(/host)?$$')

run: build ## start a local server with the examples loaded; the store is in ./.assent
	./bin/assent serve --demo --load examples $(ARGS)

watch: $(WEBBUILT) ## start the server and the pages at http://127.0.0.1:5173; both are rebuilt when the code changes
	node web/scripts/watch.mjs

assent-temporal: $(WEB) ## build bin/assent-temporal: bin/assent with the Temporal engine
	cd temporal && $(GOBUILD) -ldflags '$(STAMP)' -o ../bin/assent-temporal ./assent-temporal

# Temporal's server for tests has 1,180 packages, so it is built once for each version and shared by all checkouts.
TEMPORALKEY     = $(shell cat $$(find temporal/devserver -type f | sort) | cksum | cut -d' ' -f1)
TEMPORALSERVER ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/assent/temporal-devserver-1.32.1-$(TEMPORALKEY)
TEMPORALMEMORY  = 3000
temporal-server: ## build a Temporal server for tests: about 10 minutes and 3 GB of memory the first time, nothing later
	@[ -x $(TEMPORALSERVER) ] || { \
	  free=$$(awk '/^MemAvailable/ { print int($$2 / 1024) }' /proc/meminfo 2>/dev/null); \
	  [ $${free:-$(TEMPORALMEMORY)} -ge $(TEMPORALMEMORY) ] || { \
	    echo "make temporal-server: linking Temporal's server needs $(TEMPORALMEMORY) MB of memory, and $$free MB are free"; exit 1; }; \
	  cd temporal/devserver && $(GO) mod download || { \
	    echo "make temporal-server: the source of Temporal's server cannot be fetched, see above; GOPROXY is $$($(GO) env GOPROXY)"; exit 1; }; \
	  echo "building Temporal's server into $(TEMPORALSERVER), once: about 10 minutes"; mkdir -p $(dir $(TEMPORALSERVER)) && \
	  nice $(GO) build -ldflags '-s -w' -o $(TEMPORALSERVER).$$$$ . && mv $(TEMPORALSERVER).$$$$ $(TEMPORALSERVER); }

temporal: temporal-server ## test the Temporal engine on a real server and PostgreSQL: the suite of engines, moving between engines, everything killed and every network cut
	cd temporal && $(GO) vet ./... && $(if $(LANE),,SCENARIOS=all )ASSENT_TEMPORAL_SERVER=$(TEMPORALSERVER) $(GO) test -vet=off -count=1 $(PATIENCE) ./...
	ASSENT_TEMPORAL_SERVER=$(TEMPORALSERVER) $(GO) test -vet=off -count=1 $(PATIENCE) -run '^(TestTemporal|TestKilledOnTemporal)$(if $(LANE),$$)' ./e2e

faults: temporal-server ## kill server, workers, Temporal and the PostgreSQL of each and cut their networks KILLS=200 times at random under load, kill the leader of three servers and fail PostgreSQL over KILLS/10 times, restart with wrong clocks KILLS/20 times and fill its disk KILLS/20 times, with each engine, fill SQLite's as often, and audit the remaining logs
	ASSENT_TEMPORAL_SERVER=$(TEMPORALSERVER) KILLS=$(if $(filter file,$(origin KILLS)),200,$(KILLS)) $(GO) test -vet=off -count=1 -timeout 0 -v -run '^(TestTemporalFaults|TestTemporalClocks|TestKilledOnTemporal|TestServers|TestFailOver|TestFullDisk)' ./e2e

upgrade: ## test that an earlier release and this one work on one database at the same time; builds that release from the history
	ASSENT_UPGRADE=1 $(GO) test ./e2e -run TestUpgrade -count=1 -timeout 20m -v

bench-temporal: temporal-server ## measure the Temporal engine beside Temporal's own workflows on one server: about 25 minutes on a quiet machine; BENCH='-runs 50 -decisions 20 -parked 500 -parked-workflows 200' is faster
	cd temporal && $(GO) run ./bench -server $(TEMPORALSERVER) $(BENCH)

PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
release: $(WEB) ## build for all platforms into dist/, with checksums; reproducible for each commit
	@rm -rf dist && mkdir -p dist
	@set -e; for p in $(PLATFORMS); do \
	  os=$${p%/*}; arch=$${p#*/}; ext=; [ $$os = windows ] && ext=.exe; \
	  out=dist/assent_$(VERSION)_$${os}_$${arch}$$ext; echo "$$out"; \
	  GOOS=$$os GOARCH=$$arch $(GOBUILD) -ldflags '-s -w -buildid= $(STAMP)' -o $$out ./cmd/assent; \
	done
	@cd dist && if command -v sha256sum >/dev/null; then sha256sum assent_*; else shasum -a 256 assent_*; fi > SHA256SUMS
	@cat dist/SHA256SUMS

# The certificates are those of this machine.
CERTIFICATES ?= $(firstword $(wildcard /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem))
CONTAINERS   ?= $(firstword $(foreach c,podman buildah docker,$(shell command -v $(c) 2>/dev/null)))
IMAGEARCH    ?= $(shell $(GO) env GOARCH)
PROGRAM      ?= assent
image: $(WEB) ## build a container image of this commit with podman, buildah or docker: assent:VERSION; PROGRAM=assent-temporal has the Temporal engine
	@rm -rf dist/image && mkdir -p dist/image/data
	cd $(if $(filter assent-temporal,$(PROGRAM)),temporal && ,. && )GOOS=linux GOARCH=$(IMAGEARCH) \
	  $(GOBUILD) -ldflags '-s -w -buildid= $(STAMP)' -o $(CURDIR)/dist/image/assent ./$(if $(filter assent,$(PROGRAM)),cmd/)$(PROGRAM)
	@test -n "$(CERTIFICATES)" || { echo "make image: no certificate authorities found on this machine; set CERTIFICATES=FILE"; exit 1; }
	@cp $(CERTIFICATES) dist/image/certificates.crt && cp deploy/Containerfile dist/image/ && touch dist/image/data/.keep
	@test -n "$(CONTAINERS)" || { echo "make image: install podman, buildah or docker; the folder of the image is dist/image"; exit 1; }
	$(CONTAINERS) build $(IMAGEFLAGS) -f dist/image/Containerfile -t $(PROGRAM):$(VERSION) dist/image

clean: ## remove build output; ./.assent is kept
	rm -rf bin dist
	find web/dist -mindepth 1 ! -name .gitkeep -delete

test: $(WEB) ## run everything that must pass: formatting, vet, all tests, races, 2,000 simulated seeds, planted bugs, the pages, and every story in a real browser

vet:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go' 2>/dev/null || find . -name '*.go')); \
	if [ -n "$$unformatted" ]; then echo "gofmt wants to change:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags mutant ./internal/core/... ./internal/engine/... ./internal/notify ./sim/...

# `make test` has three lanes that run side by side, because none keeps two processors busy: processes are started and
# killed in the first, pages are loaded in the second, and the third waits for Temporal (without its storm of faults).
# They share one PostgreSQL. The targets of a lane run one by one, and at the end it is listed how long each of them took.
# Tests have small heaps, so they need not collect garbage so often, which takes a fifth of the time of some. The programs
# that ./e2e starts do it as usual.
SPARING = export GOGC=$(or $(GOGC),400);
LANES = for t in $(1); do from=$$(date +%s); $(MAKE) --no-print-directory LANE=yes $$t || exit; \
  echo "make test: $$t took $$(($$(date +%s) - from)) s" >> bin/took; done
test:
	@mkdir -p bin && rm -f bin/took && $(GO) build -o bin/share ./internal/store/postgres/pgtest/share
	@bin/share $(MAKE) --no-print-directory -j3 ONCE=yes golane weblane temporallane; code=$$?; cat bin/took 2>/dev/null; exit $$code
golane:
	@+$(SPARING) $(call LANES,vet unit race mutants)
weblane:
	@+$(call LANES,webtest webe2e)
temporallane:
	@if (cd temporal && $(GO) mod download) && $(MAKE) --no-print-directory temporal-server; then $(SPARING) $(call LANES,temporal); \
	elif [ -n "$$CI" ]; then echo "make test: the Temporal engine has to be tested on CI"; exit 1; \
	else echo "make test: the tests of the Temporal engine are skipped, see above"; fi
ifdef LANE
.NOTPARALLEL:
endif

# Vetting is a phase of its own, so tests are not vetted a second time.
GOTEST = $(GO) test -vet=off $(PATIENCE)
# A slow machine must not fail a test: the longest package takes minutes.
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
	  $(GOTEST) -skip '^($(RACING))' $$raced && $(GOTEST) -run '$(LONG)' $(LONGIN); \
	else echo "$(GO) test ./..."; $(GOTEST) ./...; fi

# Whole packages, and of the larger ones the concurrent tests: the race detector makes
# the others ten times slower and finds nothing in them.
RACY   := . ./internal/api/traffic ./internal/engine/... ./internal/agent/... ./internal/outbound/... ./internal/tool/... ./internal/schedule ./internal/trigger ./internal/notify/email
RACING := TestStorm|TestEmergencyStop|TestFilesAreLoadedWhenTheyChange|TestGrantsAreUsedUp|TestOneOfManyDecidersWins|TestStreamsMissNothing|TestSumsHoldUnderLoad|TestConcurrentDuplicatesHaveOneEffect|TestNoGapAndNoDuplicate|TestOnlyOneOfManyDecides|TestStreamsEndWithTheSession|TestSocketsEndCleanly|TestVerifyUnderLoad|TestAFloodBlocksNobodyElse|TestNamesAreGivenOnce|TestStartOnce|TestConcurrent|TestReadersDoNotWaitForRotation
RACED  := ./internal/app ./internal/api ./internal/audit ./internal/auth ./internal/mcpserver ./internal/core/plan ./internal/core/schema ./internal/store/storekit ./internal/notify
# Long calculations in a few packages of RACY: `make test` runs these once as well, but without the race detector.
LONG   := ^TestAYear$$|^TestSameInput|^TestUselessExperience|^TestLong|^TestAgent/(output_of_10|output_over|answer_without_end|answers_that_are_none)|^TestOn(SQLite|Postgres)/large|^TestOnSQLite/dispatched/large
LONGIN := ./internal/schedule ./internal/tool/toolgraph ./internal/tool/builtin ./internal/agent/process ./internal/engine/local
race: ## detect data races in concurrent code; make soak covers everything
	@if command -v cc >/dev/null; then \
	  echo "$(GO) test -race $(RACY)"; racy=$$($(GO) list $(RACY)) && long=$$($(GO) list $(LONGIN)) || exit; \
	  CGO_ENABLED=1 $(GOTEST) -race $$(echo "$$racy" | grep -vxF "$$long") && \
	  CGO_ENABLED=1 $(GOTEST) -race -skip '$(LONG)' $(LONGIN) && \
	  echo "$(GO) test -race $(RACED) (what runs at once)" && CGO_ENABLED=1 $(GOTEST) -race -run '^($(RACING))' $(RACED) && \
	  CGO_ENABLED=1 $(GOTEST) -race -run '^TestStore$$/Race' ./internal/store/sqlite ./internal/store/postgres; \
	elif [ -n "$$CI" ]; then echo "make race: the race detector needs a C compiler, and none was found"; exit 1; \
	else echo "make race: skipped, the race detector needs a C compiler (apt-get install gcc)"; fi

mutants: ## plant each known bug and check that the simulator, the scenarios or the tests of a package catch it
	$(GO) test -vet=off -tags mutant -count=1 -run 'TestMutants|TestEngineMutants|CatchMutants' ./sim ./internal/core/decide ./internal/engine/local ./internal/notify

# SAMPLE=200 tries that many mutants of each package.
MUTATE ?=
SAMPLE ?= 0
mutate: ## plant small bugs everywhere in MUTATE=internal/core/gate (default: every critical package) and list those no test detects; takes hours
	$(GO) run ./mutate -sample $(SAMPLE) $(MUTATE)

sim: ## simulate SEEDS=20000 random runs, starting at FROM=1, with crashes, lost answers and clock jumps: on the core, and on two real engines; lists failing seeds
	SEEDS=$(SEEDS) FROM=$(FROM) $(GO) test ./sim -count=1 -run 'TestSeeds|TestEngineSeeds' -timeout 0 -v

bench: ## compare everything with its budget: a table, and bench.json; BENCH='-quick' or '-only decision,http' is faster
	$(GO) run ./bench -postgres -json bench.json $(BENCH)

bench-peers: ## measure Assent next to comparable systems: tables, and peers.json; PEERS='-only dbos,langgraph' is faster
	$(GO) run ./bench/peers -json peers.json $(PEERS)

searchbench: ## measure searches among 1,000,000 rows of each store; ROWS=100000 is faster
	ASSENT_SEARCH_ROWS=$(or $(ROWS),1000000) $(GO) test ./internal/store/sqlite ./internal/store/postgres -run '^$$' -bench '^BenchmarkStore$$/^Search$$' -benchtime 40x -timeout 2h

toolsearch: ## measure tool search on the public sets in the folder SETS (clones of COLT, MetaTool and Seal-Tools), and among 10,000 and 100,000 tools
	SETS=$(abspath $(SETS)) $(GO) test ./internal/tool/toolgraph -count=1 -run '^TestPublicSets$$' -bench '^BenchmarkScale$$' -benchtime 1x -timeout 1h

microbench: ## measure the core, the store, the engine, the API and the policy in isolation
	$(GO) test ./internal/core/... ./internal/store/sqlite ./internal/engine/local ./internal/app ./internal/api -run '^$$' -bench . -benchmem

# golangci-lint checks the Go code; see .golangci.yml. It takes minutes, so `make test` leaves it out.
GOLANGCI := bin/golangci-lint-2.14.0
$(GOLANGCI):
	@mkdir -p bin && GOFLAGS=-mod=mod GOBIN=$(abspath bin) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.14.0
	@mv bin/golangci-lint $@

lint: $(GOLANGCI) ## lint the Go code and the OpenAPI document, with tools from the module proxy and npm
	$(GOLANGCI) run --timeout 20m ./...
	npx -y @redocly/cli@2.73.0 lint --skip-rule operation-2xx-response docs/openapi.json

KILLS ?= 2000
soak: temporal-server ## kill the real binary KILLS=2000 times under load, and a quarter as often on PostgreSQL and with Temporal, and audit the remaining logs, and for a minute while mail, Slack, Teams, webhooks and push services fail at random; then run every test with the race detector
	ASSENT_TEMPORAL_SERVER=$(TEMPORALSERVER) KILLS=$(KILLS) $(GO) test ./e2e -run TestKilled -count=1 -timeout 0 -v
	STORM=60s $(GO) test ./e2e -run TestFaultStorm -count=1 -timeout 0 -v
	CONVERSATIONS=7 $(GO) test ./e2e -run TestConversations -count=1 -timeout 0 -v
	CGO_ENABLED=1 ASSENT_STORETEST=all SCENARIOS=all $(GO) test -race ./... -count=1 -timeout 0

EDITS ?= 1000
SEED  ?= 1
attack: ## edit the databases of both stores directly, EDITS=1000 times at random and in all known clever ways; every edit must be detected
	EDITS=$(EDITS) SEED=$(SEED) $(GO) test ./internal/audit -run 'TestRandomEdits|TestCleverEdits' -count=1 -timeout 0 -v
	$(GO) test ./e2e -run 'TestAttacked|TestForgery|TestStolenKey|TestEditedEventsAreNoticed' -count=1 -v

vuln: ## check dependencies for known vulnerabilities (needs the network)
	@tmp=$$(mktemp -d); GOBIN=$$tmp $(GO) install golang.org/x/vuln/cmd/govulncheck@v1.8.0 && $$tmp/govulncheck -db=$(VULNDB) ./...; code=$$?; rm -rf $$tmp; \
	case $$code in 0) ;; 3) echo "make vuln: vulnerabilities found, see above" ;; \
	*) echo "make vuln: NOTHING WAS CHECKED, see above: the vulnerability database is $(VULNDB) (VULNDB=file:///a/copy reads another one)" ;; esac; exit $$code

fuzz: ## fuzz every parser and the state machine for FUZZFOR=30s each
	@set -e; for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "== $$pkg $$f"; $(GO) test $$pkg -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZFOR) -fuzzminimizetime 10x; \
	  done; done
