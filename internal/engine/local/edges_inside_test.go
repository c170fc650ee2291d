package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/port"
)

// told is a store whose answers a test sets; anything else fails.
type told struct {
	Store
	run    func(id string) (port.RunRow, error)
	bundle func() (json.RawMessage, error)
	moves  func(after int64) ([]port.Move, int64, error)
	head   func() (int64, error)
	epoch  func() (int64, error)
	tally  func(run.Elsewhere) (port.Tallied, error)
	due    func() ([]port.DueRun, error)
	busy   func(ctx context.Context, after string) ([]string, error)
	lead   func(context.Context) (int64, <-chan struct{}, error)
	resign func() error
	watch  func() <-chan struct{}
}

func (s *told) Run(_ context.Context, id string) (port.RunRow, error) { return s.run(id) }

func (s *told) Bundle(context.Context, string) (json.RawMessage, error) { return s.bundle() }

func (s *told) Moves(_ context.Context, after int64, _ int) ([]port.Move, int64, error) {
	return s.moves(after)
}

func (s *told) Head(context.Context) (int64, error) { return s.head() }

func (s *told) Epoch(context.Context) (int64, error) { return s.epoch() }

func (s *told) Tally(_ context.Context, q run.Elsewhere) (port.Tallied, error) { return s.tally(q) }

func (s *told) Due(context.Context, time.Time, int) ([]port.DueRun, error) { return s.due() }

func (s *told) Busy(ctx context.Context, after string, _ int) ([]string, error) {
	return s.busy(ctx, after)
}

func (s *told) Lead(ctx context.Context) (int64, <-chan struct{}, error) { return s.lead(ctx) }

func (s *told) Resign(context.Context) error { return s.resign() }

func (s *told) Watch(context.Context) <-chan struct{} { return s.watch() }

var errAway = fmt.Errorf("away: %w", port.ErrUnavailable)

// Credentials are redacted in every failure, at any depth, and never in results.
func TestFailuresHoldNoCredentials(t *testing.T) {
	const secret = "password=hunter2hunter2"
	failure := run.Failure{Message: secret, Stack: secret, Body: secret,
		Child: &run.ChildFailure{Run: "run_1", Error: &run.Failure{Message: secret, Stack: secret, Body: secret}}}
	for _, do := range []run.Operation{
		run.Fail{Failure: failure},
		run.Complete{Result: run.Result{Output: json.RawMessage(`1`), Logs: secret}},
		run.CompleteCall{Result: run.CallResult{Output: json.RawMessage(`1`), Error: secret, Logs: secret}},
		run.AnswerReplan{Reason: secret},
	} {
		clean := withoutCredentials(do)
		text, err := json.Marshal(clean)
		if err != nil || strings.Contains(string(text), "hunter2") || reflect.DeepEqual(clean, do) {
			t.Errorf("%T: %s, %v", do, text, err)
		}
	}
	if failure.Message != secret || failure.Child.Error.Message != secret {
		t.Error("what the agent sent was changed in place")
	}
	if got := withoutCredentials(run.Fail{Failure: failure}).(run.Fail).Failure.Child; got.Run != "run_1" {
		t.Errorf("%+v", got)
	}
	result := run.Complete{Result: run.Result{Output: json.RawMessage(`"` + secret + `"`)}}
	if got := withoutCredentials(result); !reflect.DeepEqual(got, result) {
		t.Errorf("a result is not changed: %+v", got)
	}
	var heard string
	e := New(Config{Reported: func(_ port.Work, p port.Progress) { heard = p.Text }})
	if e.telling(port.Work{})(port.Progress{Text: secret}); heard == "" || strings.Contains(heard, "hunter2") {
		t.Error(heard)
	}
}

