package app

import (
	"cmp"
	linked "container/list"
	"context"
	"encoding/json"
	"sync"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/port"
)

// Masking says what was hidden in an answer.
type Masking struct {
	Masked bool     `json:"masked,omitempty"`
	Paths  []string `json:"masked_paths,omitempty" holds:"id"` // JSON pointers into the answer; the first 200
}

// masking knows what is sensitive in runs. What the sensitive places of a run
// hold is read from its log once and remembered for the runs that were looked at
// last; while nothing is sensitive, nothing is read.
type masking struct {
	app    *App
	server *mask.Rules // fields that are sensitive whatever the workflow

	mu      sync.Mutex
	known   *picture               // whose rules are in inForce
	inForce map[string]*mask.Rules // by workflow
	bound   map[string]boundRules  // by digest of what a run is bound to
	rows    map[string]port.RunRow // what never changes about runs
	runs    map[string]*linked.Element
	recent  *linked.List // of *sensitiveRun, the newest first
}

// boundRules are what of a definition matters here.
type boundRules struct {
	rules  *mask.Rules
	thinks bool // an LLM agent is in it: its tools may have schemas of their own
}

// sensitiveRun is what the sensitive places of a run hold, up to an event.
type sensitiveRun struct {
	mu     sync.Mutex
	id     string
	seq    int64
	from   [2]*mask.Rules // what the rules are made of
	rules  *mask.Rules    // with those from its log
	values *mask.Values
	mask   *mask.Mask // made of size values
	size   int
}

const (
	maskedRuns  = 512 // remembered
	maskedBound = 512
	maskedRows  = 8192
	originsMax  = 32 // retries of retries, forks of forks, runs within runs
)

func newMasking(a *App, fields *mask.Rules) *masking {
	return &masking{app: a, server: fields, bound: map[string]boundRules{}, rows: map[string]port.RunRow{}, runs: map[string]*linked.Element{}, recent: linked.New()}
}

// rulesInForce are what the documents in force say about a workflow.
func (m *masking) rulesInForce(workflow string) *mask.Rules {
	p := m.app.registry.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known != p {
		m.known, m.inForce = p, map[string]*mask.Rules{}
	}
	rules, ok := m.inForce[workflow]
	if !ok {
		rules = mask.Join(m.server, rulesOfTools(p), rulesOfWorkflow(p, workflow, map[string]bool{}))
		m.inForce[workflow] = rules
	}
	return rules
}

// rulesOfTools are what the schemas of tools say, wherever these are used.
func rulesOfTools(p *picture) *mask.Rules {
	all := []*mask.Rules{}
	for _, t := range p.set.Tools {
		all = append(all, mask.Schema(mask.Root("tools."+t.Name+".args"), t.Args), mask.Schema(mask.Root("tools."+t.Name+".output"), t.Output))
	}
	return mask.Join(all...)
}

// rulesOfWorkflow are what a workflow in force and those that it starts say. What
// a sub-run hides may be anywhere in the run that started it.
func rulesOfWorkflow(p *picture, name string, seen map[string]bool) *mask.Rules {
	doc, ok := p.set.Workflows[name]
	if !ok || seen[name] {
		return nil
	}
	seen[name] = true
	def := p.bind(&doc.Workflow, 0)
	all := []*mask.Rules{rulesOfDefinition(def)}
	for i := range def.Workflow.Steps {
		if sub := def.Workflow.Steps[i].Workflow; sub != "" {
			if rules := rulesOfWorkflow(p, sub, seen); rules != nil {
				all = append(all, rules.Anywhere())
			}
		}
	}
	return mask.Join(all...)
}

// rulesOfDefinition are what a workflow and the schemas in it say.
func rulesOfDefinition(def *plan.Definition) *mask.Rules {
	w := &def.Workflow
	all := []*mask.Rules{mask.Schema(mask.Input, w.Input)}
	if named, err := mask.Parse(w.Sensitive...); err == nil { // others cannot be saved
		all = append(all, named)
	}
	for i := range w.Steps {
		s := &w.Steps[i]
		if agent, ok := def.Agents[s.Agent]; ok {
			all = append(all, mask.Schema(mask.StepInput(s.ID), agent.Input), mask.Schema(mask.StepOutput(s.ID), agent.Output))
		}
		if s.Human != nil {
			all = append(all, mask.Schema(mask.StepOutput(s.ID), s.Human.InputSchema))
		}
	}
	for i := range w.Gates {
		all = append(all, mask.Schema(mask.Root("gates."+w.Gates[i].ID), w.Gates[i].InputSchema))
	}
	return mask.Join(all...)
}

