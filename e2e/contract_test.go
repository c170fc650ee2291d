package e2e

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

const refund = `
agent: writer
kind: scripted
description: Writes letters
answers: [{ output: { text: hello, amount: 5 }, confidence: 0.9, reasoning: Because., usage: { llm_calls: 1, tokens_in: 10, tokens_out: 5, cost_usd: 0.0375 }, deliverables: [{ name: letter.html, type: document, content: "<script>alert(1)</script>", mime_type: text/html }] }]
---
agent: mailer
kind: scripted
input: { type: object, required: [text], properties: { text: { type: string } } }
answers: [{ output: { sent: true } }]
---
workflow: refund
description: Refunds
input: { type: object, required: [amount] }
steps:
  - { id: draft, agent: writer }
  - { id: send, agent: mailer, operation: send_email, risk: high, with: { text: draft.text, amount: input.amount } }
gates:
  - { id: review, at: before send, title: Send it?, role: approver, show: [text], timeout: { after: 1h, then: cancel } }
---
workflow: two
steps: [{ id: a, agent: writer }]
gates: [{ id: both, at: end, role: approver, quorum: 2 }]
---
workflow: pick
steps: [{ id: a, human: { kind: choice, title: Which?, role: approver, options: [{ value: x, label: X }, { value: y, label: Y }] } }, { id: b, human: { kind: input, title: How many?, input_schema: { type: object, required: [n], properties: { n: { type: integer } } } } }]
`

var (
	ann = who{"ann", ""}
	bob = who{"bob", "approver"}
	eve = who{"eve", "approver"}
)

func TestContract(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define(refund)
	for name, test := range map[string]func(*testing.T, *server){
		"workflows":    workflows,
		"runs":         runs,
		"commands":     commands,
		"approvals":    approvals,
		"acts":         acts,
		"races":        races,
		"batch":        batch,
		"agents":       agents,
		"policy":       policies,
		"deliverables": deliverables,
		"bad requests": badRequests,
		"idempotency":  idempotency,
		"operation":    operation,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one := *s
			one.t = t
			test(t, &one)
		})
	}
}

// workflowVersions: a draft is listed next to the published version, compared with it, published, and the
// previous version restored.
func workflowVersions(t *testing.T, s *server) {
	draft := "workflow: versioned\ndescription: Now shorter\nsteps: [{ id: b, agent: writer }, { id: c, agent: writer " +
		"}]\ngates: [{ id: sure, at: end }]\n"
	s.call("PUT", "/workflows/versioned?publish=true",
		yaml("workflow: versioned\nsteps: [{ id: a, agent: writer }, { id: ask, human: { title: Go on? } }, { "+
			"id: c, agent: writer }]\n"+
			"gates: [{ id: look, at: after a }]\n")).want(201)
	s.call("PUT", "/workflows/versioned", yaml(draft)).want(201)
	s.call("PUT", "/workflows/only-draft", yaml("workflow: only-draft\nsteps: [{ id: a, agent: writer }]\n")).want(201)
	var seen []string
	for i := range s.call("GET", "/workflows?limit=1000", nil).want(200).count("items") {
		v := s.call("GET", "/workflows?limit=1000", nil)
		at := fmt.Sprintf("items.%d.", i)
		if name := v.text(at + "name"); name == "versioned" || name == "only-draft" {
			seen = append(seen, fmt.Sprint(name, v.number(at+"version"), v.text(at+"status")))
		}
	}
	if want := []string{"only-draft1draft", "versioned1published", "versioned2draft"}; !slices.Equal(seen, want) {
		t.Errorf("listed %v, want %v", seen, want)
	}
	if v := s.call("GET", "/workflows?status=published&limit=1000", nil).want(200); strings.Contains(string(v.body),
		"only-draft") {
		t.Errorf("%s", v.body)
	}
	d := s.call("GET", "/workflows/versioned/diff", nil).want(200)
	for path, want := range map[string]string{
		"steps.0.id": "a", "steps.0.op": "remove", "steps.1.id": "ask", "steps.1.op": "remove",
		// which the file does not contain
		"steps.2.id": "c", "steps.2.op": "replace", "steps.2.changes.0.path": "/needs/0", "steps.2.changes.0.to": "b",
		"steps.3.id": "b", "steps.3.op": "add",
		"gates.0.id": "look", "gates.0.op": "remove", "gates.1.id": "sure", "gates.1.op": "add",
		"settings.0.path": "/description", "settings.0.op": "add", "settings.0.to": "Now shorter",
		"gates_removed.0": "look", "gates_removed.1": "ask",
	} {
		if got := d.text(path); got != want {
			t.Errorf("%s is %q, want %q: %s", path, got, want, d.body)
		}
	}
	if text := d.text("text"); !strings.Contains(text, "\n+description: Now shorter\n") ||
		!strings.HasPrefix(text, "--- versioned version 1 by ") {
		t.Errorf("%s", text)
	}
	if same := s.call("GET", "/workflows/versioned/diff?from=2&to=2", nil).want(200); same.count("steps") != 0 ||
		same.text("text") != "" {
		t.Errorf("%s", same.body)
	}
	s.call("GET", "/workflows/versioned/diff?from=1&to=7", nil).problem(404, "not_found")
	s.call("GET", "/workflows/only-draft/diff", nil).problem(404, "not_found")
	s.call("GET", "/workflows/versioned/diff?from=x", nil).problem(422, "invalid")

	s.call("POST", "/workflows/versioned/publish", `{"version":2}`).want(200)
	s.call("POST", "/workflows/versioned/publish", `{"version":1}`).want(200) // restored
	if v := s.call("GET", "/workflows?status=draft&limit=1000", nil).want(200); strings.Contains(string(v.body),
		`"versioned"`) {
		t.Errorf("what was in force once is no draft: %s", v.body)
	}
}

