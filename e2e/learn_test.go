package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/store/sqlite"
)

// bookkeeping has a tool that no word of what it is wanted for leads to.
const bookkeeping = `
agent: ledger_closer
kind: scripted
effects: none
description: Seals period totals
answers: [{ output: { sealed: true } }]
---
agent: reader
kind: scripted
effects: none
answers: [{ output: { totals: 3 } }]
---
agent: shredder
kind: scripted
description: Shreds old letters
answers: [{ output: { shredded: true } }]
---
workflow: books
description: Reconcile quarterly accounts
steps:
  - { id: read, agent: reader }
  - { id: close, agent: ledger_closer, with: { totals: read.totals } }
---
workflow: other
loops: { replan: go, learn: requests }
sensitive: [customer]
steps: [{ id: wait, human: { title: Ready? } }, { id: last, agent: reader }]
---
workflow: careful
loops: { replan: ask, learn: requests }
steps: [{ id: wait, human: { title: Ready? } }, { id: last, agent: reader }]
---
workflow: quiet
loops: { replan: go }
steps: [{ id: wait, human: { title: Ready? } }, { id: last, agent: reader }]
`

var boss = as(who{"ada", "admin"})

// bestFor is the tool that is found for a request, with the reason.
func (s *server) bestFor(request string) string {
	r := s.call("GET", "/tools?limit=3&q="+url.QueryEscape(request), nil).want(200)
	if r.number("total") == 0 {
		return ""
	}
	return r.text("items.0.name") + ": " + fmt.Sprint(r.get("items.0.why"))
}

// taughtBy lists what runs taught, as it is sent.
func (s *server) taughtBy() string {
	return string(s.call("GET", "/graph/runs?limit=200", nil, boss).want(200).body)
}

// AC-3.4 of specification 001: what a completed run did is learned, once, and helps the next one.
func TestAC34Learning(t *testing.T) {
	t.Parallel()
	s := serve(t, "--load", loads(t, bookkeeping))
	const wish = "reconcile the quarterly accounts"
	if best := s.bestFor(wish); strings.Contains(best, "ledger_closer") {
		t.Fatalf("words alone find %s", best)
	}
	first := s.run("books", map[string]int{})
	s.settles(first, "completed")
	waitFor(t, "the next search to use it", func() bool {
		return strings.HasPrefix(s.bestFor(wish), "agent:ledger_closer: [served 1 similar") ||
			strings.HasPrefix(s.bestFor(wish), "agent:reader: [served 1 similar")
	})
	g := s.call("GET", "/graph", nil).want(200)
	for _, edge := range []string{
		`{"from":"agent:ledger_closer","to":"agent:reader","kind":"together","weight":1}`,
		`{"from":"agent:reader","to":"agent:ledger_closer","kind":"then","weight":1}`,
		`{"from":"agent:reader","to":"agent:ledger_closer","kind":"fits","weight":1}`,
	} {
		if !strings.Contains(string(g.body), edge) {
			t.Errorf("%s is missing in %s", edge, g.body)
		}
	}
	if g.number("runs") != 1 || len(g.get("nodes").([]any)) != 2 {
		t.Errorf("%s", g.body)
	}

	// A suggested plan uses tools in the order in which runs used them.
	drawn := s.call("POST", "/plans/suggest", map[string]string{"intent": "seal the period totals, and use the reader"})
	if !strings.Contains(string(drawn.want(200).body), "comes after Reader in earlier runs") {
		t.Errorf("%s", drawn.body)
	}

	// A running plan finds by experience what words do not find, and that is learned in turn.
	second := s.run("other", map[string]string{"customer": "Miriam Weatherby"})
	a := s.pending(second)
	s.call("POST", "/runs/"+second+"/commands",
		map[string]string{"type": "replan", "requirement": "reconcile the quarterly accounts of Miriam Weatherby"},
		as(bob)).want(202)
	waitFor(t, "a step to be added", func() bool { return s.recorded(second, "plan.changed") == 1 })
	s.decide(a, "approve", "")
	if r := s.settles(second, "completed", "failed"); r.text("status") != "completed" {
		t.Fatalf("%s", r.body)
	}
	all := s.taughtBy()
	if !strings.Contains(all, "reconcile the quarterly accounts of •••") || strings.Contains(all, "Weatherby") {
		t.Errorf("what is sensitive: %s", all)
	}

	// Without a declaration that requests are not sensitive, the tools are learned and the words are not.
	undeclared := s.run("quiet", map[string]int{})
	a = s.pending(undeclared)
	s.steer(undeclared, map[string]any{"type": "replan", "requirement": "reconcile quarterly accounts, Miriam Weatherby"})
	waitFor(t, "a step to be added", func() bool { return s.recorded(undeclared, "plan.changed") == 1 })
	s.decide(a, "approve", "")
	s.settles(undeclared, "completed")
	if all := s.taughtBy(); !strings.Contains(all, undeclared) || strings.Contains(all, "Weatherby") ||
		strings.Contains(all, "accounts,") {
		t.Errorf("what is not declared: %s", all)
	}

	// What people reject is not proposed again for the same.
	third := s.run("careful", map[string]int{})
	a = s.pending(third)
	const unwanted = `{"type":"replan","requirement":"shreds old letters"}`
	s.call("POST", "/runs/"+third+"/commands", unwanted, as(bob)).want(202)
	var asked answer
	waitFor(t, "people to be asked about the step", func() bool {
		list := s.call("GET", "/approvals?status=pending&run="+third, nil, as(bob)).want(200)
		for i := range list.get("items").([]any) {
			if list.text(fmt.Sprintf("items.%d.action.type", i)) == "replan" {
				asked = s.call("GET", "/approvals/"+list.text(fmt.Sprintf("items.%d.id", i)), nil, as(bob)).want(200)
				return true
			}
		}
		return false
	})
	s.decide(asked, "reject", "never")
	s.decide(a, "approve", "")
	s.settles(third, "completed")
	waitFor(t, "it to be found no longer", func() bool { return s.bestFor("shreds old letters") == "" })
	if best := s.bestFor("shred the archive"); !strings.HasPrefix(best, "agent:shredder") {
		t.Errorf("for something else it is found: %s", best)
	}

	// The logs give the same, byte for byte; what is forgotten stays forgotten.
	before := s.taughtBy()
	if r := s.call("POST", "/graph/rebuild", nil, boss).want(200); r.number("runs") != 4 || r.number("taught") != 4 {
		t.Errorf("%s", r.body)
	}
	if after := s.taughtBy(); after != before {
		t.Errorf("rebuilt:\n%s\ninstead of\n%s", after, before)
	}
	// A workflow that no longer declares it is learned from without the words, also by a rebuild.
	s.call("PUT", "/workflows/careful?publish=true", map[string]any{"workflow": "careful", "loops": map[string]any{},
		"steps": []any{map[string]any{"id": "last", "agent": "reader"}}}, boss).want(201)
	s.call("POST", "/graph/rebuild", nil, boss).want(200)
	after := s.taughtBy()
	if strings.Contains(after, "shreds old letters") || !strings.Contains(after, "accounts of •••") {
		t.Errorf("withdrawn: %s", after)
	}
	for _, path := range []string{"/graph/rebuild", "/graph/forget"} {
		s.call("POST", path, map[string]any{}, as(who{"vic", "viewer"})).want(403)
	}
	s.call("GET", "/graph/runs", nil, as(who{"vic", "viewer"})).want(403)
	s.call("GET", "/graph/requests", nil, as(who{"vic", "viewer"})).want(403)
	s.call("POST", "/graph/forget", `{"tool":"x","run":"y"}`, boss).want(422)
	s.call("DELETE", "/runs/"+second+"/payloads", `{"reason":"asked for"}`, boss).want(200)
	if all := s.taughtBy(); strings.Contains(all, second) || !strings.Contains(all, first) {
		t.Errorf("payloads were removed: %s", all)
	}
	s.call("POST", "/graph/forget", `{"tool":"agent:ledger_closer","reason":"replaced"}`, boss).want(200)
	s.call("POST", "/graph/rebuild", nil, boss).want(200)
	if all := s.taughtBy(); strings.Contains(all, "ledger_closer") || strings.Contains(all, second) {
		t.Errorf("forgotten: %s", all)
	}
	waitFor(t, "it to be forgotten", func() bool { return !strings.Contains(s.bestFor(wish), "ledger_closer") })
	log := string(s.call("GET", "/audit?limit=200", nil, boss).want(200).body)
	for _, action := range []string{"graph.forgotten", "graph.rebuilt"} {
		if !strings.Contains(log, `"`+action+`"`) {
			t.Errorf("%s is not on record", action)
		}
	}
}

