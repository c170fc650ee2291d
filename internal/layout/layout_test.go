package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/assent-run/assent"

// areas are the parts of the tree, the most specific prefix first. A package
// may import its own area and those listed.
var areas = []struct {
	prefix string
	may    []string
	why    string
}{
	{"sim/audit", nil, "the auditor shares no code with what it audits"},
	{"sim", []string{"internal/core", "internal/engine", "internal/port", "internal/store/storekit", "sim/audit"},
		"the simulator drives the core and the engine: everything else is simulated"},
	{"internal/core", nil, "the core is pure: everything else depends on it, it depends on nothing"},
	{"internal/layout", nil, "only a test"},
	{"internal/mask", []string{"internal/core"}, "what is hidden depends on rules and values alone, and not on who asks"},
	{"internal/media", nil, "type detection is a leaf"},
	{"internal/seal", []string{"internal/core"}, "keys and envelopes know nothing of what is in them"},
	{"internal/retention", []string{"internal/core", "internal/port"},
		"siblings never import each other: adapters meet in assembly"},
	{"internal/schedule", []string{"internal/core", "internal/definition", "internal/port", "internal/registry"},
		"what a schedule starts does not depend on who asks: app decides who may change it"},
	{"internal/trigger", []string{"internal/trace", "internal/core", "internal/definition",
		"internal/mask", "internal/port",
		"internal/registry", "internal/view"},
		"what a trigger starts depends on who sent the delivery, not on who asks: app decides who may change it"},
	{"internal/trace/otlp", []string{"internal/metrics", "internal/trace"},
		"sending spans and numbers knows nothing of what they are about"},
	{"internal/trace/spans", []string{"internal/core", "internal/mask", "internal/port", "internal/trace",
		"internal/trace/otlp"},
		"spans follow from the log: no engine, no caller"},
	{"internal/trace", nil, "the names of spans follow from ids"},
	{"internal/port", []string{"internal/core"}, "ports speak the core's words"},
	{"internal/definition", []string{"internal/core"}, "documents are read into the core's words, and nothing else"},
	{"internal/store", []string{"internal/apttest", "internal/core", "internal/port", "internal/seal"},
		"siblings never import each other: adapters meet in assembly"},
	{"internal/scenario", []string{"internal/core", "internal/definition"},
		"scripts are played on the state machine: engines play along"},
	{"internal/engine/scenariotest", []string{"internal/core", "internal/engine", "internal/port", "internal/scenario"},
		"scripts are played on engines, whatever their store"},
	{"internal/engine/spool", []string{"internal/core", "internal/seal"},
		"results on disk are the core's words in envelopes: the engine declares what it needs of them"},
	{"internal/engine", []string{"internal/trace", "internal/core", "internal/mask",
		"internal/media", "internal/port"},
		"siblings never import each other: adapters meet in assembly"},
	{"internal/outbound", []string{"internal/trace", "internal/core", "internal/media"},
		"agents and tools reach the outside through one guard, which knows neither"},
	{"internal/agent", []string{"internal/core", "internal/media", "internal/port", "internal/definition",
		"internal/outbound", "internal/steady"}, "siblings never import each other: adapters meet in assembly"},
	{"internal/tool", []string{"internal/core", "internal/media", "internal/port", "internal/definition",
		"internal/outbound"}, "siblings never import each other: adapters meet in assembly"},
	{"internal/steady", nil, "what tests share knows nothing of what they test"},
	{"internal/apttest", nil, "installing programs of others needs no knowledge of what they are for"},
	{"internal/nodetest", nil, "running programs of others needs no knowledge of what they are for"},
	{"internal/notice", []string{"internal/access", "internal/core", "internal/guard", "internal/mask", "internal/port",
		"internal/sight", "internal/view"}, "what is shown outside this program depends on who may read it there"},
	{"internal/notify/cardtest", []string{"internal/nodetest"},
		"a counterpart knows nothing of what it is a counterpart of"},
	{"internal/notify/newstest", []string{"internal/core", "internal/notify", "internal/view"},
		"it has messages, and sends none"},
	{"internal/notify/notifytest", []string{"internal/nodetest"},
		"a counterpart knows nothing of what it is a counterpart of"},
	{"internal/auth/authtest", []string{"internal/nodetest", "internal/steady"},
		"a counterpart knows nothing of what it is a counterpart of"},
	{"internal/notify", []string{"internal/core", "internal/definition", "internal/directory", "internal/outbound",
		"internal/port", "internal/registry", "internal/view"},
		"messages are told on channels that know nothing of each other; what people may see is asked, not decided here"},
	{"internal/directory", []string{"internal/core", "internal/definition", "internal/port"},
		"names are resolved in one place"},
	{"internal/auth", []string{"internal/core", "internal/directory", "internal/port"},
		"siblings never import each other: adapters meet in assembly"},
	{"internal/audit", []string{"internal/core", "internal/port"},
		"siblings never import each other: adapters meet in assembly"},
	{"internal/insight", []string{"internal/core", "internal/definition", "internal/mask", "internal/port",
		"internal/view"}, "what can be learned from the past depends on a scope that is given, and changes " +
		"nothing: app decides who asks"},
	{"internal/importer", []string{"internal/core", "internal/port", "internal/definition"},
		"siblings never import each other: adapters meet in assembly"},
	{"internal/access", []string{"internal/core", "internal/port", "internal/definition"},
		"who may do what is decided by facts that are given: no store, no clock"},
	{"internal/view", []string{"internal/core", "internal/definition", "internal/mask", "internal/media",
		"internal/port"}, "what is shown, and what is sensitive in it, does not depend on who asks: app decides that"},
	{"internal/feed", []string{"internal/core", "internal/port", "internal/view"},
		"handing out events decides nothing about who may see them: app does"},
	{"internal/sight", []string{"internal/access", "internal/core", "internal/mask", "internal/port", "internal/view"},
		"seeing changes nothing, and does not depend on what is done with it: app decides that"},
	{"internal/browse", []string{"internal/core", "internal/port", "internal/sight", "internal/view"},
		"a list shows what its viewer may see, and changes nothing: app decides who asks"},
	{"internal/registry", []string{"internal/access", "internal/core", "internal/definition", "internal/port",
		"internal/view"}, "which documents are in force does not depend on the caller: app authorises, then calls"},
	{"internal/documents", []string{"internal/access", "internal/core", "internal/definition", "internal/guard",
		"internal/port", "internal/registry", "internal/view"},
		"saving a document asks guard first, and leaves the work to registry"},
	{"internal/hindsight", []string{"internal/access", "internal/core", "internal/definition", "internal/documents",
		"internal/guard", "internal/insight", "internal/port", "internal/registry", "internal/sight", "internal/view"},
		"what the past teaches a caller depends on what guard lets them see"},
	{"internal/automation", []string{"internal/access", "internal/core", "internal/definition", "internal/documents",
		"internal/guard", "internal/port", "internal/registry", "internal/schedule", "internal/sight", "internal/trigger",
		"internal/view"}, "what starts runs without a person is asked of guard first: schedule and trigger know no caller"},
	{"internal/deliverables", []string{"internal/access", "internal/core", "internal/guard", "internal/media",
		"internal/port", "internal/sight", "internal/view"},
		"handing out results asks guard first, and commands runs through app"},
	{"internal/inventory", []string{"internal/access", "internal/core", "internal/definition", "internal/guard",
		"internal/mask", "internal/port", "internal/registry", "internal/sight", "internal/suggest", "internal/trail",
		"internal/trial", "internal/view"}, "what can be called is the same for all: guard is asked who may see and try it"},
	{"internal/rights", []string{"internal/access", "internal/core", "internal/definition", "internal/directory",
		"internal/guard", "internal/registry", "internal/sight", "internal/view"},
		"explaining what people may do asks guard first, and leaves the rules to access"},
	{"internal/supply", []string{"internal/core", "internal/definition", "internal/feed", "internal/insight",
		"internal/port", "internal/registry"}, "the engine asks for what is in force: no caller, no store"},
	{"internal/trail", []string{"internal/access", "internal/core", "internal/guard", "internal/port", "internal/sight",
		"internal/view"}, "reading the audit log asks guard first, and leaves proofs to audit"},
	{"internal/guard", []string{"internal/access", "internal/core", "internal/definition", "internal/port",
		"internal/refusal", "internal/registry", "internal/sight"},
		"who may do what is decided by access: guard finds the facts, and commands nothing"},
	{"internal/preview", []string{"internal/core", "internal/definition", "internal/view"},
		"a preview runs the core with samples: no store, no engine, no caller"},
	{"internal/suggest", []string{"internal/core", "internal/definition", "internal/port", "internal/registry",
		"internal/view"}, "a suggested plan changes nothing, and does not depend on who asks: app decides that"},
	{"internal/refusal", []string{"internal/core", "internal/port"},
		"recording a refusal does not depend on what was refused, or why"},
	{"internal/workbench", []string{"internal/access", "internal/core",
		"internal/definition", "internal/port", "internal/preview",
		"internal/registry", "internal/view", "templates"},
		"a working copy decides nothing about who may change it: app does"},
	{"internal/trial", []string{"internal/core", "internal/engine", "internal/mask", "internal/port", "internal/view"},
		"a trial decides nothing about who may try an agent, and stores nothing: app does"},
	{"internal/app", []string{"internal/automation", "internal/browse", "internal/deliverables", "internal/documents",
		"internal/guard", "internal/hindsight", "internal/inventory", "internal/notice", "internal/rights",
		"internal/sight", "internal/supply", "internal/trail", "internal/trace",
		"internal/workbench", "internal/refusal", "internal/registry", "internal/retention", "internal/schedule",
		"internal/trigger",
		"internal/preview",
		"internal/insight", "internal/feed", "internal/suggest", "internal/view", "internal/access", "internal/core",
		"internal/directory", "internal/mask", "internal/port", "internal/definition"},
		"use cases know ports, never adapters"},
	{"internal/outbox", []string{"internal/app", "internal/core", "internal/definition", "internal/directory",
		"internal/notify", "internal/port", "internal/registry", "internal/view"},
		"notifications show people what app shows them, and know no channel"},
	{"internal/api/traffic", []string{"internal/core/fault"},
		"sharing a server fairly needs no knowledge of what is requested"},
	{"internal/api/problem", []string{"internal/core/fault", "internal/core/phrase", "internal/core/value",
		"internal/port"}, "how an error reads does not depend on the request"},
	{"internal/api/openapi", []string{"internal/api/problem", "internal/api/request", "internal/core"},
		"the document follows from types and a table: no server, no store"},
	{"internal/api/request", []string{"internal/api/problem", "internal/core",
		"internal/definition", "internal/view"}, "checking a request needs no server, no store and no caller"},
	{"internal/api/pack", nil, "compression knows bytes"},
	{"internal/api/page", nil, "a page is drawn from what it is given"},
	{"internal/api/record", []string{"internal/api/traffic", "internal/metrics"},
		"what became of a request does not depend on what it was"},
	{"internal/api/contract", []string{"internal/api/problem", "internal/api/request", "internal/app",
		"internal/browse", "internal/core", "internal/deliverables",
		"internal/directory", "internal/insight", "internal/inventory", "internal/media", "internal/notify",
		"internal/outbox", "internal/port",
		"internal/preview", "internal/registry", "internal/rights", "internal/schedule", "internal/suggest",
		"internal/trail", "internal/trial",
		"internal/trigger", "internal/view", "internal/workbench"},
		"what clients see of the API does not depend on how it is served"},
	{"internal/meter", []string{"internal/core", "internal/metrics", "internal/port"},
		"counting what happened changes nothing about it"},
	{"internal/heap", nil, "collecting garbage depends on how much there is, and on nothing else"},
	{"internal/metrics", nil, "counting knows nothing of what is counted"},
	{"internal/api", []string{"internal/api/contract", "internal/api/pack", "internal/api/page", "internal/api/record",
		"internal/api/request", "internal/trace",
		"internal/api/problem", "internal/api/traffic", "internal/metrics", "internal/directory", "internal/registry",
		"internal/schedule", "internal/trigger", "internal/preview", "internal/insight", "internal/feed",
		"internal/deliverables", "internal/inventory", "internal/suggest", "internal/view", "internal/workbench",
		"internal/core", "internal/media", "internal/port", "internal/definition", "internal/access", "internal/app",
		"internal/chat", "internal/documents", "internal/notify", "internal/outbox", "docs", "web"},
		"API, MCP and CLI go through app"},
	{"internal/mcpserver", []string{"internal/insight", "internal/feed", "internal/view", "internal/core",
		"internal/port", "internal/access", "internal/app"}, "API, MCP and CLI go through app"},
	{"internal/chat", []string{"internal/access", "internal/app", "internal/browse", "internal/core", "internal/notify",
		"internal/port", "internal/view"}, "a decision in chat goes through app, like one of the API"},
	{"internal/assembly", []string{"internal/trace", "internal/trace/otlp", "internal/trace/spans",
		"internal/chat", "internal/core", "internal/seal", "internal/mask", "internal/meter",
		"internal/metrics", "internal/retention",
		"internal/port", "internal/definition", "internal/store", "internal/engine",
		"internal/agent", "internal/tool", "internal/outbound", "internal/notify", "internal/outbox", "internal/auth",
		"internal/audit", "internal/app"},
		"assembly alone chooses adapters, and no package below it may depend on it"},
	{"internal/cli", []string{"internal/heap", "internal/deliverables", "internal/trace/otlp",
		"internal/rights", "internal/trail",
		"internal/directory",
		"internal/registry",
		"internal/schedule", "internal/trigger",
		"internal/preview",
		"internal/insight", "internal/suggest", "internal/view", "internal/core", "internal/seal", "internal/mask",
		"internal/port", "internal/definition", "internal/app", "internal/api", "internal/mcpserver", "internal/outbox",
		"internal/assembly", "internal/documents", "internal/importer", "internal/audit", "internal/store/sqlite",
		"examples", "templates", "web"},
		"API, MCP and CLI go through app; assembly chooses adapters; what was exported is checked without a server"},
	{"deploy", []string{"internal/cli"}, "configurations use settings that exist"},
	{"cmd", []string{"internal/cli"}, "main is a few lines"},
	{"web", nil, "the UI is files"},
	{"docs", nil, "the documentation is files"},
	{"templates", nil, "templates are files"},
	{"", []string{"internal"}, "the Go library puts the parts together"},
}