func workflows(t *testing.T, s *server) {
	list := s.call("GET", "/workflows", nil).want(200)
	if list.count("items") < 3 || list.text("items.0.name") == "" {
		t.Errorf("%s", list.body)
	}
	doc := `{"workflow":"made","steps":[{"id":"a","agent":"writer"}]}`
	if v := s.call("PUT", "/workflows/made", doc).want(201); v.number("version") != 1 || v.get("published") != false {
		t.Errorf("%s", v.body)
	}
	s.call("PUT", "/workflows/made", doc).want(200)
	s.call("GET", "/workflows/made", nil).problem(404, "not_found") // nothing is published
	s.call("POST", "/runs", `{"workflow":"made"}`).problem(404, "not_found")
	s.call("POST", "/workflows/made/publish", `{"version":1}`).want(200)
	if v := s.call("GET", "/workflows/made", nil).want(200); v.text("definition.steps.0.id") != "a" {
		t.Errorf("%s", v.body)
	}
	s.call("PUT", "/workflows/made?publish=true", yaml("workflow: made\nsteps: [{ id: b, agent: writer }]\n")).want(201)
	if v := s.call("GET", "/workflows/made/versions", nil).want(200); v.count("items") != 2 {
		t.Errorf("%s", v.body)
	}
	if v := s.call("GET", "/workflows/made/versions/1", nil).want(200); v.text("definition.steps.0.id") != "a" {
		t.Errorf("%s", v.body)
	}
	if v := s.call("GET", "/workflows/made", nil,
		header("Accept", "application/yaml")).want(200); !strings.Contains(string(v.body), "workflow: made") {
		t.Errorf("%s", v.body)
	}
	workflowVersions(t, s)
	s.call("GET", "/workflows/made/versions/9", nil).problem(404, "not_found")
	s.call("POST", "/workflows/made/publish", `{"version":9}`).problem(404, "not_found")
	s.call("GET", "/workflows/none/versions", nil).problem(404, "not_found")

	bad := yaml("workflow: bad\nsteps:\n  - { id: a, agent: writr }\n  - { id: b, agent: writer, tmeout: 1s }\n")
	if p := s.call("PUT", "/workflows/bad", bad).problem(422, "invalid"); p.count("errors") < 2 ||
		p.text("errors.0.path") == "" {
		t.Errorf("%s", p.body)
	}
	if v := s.call("POST", "/workflows/validate", bad).want(200); v.get("valid") != false ||
		v.number("problems.0.line") != 3 || v.number("problems.1.line") != 4 {
		t.Errorf("%s", v.body)
	}
	if v := s.call("POST", "/workflows/validate", doc).want(200); v.get("valid") != true || v.count("problems") != 0 {
		t.Errorf("%s", v.body)
	}
	if v := s.call("POST", "/workflows/refund/preview",
		`{"input":{"amount":7}}`).want(200); v.number("steps.1.input.amount") != 7 {
		t.Errorf("%s", v.body)
	}
	s.call("PUT", "/workflows/other", doc).problem(422, "invalid") // another name in the address

	change := `{"yaml":"workflow: made # [","base":1,"layout":{"a":{"x":1,"y":2}},"samples":[],"revision":`
	saved := s.call("PUT", "/workflows/made/working_copy", change+`0}`).want(200)
	s.call("PUT", "/workflows/made/working_copy", change+`0}`).problem(409, "version_mismatch")
	if v := s.call("GET", "/workflows/made/working_copy", nil).want(200); v.number("layout.a.y") != 2 {
		t.Errorf("%s", v.body)
	}
	if v := s.call("GET", "/working_copies", nil).want(200); v.text("items.0.yaml") != "workflow: made # [" {
		t.Errorf("%s", v.body)
	}
	s.call("DELETE", fmt.Sprintf("/workflows/made/working_copy?revision=%d", saved.number("revision")), nil).want(200)
	s.call("GET", "/workflows/made/working_copy", nil).problem(404, "not_found")
	if v := s.call("GET", "/templates?limit=1", nil).want(200); v.count("items.0.uses") == 0 {
		t.Errorf("%s", v.body)
	}
	if v := s.call("GET", "/roles", nil).want(200); v.count("items") == 0 || v.text("items.0.name") == "" {
		t.Errorf("%s", v.body)
	}
	s.call("PUT", "/workflows/made", "workflow: made", header("Content-Type", "text/plain")).problem(415, "unsupported")
}