// An alarm keeps the near future only, and rings once for each time set.
func TestAlarm(t *testing.T) {
	// In a synctest bubble, so that the real timer does not fire in between.
	synctest.Test(t, func(t *testing.T) {
		now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
		var rang []string
		a := &alarm{ring: func(id string) { rang = append(rang, id) }, now: func() time.Time { return now },
			near: 10 * time.Minute}
		in := func(d time.Duration) time.Time { return now.Add(d) }
		a.set("last", in(10*time.Minute))
		a.set("far", in(10*time.Minute+1))
		a.set("moved", in(time.Minute))
		a.set("moved", in(8*time.Minute))
		a.set("dropped", in(time.Minute))
		a.set("dropped", time.Time{})
		a.set("put off", in(time.Minute))
		a.set("put off", in(time.Hour))
		a.set("first", in(2*time.Minute))
		a.set("first", in(2*time.Minute))
		for i := range 1000 {
			a.set("busy", in(5*time.Minute+time.Duration(i)))
		}
		if len(a.at) != 4 || len(a.heap) > 65 {
			t.Errorf("%d runs, %d moments", len(a.at), len(a.heap))
		}
		for _, c := range []struct {
			after time.Duration
			want  string
		}{
			{time.Minute, ""}, {2*time.Minute - 1, ""}, {2 * time.Minute, "first"}, {7 * time.Minute, "first busy"},
			{time.Hour, "first busy moved last"},
		} {
			now = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC).Add(c.after)
			if a.ringAll(); strings.Join(rang, " ") != c.want {
				t.Fatalf("after %s it rang for %v", c.after, rang)
			}
		}
		a.set("again", in(time.Minute))
		if a.clear(); len(a.at)+len(a.heap) != 0 {
			t.Error("it is not cleared")
		}
		a.set("again", in(time.Minute))
		if a.stop(); len(a.at) != 0 {
			t.Error("it holds something after its end")
		}
		if a.set("late", in(time.Minute)); len(a.at) != 0 {
			t.Error("something was set after its end")
		}
	})
}

