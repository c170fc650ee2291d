// Package planner finds steps for a requirement in plain words: tools that fit, with arguments from what a run
// has produced so far, in a place of the plan where later steps see their results.
//
//	p := planner.New(planner.Options{Catalogue: all, Agent: agents})
//	found, err := p.Find(ctx, need)
//
// Nothing is invented. A requirement that no tool accounts for has no steps, and the reason names the nearest
// tools; an argument that nothing fits stays unset, and people are told. The same catalogue and the same run
// give the same steps.
package planner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// Limits.
const (
	candidates = 8    // tools that are looked at for one wish
	enough     = 0.34 // share of a wish that a tool has to account for
	incomplete = 0.7  // how much a tool counts whose arguments are not all known
	wishesMax  = 8    // sentences of a requirement
	copiesMax  = 16   // calls of one tool for values that fit equally well
	nearest    = 3    // tools named when none fits
)

// Options are the sources of a planner.
type Options struct {
	Catalogue port.Catalogue
	// Agent finds an agent in force, for steps that use one; nil: agents are left out.
	Agent func(name string) (plan.Agent, bool)
	// Then is how much speaks for using one tool after another, by the runs that completed; nil: nothing is known.
	Then func(first, second string) float64
}

// Planner is safe for concurrent use.
type Planner struct{ o Options }

// New creates a planner.
func New(o Options) *Planner { return &Planner{o} }

// Find finds steps for a requirement of a running plan.
func (p *Planner) Find(ctx context.Context, n port.Need) (port.NewSteps, error) {
	s := &sketch{planner: p, need: n, data: dataOf(n), ids: map[string]bool{}, out: port.NewSteps{Harmless: true}}
	var missed []string
	for _, wish := range wishes(n.Requirement) {
		found, notes := p.o.Catalogue.Search(ctx, wish, candidates)
		if err := ctx.Err(); err != nil {
			return port.NewSteps{}, err
		}
		s.note(notes)
		if !s.add(wish, found) {
			missed = append(missed, nothing(wish, found))
		}
	}
	if len(missed) > 0 { // half of what was wanted is not what was wanted
		return port.NewSteps{Reason: strings.Join(append(missed, s.notes...), " ")}, nil
	}
	s.place()
	s.out.Reason = strings.Join(s.notes, " ")
	return s.out, nil
}

// nothing says that no tool fits, and which come nearest.
func nothing(wish string, found []port.Match) string {
	var names []string
	for _, m := range found[:min(len(found), nearest)] {
		names = append(names, inWords(shortName(m.Callable)))
	}
	if len(names) == 0 {
		return fmt.Sprintf("No tool fits %s.", phrase.Quote(wish))
	}
	return fmt.Sprintf("No tool fits %s; the nearest: %s.", phrase.Quote(wish), phrase.Quoted(names, nearest))
}

// wishes are the sentences of a requirement.
func wishes(requirement string) (out []string) {
	text := strings.NewReplacer("; ", "\n", ". ", "\n", ", then ", "\n", " and then ", "\n").Replace(requirement)
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(strings.TrimPrefix(strings.Trim(strings.TrimSpace(line), ".;"), "then "))
		if line != "" && len(out) < wishesMax {
			out = append(out, line)
		}
	}
	return out
}

// sketch is the plan as far as it is drawn.
type sketch struct {
	planner *Planner
	need    port.Need
	data    []datum
	ids     map[string]bool // of new steps
	last    []int           // of the steps of the wish before
	outputs []produced      // of new steps, for those that follow
	notes   []string
	out     port.NewSteps
}

// produced is what a new step will return.
type produced struct {
	step   string
	schema []byte
}

func (s *sketch) note(notes []string) {
	for _, n := range notes {
		if n += "."; !slices.Contains(s.notes, n) {
			s.notes = append(s.notes, n)
		}
	}
}

// option is a tool with its arguments.
type option struct {
	port.Match
	calls []arguments // one step each
	worth float64
}