func runs(t *testing.T, s *server) {
	made := s.call("POST", "/runs", `{"workflow":"refund","input":{"amount":12345678901234567890.10},"labels":{"team":"runs"}}`, as(ann)).want(201)
	id := made.text("id")
	if !strings.HasPrefix(id, "run_") || made.text("owner") != "ann" || made.number("seq") == 0 {
		t.Errorf("%s", made.body)
	}
	r := s.settles(id, "waiting")
	for _, name := range strings.Fields("id workflow version status owner input context output steps progress " +
		"pending_approvals usage error seq started_at ended_at parent retry_of forked_from warnings") {
		if !bytes.Contains(r.body, []byte(`"`+name+`":`)) {
			t.Errorf("%s is missing in %s", name, r.body)
		}
	}
	if !bytes.Contains(r.body, []byte(`12345678901234567890.10`)) || r.text("usage.cost_usd") != "0.0375" ||
		r.text("steps.0.status") != "done" || r.number("progress.percent") != 50 {
		t.Errorf("%s", r.body)
	}
	if tag := r.header.Get("ETag"); tag != "" {
		s.call("GET", "/runs/"+id+"?full=true", nil, header("If-None-Match", tag)).want(304)
	}
	list := s.call("GET", "/runs?label=team:runs&status=waiting&workflow=refund&limit=1", nil).want(200)
	if list.count("items") != 1 || list.text("items.0.id") != id || list.number("total") != 1 {
		t.Errorf("%s", list.body)
	}
	events := s.call("GET", "/runs/"+id+"/events?after=0", nil).want(200)
	if events.text("items.0.type") != "run.started" || events.number("items.0.seq") != 1 ||
		events.number("items.0.feed") == 0 || events.text("items.0.actor.name") != "ann" {
		t.Errorf("%s", events.body)
	}
	if then := s.call("GET", "/runs/"+id+"/state?at_seq=1", nil).want(200); then.number("seq") != 1 ||
		then.text("steps.0.status") == "done" {
		t.Errorf("%s", then.body)
	}
	s.call("GET", "/runs/"+id+"/state?at_seq=999", nil).problem(422, "invalid")
	fork := s.call("POST", "/runs/"+id+"/fork",
		map[string]any{"at_seq": r.number("seq"),
			"edits": map[string]any{"outputs": map[string]any{"draft": map[string]any{"text": "edited"}}}}).want(201)
	if fork.text("forked_from") != id || s.pending(fork.text("id")).text("proposed.text") != "edited" {
		t.Errorf("%s", fork.body)
	}
	s.call("POST", "/runs/"+id+"/retry", nil).problem(409, "conflict")
	ap := s.pending(id)
	s.call("POST", "/approvals/"+ap.text("id")+"/decisions",
		`{"act":"reject","comment":"no","version":1}`, as(bob)).want(200)
	s.settles(id, "failed")
	if retry := s.call("POST", "/runs/"+id+"/retry", nil).want(201); retry.text("retry_of") != id ||
		!bytes.Contains(retry.body, []byte(`12345678901234567890.10`)) {
		t.Errorf("%s", retry.body)
	}
	if again := s.call("POST", "/runs/"+id+"/resume", nil).want(200); again.text("id") != id {
		t.Errorf("%s", again.body)
	}
	s.settles(id, "waiting")
	for _, path := range []string{"/runs/run_none", "/runs/run_none/events", "/runs/run_none/state?at_seq=1"} {
		s.call("GET", path, nil).problem(404, "not_found")
	}
	for _, path := range []string{"/retry", "/resume", "/fork", "/commands"} {
		body := map[string]string{"/fork": `{"at_seq":1}`, "/commands": `{"type":"pause"}`}[path]
		s.call("POST", "/runs/run_none"+path, body).problem(404, "not_found")
	}
	s.call("POST", "/runs", `{"workflow":"none"}`).problem(404, "not_found")
	s.call("POST", "/runs", `{"workflow":"refund","version":99,"input":{}}`).problem(404, "not_found")
	s.call("POST", "/runs", `{"workflow":"refund","input":{}}`).problem(422, "invalid")
	if r := s.settles(s.call("POST", "/runs",
		`{"workflow":"refund","input":{"amount":1},"test_mode":true}`).want(201).text("id"), "waiting",
		"completed"); r.get("test_mode") != true {
		t.Errorf("%s", r.body)
	}
}