// coreOrder is the order inside the core: a package imports only earlier ones.
var coreOrder = []string{"holds", "fault", "cron", "mutant", "quantity", "value", "phrase", "template", "schema",
	"expr", "risk", "gate", "policy", "plan", "run", "learn", "loop", "machine", "sums", "asking", "forking",
	"experience", "decide"}

// impure are standard packages that would make the core depend on more than its arguments.
var impure = map[string]string{
	"net": "no I/O", "net/http": "no I/O", "os": "no I/O", "os/exec": "no I/O", "io/fs": "no I/O",
	"path/filepath": "no I/O",
	"database/sql":  "no I/O", "log": "errors are returned, not logged", "log/slog": "errors are returned, not logged",
	"math/rand": "chance is derived from keys", "math/rand/v2": "chance is derived from keys",
	"crypto/rand": "chance is derived from keys",
	"sync":        "nothing in the core runs at once", "sync/atomic": "nothing in the core runs at once",
	"context": "nothing in the core waits",
	"runtime": "behaviour must not depend on the machine", "time/tzdata": "time zones are given as data",
}

// libraries are the only third-party packages of the core, each wrapped by one package.
var libraries = map[string]string{
	"github.com/santhosh-tekuri/jsonschema/v6": "schema",
}

// excused are impure imports that a package needs to keep its own promise.
var excused = map[string]string{
	"schema sync": "a compiled schema is shared between runs, and the library meters one validation at a time",
}