// Killed again and again while runs end: each of them has taught what it did, once.
func TestLearningOutlivesKills(t *testing.T) {
	t.Parallel()
	s := serve(t, "--load", loads(t, bookkeeping))
	var runs []string
	for range 4 {
		for range 10 {
			runs = append(runs, s.run("books", map[string]int{}))
		}
		s.kill()
		s.start()
	}
	for _, id := range runs {
		s.settles(id, "completed")
	}
	list := s.call("GET", "/graph/runs?limit=200", nil, boss).want(200)
	var taught []string
	for i := range list.get("items").([]any) {
		taught = append(taught, list.text(fmt.Sprintf("items.%d.run", i)))
	}
	slices.Sort(runs)
	slices.Sort(taught)
	if !slices.Equal(runs, taught) {
		t.Errorf("%d runs taught something, want %d", len(taught), len(runs))
	}
	g := s.call("GET", "/graph?tool=agent:reader", nil).want(200)
	if g.number("nodes.0.runs") != int64(len(runs)) {
		t.Errorf("%s", g.body)
	}
	before := s.taughtBy()
	s.call("POST", "/graph/rebuild", nil, boss).want(200)
	if after := s.taughtBy(); after != before {
		t.Error("the logs say something else")
	}
}

// What an earlier release kept of requests is deleted when the server starts.
func TestUndeclaredWordsAreForgotten(t *testing.T) {
	t.Parallel()
	s := serve(t, "--log-level", "info", "--load", loads(t, bookkeeping))
	id := s.run("books", map[string]int{})
	seq := s.settles(id, "completed").number("seq")
	inStore := func(do func(*sqlite.Store)) {
		s.kill()
		store, err := sqlite.Open(t.Context(), s.data())
		if err != nil {
			t.Fatal(err)
		}
		do(store)
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		s.start()
	}
	const words = "write to Miriam Weatherby"
	inStore(func(store *sqlite.Store) {
		all, err := store.Experiences(t.Context())
		if err != nil || len(all) != 1 {
			t.Fatal(err, all)
		}
		all[0].Served = append(all[0].Served, run.Served{Request: words, Said: true, Tools: []string{"agent:reader"}})
		if done, err := store.Relearn(t.Context(), all[0], seq); err != nil || !done {
			t.Fatal(done, err)
		}
	})
	s.says("forgot what was asked for")
	if all := s.taughtBy(); strings.Contains(all, "Weatherby") || !strings.Contains(all, "ledger_closer") {
		t.Errorf("%s", all)
	}
	inStore(func(store *sqlite.Store) {
		if n, err := store.ForgetUndeclared(t.Context()); err != nil || n != 0 {
			t.Errorf("%d runs were left: %v", n, err)
		}
	})
}
