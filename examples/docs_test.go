package examples_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/port"
)

// Every document in the documentation loads. The blocks of a page are read together, like the files of one
// directory; a block after <!-- snippet: alone --> is a directory of its own, with the page around it.

const alone = "<!-- snippet: alone -->"

// snippet is one fenced block of YAML.
type snippet struct {
	line  int // of its first line in the page
	text  string
	alone bool
}

// snippets finds the YAML blocks.
func snippets(page string) (out []snippet) {
	var current *snippet
	before := ""
	n := 0
	for line := range strings.Lines(page) {
		n++
		trimmed := strings.TrimSpace(line)
		switch {
		case current != nil && trimmed == "```":
			out = append(out, *current)
			current = nil
		case current != nil:
			current.text += line
		case trimmed == "```yaml":
			current = &snippet{line: n + 1, alone: before == alone}
		}
		if trimmed != "" && !strings.HasPrefix(trimmed, "<!-- file:") { // which may be in between
			before = trimmed
		}
	}
	return out
}

var firstKey = regexp.MustCompile(`(?m)^([a-z_]+):`)

// isDocument reports whether a block begins like a document.
func (s snippet) isDocument() bool {
	m := firstKey.FindStringSubmatch(s.text)
	return m != nil && (slices.Contains(definition.Kinds, definition.Kind(m[1])) || m[1] == "version" ||
		m[1] == "checkpoints" || m[1] == "auto_approval")
}

// checkPage lists all problems of the documents of a page.
func checkPage(name, page string) (problems []definition.Problem, documents int) {
	whole := definition.NewSet()
	around := assembly.Known()
	for _, one := range []bool{false, true} { // those that stand alone may refer to the others
		for _, s := range snippets(page) {
			if s.alone != one || !s.isDocument() {
				continue
			}
			// Line numbers are those of the page.
			set, ps := definition.Parse(name, []byte(strings.Repeat("\n", s.line-1)+s.text))
			problems = append(problems, ps...)
			documents += len(set.Documents())
			if s.alone {
				problems = append(problems, set.Check(around)...)
			} else {
				problems = append(problems, whole.Merge(set)...)
			}
		}
		if !one {
			problems = append(problems, whole.Check(assembly.Known())...)
			around.Merge(whole)
		}
	}
	return problems, documents
}

func TestDocuments(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, "../README.md")
	all := 0
	for _, page := range pages {
		if filepath.Base(page) == "go.md" {
			continue // its agents are Go functions: TestGoGuide runs it
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		problems, n := checkPage(filepath.Base(page), string(text))
		all += n
		for _, p := range problems {
			t.Errorf("%s", p)
		}
		// Nothing in the guide may be untested.
		if name := filepath.Base(page); name == "workflows.md" || name == "agents.md" {
			for _, s := range snippets(string(text)) {
				if !s.isDocument() {
					t.Errorf("%s:%d: this block is no document, so nobody tries it", name, s.line)
				}
			}
		}
	}
	if all < 30 {
		t.Errorf("only %d documents were found", all)
	}
}

// guided are the runs of the guide: their inputs and outputs.
var guided = map[string]struct{ input, output string }{
	"welcome":        {`{}`, `{"sent":true}`},
	"order-check":    {`{"order_id":"O-1"}`, `{"parcel":"P-1","total":620}`},
	"publish-note":   {`{"topic":"rain"}`, `{"posted":true}`},
	"four-kinds":     {`{}`, `{"seen":true}`},
	"interview":      {`{"name":"candidate 7"}`, `{"invited":true}`},
	"newsletter":     {`{"recipients":[{"name":"one"},{"name":"two"}]}`, `{"done":true}`},
	"contract":       {`{}`, `{"text":"A contract."}`},
	"careful":        {`{}`, `{"ok":true}`},
	"nightly_import": {`{}`, `{"ok":true}`},
	"refund_ahead":   {`{}`, `{"paid":true}`},
	"claim-check":    {`{}`, `{"signals":[]}`},
	"paying":         {`{}`, `{"paid":true}`},
}