// boundTo is what the definition says that a run is bound to.
func (m *masking) boundTo(ctx context.Context, digest string) (boundRules, error) {
	if digest == "" {
		return boundRules{}, nil
	}
	m.mu.Lock()
	b, ok := m.bound[digest]
	m.mu.Unlock()
	if ok {
		return b, nil
	}
	raw, err := m.app.Store.Bundle(ctx, digest)
	if fault.Is(err, fault.NotFound) { // the run is just being stored: what is in force is what it is bound to
		return boundRules{thinks: true}, nil
	}
	if err != nil {
		return boundRules{}, err
	}
	var def plan.Definition
	if err := json.Unmarshal(raw, &def); err != nil {
		return boundRules{}, err
	}
	b.rules = rulesOfDefinition(&def)
	for _, agent := range def.Agents {
		b.thinks = b.thinks || agent.Kind == plan.AgentLLM
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.bound) >= maskedBound {
		clear(m.bound)
	}
	m.bound[digest] = b
	return b, nil
}

// of is what is sensitive in a run, read up to now; nil if nothing can be.
func (m *masking) of(ctx context.Context, row port.RunRow, depth int) (*sensitiveRun, error) {
	b, err := m.boundTo(ctx, row.Definition)
	if err != nil {
		return nil, err
	}
	base := [2]*mask.Rules{m.rulesInForce(row.Workflow), b.rules}
	var above *sensitiveRun
	if row.Parent != "" && depth < originsMax {
		if above, err = m.ofParent(ctx, row.Parent, depth); err != nil {
			return nil, err
		}
	}
	if base[0].Empty() && base[1].Empty() && !b.thinks && above == nil {
		return nil, nil
	}
	s := m.remembered(row.ID)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.read(ctx, m.app, base); err != nil {
		return nil, err
	}
	if s.rules.Empty() && above == nil {
		return nil, nil
	}
	s.take(above)
	return s, nil
}

