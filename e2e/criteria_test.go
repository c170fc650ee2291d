package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestAC has the acceptance criteria AC-1.1 to AC-3.5 of specification 001, each by its number, on one server.
// docs/testing.md lists all criteria with their tests.
func TestAC(t *testing.T) {
	t.Parallel()
	w := newWorkers(t)
	s := serve(t, "--load", loads(t, fmt.Sprintf(criteriaFlows, w.url)))
	for _, c := range criteria {
		t.Run(c.number, func(t *testing.T) {
			s.t = t
			c.holds(t, s, w)
		})
	}
	s.t = t
}

var criteria = []struct {
	number string
	holds  func(*testing.T, *server, *workers)
}{
	{"1.1", stateWithReducers}, {"1.2", nineKindsOfEvents}, {"1.3", sixCommands}, {"1.4", layersRunInParallel},
	{"1.5", commandsInOrder}, {"2.1", snapshotsCanBeRead}, {"2.2", snapshotsAfterEachLayer},
	{"2.3", continuedFromSnapshot}, {"2.4", sameKeyAgain}, {"2.5", killedAtEachLayer}, {"3.1", agentInTheLoop},
	{"3.2", peopleInTheLoop}, {"3.5", conversationsSurvive},
	// In criteria_more_test.go:
	{"1.3", layerSkipped}, {"2.2", fiveSnapshotsKept}, {"2.3", conversationRestored}, {"2.4", filesAreNotRestored},
	{"3.1", askedOnErrorsAndByHand}, {"3.2", peopleAskedAsConfigured}, {"3.4", ranksRecomputed},
	{"3.5", conversationReachesTheAgent},
}

const criteriaFlows = `
workflow: layers
snapshots: per_layer
steps:
  - { id: one, agent: work, retry: { max: 5, backoff: 10ms } }
  - { id: two, agent: work, retry: { max: 5, backoff: 10ms } }
  - { id: three, agent: work, retry: { max: 5, backoff: 10ms } }
---
workflow: asks
stop_on_error: false
snapshots: per_step
steps:
  - { id: one, agent: left }
  - { id: two, agent: right }
  - { id: bad, agent: broken, needs: [one], retry: { max: 1 } }
gates: [{ id: review, at: before two, title: May it continue? }]
---
workflow: wide
steps:
  - { id: a, agent: slow, needs: [] }
  - { id: b, agent: slow, needs: [] }
  - { id: c, agent: slow, needs: [] }
  - { id: d, agent: slow, needs: [] }
  - { id: e, agent: slow, needs: [] }
---
workflow: advised
loops: { agent: { agent: adviser, at: per_layer } }
steps:
  - { id: one, agent: left }
  - { id: two, agent: right }
---
workflow: watched
loops: { human: always }
steps:
  - { id: one, agent: left }
  - { id: two, agent: right }
---
agent: work
kind: http
url: %s
---
agent: left
kind: scripted
answers: [{ output: { shared: left, left: 1 } }]
---
agent: right
kind: scripted
answers: [{ output: { shared: right, right: 2 } }]
---
agent: broken
kind: scripted
answers: [{ fail: the disk is full }]
---
agent: slow
kind: scripted
answers: [{ output: { ok: true }, delay: 300ms }]
---
agent: adviser
kind: scripted
answers: [{ output: { action: abort, reasoning: the numbers do not add up } }]
`

// workers are agents over HTTP that record who asked for what, and under which key.
type workers struct {
	url  string
	mu   sync.Mutex
	fail int                 // answers 503 so often
	at   string              // the step that is held
	hold chan struct{}       // until it is closed
	keys map[string][]string // by run and step
	file string              // to which the step "write" adds a line
}