// adaptive are those runs of the guide that need tools, and a search for them.
var adaptive = map[string]struct{ input, output string }{
	"note-keeping":  {`{"text":"Tea at five."}`, `{"kept":true}`},
	"read-anything": {`{}`, `{"done":true}`},
	"release":       {`{}`, `{"artifact":"a.tgz"}`},
}

// TestGuide runs every workflow of the guide, with all approvals granted.
func TestGuide(t *testing.T) {
	text, err := os.ReadFile("../docs/workflows.md")
	if err != nil {
		t.Fatal(err)
	}
	set := definition.NewSet()
	for _, s := range snippets(string(text)) {
		if !s.alone {
			part, _ := definition.Parse("workflows.md", []byte(s.text))
			set.Merge(part)
		}
	}
	set.Policy = nil // it is about other workflows
	for name := range set.Workflows {
		// One is part of another, one needs a server from npm.
		_, searches := adaptive[name]
		if _, ok := guided[name]; !ok && !searches && name != "four-eyes" && name != "find" {
			t.Errorf("nobody runs %s", name)
		}
	}
	d := openDesk(t, set)
	for name, g := range guided {
		t.Run(name, func(t *testing.T) {
			own := *d
			own.T = t
			if output := own.agree(name, g.input); !value.Equal(json.RawMessage(output), json.RawMessage(g.output)) {
				t.Errorf("output %s, want %s", output, g.output)
			}
		})
	}
}

// TestAdaptiveGuide runs the workflows of the guide that call tools and find steps, with all approvals
// granted.
func TestAdaptiveGuide(t *testing.T) {
	text, err := os.ReadFile("../docs/workflows.md")
	if err != nil {
		t.Fatal(err)
	}
	set := definition.NewSet()
	for _, s := range snippets(string(text)) {
		if !s.alone && slices.ContainsFunc(slices.Collect(maps.Keys(adaptive)), func(name string) bool {
			return strings.Contains(s.text, "workflow: "+name+"\n")
		}) {
			part, _ := definition.Parse("workflows.md", []byte(s.text))
			set.Merge(part)
		}
	}
	o := openOffice(t, set, nil)
	for name, want := range adaptive {
		t.Run(name, func(t *testing.T) {
			own := *o
			own.T = t
			v := own.sayYes(own.start(name, json.RawMessage(want.input)))
			if v.Status != run.Completed || !value.Equal(v.Output, json.RawMessage(want.output)) {
				t.Errorf("%s with %s: %+v", v.Status, v.Output, v.Warnings)
			}
			if name == "read-anything" && (len(v.Steps) != 3 || !v.Steps[2].Injected ||
				string(v.Steps[2].Output) != `{"words":7}`) {
				t.Errorf("%+v %+v", v.Steps, v.Warnings)
			}
		})
	}
}

// agents are the runs of the page about LLM agents: how they end with all approvals granted, and their
// outputs.
var agents = map[string]struct {
	input, output string
	status        run.Status
}{
	"order-mail":      {`{"order":"A-2"}`, `{"mailed":true}`, run.Completed},
	"careful-writing": {`{}`, `{"text":"Finished."}`, run.Completed},
	"endless":         {`{}`, `null`, run.LimitReached},
	"asking":          {`{}`, `{"text":"The small one it is."}`, run.Completed},
	"guessing":        {`{}`, `{"days":30}`, run.Completed},
}

