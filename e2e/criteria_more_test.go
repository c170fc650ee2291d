package e2e

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/store/sqlite"
)

// AC-1.3: the command skip_layer of the specification, which is skip_step with a layer: none of its steps runs, and the
// next layer does. A layer that does not exist is refused.
func layerSkipped(t *testing.T, s *server, w *workers) {
	s.define(`workflow: skipping
steps:
  - { id: wait, human: { title: Ready? } }
  - { id: one, agent: work, needs: [wait] }
  - { id: two, agent: work, needs: [wait] }
  - { id: three, agent: right, needs: [one, two] }`)
	id := s.run("skipping", map[string]any{})
	a := s.pending(id)
	got := s.call("POST", "/runs/"+id+"/commands", map[string]any{"type": "skip_step", "layer": 7}, as(ann))
	if got.status < 400 || got.status > 499 {
		t.Errorf("%d %s", got.status, got.body)
	}
	s.steer(id, map[string]any{"type": "skip_step", "layer": 1})
	s.decide(a, "approve", "")
	r := s.settles(id, "completed", "failed")
	for path, want := range map[string]string{"status": "completed", "steps.1.status": "skipped",
		"steps.2.status": "skipped", "steps.3.status": "done"} {
		if r.text(path) != want {
			t.Errorf("%s is %q, want %q", path, r.text(path), want)
		}
	}
	if n := len(w.asked(id, "one")) + len(w.asked(id, "two")); n != 0 {
		t.Errorf("the layer was asked for %d times", n)
	}
}

