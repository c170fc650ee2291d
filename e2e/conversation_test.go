package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/sim/audit"
)

// moments are when the server is killed in a turn: while the model is called, in the middle of its answer,
// right after it, when the answer is recorded, when a tool has done its work but not answered yet, when
// approval is requested, and after the decision.
var moments = []string{"asked", "half", "answered", "recorded", "called", "waiting", "decided"}

// Conversations of fifty turns and more, with all their faults, end as their files expect although the server
// is killed in every single turn. No turn is paid for again once its answer is recorded, and nothing is done
// twice.
//
// Each conversation runs once per provider, starting at a different moment, and one is killed at random
// times. CONVERSATIONS=7 runs each seven times, so that every turn covers every moment.
func TestConversations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/conversation/*.txt")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d conversations, %v", len(files), err)
	}
	rounds := 1
	if n, err := strconv.Atoi(os.Getenv("CONVERSATIONS")); err == nil {
		rounds = max(1, n)
	}
	for i, file := range files {
		for k, provider := range []string{"openai", "anthropic"} {
			for round := range rounds {
				shift := 3*i + 4*k + round
				name := fmt.Sprintf("%s/%s/%s first", strings.TrimSuffix(filepath.Base(file), ".txt"), provider,
					moments[shift%len(moments)])
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					c, err := readConversation(filepath.Base(file))
					if err != nil {
						t.Fatal(err)
					}
					play(t, c, provider, shift)
				})
			}
			if i == 0 || rounds > 1 {
				t.Run(fmt.Sprintf("%s/%s/any time", strings.TrimSuffix(filepath.Base(file), ".txt"), provider), func(t *testing.T) {
					t.Parallel()
					c, err := readConversation(filepath.Base(file))
					if err != nil {
						t.Fatal(err)
					}
					play(t, c, provider, anyTime)
				})
			}
		}
	}
}

// anyTime means kills at random times.
const anyTime = -1

// drama is one conversation on a server that is killed.
type drama struct {
	crowd
	script *conversation
	model  *model
	tools  *toolServer
	shift  int
	run    string

	killNow chan struct{}
	killed  sync.Map    // turn → true
	kills   []time.Time // when the process was dead
	ended   chan struct{}
	seen    atomic.Int64 // turns whose answer was streamed
}

func play(t *testing.T, script *conversation, provider string, shift int) {
	d := &drama{script: script, model: newModel(t, script), tools: newToolServer(t, script), shift: shift,
		killNow: make(chan struct{}, 100), ended: make(chan struct{})}
	d.T, d.decided = t, map[string]bool{}
	d.model.when, d.tools.when = d.when, d.when
	documents := &desk{model: d.model, tools: d.tools}
	began := time.Now()
	d.s = serve(t, documents.load(t, provider, setup{autonomy: "approve_high_risk"})...)
	d.run = d.s.run("desk", map[string]string{"day": "2026-03-02"}, as(ann))

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all sync.WaitGroup
	all.Go(func() { d.watch(ctx) })
	all.Go(func() { d.decide(ctx) })
	d.killing(15 * time.Minute)
	cancel()
	all.Wait()
	d.judge(provider, time.Since(began))
}

// when is called for everything that happens in a turn. If this is the moment at which the turn's kill is
// due, the next message is lost.
func (d *drama) when(moment string, turn int) bool {
	if moment == "first" {
		d.speak(turn)
		return false
	}
	if d.shift == anyTime {
		return false
	}
	if _, had := d.killed.Load(turn - 1); moment == "asked" && turn > 1 && !had {
		turn-- // whose moment did not come: it is late, but still between the two
	} else if moment != d.due(turn) {
		return false
	}
	if _, had := d.killed.LoadOrStore(turn, true); had {
		return false
	}
	d.killNow <- struct{}{}
	return moment != "answered" && moment != "recorded" && moment != "decided"
}

// due is the moment at which the server is killed in a turn; if the turn has no such moment, when its answer
// is recorded.
func (d *drama) due(turn int) string {
	moment, t := moments[(turn+d.shift)%len(moments)], &d.script.turns[turn-1]
	asks, calls := false, false
	for _, c := range t.calls {
		asks = asks || c.act != ""
		calls = calls || d.tools.known[c.tool] && c.act != "reject" && json.Valid([]byte(c.args))
	}
	if (moment == "waiting" || moment == "decided") && !asks || moment == "called" && !calls {
		return "recorded"
	}
	return moment
}

// killing kills and restarts the server on request, until the run has ended.
func (d *drama) killing(atMost time.Duration) {
	late := time.After(atMost)
	most := 250 * time.Millisecond
	for {
		var now <-chan time.Time
		if d.shift == anyTime {
			now = time.After(10*time.Millisecond + rand.N(most))
		}
		select {
		case <-now:
			d.killNow <- struct{}{}
		case <-d.killNow:
			d.swap.Lock()
			d.s.kill()
			killed := time.Now()
			d.kills = append(d.kills, killed)
			d.s.start()
			most = max(250*time.Millisecond, time.Since(killed)) // on a busy machine, nothing would be done in less
			d.swap.Unlock()
		case <-d.ended:
			return
		case <-late:
			a := d.s.call("GET", "/runs/"+d.run, nil)
			d.Fatalf("after %s the run is %s, and %d turns are recorded: %.3000s", atMost,
				a.text("status"), d.seen.Load(), a.body)
		}
	}
}

// watch follows the stream across crashes: it has no gaps and no duplicates.
func (d *drama) watch(ctx context.Context) {
	last, head := "0", int64(0)
	for ctx.Err() == nil {
		d.swap.RLock()
		now := *d.s
		d.swap.RUnlock()
		_ = now.listen(ctx, "", last, func(id string, e event) {
			if e.Feed != head+1 {
				d.Errorf("event %d comes after %d", e.Feed, head)
			}
			last, head = id, e.Feed
			if e.Type == "turn.completed" {
				d.when("recorded", int(d.seen.Add(1)))
			}
		})
		pause()
	}
}

// ask repeats a request under one key until the server has answered.
func (d *drama) ask(ctx context.Context, method, path string, body any, options ...option) (answer, bool) {
	return d.send(method, path, body, ctx.Done(), options...)
}

// decide makes all decisions, and detects the end of the run.
func (d *drama) decide(ctx context.Context) {
	resumed := 0
	for ; ctx.Err() == nil; pause() {
		list, ok := d.ask(ctx, "GET", "/approvals?status=pending&sort=age&run="+d.run, nil, as(bob))
		if !ok {
			return
		}
		for i := range list.count("items") {
			d.settle(ctx, list, fmt.Sprintf("items.%d.", i))
		}
		r, ok := d.ask(ctx, "GET", "/runs/"+d.run, nil)
		if !ok {
			return
		}
		switch status := r.text("status"); {
		case status == "failed" && resumed < d.resumes():
			resumed++
			d.ask(ctx, "POST", "/runs/"+d.run+"/resume", nil, key(fmt.Sprintf("resume-%d", resumed)))
		case status == "completed" || status == "failed" || status == "limit_reached" || status == "cancelled":
			close(d.ended)
			return
		}
	}
}

func (d *drama) resumes() (n int) {
	for _, t := range d.script.turns {
		if t.resume {
			n++
		}
	}
	return n
}

func (d *drama) settle(ctx context.Context, list answer, at string) {
	call := d.script.find(list.text(at + "call"))
	if call == nil || call.act == "" {
		d.Errorf("nobody expected to be asked about %s: %s", list.text(at+"call"), list.text(at+"title"))
		d.ask(ctx, "POST", "/approvals/"+list.text(at+"id")+"/decisions",
			map[string]any{"act": "reject", "comment": "unexpected", "version": list.number(at + "version")}, as(bob))
		return
	}
	turn, _ := strconv.Atoi(call.id[1:strings.IndexByte(call.id, 'c')])
	if d.when("waiting", turn) {
		return // and check again
	}
	body := map[string]any{"act": call.act, "version": list.number(at + "version"), "comment": call.comment}
	switch call.act {
	case "modify":
		body["changes"] = json.RawMessage(call.changes)
	case "answer":
		body["act"], body["data"], body["comment"] = "submit", map[string]string{"answer": call.comment}, ""
	}
	a, ok := d.ask(ctx, "POST", "/approvals/"+list.text(at+"id")+"/decisions", body, as(bob), key("decision-"+call.id))
	if !ok {
		return
	}
	if a.status != 200 {
		d.Errorf("%s %s: %s", call.act, call.id, a.body)
	}
	d.mu.Lock()
	d.decided[list.text(at+"id")+" bob "+fmt.Sprint(body["act"])] = true
	d.mu.Unlock()
	d.when("decided", turn)
}

// speak sends the agent a message while its model works on a turn.
func (d *drama) speak(turn int) {
	if turn > len(d.script.turns) || d.script.turns[turn-1].message == "" {
		return
	}
	a, ok := d.send("POST", "/runs/"+d.run+"/commands",
		map[string]string{"type": "message", "text": d.script.turns[turn-1].message, "id": fmt.Sprint("m", turn)},
		d.ended, as(ann))
	if ok && a.status != 202 {
		d.Errorf("%s", a.body)
	}
}

// judge compares what happened with what is allowed.
func (d *drama) judge(provider string, took time.Duration) {
	r := d.s.call("GET", "/runs/"+d.run+"?full=true", nil).want(200)
	log := readLog(d.T, d.log(d.run))
	if got, why := r.text("status"), r.text("error.code")+log.limit; got != d.script.status ||
		d.script.why != "" && !strings.Contains(why, d.script.why) {
		d.Errorf("the run is %s %s, not %s %s: %.2000s", got, why, d.script.status, d.script.why, r.body)
	}
	d.model.check(d.T)
	d.turnsPaidOnce(log)
	d.toolsUsedOnce(log)
	d.read(audit.Run{ID: d.run, Lines: log.lines}, map[string]time.Time{}, map[string]int64{})
	for decision := range d.decided {
		d.Errorf("%s was acknowledged, and the log does not know of it", decision)
	}
	people := []audit.Person{{Name: "ann", Kind: "person"}, {Name: "bob", Kind: "person", Roles: []string{"approver"}},
		{Name: "local", Kind: "person"}, {Name: "admin", Kind: "person", Roles: []string{"admin"}}}
	evidence := audit.Case{Definitions: d.definitions(), People: people, Runs: []audit.Run{{ID: d.run, Lines: log.lines}},
		Starts: append(log.turnStarts(d.T, d.model), log.callStarts(d.T, d.tools)...), Quiet: true}
	if v := audit.Check(evidence); v != nil {
		d.Errorf("%s", v)
	}
	turns := len(log.completed)
	if want := len(d.script.turns); turns < 50 || d.script.status == "completed" && turns != want ||
		len(d.kills) < turns-1 && d.shift != anyTime || len(d.kills) < 5 {
		d.Errorf("%d of %d turns, %d kills", turns, want, len(d.kills))
	}
	d.Logf("%s: %d turns, %d requests, %d calls of tools, %d kills, %.1f s", provider, turns, len(d.model.asked),
		len(d.tools.calls), len(d.kills), took.Seconds())
}

// turnsPaidOnce: after a turn's answer was recorded, it was not requested again, and it was answered twice only if the
// process that made the first request was dead before the second.
func (d *drama) turnsPaidOnce(log *history) {
	for _, q := range d.model.questions() {
		if at, ok := log.completed[q.turn]; ok && q.at.After(at) {
			d.Errorf("turn %d was asked for %s after its answer was recorded", q.turn, q.at.Sub(at))
		}
	}
	for turn := range log.completed {
		paid := d.model.paid[turn]
		if len(paid) == 0 {
			d.Errorf("turn %d is recorded, and was never answered", turn)
		}
		for i := 1; i < len(paid); i++ {
			if !slices.ContainsFunc(d.kills, func(k time.Time) bool {
				return k.After(paid[i-1]) && k.Before(paid[i])
			}) {
				d.Errorf("turn %d was answered twice, at %v, and nobody was killed in between", turn, paid)
			}
		}
	}
}

// toolsUsedOnce: every approved call happened once, no rejected one did, and none after its result was
// recorded.
func (d *drama) toolsUsedOnce(log *history) {
	d.tools.mu.Lock()
	defer d.tools.mu.Unlock()
	for _, c := range d.tools.calls {
		if at, ok := log.settled[c.call]; ok && c.at.After(at) {
			d.Errorf("%s was called %s after its result was recorded", c.call, c.at.Sub(at))
		}
	}
	for i := range d.script.turns {
		for _, c := range d.script.turns[i].calls {
			keys := map[string]bool{}
			for _, made := range d.tools.calls {
				if made.call == c.id {
					keys[made.key] = true
				}
			}
			done := d.tools.done[c.id]
			runs := d.tools.known[c.tool] && c.act != "reject" && log.settled[c.id] != (time.Time{}) && !log.failed[c.id]
			switch {
			case len(keys) > 1:
				d.Errorf("%s has the keys %v", c.id, keys)
			case len(done) > 1 || runs && len(done) != 1 || c.act == "reject" && len(keys) > 0:
				d.Errorf("%s (%s) happened %d times: %v", c.id, c.tool, len(done), done)
			case runs && c.act == "modify" && !strings.Contains(done[0], strings.Trim(c.changes, "{}")):
				d.Errorf("%s happened as %s", c.id, done[0])
			}
		}
	}
}
