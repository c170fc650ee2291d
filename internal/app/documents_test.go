package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/documents"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/workbench"
)

// Of many who save an agent over the same version, one wins, and the others are told who was first.
func TestAgentsSavedAtOnce(t *testing.T) {
	h := open(t, flow)
	seen := 0
	save := func(who string, over *int) error {
		_, _, err := h.Documents.Save(t.Context(), admin, definition.KindAgent, "shared", definition.JSON,
			[]byte(`{"agent":"shared","kind":"scripted","description":"`+who+`","answers":[{"output":1}]}`),
			documents.Saving{Publish: true, Over: over})
		return err
	}
	for round := range 3 {
		results := make(chan error)
		for i := range 8 {
			go func() { results <- save(fmt.Sprintf("writer %d of round %d", i, round), &seen) }()
		}
		var won int
		for range 8 {
			err := <-results
			if err == nil {
				won++
				continue
			}
			wantFault(t, err, fault.VersionMismatch, "in the meantime")
		}
		v, err := h.Documents.Show(t.Context(), ann, definition.KindAgent, "shared", 0)
		if won != 1 || err != nil || v.Version <= seen {
			t.Fatalf("%d won, version %d is in force: %v", won, v.Version, err)
		}
		seen = v.Version
	}
	if err := save("no version expected", nil); err != nil {
		t.Error(err)
	}
}

func TestWorkflowsHaveVersions(t *testing.T) {
	h := open(t, flow)
	edited := `{"workflow":"refund","steps":[{"id":"draft","agent":"writer"}]}`
	v, created, err := h.Documents.Save(t.Context(), admin, definition.KindWorkflow, "refund", definition.JSON,
		[]byte(edited), documents.Saving{})
	if err != nil || !created || v.Version != 2 || v.Published {
		t.Fatalf("%+v, %v, %v", v, created, err)
	}
	if v, created, err = h.Documents.Save(t.Context(), admin, definition.KindWorkflow, "refund", definition.JSON,
		[]byte(edited),
		documents.Saving{}); err != nil || created || v.Version != 2 {
		t.Errorf("%+v, %v, %v", v, created, err)
	}
	// A draft can be run by its number; the published one stays in force.
	if r := h.begin(ann, "refund", `{"amount":1}`); r.Version != 1 {
		t.Errorf("version %d", r.Version)
	}
	if r, err := h.Begin(t.Context(), ann, app.NewRun{Workflow: "refund", Version: 2}, nil); err != nil || r.Version != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	if v, err = h.Documents.Publish(t.Context(), admin, definition.KindWorkflow, "refund", 2,
		documents.Saving{}); err != nil ||
		!v.Published {
		t.Errorf("%+v, %v", v, err)
	}
	if r := h.begin(ann, "refund", `{}`); r.Version != 2 {
		t.Errorf("version %d", r.Version)
	}
	versions, err := h.Documents.Versions(t.Context(), ann, definition.KindWorkflow, "refund")
	if err != nil || len(versions.Items) != 2 || versions.Items[0].Version != 2 || !versions.Items[0].Published ||
		versions.Items[1].Published {
		t.Errorf("%+v, %v", versions, err)
	}
	h.stop()
	h.start()
	if v, err := h.Documents.Show(t.Context(), ann, definition.KindWorkflow, "refund", 0); err != nil || v.Version != 2 ||
		!strings.Contains(v.YAML, "agent: writer") {
		t.Errorf("%+v, %v", v, err)
	}
	_, err = h.Documents.Show(t.Context(), ann, definition.KindWorkflow, "refnd", 0)
	wantFault(t, err, fault.NotFound, "refnd")
	_, err = h.Documents.Publish(t.Context(), admin, definition.KindWorkflow, "refund", 9, documents.Saving{})
	wantFault(t, err, fault.NotFound, "")
}

