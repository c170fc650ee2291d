package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/sim/audit"
)

// Errors of a store that did not commit.
var (
	errBehind  = errors.New("the log has gone on")
	errEpoch   = errors.New("another host leads")
	errRefused = errors.New("the store is out of order")
)

const snapshotsKept = 5

// store keeps the logs of runs, as a database would: encoded, append-only, guarded by the last sequence
// number and by the epoch of the leader.
type store struct {
	runs  map[string]*record
	order []*record // in order of arrival
	epoch int64
	cover Cover

	law     int            // the edition of the policy in force
	uses    map[string]int // how often rules with limited uses approved
	commits []audit.Commit
	unsound *audit.Violation // the first state that breaks an invariant of states
	taken   []audit.Start    // work that was done ahead, as the run would have it when it takes it over
}

// record is one run in the store.
type record struct {
	id    string
	plan  *plan.Plan
	lines [][]byte    // events as JSON
	read  []run.Event // the same, decoded once; the final comparison decodes them again
	ends  []int64     // where each commit ended: no reader sees half of one
	snaps []snapshot
	truth *machine.State // the fold of the committed events, for people
}

type snapshot struct {
	seq  int64
	data json.RawMessage
}

func newStore(c Cover) *store {
	return &store{runs: map[string]*record{}, uses: map[string]int{}, cover: c}
}

// create adds a run, once.
func (s *store) create(id string, p *plan.Plan) *record {
	if r, ok := s.runs[id]; ok {
		return r
	}
	r := &record{id: id, plan: p, truth: machine.New(id, p)}
	s.runs[id] = r
	s.order = append(s.order, r)
	return r
}

// open reports whether the run may have effects.
func (r *record) open() bool { return !r.truth.Status.Ended() || len(r.truth.Children) > 0 }

func (r *record) last() int64 { return int64(len(r.lines)) }

// check is the guard of every append.
func (s *store) check(r *record, after, epoch int64) error {
	switch {
	case mutant.Is(mutant.StaleAppend):
		return nil
	case epoch != s.epoch:
		return errEpoch
	case after != r.last():
		return errBehind
	}
	return nil
}

// append commits events, all or none.
func (s *store) append(r *record, after, epoch int64, l law, events []run.Event) error {
	if err := s.check(r, after, epoch); err != nil {
		return err
	}
	if err := s.grant(l, events); err != nil {
		return err
	}
	s.book(r, l, after, events)
	return s.write(r, events)
}

// fork commits the first events of a run that begins with another one's past.
func (s *store) fork(r, from *record, at, epoch int64, l law, log []run.Event) error {
	if err := s.check(r, 0, epoch); err != nil {
		return err
	}
	if err := s.grant(l, log[at:]); err != nil {
		return err
	}
	s.bookPast(r, from, at)
	s.book(r, l, at, log[at:])
	return s.write(r, log)
}

func (s *store) write(r *record, events []run.Event) error {
	lines := make([][]byte, len(events))
	for i, e := range events {
		line, err := e.MarshalJSON()
		if err != nil {
			return fmt.Errorf("encode event %d of %s: %w", e.Seq, e.Run, err)
		}
		lines[i] = line
	}
	r.lines = append(r.lines, lines...)
	r.ends = append(r.ends, r.last())
	for _, line := range lines {
		e := decode(line)
		s.cover.add("fact", e.Fact.Type())
		switch f := e.Fact.(type) {
		case *run.ApprovalTimedOut:
			s.cover.add("timeout", string(f.Then))
		case *run.ApprovalResolved:
			s.cover.add("outcome", string(f.Outcome.Status))
		case *run.ApprovalDecided:
			s.cover.add("act", string(f.Decision.Act))
		}
		if r.read = append(r.read, e); e.Seq == r.truth.Seq+1 {
			r.truth.Apply(e)
			s.takesOver(r, e)
		}
	}
	if err := r.truth.Consistent(); err != nil && s.unsound == nil {
		s.unsound = &audit.Violation{Invariant: "a state is consistent", Run: r.id, Seq: r.truth.Seq, Text: err.Error()}
	}
	return nil
}

func decode(line []byte) run.Event {
	var e run.Event
	if err := e.UnmarshalJSON(line); err != nil {
		panic(fmt.Sprintf("decode %s: %v", line, err))
	}
	return e
}

// save stores a snapshot.
func (r *record) save(seq int64, data json.RawMessage) {
	r.snaps = append(r.snaps, snapshot{seq, data})
	if len(r.snaps) > snapshotsKept {
		r.snaps = r.snaps[1:]
	}
}

// fold reads a run's log up to a sequence number.
func (r *record) fold(upTo int64) *machine.State { return machine.Fold(r.id, r.plan, r.read[:upTo]) }

// foldLines is fold from the bytes: an event modified after decoding shows as a difference.
func (r *record) foldLines() *machine.State {
	events := make([]run.Event, len(r.lines))
	for n, line := range r.lines {
		events[n] = decode(line)
	}
	return machine.Fold(r.id, r.plan, events)
}

// restore reads a snapshot and the events after it.
func (r *record) restore(n int, upTo int64) (*machine.State, error) {
	s, err := machine.Restore(r.snaps[n].data, r.plan)
	if err != nil {
		return nil, err
	}
	for _, e := range r.read[min(r.snaps[n].seq, upTo):upTo] {
		s.Apply(e)
	}
	return s, nil
}

// takesOver records the input of a step that takes over what it did ahead, for the auditor: it has to be the one that
// the agent got.
func (s *store) takesOver(r *record, e run.Event) {
	if _, ok := e.Fact.(*run.RunForked); ok { // so far it was the other run
		s.taken = slices.DeleteFunc(s.taken, func(t audit.Start) bool { return t.Run == r.id })
	}
	f, ok := e.Fact.(*run.SpeculationUsed)
	if !ok {
		return
	}
	i, _ := r.truth.Plan().Step(f.Step)
	k := r.truth.KeyOf(i, 0)
	k.Index = -1
	s.taken = append(s.taken, audit.Start{Run: r.id, Seq: e.Seq, Kind: "ahead", Work: k.Work(), Step: k.Step, Index: -1,
		Rev: k.Rev, Try: k.Try, Content: r.truth.InputFor(f.Step, -1)})
}