// AC-2.2: the states of the five newest snapshots are kept; all are listed, and a run continues from any of them.
func fiveSnapshotsKept(t *testing.T, s *server, w *workers) {
	s.define(`workflow: seven
snapshots: per_step
steps:
  - { id: one, agent: left }
  - { id: two, agent: left }
  - { id: three, agent: left }
  - { id: four, agent: left }
  - { id: five, agent: left }
  - { id: six, agent: left }
  - { id: seven, agent: work }`)
	id := s.run("seven", map[string]any{})
	s.settles(id, "completed")
	list := s.call("GET", "/runs/"+id+"/snapshots", nil).want(200)
	if n := list.count("items"); n != 7 {
		t.Fatalf("%d snapshots: %s", n, list.body)
	}
	s.kill()
	store, err := sqlite.Open(t.Context(), s.data())
	if err != nil {
		t.Fatal(err)
	}
	var kept, newest []int64
	for at := int64(math.MaxInt64); ; at = kept[len(kept)-1] - 1 {
		seq, _, err := store.Snapshot(t.Context(), id, at)
		if err != nil {
			t.Fatal(err)
		}
		if seq == 0 {
			break
		}
		kept = append(kept, seq)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	s.start()
	for n := 6; n >= 2; n-- {
		newest = append(newest, list.number(fmt.Sprintf("items.%d.seq", n)))
	}
	if len(kept) != len(newest) {
		t.Fatalf("kept are %v, the newest are %v", kept, newest)
	}
	for i, seq := range kept { // a state is that after the whole write
		if seq < newest[i] || i > 0 && seq >= newest[i-1] {
			t.Errorf("kept are %v, the newest are %v", kept, newest)
		}
	}
	for _, n := range []int{0, 6} {
		at := map[string]any{"at_seq": list.number(fmt.Sprintf("items.%d.seq", n))}
		fork := s.call("POST", "/runs/"+id+"/fork", at, as(ann)).want(201).text("id")
		if r := s.settles(fork, "completed", "failed"); r.text("status") != "completed" ||
			r.text("context.seven") != "done" || len(w.asked(fork, "seven")) != map[int]int{0: 1, 6: 0}[n] {
			t.Errorf("from %d: %s", n, r.body)
		}
	}
}

// AC-2.3: messages and decisions from before a snapshot are restored from it.
func conversationRestored(t *testing.T, s *server, _ *workers) {
	id := s.run("asks", map[string]any{})
	a := s.pending(id)
	s.steer(id, map[string]any{"type": "message", "text": "the customer called"})
	s.decide(a, "approve", "it is fine")
	s.settles(id, "completed")
	s.kill()
	s.start()
	list := s.call("GET", "/runs/"+id+"/snapshots", nil).want(200)
	last := list.number(fmt.Sprintf("items.%d.seq", list.count("items")-1))
	fork := s.call("POST", "/runs/"+id+"/fork", map[string]any{"at_seq": last}, as(ann)).want(201).text("id")
	r := s.settles(fork, "completed")
	if r.text("thread.0.text") != "the customer called" || r.text("thread.0.from.name") != "ann" ||
		r.text("context.review.act") != "approve" || r.text("context.review.by") != "bob" {
		t.Errorf("%s", r.body)
	}
}

// AC-2.4: a snapshot holds the state of the run and no files: after a fork from before the step that wrote one, its
// line is there, and the step writes it again. The documentation says so.
func filesAreNotRestored(t *testing.T, s *server, w *workers) {
	w.mu.Lock()
	w.file = filepath.Join(t.TempDir(), "report.txt")
	w.mu.Unlock()
	s.define(`workflow: writes
snapshots: per_layer
steps:
  - { id: one, agent: left }
  - { id: write, agent: work }`)
	id := s.run("writes", map[string]any{})
	s.settles(id, "completed")
	first := s.call("GET", "/runs/"+id+"/snapshots", nil).want(200).number("items.0.seq")
	fork := s.call("POST", "/runs/"+id+"/fork", map[string]any{"at_seq": first}, as(ann)).want(201).text("id")
	s.settles(fork, "completed")
	if text, err := os.ReadFile(w.file); err != nil || string(text) != "a line\na line\n" {
		t.Errorf("%q %v", text, err)
	}
	page, err := os.ReadFile("../docs/workflows.md")
	if err != nil || !strings.Contains(string(page), "A snapshot holds the state of the run, not files") {
		t.Errorf("the limitation is not documented: %v", err)
	}
}

// AC-3.1: on_error asks the agent after a failure only, and manual only when it is told to.
func askedOnErrorsAndByHand(t *testing.T, s *server, _ *workers) {
	s.define(`agent: calm
kind: scripted
answers: [{ output: { action: continue, reasoning: nothing to do } }]
---
workflow: on_error
stop_on_error: false
loops: { agent: { agent: calm, at: on_error } }
steps:
  - { id: one, agent: left }
  - { id: bad, agent: broken, if: input.fail == true, retry: { max: 1 } }
  - { id: two, agent: right, needs: [one] }
---
workflow: manual
loops: { agent: { agent: calm, at: manual } }
steps:
  - { id: one, agent: left }
  - { id: wait, human: { title: Ready? } }
  - { id: two, agent: right }`)
	for fail, want := range map[bool]int{false: 0, true: 1} {
		id := s.run("on_error", map[string]any{"fail": fail})
		s.settles(id, "completed", "failed")
		log := string(s.call("GET", "/runs/"+id+"/events?full=true&limit=1000", nil).want(200).body)
		if n := s.recorded(id, "consult.started"); n != want || fail != strings.Contains(log, `"failed":"bad"`) {
			t.Errorf("fail %t: asked %d times: %s", fail, n, log)
		}
	}
	id := s.run("manual", map[string]any{})
	a := s.pending(id)
	if n := s.recorded(id, "consult.started"); n != 0 {
		t.Errorf("asked %d times without being told", n)
	}
	s.steer(id, map[string]any{"type": "consult"})
	s.decide(a, "approve", "")
	if r := s.settles(id, "completed"); r.text("thread.0.text") != "continue: nothing to do" ||
		s.recorded(id, "consult.answered") != 1 {
		t.Errorf("%s", r.body)
	}
}

// AC-3.2: never asks no one between layers, critical_only before steps of critical risk; always is peopleInTheLoop.
func peopleAskedAsConfigured(t *testing.T, s *server, _ *workers) {
	for _, when := range []string{"never", "critical_only"} {
		s.define("workflow: " + when + `
loops: { human: ` + when + ` }
steps:
  - { id: one, agent: left }
  - { id: two, agent: left }
  - { id: three, agent: right, risk: critical }`)
		id := s.run(when, map[string]any{})
		if when == "critical_only" {
			a := s.pending(id)
			if a.text("action.type") != "layer" || a.text("show.next.0.step") != "three" {
				t.Errorf("%s", a.body)
			}
			s.decide(a, "approve", "")
		}
		s.settles(id, "completed")
		if n, want := s.recorded(id, "approval.needed"), len(when)/len("critical_only"); n != want {
			t.Errorf("%s: people were asked %d times", when, n)
		}
	}
}

// AC-3.4: ranks follow from what runs taught, and are computed again after each; candidates are in the order of their
// scores.
func ranksRecomputed(t *testing.T, s *server, _ *workers) {
	s.define(`agent: hub
kind: scripted
description: Weighs parcels
answers: [{ output: { ok: true } }]
---
agent: spoke
kind: scripted
description: Weighs letters and parcels of customers
answers: [{ output: { ok: true } }]
---
workflow: hubs
steps:
  - { id: one, agent: spoke }
  - { id: two, agent: hub, needs: [one] }
  - { id: three, agent: right, needs: [one] }
  - { id: four, agent: hub, needs: [three] }`)
	ranks := func() map[string]float64 {
		out, last := map[string]float64{}, 1.0
		g := s.call("GET", "/graph", nil).want(200)
		for i := range g.count("nodes") {
			at := fmt.Sprintf("nodes.%d.", i)
			rank, ok := g.get(at + "rank").(float64)
			if n, err := fmt.Sscan(fmt.Sprint(g.get(at+"rank")), &rank); !ok && (err != nil || n != 1) || rank > last {
				t.Errorf("node %d: %s", i, g.body)
			}
			last, out[g.text(at+"tool")] = rank, rank
		}
		return out
	}
	before := ranks()
	s.settles(s.run("hubs", map[string]any{}), "completed")
	once := ranks()
	s.settles(s.run("hubs", map[string]any{}), "completed")
	twice := ranks()
	if before["agent:hub"] != 0 || !(once["agent:hub"] > 0) || !(twice["agent:hub"] > once["agent:hub"]) {
		t.Errorf("%v, then %v, then %v", before, once, twice)
	}
	found := s.call("GET", "/tools?q=weigh+the+parcels&limit=5", nil).want(200)
	if found.count("items") < 2 || found.text("items.0.name") != "agent:hub" {
		t.Errorf("%s", found.body)
	}
	last := math.Inf(1)
	for i := range found.count("items") {
		var score float64
		if _, err := fmt.Sscan(fmt.Sprint(found.get(fmt.Sprintf("items.%d.score", i))), &score); err != nil || score > last {
			t.Errorf("%s", found.body)
		}
		last = score
	}
}

// AC-3.5: the agent in the loop gets the conversation, with senders and times.
func conversationReachesTheAgent(t *testing.T, s *server, _ *workers) {
	listener := newAdviser(t, `{"action":"continue","reasoning":"heard"}`)
	s.define(`agent: listener
kind: http
url: ` + listener.url + `/advise
---
workflow: heard
loops: { agent: { agent: listener } }
steps:
  - { id: wait, human: { title: Ready? } }
  - { id: one, agent: left }`)
	id := s.run("heard", map[string]any{})
	a := s.pending(id)
	s.steer(id, map[string]any{"type": "message", "text": "mind the gap"})
	s.decide(a, "approve", "")
	s.settles(id, "completed")
	_, seen := listener.asked()
	if len(seen) == 0 || !strings.Contains(seen[0], `"text":"mind the gap"`) ||
		!strings.Contains(seen[0], `"name":"ann"`) || !strings.Contains(seen[0], `"at":"20`) {
		t.Errorf("%d questions: %.3000s", len(seen), seen)
	}
}
