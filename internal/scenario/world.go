package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// World is everything around one run: a host, a clock, a policy, people.
type World struct {
	now     time.Time
	judge   decide.Judge
	stopped bool // the emergency stop is on
	// versions are the versions in force, by kind and name.
	versions map[string]int
	plan     *plan.Plan
	s        *machine.State
	log      []json.RawMessage // as a store keeps it
	said     []string

	last     *run.Command
	recent   []run.Event            // the result of the last block of the script
	Watch    func(run.Event) error  // called with every event
	Owes     func(run.Effect) error // called with every effect when it first becomes outstanding
	Host     Host                   // plays the same script; nil: only the state machine does
	lastDay  string
	commands int
	limited  bool         // the run stopped at a limit
	done     []countedRun // acts that runs have begun, as a store keeps them
	roles    map[string][]string
	keys     map[string][]run.Key // every key that was ever outstanding, by its purpose
}

// t0 is a Monday morning.
var t0 = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// NewWorld has no runs yet.
func NewWorld() *World {
	return &World{
		now: t0, roles: map[string][]string{}, keys: map[string][]run.Key{},
		Watch: func(run.Event) error { return nil }, Owes: func(run.Effect) error { return nil },
	}
}

func (w *World) say(format string, args ...any) {
	w.said = append(w.said, fmt.Sprintf(format, args...))
}

// do sends a command to the run, describes the result, and checks the invariants: see obey.
func (w *World) do(c run.Command) error {
	w.last = &c
	before, err := w.s.Snapshot()
	if err != nil {
		return err
	}
	env := w.env()
	events, refused := decide.Handle(w.s, env, c)
	untouched, err := w.s.Snapshot()
	if err != nil {
		return err
	}
	if !bytes.Equal(before, untouched) {
		return errors.New("law broken: Handle changed the state")
	}
	if err := w.twin(before, env, c, events, refused); err != nil {
		return err
	}
	if refused != nil {
		if len(events) > 0 {
			return errors.New("law broken: refused, and yet something happened")
		}
		w.refuse(refused)
		return w.played(func(h Host) error { return h.Do(w, c, refused) })
	}
	if err := w.append(events); err != nil {
		return err
	}
	if err := w.obey(before, events); err != nil {
		return err
	}
	return w.played(func(h Host) error { return h.Do(w, c, nil) })
}

func (w *World) refuse(err error) { w.say("refused: %v (%s)", err, fault.CodeOf(err)) }

// twin has a second host, restored from a snapshot, handle the same command: the result must be the same.
func (w *World) twin(before json.RawMessage, env decide.Env, c run.Command, events []run.Event, refused error) error {
	if w.s.Seq == 0 {
		return nil
	}
	other, err := machine.Restore(before, w.plan)
	if err != nil {
		return err
	}
	same, err := decide.Handle(other, env, c)
	if fmt.Sprint(err) != fmt.Sprint(refused) {
		return fmt.Errorf("law broken: a restored host answers %v, the live one %v", err, refused)
	}
	a, _ := value.Marshal(events)
	b, _ := value.Marshal(same)
	if !bytes.Equal(a, b) {
		return fmt.Errorf("law broken: a restored host decides otherwise:\n%s\n%s", a, b)
	}
	return nil
}

// countedRun is an act that counts in sums, and its run.
type countedRun struct {
	run, family string
	run.Counted
}

func (w *World) env() decide.Env {
	env := decide.Env{Now: w.now, Judge: w.judge, InForce: w.inForce, Elsewhere: w.elsewhere, Stopped: w.stopped,
		Workflow: w.Workflow}
	if set, ok := w.judge.(*policy.Set); ok && w.stopped {
		env.Judge = set.Stopped()
	}
	return env
}

// elsewhere adds up the acts of other runs.
func (w *World) elsewhere(q run.Elsewhere) (out []run.Tally, known bool) {
	for _, c := range w.done {
		if c.run == q.Run || q.Family != "" && c.family != q.Family || c.At.Before(q.Since) {
			continue
		}
		for n := range c.Counts {
			if c.Counts[n].Sum == q.Sum {
				out = append(out, run.Tally{Operation: c.Operation, Total: policy.Total{}.Add(&c.Counts[n])})
			}
		}
	}
	return out, true
}

// keepCounted stores the run's contributions to sums.
func (w *World) keepCounted(events []run.Event) {
	begun, back := machine.CountedIn(w.s, events)
	w.done = slices.DeleteFunc(w.done, func(c countedRun) bool {
		again := slices.ContainsFunc(begun, func(b run.Counted) bool { return b.Act == c.Act })
		return again || slices.Contains(back, c.Act)
	})
	for _, c := range begun {
		w.done = append(w.done, countedRun{w.s.ID, w.s.Family(), c})
	}
}

// append writes events to the log and applies them to the state.
func (w *World) append(events []run.Event) error {
	for _, e := range events {
		if e.Seq != int64(len(w.log))+1 {
			return fmt.Errorf("law broken: event %d follows event %d", e.Seq, len(w.log))
		}
		raw, err := value.Marshal(e)
		if err != nil {
			return err
		}
		w.log, w.recent = append(w.log, raw), append(w.recent, e)
		w.s.Apply(e)
		if err := w.Watch(e); err != nil {
			return err
		}
		if line := w.tell(e); line != "" {
			w.say("%s", line)
		}
	}
	w.keepCounted(events)
	return w.remember()
}