func commands(t *testing.T, s *server) {
	id := s.run("refund", map[string]int{"amount": 1})
	s.settles(id, "waiting")
	send := func(body string, options ...option) answer {
		t.Helper()
		return s.call("POST", "/runs/"+id+"/commands", body, options...)
	}
	for _, body := range []string{
		`{"type":"pause"}`, `{"type":"resume"}`, `{"type":"message","text":"hello"}`, `{"type":"snapshot"}`,
		`{"type":"replan","requirement":"a summary"}`,
		`{"type":"inject_steps","steps":[{"id":"extra","agent":"writer","needs":["send"]}]}`,
		`{"type":"skip_step","step":"extra"}`,
	} {
		if a := send(body).want(202); a.get("accepted") != true || a.number("seq") == 0 {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	first := send(`{"type":"message","text":"once","id":"m1"}`).want(202)
	if again := send(`{"type":"message","text":"once","id":"m1"}`).want(202); again.number("seq") != first.number("seq") {
		t.Errorf("%s, then %s", first.body, again.body)
	}
	send(`{"type":"dance"}`).problem(422, "invalid")
	send(`{"type":"pause","speed":9}`).problem(422, "invalid")
	send(`{"type":"skip_step","step":"nothing"}`).want(404)
	send(`{"type":"modify_args","step":"send","changes":{"text":"changed"}}`).want(202)
	send(`{"type":"cancel","reason":"enough"}`).want(202)
	s.settles(id, "cancelled")
	send(`{"type":"pause"}`).problem(409, "conflict")
	other := s.run("refund", map[string]int{"amount": 1})
	s.settles(other, "waiting")
	s.call("POST", "/runs/"+other+"/commands", `{"type":"abort","reason":"now"}`).want(202)
	s.settles(other, "cancelled")
}

func approvals(t *testing.T, s *server) {
	id := s.run("refund", map[string]int{"amount": 3}, as(ann))
	a := s.pending(id)
	for _, name := range strings.Fields("id run workflow step gate kind reason status version title description action " +
		"proposed reasoning confidence risk estimated_cost_usd show so_far if_denied options input_schema role assignees " +
		"quorum decisions acts requested_at deadline_at on_timeout remind_at pause_at rule outcome") {
		if !bytes.Contains(a.body, []byte(`"`+name+`":`)) {
			t.Errorf("%s is missing in %s", name, a.body)
		}
	}
	apr := a.text("id")
	inbox := s.call("GET", "/approvals?status=pending&role=approver&workflow=refund&risk=high&kind=approval&sort=deadline&run="+id, nil, as(bob)).want(200)
	if inbox.count("items") != 1 || inbox.text("items.0.id") != apr || inbox.count("items.0.acts") == 0 {
		t.Errorf("%s", inbox.body)
	}
	for _, sort := range []string{"priority", "age"} {
		s.call("GET", "/approvals?sort="+sort, nil).want(200)
	}
	if found := s.call("GET", "/search?q="+apr, nil, as(bob)).want(200); found.text("items.0.id") != apr ||
		found.text("items.0.kind") != "approval" {
		t.Errorf("%s", found.body)
	}
	if to := s.call("GET", "/approvals/"+apr+"/recipients?q=approver", nil,
		as(bob)).want(200); to.text("items.0.to") != "role:approver" {
		t.Errorf("%s", to.body)
	}
	decide := func(body string, w who) answer {
		t.Helper()
		return s.call("POST", "/approvals/"+apr+"/decisions", body, as(w))
	}
	if why := s.call("GET", "/approvals/"+apr+"/access?user=bob&roles=approver",
		nil).want(200); why.text("acts.2.act") != "approve" || why.get("acts.2.allowed") != true ||
		why.text("acts.2.because") != "the role approver grants approve" {
		t.Errorf("%s", why.body)
	}
	s.call("GET", "/approvals/"+apr+"/access?user=carl", nil, as(bob)).problem(403, "forbidden")
	s.call("GET", "/people/carl/access", nil, as(bob)).problem(403, "forbidden")
	if may := s.call("GET", "/people/ann/access?workflow=plain", nil, as(ann)).want(200); may.text("user") != "ann" {
		t.Errorf("%s", may.body)
	}
	if why := s.call("GET", "/approvals/"+apr+"/access", nil, as(ann)).want(200); why.text("user") != "ann" ||
		why.get("acts.2.allowed") != false {
		t.Errorf("%s", why.body)
	}
	if a := s.call("GET", "/approvals/"+apr, nil, as(ann)).want(200); a.count("acts") != 0 {
		t.Errorf("ann may %v", a.get("acts"))
	}
	decide(`{"act":"approve","version":1}`, ann).problem(403, "forbidden")
	decide(`{"act":"approve","version":1}`, who{"mallory", "reader"}).problem(403, "forbidden")
	decide(`{"act":"approve"}`, bob).problem(422, "invalid")
	decide(`{"act":"approve","version":2}`, bob).problem(409, "version_mismatch")
	decide(`{"act":"reject","version":1}`, bob).problem(422, "invalid")
	decide(`{"act":"dance","version":1}`, bob).problem(422, "invalid")
	decide(`{"act":"choose","option":"x","version":1}`, bob).want(422)
	if p := decide(`{"act":"modify","changes":{"text":7},"version":1}`,
		bob).problem(422, "invalid"); p.count("errors") == 0 {
		t.Errorf("%s", p.body)
	}
	preview := s.call("POST", "/approvals/"+apr+"/preview", `{"changes":{"text":"dear","cc":"x"}}`, as(bob)).want(200)
	if preview.get("valid") != true || preview.count("diff") != 2 || preview.text("diff.0.op") == "" ||
		!strings.HasPrefix(preview.text("diff.0.path"), "/") {
		t.Errorf("%s", preview.body)
	}
	if p := s.call("POST", "/approvals/"+apr+"/preview", `{"changes":{"text":7}}`,
		as(bob)).want(200); p.get("valid") != false || p.count("errors") == 0 {
		t.Errorf("%s", p.body)
	}
	if d := decide(`{"act":"modify","changes":{"text":"dear"},"comment":"kinder","version":1}`,
		bob).want(200); d.text("status") != "modified" || d.text("decisions.0.by") != "bob" {
		t.Errorf("%s", d.body)
	}
	if p := decide(`{"act":"approve","version":1}`, eve).problem(409, "already_decided"); p.text("decided_by") != "bob" ||
		p.text("act") != "modify" || p.text("decided_at") == "" {
		t.Errorf("%s", p.body)
	}
	if r := s.settles(id, "completed"); r.text("context.review.by") != "bob" {
		t.Errorf("%s", r.body)
	}
	s.call("GET", "/approvals/apr_none", nil).problem(404, "not_found")
	s.call("POST", "/approvals/apr_none/decisions", `{"act":"approve","version":1}`).problem(404, "not_found")
	s.call("POST", "/approvals/apr_none/preview", `{"changes":{}}`).problem(404, "not_found")
}

func acts(t *testing.T, s *server) {
	decide := func(a answer, body string, w who) answer {
		t.Helper()
		return s.call("POST", "/approvals/"+a.text("id")+"/decisions", fmt.Sprintf(body, a.number("version")), as(w))
	}
	// Two of two, never the requester, never the same person twice.
	id := s.run("two", nil, as(who{"ann", "approver"}))
	a := s.pending(id)
	decide(a, `{"act":"approve","version":%d}`, who{"ann", "approver,admin"}).problem(403, "forbidden")
	first := decide(a, `{"act":"approve","version":%d}`, bob).want(200)
	if first.number("quorum.given") != 1 || first.number("version") != 2 || first.text("status") != "pending" {
		t.Errorf("%s", first.body)
	}
	decide(first, `{"act":"approve","version":%d}`, bob).problem(409, "conflict")
	changed := decide(first, `{"act":"modify","changes":{"text":"new"},"version":%d}`, eve).want(200)
	if changed.number("quorum.given") != 1 || changed.number("version") != 3 {
		t.Errorf("%s", changed.body) // bob approved something else
	}
	if last := decide(changed, `{"act":"approve","version":%d}`, bob).want(200); last.text("status") != "modified" &&
		last.text("status") != "approved" {
		t.Errorf("%s", last.body)
	}
	if r := s.settles(id, "completed"); r.text("output.text") != "new" {
		t.Errorf("%s", r.body)
	}
	// A revision redoes the last step.
	id = s.run("two", nil)
	decide(s.pending(id), `{"act":"request_revision","comment":"shorter","version":%d}`, bob).want(200)
	if again := s.pending(id); again.text("status") != "pending" {
		t.Errorf("%s", again.body)
	}
	// Choices and inputs.
	id = s.run("pick", nil)
	a = s.pending(id)
	decide(a, `{"act":"choose","option":"z","version":%d}`, bob).problem(422, "invalid")
	if d := decide(a, `{"act":"choose","option":"y","version":%d}`, bob).want(200); d.text("status") != "chosen" {
		t.Errorf("%s", d.body)
	}
	a = s.pending(id)
	decide(a, `{"act":"submit","data":{"n":"many"},"version":%d}`, bob).problem(422, "invalid")
	if d := decide(a, `{"act":"submit","data":{"n":3},"version":%d}`, bob).want(200); d.text("status") != "submitted" {
		t.Errorf("%s", d.body)
	}
	s.settles(id, "completed")
	// A delegate may decide without the role.
	id = s.run("refund", map[string]int{"amount": 1}, as(ann))
	a = s.pending(id)
	decide(a, `{"act":"delegate","to":"dora","version":%d}`, bob).want(200)
	a = s.pending(id)
	if d := decide(a, `{"act":"approve","version":%d}`, who{"dora", ""}).want(200); d.text("status") != "approved" ||
		d.text("decisions.1.on_behalf_of") != "bob" {
		t.Errorf("%s", d.body)
	}
}

func races(t *testing.T, s *server) {
	a := s.pending(s.run("refund", map[string]int{"amount": 1}, as(ann)))
	var won, late int
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			d, err := s.try("POST", "/approvals/"+a.text("id")+"/decisions", `{"act":"approve","version":1}`,
				as(who{fmt.Sprintf("p%d", i), "approver"}))
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				t.Error(err)
			case d.status == 200:
				won++
			case d.status == 409 && d.text("code") == "already_decided" && d.text("decided_by") != "":
				late++
			default:
				t.Errorf("%d: %s", d.status, d.body)
			}
		})
	}
	all.Wait()
	if won != 1 || late != 49 {
		t.Errorf("%d won, %d came late", won, late)
	}
}

