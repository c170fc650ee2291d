package examples_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/suggest"
	"github.com/assent-run/assent/internal/tool/mcp/mcptest"
	"github.com/assent-run/assent/internal/view"
)

// filesOffice has the documents of adaptive-files. The MCP server is the real one, in the version that tests
// install: npx would fetch the newest.
func filesOffice(t *testing.T) *office {
	t.Helper()
	set := load(t, "adaptive-files")
	dir, err := filepath.Abs("adaptive-files/files")
	if err != nil {
		t.Fatal(err)
	}
	server := set.MCPServers["shared-files"]
	if got := strings.Join(server.Command, " "); got != "npx -y @modelcontextprotocol/server-filesystem "+
		"examples/adaptive-files/files" {
		t.Fatalf("the example starts %s", got)
	}
	server.Command = []string{"node", mcptest.Script(t, "filesystem"), dir}
	return openOfficeWith(t, set, nil, assembly.Config{AllowCommands: true})
}

// TestAdaptiveFiles: the run meets an XML file, proposes to read it, and the report comes after that; or
// without it, if people reject that.
func TestAdaptiveFiles(t *testing.T) {
	o := filesOffice(t)
	id := o.begin("adaptive-files")
	a := o.one(id)
	if tool, _ := value.Get(a.Proposed, "inject_steps", "0", "tool"); a.Reason != gate.ReasonLoop ||
		!strings.Contains(string(tool), "mcp:shared-files/read") {
		t.Fatalf("%s: %s", a.Title, a.Proposed)
	}
	// The sentence of the README finds the same tools before any run has taught something.
	s, err := o.s.App.Inventory.SuggestPlan(t.Context(), app.LocalAdmin, suggest.Intent{
		Intent: "search files by pattern, then read the text file"})
	if err != nil || !s.Found || len(s.Steps) != 2 || s.Steps[0].Tool != "mcp:shared-files/search_files" ||
		!strings.HasPrefix(s.Steps[1].Tool, "mcp:shared-files/read_text") {
		t.Errorf("%+v: %v", s, err)
	}

	o.decide(a, app.Decision{Act: gate.Approve})
	v := o.sayYes(id)
	var added *view.Step
	for i := range v.Steps {
		if v.Steps[i].Injected {
			added = &v.Steps[i]
		}
	}
	if v.Status != run.Completed || added == nil || !strings.Contains(string(added.Output), "4.20") {
		t.Fatalf("%s: %+v %+v", v.Status, v.Steps, v.Warnings)
	}
	for _, s := range v.Steps {
		if s.ID == "report" && strings.Join(s.Needs, " ") != "orders "+added.ID {
			t.Errorf("the report needs %v", s.Needs)
		}
	}

	rejected := o.begin("adaptive-files")
	o.decide(o.one(rejected), app.Decision{Act: gate.Reject, Comment: "the prices are old"})
	if v := o.sayYes(rejected); v.Status != run.Completed || len(v.Steps) != 4 {
		t.Errorf("%s: %+v", v.Status, v.Steps)
	}
}

// TestAdaptiveFilesWithoutPrograms: a server that may not start programs loads the example, and the run says why
// it cannot go on.
func TestAdaptiveFilesWithoutPrograms(t *testing.T) {
	o := openOffice(t, load(t, "adaptive-files"), nil)
	id := o.begin("adaptive-files")
	v := o.sayYes(id)
	if v.Status != run.Failed || v.Error == nil || !strings.Contains(v.Error.Message, "allow_commands") {
		t.Errorf("%s: %+v", v.Status, v.Error)
	}
}