// add draws the steps for one wish; false: nothing fits.
func (s *sketch) add(wish string, found []port.Match) bool {
	var best *option
	for _, m := range found {
		if m.AgentsOnly || m.Confidence < enough || s.failedWith(m.Name) || !s.usable(m.Name) {
			continue
		}
		o := &option{Match: m, calls: s.arguments(wish, m.Callable), worth: m.Score}
		if slices.ContainsFunc(o.calls, func(a arguments) bool { return len(a.unset) > 0 }) {
			o.worth *= incomplete
		}
		if best == nil || o.worth > best.worth {
			best = o
		}
	}
	if best == nil {
		return false
	}
	before := s.last
	s.last = nil
	for _, a := range best.calls {
		s.draw(wish, best, a, before)
	}
	return true
}

// failedWith reports whether the step that is to be replaced used this very tool.
func (s *sketch) failedWith(name string) bool {
	i, ok := s.need.Plan.Step(s.need.Failed)
	if !ok {
		return false
	}
	step := s.need.Plan.Nodes[i].Step
	return step.Tool == name || step.Agent != "" && port.AgentPrefix+step.Agent == name
}

// usable reports whether a step can use what was found.
func (s *sketch) usable(name string) bool {
	agent, ok := strings.CutPrefix(name, port.AgentPrefix)
	if !ok {
		return true
	}
	if slices.Contains(s.need.Plan.Definition.Workflow.Loops.Agents(), agent) {
		return false // it is the one who asks
	}
	if s.planner.o.Agent == nil {
		return false
	}
	_, ok = s.planner.o.Agent(agent)
	return ok
}

// draw adds one step.
func (s *sketch) draw(wish string, o *option, a arguments, before []int) {
	step := plan.Step{ID: s.name(o.Name), With: a.with}
	if agent, ok := strings.CutPrefix(o.Name, port.AgentPrefix); ok {
		step.Agent = agent
		if _, known := s.need.Plan.Definition.Agents[agent]; !known {
			if doc, ok := s.planner.o.Agent(agent); ok {
				if s.out.Agents == nil {
					s.out.Agents = map[string]plan.Agent{}
				}
				s.out.Agents[agent] = doc
			}
		}
		if len(o.Args) == 0 {
			step.With = nil // it gets the context
		}
	} else {
		step.Tool = o.Name
	}
	needs := slices.Clone(a.from)
	for _, i := range before {
		if id := s.out.Steps[i].ID; !slices.Contains(needs, id) {
			needs = append(needs, id)
		}
	}
	if len(needs) > 0 {
		step.Needs = &needs
	}
	s.last = append(s.last, len(s.out.Steps))
	s.out.Steps = append(s.out.Steps, step)
	s.out.Harmless = s.out.Harmless && o.Harmless
	s.outputs = append(s.outputs, produced{step.ID, o.Output})
	s.out.Because = append(s.out.Because, run.Because{Step: step.ID, Tool: o.Name, Score: o.Score,
		Because: strings.Join(o.Why, "; "), Wanted: wish, Unset: a.unset, Risk: o.Risk, Operation: o.Operation})
}

// name is a free id for a step, from the name of its tool.
func (s *sketch) name(tool string) string {
	base := safe(tool[strings.LastIndexAny(tool, ":/")+1:], "step")
	id := base
	for n := 2; s.taken(id); n++ {
		id = fmt.Sprintf("%s_%d", base, n)
	}
	s.ids[id] = true
	return id
}

// safe makes a name of letters, digits, - and _.
func safe(name, otherwise string) string {
	base := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if base = base[:min(len(base), plan.NameMax-4)]; base == "" {
		return otherwise
	}
	return base
}

func (s *sketch) taken(id string) bool {
	_, step := s.need.Plan.Step(id)
	_, gate := s.need.Plan.GateByID(id)
	return step || gate || s.ids[id] || reserved[id]
}

// reserved are names that mean something else in mappings and expressions.
var reserved = map[string]bool{"input": true, "context": true, "item": true, "index": true, "confidence": true,
	"risk": true, "operation": true, "tool": true, "agent": true, "output": true, "true": true, "false": true,
	"null": true, "and": true, "or": true, "not": true, "in": true, "contains": true}