func batch(t *testing.T, s *server) {
	var ids []string
	for range 3 {
		ids = append(ids, s.pending(s.call("POST", "/runs",
			`{"workflow":"refund","input":{"amount":1},"labels":{"team":"batch"}}`, as(ann)).want(201).text("id")).text("id"))
	}
	out := s.call("POST", "/approvals/batch",
		map[string]any{"ids": append(ids[:2:2], "apr_none"), "act": "approve", "versions": map[string]int{ids[1]: 4}},
		as(bob)).want(200)
	if out.count("results") != 3 || out.get("results.0.ok") != true || out.text("results.0.status") != "approved" ||
		out.text("results.1.error.code") != "version_mismatch" || out.text("results.2.error.code") != "not_found" {
		t.Errorf("%s", out.body)
	}
	s.call("POST", "/approvals/batch", `{"ids":[],"act":"approve"}`, as(bob)).problem(422, "invalid")
	s.call("POST", "/approvals/expire", `{"older_than":"1h"}`, as(bob)).problem(403, "forbidden")
	if out := s.call("POST", "/approvals/expire",
		`{"older_than":"1000h","comment":"too old"}`).want(200); out.count("results") != 0 {
		t.Errorf("%s", out.body)
	}
}

func agents(t *testing.T, s *server) {
	if list := s.call("GET", "/agents", nil).want(200); list.count("items") < 2 {
		t.Errorf("%s", list.body)
	}
	doc := "agent: caller\nkind: http\nurl: http://127.0.0.1:1/x\nheaders: { X-Key: hunter2 }\n"
	s.call("PUT", "/agents/caller", yaml(doc)).want(201)
	s.call("PUT", "/agents/caller", yaml(doc)).want(200)
	if v := s.call("GET", "/agents/caller", nil).want(200); bytes.Contains(v.body, []byte("hunter2")) ||
		v.text("definition.kind") != "http" {
		t.Errorf("%s", v.body)
	}
	if v := s.call("GET", "/agents/caller/versions", nil).want(200); v.count("items") != 1 ||
		v.text("items.0.by") != "admin" {
		t.Errorf("%s", v.body)
	}
	if v := s.call("GET", "/agents/caller/versions/1", nil).want(200); bytes.Contains(v.body, []byte("hunter2")) ||
		v.number("version") != 1 {
		t.Errorf("%s", v.body)
	}
	s.call("GET", "/agents/caller/versions/7", nil).problem(404, "not_found")
	s.call("GET", "/agents/none/versions", nil).problem(404, "not_found")
	s.call("GET", "/agents/none", nil).problem(404, "not_found")
	s.call("PUT", "/agents/caller", yaml("agent: caller\nkind: htp\n")).problem(422, "invalid")
	// Two people edit it at once: the second learns of the first.
	seen := header("If-Match", s.call("GET", "/agents/caller", nil).want(200).header.Get("ETag"))
	s.call("PUT", "/agents/caller", yaml(doc+"description: first\n"), seen).want(201)
	s.call("PUT", "/agents/caller", yaml(doc+"description: second\n"), seen).problem(412, "version_mismatch")
	if v := s.call("GET", "/agents/caller", nil).want(200); v.text("definition.description") != "first" {
		t.Errorf("%s", v.body)
	}
	s.call("GET", "/tools?q=x", nil).want(200)
	if strings.Contains(s.log.String(), "hunter2") {
		t.Error("a secret is in the log")
	}
}