func TestImportsPointOneWay(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`,
		module+"/...").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	packages, drawn := 0, layers(t)
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		from, ok := own(words[0])
		if !ok {
			continue
		}
		packages++
		for _, imported := range words[1:] {
			if why := forbidden(from, imported); why != "" {
				t.Errorf("%s must not import %s: %s", words[0], imported, why)
			}
			lower, upper := folder(imported), folder(words[0])
			if upper != "" && lower != "" && upper != lower && drawn[lower] <= drawn[upper] {
				t.Errorf("%s imports %s, which the diagram in docs/architecture.md does not show below it", words[0], imported)
			}
		}
	}
	if packages < 10 {
		t.Errorf("only %d packages were looked at", packages)
	}
}

// own returns a path inside the module.
func own(path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

// folder returns the folder of a package in internal, such as store for
// internal/store/sqlite.
func folder(path string) string {
	name, _ := strings.CutPrefix(path, module+"/internal/")
	if name == path {
		return ""
	}
	name, _, _ = strings.Cut(name, "/")
	return name
}

func areaOf(pkg string) (prefix string, may []string, why string) {
	for _, a := range areas {
		if a.prefix == "" || pkg == a.prefix || strings.HasPrefix(pkg, a.prefix+"/") {
			return a.prefix, a.may, a.why
		}
	}
	return "", nil, ""
}

// forbidden says why from may not import imported, or nothing.
func forbidden(from, imported string) string {
	if imported == "text/template" || imported == "html/template" {
		return "it makes the program 3.5 MB larger, see docs/decisions/0048-templates-without-reflection.md"
	}
	area, may, why := areaOf(from)
	to, ours := own(imported)
	if area == "internal/core" {
		if reason := forbiddenInCore(strings.TrimPrefix(from, "internal/core/"), imported, to, ours); reason != "" || ours {
			return reason
		}
		return ""
	}
	if !ours {
		if area == "web" && strings.Contains(strings.Split(imported, "/")[0], ".") {
			return "the UI is files: serving them takes the standard library alone"
		}
		if area == "sim/audit" && strings.Contains(strings.Split(imported, "/")[0], ".") {
			return "the auditor uses the standard library alone"
		}
		return ""
	}
	target, _, _ := areaOf(to)
	if target == area || slices.ContainsFunc(may, func(m string) bool { return to == m || strings.HasPrefix(to, m+"/") }) {
		return ""
	}
	return why
}

func forbiddenInCore(from, imported, to string, ours bool) string {
	if ours {
		name, core := strings.CutPrefix(to, "internal/core/")
		switch {
		case !core:
			return "the core is pure: everything else depends on it, it depends on nothing"
		case slices.Index(coreOrder, name) < 0 || slices.Index(coreOrder, name) >= slices.Index(coreOrder, from):
			return "inside the core imports follow the order " + strings.Join(coreOrder, " ← ")
		}
		return ""
	}
	if reason, bad := impure[imported]; bad && excused[from+" "+imported] == "" {
		return "the core is pure: " + reason
	}
	if strings.Contains(strings.Split(imported, "/")[0], ".") {
		for lib, wrapper := range libraries {
			if (imported == lib || strings.HasPrefix(imported, lib+"/")) && from == wrapper {
				return ""
			}
		}
		return "the core uses the standard library, and the few libraries listed here in their own wrappers"
	}
	return ""
}

// TestForbidden shows that the rules can fail.
func TestForbidden(t *testing.T) {
	for _, c := range []struct {
		from, to string
		ok       bool
	}{
		{"internal/core/run", module + "/internal/core/plan", true},
		{"internal/core/plan", module + "/internal/core/run", false},
		{"internal/core/decide", module + "/internal/core/machine", true},
		{"internal/core/machine", module + "/internal/core/decide", false},
		{"internal/core/loop", module + "/internal/core/machine", false},
		{"internal/core/run", module + "/internal/core/loop", false},
		{"internal/core/decide", "net/http", false},
		{"internal/core/run", "github.com/santhosh-tekuri/jsonschema/v6", false},
		{"internal/core/schema", "github.com/santhosh-tekuri/jsonschema/v6", true},
		{"internal/core/run", module + "/internal/store/sqlite", false},
		{"internal/store/sqlite", module + "/internal/engine/local", false},
		{"internal/store/sqlite", module + "/internal/port", true},
		{"internal/app", module + "/internal/store/sqlite", false},
		{"internal/cli", module + "/internal/store/sqlite", true},
		{"internal/app", module + "/internal/view", true},
		{"internal/view", module + "/internal/app", false},
		{"internal/view", module + "/internal/access", false},
		{"internal/feed", module + "/internal/access", false},
		{"internal/insight", module + "/internal/access", false},
		{"internal/registry", module + "/internal/app", false},
		{"internal/registry", module + "/internal/engine", false},
		{"internal/preview", module + "/internal/port", false},
		{"internal/api/traffic", module + "/internal/app", false},
		{"internal/api", module + "/internal/api/traffic", true},
		{"internal/api/contract", module + "/internal/api", false},
		{"internal/api/contract", module + "/internal/api/traffic", false},
		{"internal/api", module + "/internal/cli", false},
		{"cmd/assent", module + "/internal/cli", true},
		{"cmd/assent", module + "/internal/app", false},
		{"sim/audit", module + "/internal/core/run", false},
		{"sim/audit", "encoding/json", true},
		{"web", "net/http", true},
		{"internal/api/page", "html/template", false},
		{"internal/core/template", "text/template/parse", true},
		{"web", "github.com/coder/websocket", false},
		{"web", module + "/internal/app", false},
		{"internal/cli/host", module + "/web", true},
		{"sim", module + "/internal/core/run", true},
		{"", module + "/internal/engine/local", true},
	} {
		if why := forbidden(c.from, c.to); (why == "") != c.ok {
			t.Errorf("%s → %s: %q", c.from, c.to, why)
		}
	}
}

// TestCoreIsPure looks for what imports do not show: clocks and goroutines.
func TestCoreIsPure(t *testing.T) {
	files, err := filepath.Glob("../core/*/*.go")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files found: %v", len(files), err)
	}
	clocks := []string{"Now", "Since", "Until", "After", "AfterFunc", "Tick", "Sleep", "NewTimer",
		"NewTicker", "LoadLocation"}
	set := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt, *ast.SelectStmt, *ast.ChanType, *ast.SendStmt:
				t.Errorf("%s: the core starts no goroutines and waits for nothing", set.Position(n.Pos()))
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(clocks, n.Sel.Name) {
					t.Errorf("%s: time is an argument: time.%s reads the clock or the machine", set.Position(n.Pos()), n.Sel.Name)
				}
			}
			return true
		})
	}
}