func newWorkers(t *testing.T) *workers {
	w := &workers{keys: map[string][]string{}}
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		var in struct{ Run, Step, Key string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		w.mu.Lock()
		w.keys[in.Run+" "+in.Step] = append(w.keys[in.Run+" "+in.Step], in.Key)
		busy, at, hold := w.fail > 0, w.at, w.hold
		if in.Step == "write" {
			old, _ := os.ReadFile(w.file)
			_ = writeFile(w.file, string(old)+"a line\n")
		}
		w.fail--
		w.mu.Unlock()
		if hold != nil && at == in.Step {
			select {
			case <-hold:
			case <-r.Context().Done():
				return
			}
		}
		if busy {
			http.Error(out, "busy", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(out, `{"output":{"%s":"done"}}`, in.Step)
	}))
	t.Cleanup(server.Close)
	w.url = server.URL
	return w
}

func (w *workers) asked(run, step string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.keys[run+" "+step])
}

func (w *workers) failFor(tries int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fail = tries
}

func (w *workers) holdAt(step string, until chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at, w.hold = step, until
}

func (s *server) decide(approval answer, act, comment string) {
	s.t.Helper()
	s.call("POST", "/approvals/"+approval.text("id")+"/decisions",
		map[string]any{"act": act, "comment": comment, "version": approval.number("version")}, as(bob)).want(200)
}

func (s *server) steer(id string, command map[string]any) int64 {
	s.t.Helper()
	return s.call("POST", "/runs/"+id+"/commands", command, as(ann)).want(202).number("seq")
}

// AC-1.1: messages, tasks and decisions are appended, the context is merged, and every state is consistent with the
// one before it.
func stateWithReducers(t *testing.T, s *server, _ *workers) {
	id := s.run("asks", map[string]any{"shared": "input", "mine": 1})
	s.steer(id, map[string]any{"type": "message", "text": "first"})
	s.steer(id, map[string]any{"type": "message", "text": "second"})
	s.decide(s.pending(id), "approve", "fine")
	r := s.settles(id, "completed")
	if r.text("context.shared") != "right" || r.number("context.left") != 1 || r.number("context.mine") != 1 ||
		r.text("context.review.act") != "approve" || r.text("thread.0.text") != "first" ||
		r.text("thread.1.text") != "second" {
		t.Errorf("%s", r.body)
	}
	done, said := int64(0), 0
	for seq := int64(1); seq <= r.number("seq"); seq++ {
		then := s.call("GET", fmt.Sprintf("/runs/%s/state?at_seq=%d", id, seq), nil).want(200)
		if d, n := then.number("progress.done"), then.count("thread"); d < done || n < said {
			t.Errorf("at %d: %d of %d steps, %d of %d messages", seq, d, done, n, said)
		} else {
			done, said = d, n
		}
	}
}

