// Package inventory holds the use cases of everything that steps and agents can call: listing and searching tools,
// the state of MCP servers, plans made from an intent, and trials of agents.
//
//	found, notes, err := inv.Tools(ctx, who, "parse XML files")
//	report, err := inv.TryAgent(ctx, who, "clerk", inventory.Trial{Input: input})
//
// Each authorises the caller with package guard. Packages suggest and trial do the work, and know no callers. Nothing
// here changes a run or a document.
package inventory

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/suggest"
	"github.com/assent-run/assent/internal/trail"
	"github.com/assent-run/assent/internal/view"
)

// Config is what an Inventory needs.
type Config struct {
	Guard     *guard.Guard
	Registry  *registry.Registry
	Catalogue port.Catalogue
	Plans     *suggest.Suggester
	Toolbox   func() port.Toolbox // describes tools, to try agents; nil: there are none
	// Teach returns the lessons that an agent gets for a task.
	Teach    func(ctx context.Context, agent, operation string, input json.RawMessage) []port.Lesson
	Audit    *trail.Trail
	NewRunID func(time.Time) string
	Now      func() time.Time
}

// Inventory is everything that can be called, as callers may see it. Any number of goroutines may use it.
type Inventory struct {
	guard     *guard.Guard
	registry  *registry.Registry
	catalogue port.Catalogue
	plans     *suggest.Suggester
	toolbox   func() port.Toolbox
	teach     func(ctx context.Context, agent, operation string, input json.RawMessage) []port.Lesson
	audit     *trail.Trail
	newRunID  func(time.Time) string
	now       func() time.Time
	trials    chan struct{} // one for each that is in progress
}

// New creates the use cases of an inventory.
func New(c Config) *Inventory {
	return &Inventory{guard: c.Guard, registry: c.Registry, catalogue: c.Catalogue, plans: c.Plans, toolbox: c.Toolbox,
		teach: c.Teach, audit: c.Audit, newRunID: c.NewRunID, now: c.Now, trials: make(chan struct{}, trialsMax)}
}

// toolsFound is how many tools a search returns at most.
const toolsFound = 200

// Tools lists everything that can be called, by name; with a request in plain words, what fits it, the best first.
func (v *Inventory) Tools(ctx context.Context, who guard.Who, q string) (view.List[suggest.Tool], []string, error) {
	if err := v.guard.May(who, access.Look); err != nil {
		return view.List[suggest.Tool]{}, nil, err
	}
	documents := map[string]registry.Document{}
	for _, doc := range v.registry.InForce(definition.KindTool) {
		documents[doc.Name] = doc
	}
	var out []suggest.Tool
	if q == "" {
		all, notes := v.catalogue.All(ctx)
		for _, c := range all {
			out = append(out, toolOf(c, documents))
		}
		return view.Whole(out), notes, nil
	}
	found, notes := v.catalogue.Search(ctx, q, toolsFound)
	for _, m := range found {
		t := toolOf(m.Callable, documents)
		t.Score, t.Why = &m.Score, m.Why
		out = append(out, t)
	}
	return view.Whole(out), notes, nil
}

func toolOf(c port.Callable, documents map[string]registry.Document) suggest.Tool {
	t := suggest.ToolOf(c)
	if doc, ok := documents[c.Name]; ok {
		t.Version, t.Definition, t.YAML = doc.Version, doc.Definition, doc.YAML
	}
	return t
}

// Servers lists the MCP servers in force with the state of their connections. It sends no request to them.
func (v *Inventory) Servers(_ context.Context, who guard.Who) (view.List[suggest.Server], error) {
	if err := v.guard.May(who, access.Look); err != nil {
		return view.List[suggest.Server]{}, err
	}
	out := []suggest.Server{}
	for _, s := range v.catalogue.ServerStates() {
		out = append(out, v.showServer(s))
	}
	return view.Whole(out), nil
}

// checkWithin is how long a caller waits for a server. The request to the server continues without the caller.
const checkWithin = 20 * time.Second

// CheckServer asks an MCP server for its tools now, as a run would, and shows the result.
func (v *Inventory) CheckServer(ctx context.Context, who guard.Who, name string) (suggest.Server, error) {
	if err := v.guard.May(who, access.Look); err != nil {
		return suggest.Server{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	s, ok := v.catalogue.CheckServer(ctx, name)
	if !ok {
		return suggest.Server{}, registry.Unknown(definition.KindMCPServer, name, nil)
	}
	if s.Asking {
		return suggest.Server{}, fault.New(fault.Conflict, fmt.Sprintf("the server %s has not answered yet", name),
			"its state is shown as soon as it answers")
	}
	return v.showServer(s), nil
}

func (v *Inventory) showServer(s port.ServerState) suggest.Server {
	s.Why = mask.Credentials(s.Why)
	return suggest.ServerOf(s, v.registry.Current().Documents().MCPServers[s.Name])
}

// SuggestPlan makes a plan for an intent, from tools and agents that the caller can see. Nothing is saved. The only
// thing that is called is the agent that the caller names, which costs money: that requires the permission to write
// definitions.
func (v *Inventory) SuggestPlan(ctx context.Context, who guard.Who, in suggest.Intent) (suggest.Suggestion, error) {
	if err := v.guard.May(who, access.Look); err != nil {
		return suggest.Suggestion{}, err
	}
	if in.Agent != "" {
		if err := v.guard.May(who, access.Write); err != nil {
			return suggest.Suggestion{}, err
		}
	}
	return v.plans.Plan(ctx, in)
}
