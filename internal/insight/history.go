package insight

import (
	"context"
	"encoding/json"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// recorded is a case that a policy was, or could have been, evaluated on.
type recorded struct {
	port.ApprovalRow
	approval *gate.Approval
	look     expr.Lookup
}

// subject is the case as a policy sees it.
func (r recorded) subject() policy.Subject {
	ap := r.approval
	s := policy.Subject{
		Run: r.Run, Workflow: r.Workflow, Step: ap.Step, Agent: ap.Agent, Tool: ap.Action.Tool,
		Operation: ap.Action.Operation,
		Risk:      ap.Risk.Level, Confidence: ap.Confidence, Result: ap.Subject.Result, Data: ap.Proposed,
		Look: r.look, Key: ap.Subject.Key,
		Irreversible: ap.Action.ReversibleBy == plan.ReversibleNone,
	}
	return s
}

// Store is the part of a store that reads the past.
type Store interface {
	Approvals(ctx context.Context, q port.ApprovalQuery) (port.Page[port.ApprovalRow], error)
	Events(ctx context.Context, run string, after int64, limit int) ([]port.Record, error)
	Version(ctx context.Context, kind, name string, number int) (port.Version, error)
	Figures(ctx context.Context, q port.FigureQuery) (port.Figures, error)
	AgentWork(ctx context.Context, q port.WorkQuery) (port.AgentWork, error)
}

// RunAt is a run as it was at a sequence number.
type RunAt func(ctx context.Context, run string, seq int64) (*machine.State, error)

// Record is the history of decisions by people and rules.
type Record struct {
	store Store
	at    RunAt
}

// NewRecord creates a record of a store; at folds runs up to a sequence number.
func NewRecord(from Store, at RunAt) *Record { return &Record{from, at} }

// PageMost is how many approvals are read at a time.
const PageMost = 1000

// history reads settled approvals that policies apply to, within a scope, oldest first. Those of test runs are left
// out.
func (h *Record) history(ctx context.Context, scope *port.Scope, since, until time.Time, each func(recorded)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pages := make(chan historyPart, 1)
	go h.readHistory(ctx, scope, since, until, pages)
	past := &past{of: h, ctx: ctx}
	for part := range pages {
		if part.err != nil {
			return part.err
		}
		approvals, err := decodeAll(part.rows)
		if err != nil {
			return err
		}
		for i, ap := range approvals {
			if ap.Subject != nil && ap.Kind == gate.KindApproval && !ap.TestMode {
				each(recorded{part.rows[i], ap, past.look(part.rows[i].Run, ap)})
			}
		}
		if past.err != nil {
			return past.err
		}
	}
	return ctx.Err()
}

type historyPart struct {
	rows []port.ApprovalRow
	err  error
}

// readHistory reads ahead while its caller works on earlier pages.
func (h *Record) readHistory(ctx context.Context, scope *port.Scope, since, until time.Time, to chan<- historyPart) {
	defer close(to)
	q := port.ApprovalQuery{Since: since, OlderThan: until, Sort: port.ByAge, Limit: PageMost, Status: settled,
		NoTotal: true, Scope: scope}
	for {
		page, err := h.store.Approvals(ctx, q)
		select {
		case to <- historyPart{page.Items, err}:
		case <-ctx.Done():
			return
		}
		if q.Cursor = page.Next; err != nil || q.Cursor == "" {
			return
		}
	}
}

// settled are the statuses of answered approvals.
var settled = []string{
	string(gate.Approved), string(gate.Modified), string(gate.Rejected), string(gate.RevisionRequested),
	string(gate.TimedOut), string(gate.AutoApproved),
}

// decodeAll reads the bodies of rows, on all processors.
func decodeAll(rows []port.ApprovalRow) ([]*gate.Approval, error) {
	out := make([]*gate.Approval, len(rows))
	errs := make([]error, len(rows))
	var all sync.WaitGroup
	n := runtime.GOMAXPROCS(0)
	for w := range n {
		all.Go(func() {
			for i := w; i < len(rows); i += n {
				out[i], errs[i] = view.ReadApproval(rows[i])
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// past resolves names in rules beyond an approval's own fields. Most rules use none, so a run is read only when one
// does.
type past struct {
	of    *Record
	ctx   context.Context
	err   error // the first error; results found after it do not count
	known string
	found expr.Lookup
}

func (p *past) look(runID string, ap *gate.Approval) expr.Lookup {
	return func(name string) (json.RawMessage, bool) {
		if p.known != ap.ID {
			p.known, p.found = ap.ID, p.open(runID, ap)
		}
		if p.found == nil {
			return nil, false
		}
		return p.found(name)
	}
}

// open folds a run up to the point of its request.
func (p *past) open(runID string, ap *gate.Approval) expr.Lookup {
	seq, err := p.of.askedAt(p.ctx, runID, ap.ID)
	if err == nil {
		var s *machine.State
		if s, err = p.of.at(p.ctx, runID, seq); err == nil {
			return s.Look(ap)
		}
	}
	if p.err == nil {
		p.err = err
	}
	return nil
}

// askedAt is the event with which a run requested an approval.
func (h *Record) askedAt(ctx context.Context, runID, approval string) (int64, error) {
	for after := int64(0); ; {
		records, err := h.store.Events(ctx, runID, after, PageMost)
		if err != nil || len(records) == 0 {
			return after, err
		}
		for _, rec := range records {
			switch f := rec.Fact.(type) {
			case *run.ApprovalNeeded:
				if f.Request.ID == approval {
					return rec.Seq, nil
				}
			case *run.ApprovalAutoApproved:
				if f.Request.ID == approval {
					return rec.Seq, nil
				}
			}
		}
		after = records[len(records)-1].Seq
	}
}

// handling estimates how long people work on approvals. It is not reported, but the gap between one person's
// consecutive decisions is a measure of it.
type handling struct {
	people map[string][]handled
	by     map[string]float64 // approval and person → minutes
	usual  float64            // minutes, where there is no measurement
}

type handled struct {
	approval string
	at       time.Time
}

const (
	handlingMax     = 15 * time.Minute // a longer gap is a break
	handlingDefault = 1.0              // minutes, without any measurement at all
)

// note adds the decisions about an approval.
func (h *handling) note(ap *gate.Approval) {
	if h.people == nil {
		h.people = map[string][]handled{}
	}
	for _, d := range ap.Decisions {
		h.people[d.By] = append(h.people[d.By], handled{ap.ID, d.At})
	}
}

// measure evaluates the gaps, once everything was added.
func (h *handling) measure() {
	h.by, h.usual = map[string]float64{}, handlingDefault
	var gaps []float64
	for who, all := range h.people {
		slices.SortStableFunc(all, func(x, y handled) int { return x.at.Compare(y.at) })
		for i := 1; i < len(all); i++ {
			if gap := all[i].at.Sub(all[i-1].at); gap <= handlingMax {
				h.by[all[i].approval+" "+who] = gap.Minutes()
				gaps = append(gaps, gap.Minutes())
			}
		}
	}
	if len(gaps) > 0 {
		slices.Sort(gaps)
		h.usual = gaps[len(gaps)/2]
	}
}

// minutes is the total time that an approval took all people who answered it.
func (h *handling) minutes(approval string, people []string) float64 {
	total := 0.0
	for _, who := range people {
		if m, ok := h.by[approval+" "+who]; ok {
			total += m
		} else {
			total += h.usual
		}
	}
	return total
}