// TestAgentsGuide runs every workflow of the page about LLM agents.
func TestAgentsGuide(t *testing.T) {
	text, err := os.ReadFile("../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	set := definition.NewSet()
	for _, s := range snippets(string(text)) {
		if !s.alone {
			part, _ := definition.Parse("agents.md", []byte(s.text))
			set.Merge(part)
		}
	}
	for name := range set.Workflows {
		if _, ok := agents[name]; !ok {
			t.Errorf("nobody runs %s", name)
		}
	}
	o := openOffice(t, set, nil)
	for name, want := range agents {
		t.Run(name, func(t *testing.T) {
			own := *o
			own.T = t
			v := own.sayYes(own.start(name, json.RawMessage(want.input)))
			if v.Status != want.status || !value.Equal(v.Output, json.RawMessage(want.output)) {
				t.Errorf("%s with %s, want %s with %s", v.Status, v.Output, want.status, want.output)
			}
		})
	}
}

// agree plays a run, including sub-runs, with a new person for each decision.
func (d *desk) agree(name, input string) string {
	d.Helper()
	ctx, cancel := context.WithTimeout(d.Context(), 2*time.Minute)
	defer cancel()
	id := engine.NewRunID(time.Now())
	if _, err := d.e.Begin(ctx, id, d.define(name, nil),
		d.command(starter, run.Start{Input: json.RawMessage(input), Owner: starter.Name}), nil); err != nil {
		d.Fatal(err)
	}
	changed := d.store.Watch(ctx)
	for {
		var c course
		if err := d.e.View(ctx, id, func(s *machine.State) error { d.look(s, &c); return nil }); err != nil {
			d.Fatal(err)
		}
		switch {
		case c.status == run.Completed:
			return c.output
		case c.status.Ended():
			d.Fatalf("the run is %s: %+v", c.status, c.err)
		}
		page, err := d.store.Approvals(ctx, port.ApprovalQuery{Status: []string{"pending"}, Limit: 10})
		if err != nil {
			d.Fatal(err)
		}
		for _, row := range page.Items {
			d.yes(ctx, row)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			d.Fatalf("the run is %s after a long time", c.status)
		}
	}
}

// yes is a positive decision of the requested kind.
func (d *desk) yes(ctx context.Context, row port.ApprovalRow) {
	d.Helper()
	var a gate.Approval
	if err := json.Unmarshal(row.Body, &a); err != nil {
		d.Fatal(err)
	}
	by := holder(gate.RoleAdmin, a.Version)
	by.Roles = append(by.Roles, slices.Collect(maps.Keys(a.Terms.Roles))...)
	says := gate.Answer{By: by, Act: gate.Approve, Version: a.Version}
	switch a.Kind {
	case gate.KindChoice:
		says.Act, says.Option = gate.Choose, a.Options[0].Value
	case gate.KindInput:
		says.Act, says.Data = gate.Submit, json.RawMessage(`{"stars":4,"reason":"because"}`)
	}
	if _, err := d.e.Do(ctx, row.Run, d.command(by, run.Decide{Approval: a.ID, Answer: says}), nil); err != nil {
		d.Fatal(err)
	}
}

// TestDocumentsAreTried: an error in a page is found.
func TestDocumentsAreTried(t *testing.T) {
	good := "# A page\n\n```yaml\nworkflow: a\nsteps: [{ id: x, agent: w }]\n---\nagent: w\nkind: " +
		"scripted\nanswers: [{ output: 1 }]\n```\n"
	for name, c := range map[string]struct {
		page string
		want string // part of the only problem; "" for none
	}{
		"as it should be":    {good, ""},
		"not YAML":           {good + "```yaml\nworkflow: [\n```\n", "page.md:12"},
		"an unknown key":     {good + "```yaml\nrole: r\npermisions: [view]\n```\n", `did you mean "permissions"`},
		"an unknown agent":   {good + "```yaml\nworkflow: b\nsteps: [{ id: x, agent: v }]\n```\n", "unknown agent"},
		"a name given twice": {good + "```yaml\nagent: w\nkind: scripted\nanswers: [{ output: 2 }]\n```\n", "page.md:12"},
		"twice, but alone":   {good + alone + "\n```yaml\nagent: w\nkind: scripted\nanswers: [{ output: 2 }]\n```\n", ""},
		"alone, and a mistake": {good + alone + "\n\n```yaml\nworkflow: b\nsteps: [{ id: x, agent: v }]\n```\n",
			"unknown agent"},
		"something else": {good + "```yaml\nversion2: 1\n```\n```json\n{\n```\n", ""},
	} {
		problems, _ := checkPage("page.md", c.page)
		switch {
		case c.want == "" && len(problems) > 0:
			t.Errorf("%s: %v", name, problems)
		case c.want != "" && (len(problems) == 0 || !strings.Contains(problems[0].String(), c.want)):
			t.Errorf("%s: %v, want %s", name, problems, c.want)
		}
	}
}
