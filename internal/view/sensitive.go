package view

import (
	linked "container/list"
	"context"
	"encoding/json"
	"sync"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/port"
)

// Store is the part of a store needed to find out what is sensitive in runs.
type Store interface {
	Run(ctx context.Context, id string) (port.RunRow, error)
	Bundle(ctx context.Context, digest string) (json.RawMessage, error)
	Events(ctx context.Context, run string, after int64, limit int) ([]port.Record, error)
}

// Documents are those in force at one moment. Equal values mean the same moment.
type Documents interface {
	Documents() *definition.Set
	Bind(w *plan.Workflow, version int) *plan.Definition
}

// Sensitive knows what is sensitive in runs. The sensitive values of a run are read from its log once and remembered
// for the runs that were used last; while nothing is sensitive, nothing is read.
type Sensitive struct {
	store  Store
	server *mask.Rules // fields that are sensitive whatever the workflow
	now    func() Documents

	mu      sync.Mutex
	known   Documents              // the documents that inForce was built from
	inForce map[string]*mask.Rules // by workflow
	bound   map[string]boundRules  // by digest of the definition that a run is bound to
	rows    map[string]port.RunRow // the properties of runs that never change
	runs    map[string]*linked.Element
	recent  *linked.List // of *SensitiveRun, the newest first
}

// boundRules are the relevant parts of a definition.
type boundRules struct {
	rules  *mask.Rules
	thinks bool // it contains an LLM agent, or calls a tool: tools may have schemas of their own
}

// SensitiveRun holds the sensitive values of a run, up to an event.
type SensitiveRun struct {
	mu     sync.Mutex
	id     string
	seq    int64
	from   [2]*mask.Rules // the sources of the rules
	rules  *mask.Rules    // including those from its log
	values *mask.Values
	mask   *mask.Mask // built from size values
	size   int
}

const (
	maskedRuns  = 512 // remembered
	eventsRead  = 1000
	maskedBound = 512
	maskedRows  = 8192
	OriginsMax  = 32 // retries of retries, forks of forks, runs within runs
)

// NewSensitive treats some fields as sensitive whatever the workflow; the documents in force add others.
func NewSensitive(from Store, fields *mask.Rules, inForce func() Documents) *Sensitive {
	return &Sensitive{
		store: from, server: fields, now: inForce, bound: map[string]boundRules{}, rows: map[string]port.RunRow{},
		runs: map[string]*linked.Element{}, recent: linked.New(),
	}
}