func TestBadDocumentsAreRefusedWithEveryProblem(t *testing.T) {
	h := open(t, flow)
	bad := "workflow: refund\nsteps:\n  - { id: a, agent: writr }\n  - { id: a, agent: writer, tmeout: 5s }\n"
	_, _, err := h.Documents.Save(t.Context(), admin, definition.KindWorkflow, "refund", definition.YAML, []byte(bad),
		documents.Saving{Publish: true})
	wantFault(t, err, fault.Invalid, "did you mean")
	check, err := h.Documents.Validate(t.Context(), ann, definition.KindWorkflow, definition.YAML, []byte(bad))
	if err != nil || check.Valid || len(check.Problems) < 2 || check.Problems[0].Line == 0 {
		t.Errorf("%+v, %v", check, err)
	}
	_, _, err = h.Documents.Save(t.Context(), admin, definition.KindWorkflow, "other", definition.YAML,
		[]byte("workflow: refund\nsteps: [{ id: a, agent: writer }]"), documents.Saving{Publish: true})
	wantFault(t, err, fault.Invalid, "address")
	_, _, err = h.Documents.Save(t.Context(), admin, definition.KindWorkflow, "writer", definition.YAML,
		[]byte("agent: writer\nkind: scripted\nanswers: [{ output: 1 }]"), documents.Saving{Publish: true})
	wantFault(t, err, fault.Invalid, "kind agent")
}

func TestHiddenSecretsComeBack(t *testing.T) {
	team, err := definition.ParseAllowed("env:TEAM")
	if err != nil {
		t.Fatal(err)
	}
	h := openOn(t, assembly.Config{Data: t.TempDir(), Local: true, References: team}, flow)
	doc := "agent: caller\nkind: http\nurl: http://127.0.0.1:1/x\nheaders: { X-Key: hunter2, X-Team: \"${env:TEAM}\" }\n"
	v, _ := h.save(definition.KindAgent, "caller", doc, true)
	if strings.Contains(string(v.Definition)+v.YAML, "hunter2") || !strings.Contains(v.YAML, "***") {
		t.Fatalf("%s", v.YAML)
	}
	// What was shown comes back with one change: the secret stays.
	changed := strings.Replace(string(v.Definition), "/x", "/y", 1)
	if _, _, err := h.Documents.Save(t.Context(), admin, definition.KindAgent, "caller", definition.JSON, []byte(changed),
		documents.Saving{Publish: true}); err != nil {
		t.Fatal(err)
	}
	stored, err := h.server.Store.Version(t.Context(), "agent", "caller", 0)
	if err != nil || stored.Number != 2 || !strings.Contains(string(stored.Body), "hunter2") ||
		!strings.Contains(string(stored.Body), "/y") {
		t.Errorf("%s, %v", stored.Body, err)
	}
	// Not where it would be sent elsewhere.
	for from, to := range map[string]string{"127.0.0.1:1/": "evil.example/", "http://": "https://",
		"127.0.0.1:1": "127.0.0.1:2"} {
		moved := strings.Replace(string(v.Definition), from, to, 1)
		_, _, err := h.Documents.Save(t.Context(), admin, definition.KindAgent, "caller", definition.JSON, []byte(moved),
			documents.Saving{Publish: true})
		wantFault(t, err, fault.Invalid, "hidden")
	}
	for name, c := range map[string]struct {
		doc   string
		moves map[string]string
	}{
		"mail": {"channel: mail\nkind: email\nfrom: a@example.com\nsmtp: smtp://me@127.0.0.1:1\npassword: hunter2\n",
			map[string]string{"127.0.0.1:1": "127.0.0.1:2", "smtp:": "smtps:", `"from"`: `"plaintext":true,"from"`}},
		"bot": {"channel: bot\nkind: teams\nbot: { id: bot, password: hunter2, tenant: house }\n",
			map[string]string{`"tenant":"house"`: `"token_url":"https://login.microsoftonline.com/evil"`}},
		"moved": {"channel: moved\nkind: teams\nbot: { id: bot, password: hunter2, " +
			"service_url: \"https://smba.trafficmanager.net/emea\" }\n",
			map[string]string{"smba.trafficmanager.net": "smba.infra.gcc.teams.microsoft.com"}},
	} {
		v, _ := h.save(definition.KindChannel, name, c.doc, true)
		put := func(body string) error {
			_, _, err := h.Documents.Save(t.Context(), admin, definition.KindChannel, name, definition.JSON, []byte(body),
				documents.Saving{Publish: true})
			return err
		}
		if err := put(strings.Replace(string(v.Definition), "{", `{"description":"ours",`, 1)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for from, to := range c.moves {
			moved := strings.Replace(string(v.Definition), from, to, 1)
			if moved == string(v.Definition) {
				t.Fatalf("%s: %s", name, moved)
			}
			wantFault(t, put(moved), fault.Invalid, "hidden")
		}
	}
}

func TestPreviewShowsTheDataOnEachEdge(t *testing.T) {
	h := open(t, flow)
	v, err := h.Workbench(ann).Preview(t.Context(), workbench.Trial{Name: "refund",
		Input: json.RawMessage(`{"amount":3}`)})
	if err != nil || v.Error != nil || len(v.Steps) != 2 || len(v.Edges) != 1 || len(v.Gates) != 1 ||
		v.Gates[0].Title != "Send it?" {
		t.Fatalf("%+v, %v", v, err)
	}
	if string(v.Steps[0].Input) != `{"amount":3}` ||
		string(v.Output) != `{"sent":false}` && string(v.Output) != `{"sent":true}` {
		t.Errorf("%s → %s", v.Steps[0].Input, v.Output)
	}
	if runs, err := h.server.Store.Head(t.Context()); err != nil || runs != 0 {
		t.Errorf("%d events were stored, %v", runs, err)
	}
	_, err = h.Workbench(ann).Preview(t.Context(), workbench.Trial{Name: "refund",
		Input: json.RawMessage(`{"amount":"x"}`)})
	wantFault(t, err, fault.Invalid, "amount")
}

// write puts a file down as an editor would.
func (h *home) write(dir, name, body string) {
	h.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
		h.Fatal(err)
	}
}