// AC-1.2: a stream has all nine kinds of events while they happen.
func nineKindsOfEvents(t *testing.T, s *server, _ *workers) {
	id := s.run("asks", map[string]any{})
	a := s.pending(id)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	seen := map[string]int{}
	req, err := http.NewRequestWithContext(ctx, "GET", s.url+"/api/v1/events?after=0&state=true&run="+id, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	decided, buf, text := false, make([]byte, 64<<10), ""
	for !strings.Contains(text, "event: run.completed\n") {
		n, err := resp.Body.Read(buf)
		if text += string(buf[:n]); err != nil {
			t.Fatal(err, text)
		}
		if !decided && strings.Contains(text, "event: approval.needed\n") {
			decided = true
			s.decide(a, "approve", "")
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^event: (.*)$`).FindAllStringSubmatch(text, -1) {
		seen[m[1]]++
	}
	for _, want := range []string{"run.started", "layer.started", "step.started", "step.completed", "step.failed",
		"state.updated", "snapshot.saved", "approval.needed", "run.completed"} {
		if seen[want] == 0 {
			t.Errorf("no %s: %v", want, seen)
		}
	}
	// After each of the three steps, and once in the log, for the answer at the gate.
	if seen["state.updated"] != 4 {
		t.Errorf("%d states", seen["state.updated"])
	}
}

// AC-1.3: the six commands change a run that waits, and what is malformed is refused.
func sixCommands(t *testing.T, s *server, _ *workers) {
	id := s.run("asks", map[string]any{})
	a := s.pending(id)
	s.steer(id, map[string]any{"type": "inject_steps", "steps": []any{map[string]any{"id": "more", "agent": "left",
		"needs": []string{"two"}}, map[string]any{"id": "less", "agent": "left", "needs": []string{"two"}}}})
	s.steer(id, map[string]any{"type": "modify_args", "step": "more", "changes": map[string]any{"n": 7}})
	s.steer(id, map[string]any{"type": "skip_step", "step": "less"})
	s.steer(id, map[string]any{"type": "replan", "requirement": "fold a paper swan"})
	for _, bad := range []map[string]any{{"type": "explode"}, {"type": "skip_step"},
		{"type": "replan", "requirement": " "}} {
		if got := s.call("POST", "/runs/"+id+"/commands", bad, as(ann)); got.status < 400 || got.status > 499 {
			t.Errorf("%v: %d %s", bad, got.status, got.body)
		}
	}
	s.settles(id, "waiting")
	s.decide(a, "approve", "") // 001's checkpoint_response
	r := s.settles(id, "completed")
	for path, want := range map[string]string{"steps.3.id": "more", "steps.3.status": "done",
		"steps.4.status": "skipped"} {
		if r.text(path) != want {
			t.Errorf("%s is %q: %s", path, r.text(path), r.body)
		}
	}
	if !strings.Contains(string(r.body), "nothing_found") {
		t.Errorf("nothing was found, and no warning says so: %s", r.body)
	}
	other := s.run("asks", map[string]any{})
	s.pending(other)
	s.steer(other, map[string]any{"type": "abort", "reason": "enough"})
	s.settles(other, "cancelled")
}

// AC-1.4: the steps of a layer work at the same time.
func layersRunInParallel(t *testing.T, s *server, _ *workers) {
	r := s.settles(s.run("wide", map[string]any{}), "completed")
	var run struct {
		Steps []struct {
			Started time.Time `json:"started_at"`
			Ended   time.Time `json:"ended_at"`
		}
	}
	if err := json.Unmarshal(r.body, &run); err != nil {
		t.Fatal(err)
	}
	for _, a := range run.Steps {
		for _, b := range run.Steps {
			if a.Started.After(b.Ended) {
				t.Errorf("one began at %s, after another had ended at %s", a.Started, b.Ended)
			}
		}
	}
}

// AC-1.5: commands that arrive at once are all taken, one after the other, and stay in that order.
func commandsInOrder(t *testing.T, s *server, _ *workers) {
	id := s.run("asks", map[string]any{})
	s.pending(id)
	var mu sync.Mutex
	at := map[int64]string{}
	var senders sync.WaitGroup
	for n := range 20 {
		senders.Go(func() {
			text := fmt.Sprint("message ", n)
			say := map[string]any{"type": "message", "text": text}
			seq := s.call("POST", "/runs/"+id+"/commands", say, as(ann)).number("seq")
			mu.Lock()
			defer mu.Unlock()
			at[seq] = text
		})
	}
	senders.Wait()
	var log struct {
		Items []struct {
			Seq  int64
			Type string
			Data struct{ Text string }
		}
	}
	if err := json.Unmarshal(s.call("GET", "/runs/"+id+"/events?limit=1000", nil).want(200).body, &log); err != nil {
		t.Fatal(err)
	}
	for _, e := range log.Items {
		if e.Type == "message.added" && at[e.Seq] == e.Data.Text {
			delete(at, e.Seq)
		}
	}
	if len(at) != 0 {
		t.Errorf("answered, and not in the log there: %v", at)
	}
}

// AC-2.1: a snapshot has a number, a time and a reason, and its state can be read.
func snapshotsCanBeRead(t *testing.T, s *server, _ *workers) {
	id := s.run("asks", map[string]any{"n": 1})
	s.pending(id)
	seq := s.steer(id, map[string]any{"type": "snapshot"})
	list := s.call("GET", "/runs/"+id+"/snapshots", nil).want(200)
	last := fmt.Sprintf("items.%d.", list.count("items")-1)
	if list.number(last+"seq") != seq || list.text(last+"reason") != "command" || list.text(last+"at") == "" ||
		list.text(last+"by.name") != "ann" {
		t.Errorf("%s", list.body)
	}
	then := s.call("GET", fmt.Sprintf("/runs/%s/state?at_seq=%d", id, seq), nil).want(200)
	if then.number("context.n") != 1 || then.number("context.left") != 1 || then.text("status") != "waiting" {
		t.Errorf("%s", then.body)
	}
}

// AC-2.2: a snapshot is saved after each layer, and survives the process.
func snapshotsAfterEachLayer(t *testing.T, s *server, _ *workers) {
	id := s.run("layers", map[string]any{})
	s.settles(id, "completed")
	s.kill()
	s.start()
	list := s.call("GET", "/runs/"+id+"/snapshots", nil).want(200)
	if list.count("items") != 3 {
		t.Fatalf("%s", list.body)
	}
	for n := range 3 {
		at := fmt.Sprintf("items.%d.", n)
		if list.text(at+"reason") != "after_layer" || list.number(at+"layer") != int64(n) {
			t.Errorf("%s", list.body)
		}
	}
}

// AC-2.3: a run continues from a snapshot with all its state, and completed layers are skipped.
func continuedFromSnapshot(t *testing.T, s *server, w *workers) {
	id := s.run("layers", map[string]any{"n": 1})
	s.settles(id, "completed")
	list := s.call("GET", "/runs/"+id+"/snapshots", nil).want(200)
	fork := s.call("POST", "/runs/"+id+"/fork", map[string]any{"at_seq": list.number("items.1.seq")}, as(ann)).want(201)
	r := s.settles(fork.text("id"), "completed")
	if r.text("context.one") != "done" || r.text("context.three") != "done" || r.number("context.n") != 1 {
		t.Errorf("%s", r.body)
	}
	for step, want := range map[string]int{"one": 0, "two": 0, "three": 1} {
		if n := len(w.asked(r.text("id"), step)); n != want {
			t.Errorf("%s was asked for %d times", step, n)
		}
	}
}

// AC-2.4: a step that is repeated has the key of the first try, so that an idempotent agent does it once; the
// documentation says so.
func sameKeyAgain(t *testing.T, s *server, w *workers) {
	w.failFor(2)
	id := s.run("layers", map[string]any{})
	s.settles(id, "completed")
	keys := w.asked(id, "one")
	if len(keys) != 3 || keys[0] == "" || keys[0] != keys[1] || keys[1] != keys[2] ||
		slices.Contains(w.asked(id, "two"), keys[0]) {
		t.Errorf("%v", keys)
	}
	page, err := os.ReadFile("../docs/concepts.md")
	if err != nil || !strings.Contains(string(page), "Idempotency-Key") {
		t.Errorf("the requirement is not documented: %v", err)
	}
}

// AC-2.5: a process that is killed in any layer leaves a run that the next one completes, and no layer is done twice.
func killedAtEachLayer(t *testing.T, s *server, w *workers) {
	for _, step := range []string{"one", "two", "three"} {
		hold := make(chan struct{})
		w.holdAt(step, hold)
		id := s.run("layers", map[string]any{})
		for len(w.asked(id, step)) == 0 {
			pause()
		}
		s.kill()
		close(hold)
		s.start()
		r := s.settles(id, "completed", "failed")
		if r.text("status") != "completed" || r.text("context.one") != "done" || r.text("context.three") != "done" {
			t.Errorf("killed in %s: %s", step, r.body)
		}
		for _, each := range []string{"one", "two", "three"} {
			keys := w.asked(id, each)
			if slices.Sort(keys); len(slices.Compact(keys)) != 1 {
				t.Errorf("killed in %s: %s was asked for under %v", step, each, keys)
			}
		}
	}
}

// AC-3.1: an agent is asked after a layer, with what happened so far, and its advice ends the run.
func agentInTheLoop(t *testing.T, s *server, _ *workers) {
	id := s.run("advised", map[string]any{})
	s.settles(id, "cancelled")
	log := string(s.call("GET", "/runs/"+id+"/events?full=true&limit=1000", nil).want(200).body)
	for _, want := range []string{`"type":"consult.started"`, `"type":"consult.answered"`, "the numbers do not add up"} {
		if !strings.Contains(log, want) {
			t.Errorf("no %s in %s", want, log)
		}
	}
	if strings.Contains(log, `"step":"two"`) && strings.Contains(log, `"right":2`) {
		t.Errorf("the next layer ran: %s", log)
	}
}

// AC-3.2: people are asked after a layer, with a summary, and their decisions are in the run.
func peopleInTheLoop(t *testing.T, s *server, _ *workers) {
	id := s.run("watched", map[string]any{})
	a := s.pending(id)
	if a.text("reason") != "loop" || !strings.Contains(a.text("so_far"), "one") {
		t.Errorf("%s", a.body)
	}
	s.decide(a, "approve", "go on")
	s.settles(id, "completed", "waiting")
	a = s.call("GET", "/approvals/"+a.text("id"), nil).want(200)
	if a.text("decisions.0.by") != "bob" || a.text("decisions.0.act") != "approve" ||
		a.text("decisions.0.comment") != "go on" {
		t.Errorf("%s", a.body)
	}
	other := s.run("watched", map[string]any{})
	s.decide(s.pending(other), "reject", "stop here")
	if r := s.settles(other, "cancelled", "failed", "completed"); r.text("status") != "cancelled" {
		t.Errorf("%s", r.body)
	}
}

// AC-3.5: messages have a sender and a time, and survive the process and a fork.
func conversationsSurvive(t *testing.T, s *server, _ *workers) {
	id := s.run("asks", map[string]any{})
	s.pending(id)
	s.steer(id, map[string]any{"type": "message", "text": "the customer called"})
	seq := s.steer(id, map[string]any{"type": "message", "text": "it is urgent"})
	s.kill()
	s.start()
	fork := s.call("POST", "/runs/"+id+"/fork", map[string]any{"at_seq": seq}, as(ann)).want(201).text("id")
	for _, one := range []string{id, fork} {
		r := s.call("GET", "/runs/"+one, nil).want(200)
		if r.count("thread") != 2 || r.text("thread.1.text") != "it is urgent" || r.text("thread.0.from.name") != "ann" ||
			r.text("thread.0.at") == "" {
			t.Errorf("%s", r.body)
		}
	}
}

// TestACTable: docs/testing.md names an existing test for every criterion of specification 001.
func TestACTable(t *testing.T) {
	page, err := os.ReadFile("../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	source := ""
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source += string(text)
	}
	rows := regexp.MustCompile("(?m)^\\| AC-([0-9.]+) \\|.*\\| `(Test[A-Za-z0-9]+)(?:/([0-9.]+))?` \\|$").
		FindAllStringSubmatch(string(page), -1)
	found := map[string]bool{}
	for _, row := range rows {
		number, name, part := row[1], row[2], row[3]
		found[number] = strings.Contains(source, "func "+name+"(t *testing.T)") &&
			(part == "" || strings.Contains(source, `{"`+part+`", `))
	}
	for story, n := range map[int]int{1: 5, 2: 5, 3: 6} {
		for k := 1; k <= n; k++ {
			if number := fmt.Sprintf("%d.%d", story, k); !found[number] {
				t.Errorf("AC-%s has no test", number)
			}
		}
	}
}