// RulesInForce are the rules of the documents in force for a workflow.
func (m *Sensitive) RulesInForce(workflow string) *mask.Rules {
	p := m.now()
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

// rulesOfTools are the rules in the schemas of tools, wherever these are used.
func rulesOfTools(p Documents) *mask.Rules {
	all := []*mask.Rules{}
	for _, t := range p.Documents().Tools {
		all = append(all, mask.Schema(mask.Root("tools."+t.Name+".args"), t.Args),
			mask.Schema(mask.Root("tools."+t.Name+".output"), t.Output))
	}
	return mask.Join(all...)
}

// rulesOfWorkflow are the rules of a workflow in force and of those that it starts. A value that a sub-run masks may
// be anywhere in the run that started it.
func rulesOfWorkflow(p Documents, name string, seen map[string]bool) *mask.Rules {
	doc, ok := p.Documents().Workflows[name]
	if !ok || seen[name] {
		return nil
	}
	seen[name] = true
	def := p.Bind(&doc.Workflow, 0)
	all := []*mask.Rules{rulesOfDefinition(def)}
	for i := range def.Workflow.Steps {
		if t := p.Documents().Tools[def.Workflow.Steps[i].Tool]; t != nil {
			id := def.Workflow.Steps[i].ID
			all = append(all, mask.Schema(mask.StepInput(id), t.Args), mask.Schema(mask.StepOutput(id), t.Output))
		}
		if sub := def.Workflow.Steps[i].Workflow; sub != "" {
			if rules := rulesOfWorkflow(p, sub, seen); rules != nil {
				all = append(all, rules.Anywhere())
			}
		}
	}
	return mask.Join(all...)
}

// rulesOfDefinition are the rules of a workflow and of the schemas in it.
func rulesOfDefinition(def *plan.Definition) *mask.Rules {
	w := &def.Workflow
	all := []*mask.Rules{mask.Schema(mask.Input, w.Input)}
	if named, err := mask.Parse(w.Sensitive...); err == nil { // invalid ones cannot be saved
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

// boundTo are the rules of the definition that a run is bound to.
func (m *Sensitive) boundTo(ctx context.Context, digest string) (boundRules, error) {
	if digest == "" {
		return boundRules{}, nil
	}
	m.mu.Lock()
	b, ok := m.bound[digest]
	m.mu.Unlock()
	if ok {
		return b, nil
	}
	raw, err := m.store.Bundle(ctx, digest)
	if fault.Is(err, fault.NotFound) { // the run is just being stored, so it is bound to the definition in force
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
	for i := range def.Workflow.Steps {
		b.thinks = b.thinks || def.Workflow.Steps[i].Tool != ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.bound) >= maskedBound {
		clear(m.bound)
	}
	m.bound[digest] = b
	return b, nil
}

// Of returns what is sensitive in a run, read up to now; nil if nothing can be.
func (m *Sensitive) Of(ctx context.Context, row port.RunRow, depth int) (*SensitiveRun, error) {
	b, err := m.boundTo(ctx, row.Definition)
	if err != nil {
		return nil, err
	}
	base := [2]*mask.Rules{m.RulesInForce(row.Workflow), b.rules}
	var above *SensitiveRun
	if row.Parent != "" && depth < OriginsMax {
		if above, err = m.ofParent(ctx, row.Parent, depth); err != nil {
			return nil, err
		}
	}
	// Steps that call a server's tools may have been added to any run.
	thinks := b.thinks || len(m.now().Documents().MCPServers) > 0
	if base[0].Empty() && base[1].Empty() && !thinks && above == nil {
		return nil, nil
	}
	s := m.remembered(row.ID)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.read(ctx, m.store, base); err != nil {
		return nil, err
	}
	if s.rules.Empty() && above == nil {
		return nil, nil
	}
	s.take(above)
	return s, nil
}

func (m *Sensitive) ofParent(ctx context.Context, id string, depth int) (*SensitiveRun, error) {
	row, err := m.Row(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return m.Of(ctx, row, depth+1)
}

// remembered is the cache entry of a run.
func (m *Sensitive) remembered(id string) *SensitiveRun {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.runs[id]; ok {
		m.recent.MoveToFront(e)
		return e.Value.(*SensitiveRun)
	}
	s := &SensitiveRun{id: id, values: mask.NewValues()}
	m.runs[id] = m.recent.PushFront(s)
	for m.recent.Len() > maskedRuns {
		last := m.recent.Back()
		delete(m.runs, last.Value.(*SensitiveRun).id)
		m.recent.Remove(last)
	}
	return s
}

// Forget drops the cache entry of a run.
func (m *Sensitive) Forget(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.runs[id]; ok {
		m.recent.Remove(e)
		delete(m.runs, id)
	}
}

// read continues with the run's log. Rules that were not known earlier have to be applied to all of it.
func (s *SensitiveRun) read(ctx context.Context, from Store, base [2]*mask.Rules) error {
	if s.rules == nil || s.from != base {
		s.from, s.rules, s.seq, s.mask = base, mask.Join(base[0], base[1]), 0, nil
		s.values = mask.NewValues()
	}
	for {
		records, err := from.Events(ctx, s.id, s.seq, eventsRead)
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

// take adds the values that the parent run masks, and builds the mask if anything is new.
func (s *SensitiveRun) take(above *SensitiveRun) {
	if above != nil {
		above.mu.Lock()
		s.values.Add(above.values)
		above.mu.Unlock()
	}
	if s.mask == nil || s.size != s.values.Size() {
		s.mask, s.size = mask.New(s.rules, s.values), s.values.Size()
	}
}

// Veil masks values for one person in one run; nil masks nothing.
type Veil struct {
	s    *SensitiveRun
	mask *mask.Mask
	held bool // the run contains something masked
}

// Veil masks what is sensitive in a run, and further words; nil if there is nothing to mask. For a nil run it masks
// the words alone.
func (s *SensitiveRun) Veil(words *mask.Values) *Veil {
	if words != nil {
		s = s.with(words)
	}
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Veil{s: s, mask: s.mask, held: s.values.Found() > 0}
}

// Holds reports whether the run contains something masked.
func (v *Veil) Holds() bool { return v != nil && v.held }

// Excerpt masks content, and reports whether anything was masked. Whole JSON documents are treated as such, everything
// else as text.
func (v *Veil) Excerpt(content []byte, whole bool) (shown []byte, masked bool) {
	if whole && value.Valid(content) {
		shown = v.with(json.RawMessage(content)).Doc(mask.Other, content, nil)
	} else {
		shown = []byte(v.mask.Text(string(content)))
	}
	return shown, string(shown) != string(content)
}

// with is a copy that also masks further words; for nil it is one that masks only these.
func (s *SensitiveRun) with(words *mask.Values) *SensitiveRun {
	out := &SensitiveRun{rules: mask.Join(), values: mask.NewValues()}
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

// Row returns the properties of a run that never change.
func (m *Sensitive) Row(ctx context.Context, id string) (port.RunRow, error) {
	m.mu.Lock()
	row, ok := m.rows[id]
	m.mu.Unlock()
	if ok {
		return row, nil
	}
	row, err := m.store.Run(ctx, id)
	if err != nil {
		return row, err
	}
	row = port.RunRow{
		ID: row.ID, Workflow: row.Workflow, Owner: row.Owner, Definition: row.Definition, Parent: row.Parent,
		RetryOf: row.RetryOf, ForkedFrom: row.ForkedFrom,
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.rows) >= maskedRows {
		clear(m.rows)
	}
	m.rows[id] = row
	return row, nil
}

// RowOf returns the relevant properties of a run that may not be stored yet.
func RowOf(s *machine.State) port.RunRow {
	row := port.RunRow{ID: s.ID, Workflow: s.Started.Workflow, Owner: s.Started.Owner, Definition: s.Started.Definition,
		RetryOf: s.Started.RetryOf}
	if s.Started.Parent != nil {
		row.Parent = s.Started.Parent.Run
	}
	if s.Forked != nil {
		row.ForkedFrom = s.Forked.From
	}
	return row
}

// Any reports whether anything is sensitive at the moment.
func (m *Sensitive) Any() bool {
	p := m.now()
	if !m.server.Empty() || !rulesOfTools(p).Empty() {
		return true
	}
	for name := range p.Documents().Workflows {
		if !m.RulesInForce(name).Empty() {
			return true
		}
	}
	return false
}
