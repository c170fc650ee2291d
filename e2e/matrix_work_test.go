package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
)

// hushed is the restricted part of the maker's output.
const hushed = "NO93-zqhush-4711"

// workDocuments are workflows in which a rule approves something, an agent creates something with a sensitive
// value in it, and then an approver is asked.
func workDocuments() string {
	out := []string{
		"policy: default\nrules:\n  - { name: Refunds, priority: 1, trigger: { operation_type: [refund] }, action: { " +
			"auto_approve: true, sample_percentage: 100 } }\n",
		"agent: maker\nkind: scripted\nanswers:\n  - output: { iban: " + hushed +
			", said: done }\n    reasoning: It goes to " + hushed +
			"\n    deliverables: [{ name: letter.txt, type: document, content: To " + hushed + " }]\n",
		rolesOnly(),
	}
	for _, name := range matrixWorkflows {
		out = append(out, "workflow: "+name+`
sensitive: [iban]
steps:
  - { id: make, agent: maker, operation: refund }
  - { id: hold, human: { title: Hold, assignees: [keeper] } }
gates:
  - { id: ask, at: after make, role: approver, title: "Pay `+hushed+`?" }
`)
	}
	return strings.Join(out, "\n---\n")
}

// work is a run with all that belongs to it.
type work struct {
	place
	asking
	sample, file string
}

// TestMatrixOfWork: who may review automatic approvals, mark deliverables, cancel many runs at once, and see
// sensitive values.
func TestMatrixOfWork(t *testing.T) {
	t.Parallel()
	w := newRealm(t, workDocuments(), false)
	m := &matrix{realm: w}
	shared := map[string]work{}
	for _, workflow := range matrixWorkflows {
		shared[workflow] = m.work("root", workflow, "nobody")
	}
	all := matrixActors()
	for _, kind := range words("person service agent client") {
		for _, set := range []string{"cleared", "cleared clerk", "pusher"} {
			all = append(all, actor{name: kind + "-" + strings.ReplaceAll(set, " ", "-") + "x", kind: kind, roles: words(set)})
		}
	}
	m.each(all, func(a actor) {
		own := m.work(a.key(), "loans", a.name)
		for _, at := range append([]work{own}, shared["claims-a"], shared["claims-b"], shared["loans"]) {
			m.reviews(a, at)
			m.marks(a, at)
			m.masks(a, at)
		}
		m.samples(a, shared)
		m.cancels(a, own, shared)
	})
	if m.cells < 3_000 {
		t.Errorf("only %d cells were tried", m.cells)
	}
	m.done()
	w.onRecord()
}

// work starts a run and waits until it asks.
func (m *matrix) work(owner, workflow, label string) work {
	m.Helper()
	who := root
	m.owns(&who, owner)
	v, err := m.parts.App.Begin(m.Context(), who,
		app.NewRun{Workflow: workflow, Labels: map[string]string{"for": label}}, nil)
	if err != nil {
		m.Fatal(err)
	}
	for end := time.Now().Add(patience); len(v.PendingApprovals) == 0; pause() {
		if v, err = m.parts.App.Run(m.Context(), root, v.ID, false); err != nil || time.Now().After(end) {
			m.Fatalf("%+v %v", v, err)
		}
	}
	out := work{place: place{v.ID, v.PendingApprovals[0]},
		asking: asking{workflow: workflow, kind: "approval", owner: owner, roles: words("approver")}}
	admin := actor{"root", "person", words("admin")}
	out.sample = m.ask(admin, "GET", "/approvals?status=auto_approved&run="+v.ID, nil).want(200).text("items.0.id")
	out.file = m.ask(admin, "GET", "/deliverables?run="+v.ID, nil).want(200).text("items.0.id")
	if out.sample == "" || out.file == "" {
		m.Fatalf("%+v", out)
	}
	return out
}

// reviews reviews an automatic approval, and one that was not.
func (m *matrix) reviews(a actor, at work) {
	m.Helper()
	q := at.asking
	q.roles = nil // no role was asked
	path := "/policy/samples/" + at.sample
	m.cell(a, a.review(q), "sample.reviewed", "POST", path, `{"agree":true}`)
	if want := a.review(at.asking); want == 200 {
		m.cell(a, 409, "sample.reviewed", "POST", "/policy/samples/"+at.approval, `{"agree":true}`)
	} else {
		m.cell(a, want, "sample.reviewed", "POST", "/policy/samples/"+at.approval, `{"agree":true}`)
	}
}

// samples compares which of them an actor finds in the list.
func (m *matrix) samples(a actor, shared map[string]work) {
	m.Helper()
	got := m.ask(a, "GET", "/policy/samples", nil)
	m.count()
	if got.status != a.read("view") {
		m.bad("%s: samples give %d, not %d", a, got.status, a.read("view"))
	}
	for workflow, at := range shared {
		q := at.asking
		q.roles = nil
		if listed, want := bytes.Contains(got.body, []byte(at.sample)), got.status == 200 && a.sees(q); listed != want {
			m.bad("%s: the sample of %s is listed: %t, not %t", a, workflow, listed, want)
		}
	}
}