func TestFilesAreLoadedWhenTheyChange(t *testing.T) {
	h := open(t, flow)
	dir := t.TempDir()
	file := func(text string) string {
		return "agent: writer\nkind: scripted\nanswers: [{ output: { text: " + text + " } }]\n"
	}
	load := func() registry.Loaded {
		t.Helper()
		out, err := h.Documents.Load(t.Context(), "files", dir)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	current := func() string {
		t.Helper()
		v, err := h.Documents.Show(t.Context(), ann, definition.KindAgent, "writer", 0)
		if err != nil {
			t.Fatal(err)
		}
		return v.YAML
	}
	h.write(dir, "a.yaml", file("one"))
	if out := load(); len(out.Published) != 1 || out.Published[0] != "agent/writer" ||
		!strings.Contains(current(), "one") {
		t.Errorf("%+v", out)
	}
	if out := load(); len(out.Published) != 0 || out.Documents != 1 {
		t.Errorf("%+v", out)
	}
	// A saved document stays in force, also over a restart, until the file changes.
	h.save(definition.KindAgent, "writer", file("two"), true)
	h.stop()
	h.start()
	if out := load(); len(out.Published) != 0 || !strings.Contains(current(), "two") {
		t.Errorf("%+v", out)
	}
	h.write(dir, "a.yaml", file("three")+"---\nworkflow: broken\nsteps: [{ id: a, agent: nobody }]\n")
	if out := load(); len(out.Published) != 1 || len(out.Problems) == 0 || !strings.Contains(current(), "three") {
		t.Errorf("%+v", out)
	}
	h.write(dir, "a.yaml", "agent: writer\nkind: scriptd\n")
	if out := load(); len(out.Published) != 0 || len(out.Problems) == 0 || !strings.Contains(current(), "three") {
		t.Errorf("%+v", out)
	}

	told := make(chan registry.Loaded, 10)
	ctx, cancel := context.WithCancel(t.Context())
	watching := make(chan struct{})
	go func() {
		h.Documents.Watch(ctx, "files", func(l registry.Loaded, err error) { told <- l }, dir)
		close(watching)
	}()
	h.write(dir, "b.yaml", "agent: helper\nkind: scripted\nanswers: [{ output: 1 }]\n")
	select {
	case out := <-told:
		if len(out.Published) != 1 || out.Published[0] != "agent/helper" {
			t.Errorf("%+v", out)
		}
	case <-time.After(2 * time.Minute):
		t.Error("nobody noticed the new file")
	}
	cancel()
	<-watching
}

func TestThePolicyInForceIsAsked(t *testing.T) {
	h := open(t, flow)
	if v, err := h.Documents.Policy(t.Context(), ann); err != nil || v.Hash != "" || len(v.Rules) != 0 {
		t.Errorf("%+v, %v", v, err)
	}
	h.save(definition.KindPolicy, "", "policy: house\nrules:\n  - { name: No mail, priority: 1, trigger: { "+
		"operation_type: [send_email] }, action: { deny: no mail today } }\n", true)
	r := h.begin(ann, "refund", `{"amount":1}`)
	if v := h.waits(r.ID, run.Failed); v.Error.Code != "denied" || !strings.Contains(v.Error.Message, "no mail today") {
		t.Errorf("%+v", v.Error)
	}
	v, err := h.Documents.Policy(t.Context(), ann)
	if err != nil || !strings.HasPrefix(v.Hash, "pol_") || len(v.Rules) != 1 || v.Version != 1 {
		t.Errorf("%+v, %v", v, err)
	}
	// Another name is still the one policy.
	h.save(definition.KindPolicy, "", "policy: other\nrules: []\n", true)
	if v, err = h.Documents.Policy(t.Context(), ann); err != nil || v.Version != 2 || len(v.Rules) != 0 {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestDocumentsLoadedWithoutAFolder: those that were loaded before it was noted from
// where are found in their folder, and go out of force with their file from then on.
func TestDocumentsLoadedWithoutAFolder(t *testing.T) {
	h := open(t, flow)
	spare := "agent: spare\nkind: scripted\nanswers: [{ output: {} }]\n"
	other := "agent: other\nkind: scripted\nanswers: [{ output: {} }]\n"
	set, problems := definition.Parse("all.yaml", []byte(spare+"---\n"+other))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if _, err := h.Documents.LoadSet(t.Context(), "files", set); err != nil { // which leaves a mark that names no folder
		t.Fatal(err)
	}
	dir := t.TempDir()
	h.write(dir, "spare.yaml", spare)
	h.write(dir, "other.yaml", other)
	load := func() registry.Loaded {
		t.Helper()
		out, err := h.Documents.Load(t.Context(), "files", dir)
		if err != nil || len(definition.Errors(out.Problems)) > 0 {
			t.Fatal(out.Problems, err)
		}
		return out
	}
	if out := load(); len(out.Published)+len(out.Withdrawn) > 0 {
		t.Fatalf("%+v", out)
	}
	if err := os.Remove(filepath.Join(dir, "spare.yaml")); err != nil {
		t.Fatal(err)
	}
	gone, err := h.Documents.Gone(t.Context(), dir)
	if err != nil || len(gone) != 1 || gone[0].Path != "agent/spare" || !gone[0].Warning {
		t.Errorf("%v, %v", gone, err)
	}
	if out := load(); len(out.Withdrawn) != 1 || out.Withdrawn[0] != "agent/spare" {
		t.Errorf("%+v", out)
	}
	h.write(dir, "spare.yaml", spare)
	if out := load(); len(out.Published) != 1 || out.Published[0] != "agent/spare" {
		t.Errorf("it does not come back: %+v", out)
	}
}

// TestWarningsAreNoErrors: what refuses a document is listed, and nothing else.
func TestWarningsAreNoErrors(t *testing.T) {
	h := open(t, flow)
	body := `workflow: quiet
steps: [{ id: pay, agent: mailer, risk: critical }, { id: b, agent: unknown_agent }]
gates: [{ id: ok, at: before pay, timeout: { after: 1h, then: approve } }]
`
	v, err := h.Documents.Validate(t.Context(), admin, definition.KindWorkflow, definition.YAML, []byte(body))
	if err != nil || len(v.Problems) != 1 || len(v.Warnings) == 0 {
		t.Fatalf("%+v, %v", v, err)
	}
	_, _, err = h.Documents.Save(t.Context(), admin, definition.KindWorkflow, "quiet", definition.YAML, []byte(body),
		documents.Saving{})
	var refused *fault.Error
	if !errors.As(err, &refused) || len(refused.Problems) != 1 || refused.Problems[0].Warning {
		t.Errorf("%+v", err)
	}
}
