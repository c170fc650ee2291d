package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/steady"

	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/tool/builtin"
)

func TestMain(m *testing.M) { steady.Main(m) }

// open creates the tools; the test defines what may be reached.
func open(t testing.TB, o outbound.Options, workspace string) *builtin.Set {
	t.Helper()
	client := outbound.New(o)
	t.Cleanup(client.Close)
	return builtin.New(builtin.Options{Client: client, Workspace: workspace})
}

var local = outbound.Options{AllowLoopback: true}

// use runs a tool. A failure is returned as is.
func use(t testing.TB, set *builtin.Set, name, args string) (run.CallResult, run.Failure) {
	t.Helper()
	tool, ok := set.Get(name)
	if !ok {
		t.Fatalf("there is no %s", name)
	}
	s, err := schema.Compile(tool.Args)
	if err != nil {
		t.Fatal(err)
	}
	if ps := s.Validate(json.RawMessage(args)); len(ps) > 0 {
		t.Fatalf("%s %s: %v", name, args, ps)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	r, err := tool.Run(ctx, port.ToolWork{Run: "run_1", Step: "s", Key: "k1", Tool: name, Args: json.RawMessage(args)},
		func(port.Progress) {})
	if err == nil {
		return r, run.Failure{}
	}
	var f *outbound.Failed
	if errors.As(err, &f) {
		return r, f.Failure
	}
	return r, port.FailureOf(err)
}

func get(t *testing.T, r run.CallResult, path ...string) string {
	t.Helper()
	raw, ok := value.Get(r.Output, path...)
	if !ok {
		return ""
	}
	if s, ok := value.Text(raw); ok {
		return s
	}
	return string(raw)
}

// TestDocuments validates each tool's document as if a user had written it.
func TestDocuments(t *testing.T) {
	set := builtin.New(builtin.Options{})
	want := "ask_human create_deliverable hand_off http_request list_files milestone note_progress read_file " +
		"send_message update_deliverable web_fetch write_file"
	if got := strings.Join(set.Names(), " "); got != want {
		t.Errorf("%s", got)
	}
	for _, name := range set.Names() {
		tool, _ := set.Get(name)
		docs := definition.NewSet()
		doc := tool.Tool
		if ps := docs.Add(&doc); len(ps) > 0 {
			t.Errorf("%s: %v", name, ps)
		}
		if ps := docs.Check(nil); len(ps) > 0 {
			t.Errorf("%s: %v", name, ps)
		}
		if doc.Description == "" || doc.Describe == "" || doc.Args == nil {
			t.Errorf("%s says too little", name)
		}
		core := slices.Contains(run.OwnTools, name)
		if (tool.Run == nil) != core {
			t.Errorf("%s: who carries it out?", name)
		}
		asks := risk.Classify(risk.Tool{Name: name, Class: doc.Risk, Operation: doc.Operation,
			ReadOnly: tool.ReadOnly}).Asks()
		if asks != (name == "write_file" || name == "http_request") {
			t.Errorf("%s asks: %v", name, asks)
		}
	}
}

func TestNoteProgress(t *testing.T) {
	tool, _ := builtin.New(builtin.Options{}).Get("note_progress")
	var told port.Progress
	r, err := tool.Run(t.Context(), port.ToolWork{Args: json.RawMessage(`{"text":"halfway","percent":5e1}`)},
		func(p port.Progress) { told = p })
	if err != nil || string(r.Output) != `{"ok":true}` || told != (port.Progress{Text: "halfway", Percent: 50}) {
		t.Errorf("%s %v %+v", r.Output, err, told)
	}
}

func TestDeliverables(t *testing.T) {
	set := builtin.New(builtin.Options{})
	for _, c := range []struct{ args, want, no string }{
		{`{"name":"a.md","type":"document","content":"# Hi\u0000"}`,
			`{"name":"a.md","type":"document","content":"# Hi\u0000"}`, ""},
		{`{"name":"a.md","type":"document","content":"","status":"final","mime_type":"text/markdown","description":"d"}`,
			`{"name":"a.md","type":"document","status":"final","mime_type":"text/markdown","description":"d","content":""}`, ""},
		{`{"name":"a.png","type":"media","content_base64":"iVBORwD/"}`,
			`{"name":"a.png","type":"media","content":{"$base64":"iVBORwD/"}}`, ""},
		{`{"name":"a","type":"data","url":"https://example.com/a"}`,
			`{"name":"a","type":"data","url":"https://example.com/a"}`, ""},
		{`{"name":"a","type":"data"}`, "", "needs one of content"},
		{`{"name":"a","type":"data","content":"x","url":"https://example.com"}`, "", "needs one of content"},
		{`{"name":"a","type":"data","url":"javascript:alert(1)"}`, "", "not an http or https address"},
		{`{"name":"a","type":"data","url":"https://ann:secret@example.com/a"}`, "", "remove them"},
		{`{"name":"a","type":"data","content_base64":"%"}`, "", "not base64"},
	} {
		for _, tool := range []string{"create_deliverable", "update_deliverable"} {
			r, f := use(t, set, tool, c.args)
			if f.Message != "" || !strings.Contains(r.Error, c.no) || (c.no == "") != (r.Error == "") {
				t.Errorf("%s: %+v %+v", c.args, r, f)
				continue
			}
			if c.no == "" {
				r.Deliverables[0].Update = r.Deliverables[0].Update != (tool == "update_deliverable")
				if got, _ := value.Marshal(r.Deliverables[0]); string(got) != c.want {
					t.Errorf("%s: %s became %s", tool, c.args, got)
				}
			}
		}
	}
}

// TestUpdateOnlyMarks: an update without content changes the status.
func TestUpdateOnlyMarks(t *testing.T) {
	set := builtin.New(builtin.Options{})
	r, _ := use(t, set, "update_deliverable", `{"name":"a.md","status":"final","description":"not looked at"}`)
	if got, _ := value.Marshal(r.Deliverables); string(got) != `[{"name":"a.md","status":"final","update":true}]` {
		t.Errorf("%s %s", got, r.Error)
	}
	if r, _ := use(t, set, "update_deliverable", `{"name":"a.md"}`); !strings.Contains(r.Error, "or a status") {
		t.Errorf("%+v", r)
	}
}
