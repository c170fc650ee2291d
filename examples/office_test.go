package examples_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
	"github.com/assent-run/assent/internal/view"
)

// office is the whole application with the documents of a directory, and the local admin who decides. It is
// for LLM agents: they need tools and a workspace.
type office struct {
	*testing.T
	s      *assembly.Server
	dir    string
	within time.Duration
}

// openOffice starts its own application. Scripts have no delays here; adapt may change agents before they are
// loaded.
func openOffice(t *testing.T, set *definition.Set, adapt func(*definition.Agent)) *office {
	t.Helper()
	return openOfficeWith(t, set, adapt, assembly.Config{})
}

// openOfficeWith is openOffice with other settings.
func openOfficeWith(t *testing.T, set *definition.Set, adapt func(*definition.Agent), c assembly.Config) *office {
	t.Helper()
	for _, a := range set.Agents {
		if a.LLM == nil {
			continue
		}
		for i := range a.LLM.Turns {
			a.LLM.Turns[i].Delay /= 100
		}
		if adapt != nil {
			adapt(a)
		}
	}
	o := &office{T: t, dir: sqlitetest.Dir(t), within: 2 * time.Minute}
	var err error
	c.Data = o.dir
	if o.s, err = assembly.Open(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	o.s.Start()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		if err := o.s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	loaded, err := o.s.App.Documents.LoadSet(t.Context(), "files", set)
	if err != nil || len(definition.Errors(loaded.Problems)) > 0 {
		t.Fatal(err, loaded.Problems)
	}
	return o
}

// begin starts a run of the workflow with the input of its directory.
func (o *office) begin(workflow string) string {
	o.Helper()
	return o.start(workflow, read(o.T, filepath.Join(workflow, "input.json")))
}

func (o *office) start(workflow string, input json.RawMessage) string {
	o.Helper()
	v, err := o.s.App.Begin(o.Context(), app.LocalAdmin, app.NewRun{Workflow: workflow, Input: input}, nil)
	if err != nil {
		o.Fatal(err)
	}
	return v.ID
}

// follow waits for a run's status.
func (o *office) follow(id string, wanted func(view.Run) bool) view.Run {
	o.Helper()
	ctx, cancel := context.WithTimeout(o.Context(), o.within)
	defer cancel()
	changed := o.s.Store.Watch(ctx)
	for {
		v, err := o.s.App.Run(ctx, app.LocalAdmin, id, true)
		if err != nil {
			o.Fatal(err)
		}
		if wanted(v) {
			return v
		}
		if v.Status.Ended() {
			o.Fatalf("the run is %s: %+v", v.Status, v.Error)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			o.Fatalf("the run is %s after a long time", v.Status)
		}
	}
}

// asked are the pending approvals of a run.
func (o *office) asked(id string) []view.Approval {
	o.Helper()
	v := o.follow(id, func(v view.Run) bool { return v.Status == run.Waiting })
	var out []view.Approval
	for _, a := range v.PendingApprovals {
		view, err := o.s.App.Approval(o.Context(), app.LocalAdmin, a, true)
		if err != nil {
			o.Fatal(err)
		}
		out = append(out, view)
	}
	return out
}

// one is the only pending approval of a run.
func (o *office) one(id string) view.Approval {
	o.Helper()
	all := o.asked(id)
	if len(all) != 1 {
		o.Fatalf("%d approvals are open", len(all))
	}
	return all[0]
}

// at is the approval of a gate.
func (o *office) at(id, gate string) view.Approval {
	o.Helper()
	a := o.one(id)
	if a.Gate != gate {
		o.Fatalf("%s is asked, not %s", a.Title, gate)
	}
	return a
}

func (o *office) decide(a view.Approval, d app.Decision) {
	o.Helper()
	d.Version = a.Version
	if _, err := o.s.App.Decide(o.Context(), app.LocalAdmin, a.ID, d, "", nil); err != nil {
		o.Fatal(err)
	}
}

// decideAll makes the same decision on several, as one batch.
func (o *office) decideAll(all []view.Approval, act gate.Act) {
	o.Helper()
	if len(all) == 0 {
		return
	}
	b := app.Batch{Act: act, Comment: "all of them"}
	for _, a := range all {
		b.IDs = append(b.IDs, a.ID)
	}
	done, err := o.s.App.DecideMany(o.Context(), app.LocalAdmin, b, "")
	if err != nil {
		o.Fatal(err)
	}
	for _, r := range done.Results {
		if !r.OK {
			o.Fatalf("%s: %v", r.ID, r.Error)
		}
	}
}

func (o *office) message(id, text string) {
	o.Helper()
	if _, err := o.s.App.Command(o.Context(), app.LocalAdmin, id,
		app.Command{Do: run.SendMessage{Text: text}}, nil); err != nil {
		o.Fatal(err)
	}
}

func (o *office) ended(id string) view.Run {
	o.Helper()
	v := o.follow(id, func(v view.Run) bool { return v.Status.Ended() })
	for _, w := range v.Warnings {
		o.Errorf("warning: %+v", w)
	}
	return v
}

// thread is all messages.
func (o *office) thread(v view.Run) string {
	var said strings.Builder
	for _, m := range v.Thread {
		said.WriteString(m.Text + "\n")
	}
	return said.String()
}

// list is a run's deliverables, oldest first.
func (o *office) list(id string) []view.Deliverable {
	o.Helper()
	page, err := o.s.App.Lists(app.LocalAdmin).Deliverables(o.Context(),
		port.DeliverableQuery{Run: id, All: true, Limit: 100})
	if err != nil {
		o.Fatal(err)
	}
	slices.Reverse(page.Items)
	return page.Items
}

// deliverables lists them by name: calls of one turn run concurrently.
func (o *office) deliverables(id string) (out []string) {
	o.Helper()
	for _, d := range o.list(id) {
		out = append(out, fmt.Sprintf("%s (%s, %s)", d.Name, d.Type, d.Status))
	}
	slices.Sort(out)
	return out
}

// content is the newest version of a deliverable.
func (o *office) content(id, name string) []byte {
	o.Helper()
	for _, d := range slices.Backward(o.list(id)) {
		if d.Name != name {
			continue
		}
		_, r, err := o.s.App.Deliverables.Content(o.Context(), app.LocalAdmin, d.ID)
		if err != nil {
			o.Fatal(err)
		}
		defer r.Close()
		body, err := io.ReadAll(r)
		if err != nil {
			o.Fatal(err)
		}
		return body
	}
	o.Fatalf("there is no %s", name)
	return nil
}

// file is the path of a file in a run's workspace.
func (o *office) file(id, name string) string {
	return filepath.Join(o.dir, "workspace", id, filepath.FromSlash(name))
}

func (o *office) read(id, name string) string {
	o.Helper()
	text, err := os.ReadFile(o.file(id, name))
	if err != nil {
		o.Fatal(err)
	}
	return string(text)
}

// askedBefore checks in the log that no call of these tools began before its approval. It returns how many
// were requested.
func (o *office) askedBefore(id string, tools ...string) (wanted int) {
	o.Helper()
	yes, calls := map[int]bool{}, map[int]string{}
	for after := int64(0); ; {
		records, err := o.s.Store.Events(o.Context(), id, after, 1000)
		if err != nil {
			o.Fatal(err)
		}
		if len(records) == 0 {
			return wanted
		}
		for _, r := range records {
			after = r.Seq
			switch f := r.Fact.(type) {
			case *run.StepRevised: // calls are numbered from 1 again
				clear(yes)
				clear(calls)
			case *run.CallRequested:
				calls[f.No] = f.Call.Tool
				if slices.Contains(tools, f.Call.Tool) {
					wanted++
				}
			case *run.ApprovalResolved:
				if f.Spot.At == run.AtCall && f.Outcome.Positive() {
					yes[f.Spot.Call] = true
				}
			case *run.CallStarted:
				if slices.Contains(tools, calls[f.No]) && !yes[f.No] {
					o.Errorf("%s was called and nobody had said yes", calls[f.No])
				}
			}
		}
	}
}

// mustAsk is askedBefore for scripts, which are known to use these tools.
func (o *office) mustAsk(id string, tools ...string) {
	o.Helper()
	if o.askedBefore(id, tools...) == 0 {
		o.Errorf("none of %v was called", tools)
	}
}