func policies(t *testing.T, s *server) {
	own := serve(t) // the others must not be judged by it
	own.t = t
	own.define(refund)
	own.call("GET", "/policy", nil).want(200)
	rules := yaml("policy: house\nrules:\n  - { name: No mail, priority: 1, trigger: { operation_type: [send_email] }, " +
		"action: { deny: not today } }\n")
	if v := own.call("POST", "/policy/validate", rules).want(200); v.get("valid") != true {
		t.Errorf("%s", v.body)
	}
	own.call("PUT", "/policy", rules).want(201)
	if v := own.call("GET", "/policy", nil).want(200); v.text("rules.0.name") != "No mail" ||
		!strings.HasPrefix(v.text("hash"), "pol_") {
		t.Errorf("%s", v.body)
	}
	if v := own.call("GET", "/policy/versions", nil).want(200); v.count("items") != 1 {
		t.Errorf("%s", v.body)
	}
	if v := own.call("GET", "/policy/versions/1", nil).want(200); v.text("definition.policy") != "house" {
		t.Errorf("%s", v.body)
	}
	own.call("GET", "/policy/versions/9", nil).problem(404, "not_found")
	own.call("PUT", "/policy", yaml("policy: x\nrules: [{ name: a, priority: 1, trigger: {}, action: {} }, { name: b, "+
		"priority: 1, trigger: {}, action: {} }]")).problem(422, "invalid")
	id := own.run("refund", map[string]int{"amount": 1})
	if r := own.settles(id, "failed", "waiting"); r.text("status") == "failed" && r.text("error.code") != "denied" {
		t.Errorf("%s", r.body)
	}
}