// A decision is made again if the definitions were outdated and could be reloaded.
func TestDecidedAnew(t *testing.T) {
	outdated := fault.New(fault.Outdated, "there is a newer policy", "")
	read := 0
	for _, c := range []struct {
		name     string
		err      error
		try      int
		outdated func(context.Context) error
		want     bool
	}{
		{"out of date", outdated, 0, func(context.Context) error { read++; return nil }, true},
		{"the last try but one", outdated, conflictsMax - 1, func(context.Context) error { return nil }, true},
		{"too often", outdated, conflictsMax, func(context.Context) error { return nil }, false},
		{"they cannot be read", outdated, 0, func(context.Context) error { return errAway }, false},
		{"there is nothing to read", outdated, 0, nil, false},
		{"another error", errAway, 0, func(context.Context) error { read++; return nil }, false},
		{"no error", nil, 0, func(context.Context) error { read++; return nil }, false},
	} {
		if got := New(Config{Outdated: c.outdated}).again(t.Context(), c.err, c.try); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
	if read != 1 {
		t.Errorf("the definitions were read %d times", read)
	}
	times := 0
	sum := fault.New(fault.Outdated, "a sum has changed", "").With("sum", "x")
	for range recountsMax {
		if !recounted(sum, &times) {
			t.Fatalf("after %d times", times)
		}
	}
	if recounted(sum, &times) || times != recountsMax {
		t.Error("it never ends")
	}
	if times = 0; recounted(outdated, &times) || recounted(nil, &times) || times != 0 {
		t.Error("that is not about a sum")
	}
}

// Pending results are limited in bytes, and counted once.
func TestHowMuchIsHeld(t *testing.T) {
	for _, c := range []struct {
		name  string
		size  int64
		tries int // created when it ended
		ok    bool
	}{{"little", 10, 3, true}, {"as much as may be", holdBytes, 3, true}, {"too much", holdBytes + 1, 1, false}} {
		e := New(Config{})
		tries := 0
		err := e.persist(finished{what: "x", size: func() int64 { return c.size }}, func() error {
			if tries++; tries > 1 && e.held.Load() != c.size {
				t.Errorf("%s: %d bytes are held at try %d", c.name, e.held.Load(), tries)
			}
			if tries < 3 {
				return errAway
			}
			return nil
		})
		if (err == nil) != c.ok || tries != c.tries || e.held.Load() != 0 {
			t.Errorf("%s: %v after %d tries, %d bytes are held", c.name, err, tries, e.held.Load())
		}
	}
	e := New(Config{})
	one := finished{what: "x", size: func() int64 { return 1 }}
	for _, final := range []error{errors.New("refused"), ErrDraining} {
		if err := e.persist(one, func() error { return final }); !errors.Is(err, final) {
			t.Errorf("%v, want %v", err, final)
		}
	}
	e.stop()
	if err := e.persist(one, func() error { return errAway }); !errors.Is(err, errAway) {
		t.Errorf("after the end: %v", err)
	}
	if sizeOf(run.Fail{}) < 10 {
		t.Error("a report has a size")
	}
}

func TestBytesOfDeliverables(t *testing.T) {
	for content, want := range map[string]string{
		`"text"`: "text", `{"$base64":"AAE="}`: "\x00\x01", `{"$base64":"no!"}`: `{"$base64":"no!"}`,
		`{"a":1}`: `{"a":1}`, `""`: "",
	} {
		if got, ok := bytesOf(json.RawMessage(content)); !ok || string(got) != want {
			t.Errorf("%s: %q, %t", content, got, ok)
		}
	}
	for _, content := range []json.RawMessage{nil, engine.NewBlobRef("blb_1", 3)} {
		if got, ok := bytesOf(content); ok {
			t.Errorf("%s: %q", content, got)
		}
	}
}

// The feed is read to its end, and runs that could not be refreshed on the way are retried.
func TestTheFeedIsFollowed(t *testing.T) {
	var looked []string
	away := true
	s := &told{
		moves: func(after int64) ([]port.Move, int64, error) {
			switch {
			case after < 5:
				return []port.Move{{Run: "run_b", Seq: 1}, {Run: "run_a", Seq: 2}, {Run: "run_b", Seq: 3}}, 5, nil
			case after < 7:
				return []port.Move{{Run: "run_c", Seq: 1}}, 7, nil
			}
			return nil, after, nil
		},
		run: func(id string) (port.RunRow, error) {
			looked = append(looked, id)
			if away && id == "run_b" {
				return port.RunRow{}, errAway
			}
			return port.RunRow{}, fault.New(fault.NotFound, "gone", "")
		},
	}
	e := New(Config{Store: s})
	f := &feed{missed: map[string]int64{}}
	if e.catchUp(t.Context(), f) || f.at != 7 || f.missed["run_b"] != 3 || len(f.missed) != 1 {
		t.Errorf("%+v", f)
	}
	if away = false; !e.catchUp(t.Context(), f) || len(f.missed) != 0 {
		t.Errorf("%+v", f)
	}
	if want := []string{"run_a", "run_b", "run_c", "run_b"}; !slices.Equal(looked, want) {
		t.Errorf("%v", looked)
	}
	s.moves = func(int64) ([]port.Move, int64, error) { return nil, 0, errAway }
	if e.catchUp(t.Context(), f) {
		t.Error("the feed could not be read")
	}
	// A stopping engine leaves those that could not be refreshed.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	away = true
	moved := map[string]int64{"run_b": 1, "run_c": 1}
	if e.refreshAll(ctx, moved); len(moved) != 2 {
		t.Errorf("%v", moved)
	}
}

func TestWhereTheFeedBegins(t *testing.T) {
	e := New(Config{Store: &told{head: func() (int64, error) { return 7, nil }}})
	if head, ok := e.feedHead(t.Context()); head != 7 || !ok {
		t.Error(head, ok)
	}
	ctx, cancel := context.WithCancel(t.Context())
	e = New(Config{Store: &told{head: func() (int64, error) { cancel(); return 7, errAway }}})
	if head, ok := e.feedHead(ctx); head != 0 || ok {
		t.Error(head, ok)
	}
}

// Nothing starts before the store has confirmed the leader.
func TestConfirmed(t *testing.T) {
	asked := 0
	for _, c := range []struct {
		name   string
		led    int64 // the epoch in which this process leads
		epoch  int64 // the one it asks about
		answer func() (int64, error)
		want   bool
		leads  bool // afterwards
	}{
		{"it leads", 3, 3, func() (int64, error) { return 3, nil }, true, true},
		{"another leads", 3, 3, func() (int64, error) { return 4, nil }, false, false},
		{"it led before", 3, 2, func() (int64, error) { return 3, nil }, false, true},
		{"it does not lead", 0, 0, func() (int64, error) { return 0, nil }, false, false},
		{"the store is away for a while", 3, 3, func() (int64, error) {
			if asked++; asked == 1 {
				return 0, errAway
			}
			return 3, nil
		}, true, true},
	} {
		e := New(Config{Store: &told{epoch: c.answer}})
		e.leading.epoch.Store(c.led)
		if got := e.confirmed(t.Context(), c.epoch); got != c.want || e.Leads() != c.leads {
			t.Errorf("%s: %t, and leads afterwards: %t", c.name, got, e.Leads())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	e := New(Config{Store: &told{epoch: func() (int64, error) { cancel(); return 3, nil }}})
	e.leading.epoch.Store(3)
	if e.confirmed(ctx, 3) {
		t.Error("it is not wanted any more")
	}
}

// What follows from a write that the store accepted under the leader's epoch starts without another question, unless it
// waits in line.
func TestConfirmedByAWrite(t *testing.T) {
	for _, c := range []struct {
		name      string
		confirmed int64 // the epoch of the write
		waits     bool  // in line
		asked     int
	}{
		{"a write", 3, false, 0},
		{"no write", unconfirmed, false, 1},
		{"a write of any process", anyProcess, false, 1},
		{"a write under an earlier epoch", 2, false, 1},
		{"a write before it waited", 3, true, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			asked, log := 0, &notes{}
			e := New(Config{Workers: map[string]int{"": 1}, Log: log.logger(), Store: &told{
				epoch: func() (int64, error) { asked++; return 3, nil },
				run:   func(string) (port.RunRow, error) { return port.RunRow{}, fault.New(fault.NotFound, "gone", "") },
			}})
			e.leading.epoch.Store(3)
			free := make(chan struct{})
			if c.waits {
				e.pools.run("unsupported", func(bool) { <-free })
			}
			r := e.runs.acquire("run_1")
			e.begin(r, run.Effect{Key: stepKey}, c.confirmed)
			close(free)
			synctest.Wait()
			// What has started has a result, which the store does not take.
			if started := log.count("record a result") > 0; asked != c.asked || !started {
				t.Errorf("%s: asked %d times, started: %t", c.name, asked, started)
			}
		})
	}
}

func TestDefinitionsThatDoNotCompile(t *testing.T) {
	for bundle, want := range map[string]string{
		`{"definition":{"workflow":"w","steps":[{"id":"a","agent":"nobody"}]}}`: "a stored definition no longer compiles",
		`{`: "read the definition sha256:x",
	} {
		ps := plans{store: &told{bundle: func() (json.RawMessage, error) { return json.RawMessage(bundle), nil }}}
		if p, err := ps.get(t.Context(), "sha256:x"); p != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", bundle, p, err)
		}
	}
	ps := plans{store: &told{bundle: func() (json.RawMessage, error) { return nil, errAway }}}
	if _, err := ps.get(t.Context(), "sha256:x"); !errors.Is(err, errAway) {
		t.Error(err)
	}
	if p, err := ps.keep(t.Context(), &plan.Definition{Workflow: plan.Workflow{Name: "w"}}); p != nil ||
		!fault.Is(err, fault.Invalid) {
		t.Error(p, err)
	}
}

// A run decides again with the sums it asked for, but not forever.
func TestSumsAreReadWhenTheyAreAsked(t *testing.T) {
	read := map[string]int{}
	s := &told{tally: func(q run.Elsewhere) (port.Tallied, error) {
		if read[q.Sum]++; q.Sum == "away" {
			return port.Tallied{}, errAway
		}
		return port.Tallied{Version: 7}, nil
	}}
	e := New(Config{Store: s})
	decide := func(ask func(round int, look func(string) bool) error) (rounds int, t *tally, err error) {
		t, _, err = e.decide(context.Background(), decide.Env{}, func(env decide.Env) ([]run.Event, error) {
			rounds++
			return nil, ask(rounds, func(sum string) bool {
				_, known := env.Elsewhere(run.Elsewhere{Sum: sum})
				return known
			})
		})
		return rounds, t, err
	}
	rounds, known, err := decide(func(_ int, look func(string) bool) error {
		look("a")
		look("a")
		if look("b") {
			look("c")
		}
		return nil
	})
	if err != nil || rounds != 3 || read["a"] != 1 || read["b"] != 1 || read["c"] != 1 || len(known.reads()) != 3 ||
		known.reads()[0].Version != 7 {
		t.Errorf("%d rounds, %v, %v", rounds, read, err)
	}
	if rounds, _, err := decide(func(int, func(string) bool) error { return nil }); err != nil || rounds != 1 {
		t.Errorf("nothing was asked: %d rounds, %v", rounds, err)
	}
	if rounds, _, err := decide(func(round int,
		look func(string) bool) error {
		look(fmt.Sprint(round))
		return nil
	}); err != nil || rounds != tallyRounds+1 {
		t.Errorf("more was asked each time: %d rounds, %v", rounds, err)
	}
	if rounds, _, err := decide(func(_ int,
		look func(string) bool) error {
		look("d")
		return errors.New("no")
	}); err == nil || rounds != 1 || read["d"] != 0 {
		t.Errorf("it was refused: %d rounds, %v", rounds, err)
	}
	if _, _, err := decide(func(_ int, look func(string) bool) error { look("away"); return nil }); !errors.Is(err,
		errAway) {
		t.Errorf("the store is away: %v", err)
	}
}

// A model is only used with the approved document, and with its own tools.
func TestThinkingWithWhatWasApproved(t *testing.T) {
	now := []gate.Implementation{{Kind: "agent", Name: "x", Version: 2}}
	llm := port.LLMAgent{Model: sneaky{}, Implementation: now}
	e := New(Config{LLMAgent: func(string) (port.LLMAgent, error) { return llm, nil }, Tools: shelf{}})
	for _, c := range []struct {
		name     string
		approved []gate.Implementation
		changed  bool
	}{{"nothing was approved", nil, false}, {"this one", now, false},
		{"another", []gate.Implementation{{Kind: "agent", Name: "x", Version: 1}}, true}} {
		turn, changed, err := e.think(t.Context(), port.TurnRequest{Agent: "x"}, "", c.approved)
		if err != nil || (changed != nil) != c.changed || (len(turn.Calls) == 0) != c.changed {
			t.Errorf("%s: %+v, %v, %v", c.name, turn, changed, err)
		}
		for _, call := range turn.Calls {
			if !call.Spec.Unknown {
				t.Errorf("%s: it was given no tools: %+v", c.name, call)
			}
		}
	}
	if _, _, err := New(Config{}).think(t.Context(), port.TurnRequest{}, "", nil); err == nil {
		t.Error("there are no models")
	}
}

// A run stays in memory while it is held, and its sequence number is remembered afterwards.
func TestRunsInUse(t *testing.T) {
	var all table
	first := all.acquire("run_1")
	if again := all.acquire("run_1"); again != first {
		t.Error("two of one run")
	}
	p := &all[all.part("run_1")]
	if all.release(first); p.runs["run_1"] == nil {
		t.Error("it is forgotten while somebody holds it")
	}
	if all.release(first); p.runs["run_1"] != nil {
		t.Error("it is held by nobody, and not forgotten")
	}
	busy := all.acquire("run_1")
	busy.underway[run.Key{}] = func() {}
	if all.release(busy); !all.atWork("run_1") || all.atWork("run_2") {
		t.Error("something is under way")
	}
	if all.knows("run_1", 1) || !all.knows("run_2", 0) {
		t.Error("nothing was seen of it")
	}
}