func (m *masking) ofParent(ctx context.Context, id string, depth int) (*sensitiveRun, error) {
	row, err := m.row(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return m.of(ctx, row, depth+1)
}

// remembered is the place for what is known about a run.
func (m *masking) remembered(id string) *sensitiveRun {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.runs[id]; ok {
		m.recent.MoveToFront(e)
		return e.Value.(*sensitiveRun)
	}
	s := &sensitiveRun{id: id, values: mask.NewValues()}
	m.runs[id] = m.recent.PushFront(s)
	for m.recent.Len() > maskedRuns {
		last := m.recent.Back()
		delete(m.runs, last.Value.(*sensitiveRun).id)
		m.recent.Remove(last)
	}
	return s
}

// forget drops what is known about a run.
func (m *masking) forget(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.runs[id]; ok {
		m.recent.Remove(e)
		delete(m.runs, id)
	}
}

// read goes on with the run's log. Rules that were not known before have to be
// asked about all of it.
func (s *sensitiveRun) read(ctx context.Context, a *App, from [2]*mask.Rules) error {
	if s.rules == nil || s.from != from {
		s.from, s.rules, s.seq, s.mask = from, mask.Join(from[0], from[1]), 0, nil
		s.values = mask.NewValues()
	}
	for {
		records, err := a.Store.Events(ctx, s.id, s.seq, historyPage)
		if err != nil || len(records) == 0 {
			return err
		}
		for _, rec := range records {
			if f, ok := rec.Fact.(*run.CallRequested); ok {
				if found := mask.Schema(mask.Root("tools."+f.Call.Tool+".args"), f.Call.Spec.ArgsSchema); !found.Empty() {
					s.rules, s.mask = mask.Join(s.rules, found), nil
				}
			}
			collectFrom(rec.Fact, s.rules, s.values)
			s.seq = rec.Seq
		}
	}
}

// take adds what the run above hides, and makes the mask if anything is new.
func (s *sensitiveRun) take(above *sensitiveRun) {
	if above != nil {
		above.mu.Lock()
		s.values.Add(above.values)
		above.mu.Unlock()
	}
	if s.mask == nil || s.size != s.values.Size() {
		s.mask, s.size = mask.New(s.rules, s.values), s.values.Size()
	}
}

// seesPlain reports whether somebody sees everything in a run: with the
// permission, or as its owner. Whoever starts somebody else's run anew, or forks
// it, owns the copy and still sees no more than before.
func (a *App) seesPlain(ctx context.Context, who Who, row port.RunRow) (bool, error) {
	for range originsMax {
		s, rules := a.subject(who), a.rules()
		if rules.Decide(s, access.Unmasked, access.Object{Workflow: row.Workflow}).Allowed {
			return true, nil
		}
		if !rules.Decide(s, access.Unmasked, access.Object{Workflow: row.Workflow, Owner: row.Owner}).Allowed {
			return false, nil
		}
		origin := row.RetryOf
		if row.ForkedFrom != "" {
			origin = row.ForkedFrom
		}
		if origin == "" {
			return true, nil
		}
		var err error
		if row, err = a.masking.row(ctx, origin); fault.Is(err, fault.NotFound) {
			return false, nil // whose values these are is not known any more
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// veil is what hides things from one person in one run; nil hides nothing.
type veil struct {
	s    *sensitiveRun
	mask *mask.Mask
	held bool // the run holds something that is hidden
}

// veilFor is what hides things in a run from somebody.
func (a *App) veilFor(ctx context.Context, who Who, row port.RunRow) (*veil, error) {
	words, err := a.discretion(who).words(ctx, row)
	if err != nil {
		return nil, err
	}
	plain, err := a.seesPlain(ctx, who, row)
	if err != nil {
		return nil, err
	}
	var s *sensitiveRun
	if !plain {
		if s, err = a.masking.of(ctx, row, 0); err != nil {
			return nil, err
		}
	}
	if words != nil {
		s = s.with(words)
	}
	if s == nil {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &veil{s: s, mask: s.mask, held: s.values.Found() > 0}, nil
}

// with is a copy that hides further words; of nothing it is one that hides these.
func (s *sensitiveRun) with(words *mask.Values) *sensitiveRun {
	out := &sensitiveRun{rules: mask.Join(), values: mask.NewValues()}
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		out.id, out.seq, out.from, out.rules = s.id, s.seq, s.from, s.rules
		out.values.Add(s.values)
	}
	out.values.Add(words)
	out.mask, out.size = mask.New(out.rules, out.values), out.values.Size()
	return out
}

// veilOf is veilFor a run by its id. Of what is not stored nothing is shown.
func (a *App) veilOf(ctx context.Context, who Who, id string) (*veil, error) {
	row, err := a.masking.row(ctx, id)
	if err != nil {
		return nil, err
	}
	return a.veilFor(ctx, who, row)
}

// row is what never changes about a run.
func (m *masking) row(ctx context.Context, id string) (port.RunRow, error) {
	m.mu.Lock()
	row, ok := m.rows[id]
	m.mu.Unlock()
	if ok {
		return row, nil
	}
	row, err := m.app.Store.Run(ctx, id)
	if err != nil {
		return row, err
	}
	row = port.RunRow{
		ID: row.ID, Workflow: row.Workflow, Owner: row.Owner, Definition: row.Definition, Parent: row.Parent, RetryOf: row.RetryOf, ForkedFrom: row.ForkedFrom,
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.rows) >= maskedRows {
		clear(m.rows)
	}
	m.rows[id] = row
	return row, nil
}

// veilOfApproval is veilOf for one approval: whoever may act on it, or has, sees
// what they decide about.
func (a *App) veilOfApproval(ctx context.Context, who Who, row port.ApprovalRow, ap *gate.Approval, acts []gate.Act) (*veil, error) {
	if len(acts) > 0 || a.rules().Decide(a.subject(who), access.Unmasked, access.Object{Workflow: row.Workflow}).Allowed {
		return nil, nil
	}
	for _, d := range ap.Decisions {
		if d.By == who.Key() {
			return nil, nil
		}
	}
	return a.veilOf(ctx, who, row.Run)
}

// rowOf is what matters here about a run that may not be stored yet.
func rowOf(s *run.State) port.RunRow {
	row := port.RunRow{ID: s.ID, Workflow: s.Started.Workflow, Owner: s.Started.Owner, Definition: s.Started.Definition, RetryOf: s.Started.RetryOf}
	if s.Started.Parent != nil {
		row.Parent = s.Started.Parent.Run
	}
	if s.Forked != nil {
		row.ForkedFrom = s.Forked.From
	}
	return row
}

// errMasked refuses what can only be handed out as a whole.
func errMasked(what string) error {
	return fault.New(fault.Forbidden, what+" holds values that are masked for you", "ask somebody with the permission sensitive, or the owner of the run")
}

// refuseMarker refuses values in which the marker for hidden values stands:
// somebody sends back what they were not shown, and it would take the place of
// what is there.
func refuseMarker(what, field string, doc json.RawMessage) error {
	at, held := mask.Holds(doc)
	if !held {
		return nil
	}
	return fault.Of(what+" is not valid", []fault.Problem{{
		Path: field + at, Message: "this is the marker that stands for a value which is hidden from you (" + mask.Marker + "): leave the field out, or write a value",
	}})
}

// refuseMarkersIn is refuseMarker for the changes of a fork.
func refuseMarkersIn(e run.Edits) error {
	err := cmp.Or(refuseMarker("the fork", "edits/input", e.Input), refuseMarker("the fork", "edits/context", e.Context))
	for step, output := range e.Outputs {
		err = cmp.Or(err, refuseMarker("the fork", "edits/outputs/"+step, output))
	}
	return err
}

// masksSomething reports whether anything is sensitive as things stand now.
func (a *App) masksSomething() bool {
	p := a.registry.now()
	if !a.Mask.Empty() || !rulesOfTools(p).Empty() {
		return true
	}
	for name := range p.set.Workflows {
		if !a.masking.rulesInForce(name).Empty() {
			return true
		}
	}
	return false
}