func deliverables(t *testing.T, s *server) {
	id := s.run("refund", map[string]int{"amount": 1})
	s.settles(id, "waiting")
	list := s.call("GET", "/deliverables?run="+id, nil).want(200)
	if list.count("items") != 1 || list.text("items.0.name") != "letter.html" {
		t.Fatalf("%s", list.body)
	}
	dlv := list.text("items.0.id")
	s.call("GET", "/deliverables/"+dlv, nil).want(200)
	content := s.call("GET", "/deliverables/"+dlv+"/content", nil).want(200)
	if string(content.body) != "<script>alert(1)</script>" || content.header.Get("X-Content-Type-Options") != "nosniff" ||
		!strings.HasPrefix(content.header.Get("Content-Disposition"), "attachment") ||
		strings.HasPrefix(content.header.Get("Content-Type"), "text/html") {
		t.Errorf("%s, %v", content.body, content.header)
	}
	z := s.call("GET", "/runs/"+id+"/deliverables.zip", nil).want(200)
	if r, err := zip.NewReader(bytes.NewReader(z.body), int64(len(z.body))); err != nil || len(r.File) != 1 ||
		r.File[0].Name != "letter.html" {
		t.Errorf("%v", err)
	}
	s.call("GET", "/deliverables/dlv_none/content", nil).problem(404, "not_found")
	s.call("GET", "/runs/run_none/deliverables.zip", nil).problem(404, "not_found")
}

func badRequests(t *testing.T, s *server) {
	s.call("POST", "/runs", `{"workflow":`).problem(400, "invalid")
	s.call("POST", "/runs", `{"workflow":"refund"} {}`).problem(400, "invalid")
	s.call("POST", "/runs", `[]`).want(422)
	if p := s.call("POST", "/runs", `{"workflow":"refund","inputs":{}}`).problem(422, "invalid"); !bytes.Contains(p.body,
		[]byte("inputs")) {
		t.Errorf("%s", p.body)
	}
	s.call("POST", "/runs", `{"workflow":7}`).problem(422, "invalid")
	s.call("POST", "/runs", strings.Repeat("[", 100_000)).want(400)
	s.call("POST", "/runs", `{"workflow":"refund"}`, header("Content-Type", "text/plain")).problem(415, "unsupported")
	big := `{"workflow":"refund","input":{"amount":1,"x":"` + strings.Repeat("x", 17<<20) + `"}}`
	s.call("POST", "/runs", big).problem(413, "too_large")
	for _, path := range []string{"/runs?cursor=%21", "/approvals?cursor=xyz", "/runs?limit=0", "/runs?limit=9999",
		"/runs?colour=red", "/approvals?sort=size", "/approvals?status=odd", "/runs?status=odd", "/events?after=x",
		"/events?types=none.such", "/runs/run_x/events?after=-1"} {
		if a := s.call("GET", path, nil); a.status != 422 && a.status != 404 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		} else {
			a.problem(a.status, a.text("code"))
		}
	}
	s.call("GET", "/nothing", nil).problem(404, "not_found")
	if a := s.call("DELETE", "/runs", nil); a.status != 405 || a.header.Get("Allow") == "" {
		t.Errorf("%d %s", a.status, a.body)
	}
	s.call("POST", "/runs", `{"workflow":"refund","input":{"amount":1}}`,
		header("Origin", "https://evil.example")).problem(403, "forbidden")
	foreign := func(r *http.Request) { r.Host = "evil.example" }
	s.call("GET", "/runs", nil, foreign).want(403)
	if a := s.call("GET", "/runs", nil, header("X-Request-Id", "abc-1")); a.header.Get("X-Request-Id") != "abc-1" {
		t.Errorf("%v", a.header)
	}
}