// marks sets a deliverable's status.
func (m *matrix) marks(a actor, at work) {
	m.Helper()
	admin := actor{"root", "person", words("admin")}
	before := m.ask(admin, "GET", "/deliverables/"+at.file, nil).want(200).text("updated_at")
	status := []string{"draft", "final", "archived"}[len(a.name)%3]
	want := a.mark(at.asking)
	m.cell(a, want, "deliverable.marked", "POST", "/deliverables/"+at.file+"/status",
		`{"status":"`+status+`","version":1}`)
	if after := m.ask(admin, "GET", "/deliverables/"+at.file, nil).want(200).text("updated_at"); want != 200 &&
		at.owner != "root" && after != before {
		m.bad("%s: marking in %s was refused and left a trace", a, at.workflow)
	}
}

// masks looks for sensitive values in all views of a run and its approval.
func (m *matrix) masks(a actor, at work) {
	m.Helper()
	whole, seen := a.unmasked(at.asking), a.sees(at.asking)
	handedOut := 404
	switch {
	case whole:
		handedOut = 200
	case seen:
		handedOut = 403
	}
	for path, shows := range map[string]bool{
		"/runs/" + at.run: whole, "/runs/" + at.run + "/steps/make": whole,
		"/runs/" + at.run + "/events?full=true&limit=200": whole,
		"/deliverables/" + at.file + "/preview":           whole,
		"/approvals/" + at.approval:                       a.unmaskedApproval(at.asking),
		"/approvals?run=" + at.run:                        a.unmaskedApproval(at.asking),
	} {
		got := m.ask(a, "GET", path, nil)
		m.count()
		status := 200
		if !seen && !strings.HasPrefix(path, "/approvals?") { // lists are empty
			status = 404
		}
		if told := bytes.Contains(got.body, []byte(hushed)); got.status != status || told != shows {
			m.bad("%s, %s of %s: %s gives %d, not %d, and shows what is sensitive: %t, not %t: %.500s", a, at.workflow,
				at.owner, path, got.status, status, told, shows, got.body)
		}
	}
	for _, path := range []string{"/deliverables/" + at.file + "/content", "/runs/" + at.run + "/deliverables.zip"} {
		m.cell(a, handedOut, "", "GET", path, nil)
	}
}

// cancels cancels many at once: by their ids, and by a filter.
func (m *matrix) cancels(a actor, own work, shared map[string]work) {
	m.Helper()
	for _, at := range append([]work{own}, shared["claims-a"], shared["claims-b"], shared["loans"]) {
		m.cell(a, a.steer("cancel", at.asking), "run.command", "POST", "/runs/cancel",
			map[string]any{"ids": []string{at.run}, "just_count": true})
	}
	// If one of them may not be cancelled, none is.
	worst := 200
	var ids []string
	for _, workflow := range matrixWorkflows {
		if status := a.steer("cancel", shared[workflow].asking); status != 200 {
			ids = append(ids, shared[workflow].run)
			worst = status
		}
	}
	if worst != 200 {
		got := m.ask(a, "POST", "/runs/cancel", map[string]any{"ids": append(ids, own.run)})
		m.count()
		m.refused(a, "run.command")
		if got.status != 403 && got.status != 404 || m.status(own.run) != "waiting" {
			m.bad("%s cancels its own with others': %d, and it is %s: %.300s", a, got.status, m.status(own.run), got.body)
		}
	}
	mine := []work{own}
	for _, workflow := range matrixWorkflows {
		mine = append(mine, m.work("root", workflow, a.name))
	}
	var theirs []string
	workflows := map[string]int{}
	for _, at := range mine {
		if a.steer("cancel", at.asking) == 200 {
			theirs = append(theirs, at.run)
			workflows[at.workflow]++
		}
	}
	for _, count := range []bool{true, false} {
		got := m.ask(a, "POST", "/runs/cancel",
			map[string]any{"labels": map[string]string{"for": a.name}, "just_count": count})
		m.count()
		var v struct {
			Runs, Cancelled int
			ByWorkflow      map[string]int `json:"by_workflow"`
		}
		if err := json.Unmarshal(got.body, &v); err != nil || got.status != 200 || v.Runs != len(theirs) ||
			fmt.Sprint(v.ByWorkflow) != fmt.Sprint(workflows) || !count && v.Cancelled != len(theirs) {
			m.bad("%s cancels all: %d %.300s, not %v", a, got.status, got.body, workflows)
		}
		for _, at := range mine {
			want := "waiting"
			if !count && slices.Contains(theirs, at.run) {
				want = "cancelled"
			}
			if is := m.status(at.run); is != want {
				m.bad("%s, just counting is %t: the run of %s by %s is %s, not %s", a, count, at.workflow, at.owner, is, want)
			}
		}
	}
}

func (m *matrix) status(run string) string {
	m.Helper()
	r, err := m.parts.Store.Run(m.Context(), run)
	if err != nil {
		m.Fatal(err)
	}
	return string(r.Status)
}
