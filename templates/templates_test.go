// Package templates_test runs every template to its end on the real engine, with
// people who decide what they are asked, and keeps the pictures of their graphs
// current.
package templates_test

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
	"github.com/assent-run/assent/templates"
)

// asked are the steps at which people are asked in each template, sorted; the
// end of a run has no step. A ? marks what depends on the time of day.
var asked = map[string]string{
	"access-request":      "grant propose",
	"change-request":      "deploy?",
	"claims-choice":       "decide",
	"content-publishing":  "edit write",
	"contract-review":     "facts redline",
	"data-deletion":       "plan",
	"email-draft":         "draft",
	"employee-onboarding": "account order",
	"incident-response":   "fix",
	"invoice-two-person":  "pay",
	"lead-outreach":       "collect",
	"purchase-order":      "order",
	"refund-approval":     "propose",
	"research-brief":      "(end) research",
	"support-triage":      "classify send",
}

// roles are all that the templates name.
var roles = []string{
	"account_manager", "approver", "budget_owner", "claims_investigator", "editor", "finance", "legal", "manager",
	"on_call", "privacy", "release_manager", "reviewer",
	"sales_lead", "support_lead", "system_owner",
}

// write makes a workflow of a template under another name, as `assent new` does.
func write(t *testing.T, template templates.Template, name string) string {
	t.Helper()
	dir := t.TempDir()
	files, err := template.Files(name)
	if err != nil {
		t.Fatal(err)
	}
	for file, content := range files {
		if err := os.WriteFile(filepath.Join(dir, file), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTemplatesAreValid(t *testing.T) {
	seen := map[string]string{}
	for _, template := range templates.All() {
		set, problems := definition.LoadPath(write(t, template, template.Name))
		for _, p := range append(problems, set.Check(assembly.Known())...) {
			if p.Warning && definition.FormatOf(p.File) == definition.JSON {
				continue // the input is no document
			}
			t.Errorf("%s: %s", template.Name, p)
		}
		for _, doc := range set.Documents() {
			kind, name := doc.Ident()
			if other := seen[string(kind)+"/"+name]; other != "" && kind != definition.KindPolicy {
				t.Errorf("%s and %s both have %s %s: they cannot stand in one folder", other, template.Name, kind, name)
			}
			seen[string(kind)+"/"+name] = template.Name
		}
		if set.Workflows[template.Name] == nil {
			t.Errorf("%s: there is no workflow of that name", template.Name)
		}
		if w := set.Workflows[template.Name]; w == nil || w.Subject == "" {
			t.Errorf("%s does not say what its runs are about: add subject", template.Name)
		}
		if len(template.Summary) > 140 || len(template.About) < 120 || template.Title == "" {
			t.Errorf("%s: %+v", template.Name, template)
		}
	}
	if n := len(templates.All()); n < 12 {
		t.Errorf("there are only %d", n)
	}
}

func TestTemplatesRun(t *testing.T) {
	for _, template := range templates.All() {
		t.Run(template.Name, func(t *testing.T) {
			t.Parallel()
			name := "my-" + template.Name
			got, run := play(t, write(t, template, name), name)
			if run.Status != assent.Completed {
				t.Fatalf("it is %s: %s", run.Status, run.Error)
			}
			want := asked[template.Name]
			if maybe, ok := strings.CutSuffix(want, "?"); ok && (got == maybe || got == "") {
				want = got
			}
			if got != want {
				t.Errorf("asked at %q, want %q", got, want)
			}
		})
	}
}

// play runs the workflow of a folder to its end, and returns where it was asked.
func play(t *testing.T, dir, name string) (string, assent.Run) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	e, err := assent.Open(ctx, sqlitetest.Dir(t), assent.Load(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	input, err := os.ReadFile(filepath.Join(dir, "input.json"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := e.Start(ctx, name, json.RawMessage(input), assent.As("starter", "admin"))
	if err != nil {
		t.Fatal(err)
	}
	asked := decideAll(t, ctx, e, &run)
	return asked, run
}

// In business hours a rule approves the change, and no person is asked.
func TestBusinessHours(t *testing.T) {
	template, _ := templates.Find("change-request")
	dir := write(t, template, "change")
	path := filepath.Join(dir, "policy.yaml")
	rules, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	always := strings.NewReplacer("09:00-16:00", "00:00-24:00", "saturday_sunday: disabled",
		`saturday_sunday: "00:00-24:00"`).Replace(string(rules))
	if err := os.WriteFile(path, []byte(always), 0o600); err != nil {
		t.Fatal(err)
	}
	if asked, run := play(t, dir, "change"); asked != "" || run.Status != assent.Completed {
		t.Errorf("asked at %q, and it is %s", asked, run.Status)
	}
}

// decideAll answers whatever is asked until the run ends, and returns at which
// steps it was asked.
func decideAll(t *testing.T, ctx context.Context, e *assent.Engine, run *assent.Run) string {
	t.Helper()
	watcher := assent.As("watcher", "admin")
	seen := map[string]string{}
	for !run.Status.Ended() {
		inbox, err := e.Inbox(ctx, watcher)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range inbox {
			if seen[a.ID] == "" {
				seen[a.ID] = cmp.Or(a.Step, "(end)")
				decide(t, ctx, e, a)
			}
		}
		if *run, err = e.Run(ctx, run.ID, watcher); err != nil {
			t.Fatal(err)
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("the run is %s after a long time; asked %v", run.Status, seen)
		}
	}
	return strings.Join(slices.Sorted(maps.Values(seen)), " ")
}

// decide says yes, or what a yes does not say, as as many people as are needed.
func decide(t *testing.T, ctx context.Context, e *assent.Engine, a assent.Approval) {
	t.Helper()
	d := assent.Approve("checked")
	switch {
	case len(a.Options) > 0:
		d = assent.Choose(a.Options[0], "checked")
	case a.Kind == "input":
		d = assent.Submit(map[string]any{"annual_value": 12000, "governing_law": "Norway"}, "")
	}
	for i := range max(a.Needed, 1) {
		if _, err := e.Decide(ctx, a.ID, d, assent.As([]string{"ann", "bob", "cleo"}[i], roles...)); err != nil {
			t.Fatalf("%s: %v", a.Title, err)
		}
	}
}