func idempotency(t *testing.T, s *server) {
	own := serve(t)
	own.t = t
	own.define(refund)
	body := `{"workflow":"refund","input":{"amount":1}}`
	var all sync.WaitGroup
	ids := make([]string, 20)
	for i := range ids {
		all.Go(func() { ids[i] = own.call("POST", "/runs", body, key("k1"), as(ann)).want(201).text("id") })
	}
	all.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatalf("one key, runs %v", ids)
		}
	}
	own.call("POST", "/runs", `{"workflow":"refund","input":{"amount":2}}`, key("k1"), as(ann)).problem(409, "conflict")
	if other := own.run("refund", map[string]int{"amount": 1}, key("k1"), as(bob)); other == ids[0] {
		t.Error("keys are shared between people")
	}
	a := own.pending(ids[0])
	wrong := own.call("POST", "/approvals/"+a.text("id")+"/decisions", `{"act":"approve","version":9}`, key("d0"),
		as(bob)).problem(409, "version_mismatch")
	first := own.call("POST", "/approvals/"+a.text("id")+"/decisions", `{"act":"approve","version":1}`,
		key("d1"), as(bob)).want(200)
	own.settles(ids[0], "completed")
	own.kill()
	own.start()
	again := own.call("POST", "/approvals/"+a.text("id")+"/decisions", `{"act":"approve","version":1}`,
		key("d1"), as(bob)).want(200)
	if !bytes.Equal(first.body, again.body) {
		t.Errorf("first %s\nthen %s", first.body, again.body)
	}
	if still := own.call("POST", "/approvals/"+a.text("id")+"/decisions", `{"act":"approve","version":9}`, key("d0"),
		as(bob)); still.status != wrong.status {
		t.Errorf("%d: %s", still.status, still.body)
	}
	if id := own.call("POST", "/runs", body, key("k1"), as(ann)).want(201).text("id"); id != ids[0] {
		t.Errorf("%s, not %s", id, ids[0])
	}
	v := own.call("PUT", "/workflows/kept",
		`{"workflow":"kept","steps":[{"id":"a","agent":"writer"}]}`, key("w1")).want(201)
	if w := own.call("PUT", "/workflows/kept", `{"workflow":"kept","steps":[{"id":"a","agent":"writer"}]}`,
		key("w1")).want(201); !bytes.Equal(v.body, w.body) {
		t.Errorf("%s", w.body)
	}
}

func operation(t *testing.T, s *server) {
	s.call("GET", "/healthz", nil).want(200)
	s.call("GET", "/readyz", nil).want(200)
	if m := s.call("GET", "/metrics", nil).want(200); !bytes.Contains(m.body, []byte("assent_")) {
		t.Errorf("%.500s", m.body)
	}
	if o := s.call("GET", "/openapi.json", nil).want(200); !strings.HasPrefix(o.text("openapi"), "3.1") {
		t.Errorf("%.200s", o.body)
	}
	s.call("GET", "/", nil).want(200)
	if d := s.call("GET", "/docs", nil).want(200); !strings.HasPrefix(d.header.Get("Content-Type"), "text/html") ||
		!bytes.Contains(d.body, []byte("/approvals")) {
		t.Errorf("%.300s", d.body)
	}
	if me := s.call("GET", "/me", nil, as(bob)).want(200); me.text("name") != "bob" || me.text("roles.0") != "approver" {
		t.Errorf("%s", me.body)
	}
}

func TestStopsWhenAsked(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define("agent: slow\nkind: scripted\nanswers: [{ delay: 300ms, output: 1 }]\n---\nworkflow: w\nsteps: " +
		"[{ id: a, agent: slow }]")
	id := s.run("w", nil)
	s.stop() // work in progress may finish, and is recorded
	s.start()
	if r := s.settles(id, "completed"); r.number("steps.0.try") != 1 {
		t.Errorf("%s", r.body)
	}
}