// obey checks that the fold of the stored log, and the previous snapshot plus later events, equal the live
// state byte for byte and have the same effects, and that nothing waits without a cause.
func (w *World) obey(before json.RawMessage, tail []run.Event) error {
	live, err := w.s.Snapshot()
	if err == nil {
		err = w.s.Consistent()
	}
	if err != nil {
		return err
	}
	folded, err := w.fold()
	if err != nil {
		return err
	}
	if err := same("the fold of the log", folded, live, w.s); err != nil {
		return err
	}
	if folded.Seq > int64(len(tail)) {
		restored, err := machine.Restore(before, w.plan)
		if err != nil {
			return err
		}
		for _, e := range tail {
			restored.Apply(e)
		}
		if err := same("snapshot and tail", restored, live, w.s); err != nil {
			return err
		}
	}
	return w.sane()
}

func same(what string, s *machine.State, live json.RawMessage, of *machine.State) error {
	snapshot, err := s.Snapshot()
	if err != nil {
		return err
	}
	if !bytes.Equal(snapshot, live) {
		return fmt.Errorf("law broken: %s is not the live state:\n%s\n%s", what, snapshot, live)
	}
	if a, b := fmt.Sprintf("%+v", s.Effects()), fmt.Sprintf("%+v", of.Effects()); a != b {
		return fmt.Errorf("law broken: %s owes otherwise:\n%s\n%s", what, a, b)
	}
	return nil
}

func (w *World) events() ([]run.Event, error) {
	events := make([]run.Event, len(w.log))
	for n, raw := range w.log {
		if err := json.Unmarshal(raw, &events[n]); err != nil {
			return nil, err
		}
	}
	return events, nil
}

func (w *World) fold() (*machine.State, error) {
	events, err := w.events()
	if err != nil {
		return nil, err
	}
	return machine.Fold(w.s.ID, w.plan, events), nil
}

// sane checks that the run neither hangs nor leaves questions open.
func (w *World) sane() error {
	pending, working, child := len(w.s.Pending()), 0, false
	for _, e := range w.s.Effects() {
		if _, ok := e.Do.(run.Wake); !ok {
			working++
		}
	}
	backoff := !w.s.Point.RetryAt.IsZero()
	for _, st := range w.s.Steps {
		for _, t := range st.Tasks {
			child = child || t.ChildWaiting
			backoff = backoff || t.Status == machine.TaskBackoff || t.Loop != nil && !t.Loop.RetryAt.IsZero()
			if t.Loop != nil {
				for _, c := range t.Loop.Calls {
					backoff = backoff || c.Status == loop.Backoff
				}
			}
		}
	}
	switch {
	case w.s.Status.Ended() && pending > 0:
		return fmt.Errorf("law broken: the run is %s and %d questions are open", w.s.Status, pending)
	case w.s.Status == run.Waiting && pending == 0 && !child:
		return errors.New("law broken: the run waits, but no request is open")
	case w.s.Status == run.Running && working == 0 && !backoff:
		return errors.New("law broken: the run is running, but no work is outstanding")
	}
	for _, a := range w.s.Pending() {
		if a.Outcome != nil || a.Status != gate.Pending {
			return fmt.Errorf("law broken: %s is pending and settled", a.ID)
		}
	}
	return nil
}

// remember records every outstanding key, so that late answers can be sent.
func (w *World) remember() error {
	for _, e := range w.s.Effects() {
		name := effectName(e)
		known := w.keys[name]
		if len(known) > 0 && known[len(known)-1] == e.Key {
			continue
		}
		w.keys[name] = append(known, e.Key)
		if err := w.Owes(e); err != nil {
			return err
		}
	}
	return nil
}

// wait advances the clock from deadline to deadline, so that everything happens at its own time.
func (w *World) wait(d time.Duration) error {
	until := w.now.Add(d)
	w.lastDay = ""
	for range 10_000 {
		at, ok := w.s.NextDeadline()
		if !ok || at.After(until) {
			w.now = until
			return w.idle()
		}
		if at.After(w.now) {
			w.now = at
		}
		seq, lines := w.s.Seq, len(w.said)
		if err := w.do(run.Command{Do: run.Tick{}}); err != nil {
			return err
		}
		if w.s.Seq == seq {
			return fmt.Errorf("law broken: a tick was wanted at %s and did nothing", clock(at))
		}
		for n := lines; n < len(w.said); n++ {
			w.said[n] = clock(w.now) + "  " + w.said[n]
		}
	}
	return errors.New("law broken: the clock does not move on")
}

// idle ticks when nothing is due, which must change nothing.
func (w *World) idle() error {
	seq, last := w.s.Seq, w.last
	if err := w.do(run.Command{Do: run.Tick{}}); err != nil {
		return err
	}
	if w.last = last; w.s.Seq != seq {
		return errors.New("law broken: a tick that was not scheduled did something")
	}
	return nil
}

func clock(t time.Time) string {
	t = t.UTC()
	if t.Second() != 0 || t.Nanosecond() != 0 {
		return t.Format("Mon 15:04:05.0")
	}
	return t.Format("Mon 15:04")
}

// crash discards the state and folds the stored log.
func (w *World) crash() error {
	live, err := w.s.Snapshot()
	if err != nil {
		return err
	}
	folded, err := w.fold()
	if err != nil {
		return err
	}
	if err := same("what a restarted host sees", folded, live, w.s); err != nil {
		return err
	}
	w.s = folded
	if err := w.played(func(h Host) error { return h.Crash(w) }); err != nil {
		return err
	}
	w.say("the host restarts: %d events, nothing is lost, the same work is outstanding", len(w.log))
	return nil
}
