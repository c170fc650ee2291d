package app

import (
	"context"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/suggest"
	"github.com/assent-run/assent/internal/view"
)

// toolsFound is how many tools a search returns at most.
const toolsFound = 200

// Tools lists everything that can be called, by name; with a request in plain words, what fits it, the best first.
func (a *App) Tools(ctx context.Context, who Who, q string) (view.List[suggest.Tool], []string, error) {
	if err := a.guard.May(who, access.Look); err != nil {
		return view.List[suggest.Tool]{}, nil, err
	}
	documents := map[string]registry.Document{}
	for _, doc := range a.registry.InForce(definition.KindTool) {
		documents[doc.Name] = doc
	}
	var out []suggest.Tool
	if q == "" {
		all, notes := a.catalogue.All(ctx)
		for _, c := range all {
			out = append(out, toolOf(c, documents))
		}
		return view.Whole(out), notes, nil
	}
	found, notes := a.catalogue.Search(ctx, q, toolsFound)
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

// Servers lists the MCP servers in force with the state of their connections. It asks none of them.
func (a *App) Servers(_ context.Context, who Who) (view.List[suggest.Server], error) {
	if err := a.guard.May(who, access.Look); err != nil {
		return view.List[suggest.Server]{}, err
	}
	out := []suggest.Server{}
	for _, s := range a.catalogue.ServerStates() {
		out = append(out, a.showServer(s))
	}
	return view.Whole(out), nil
}

// checkWithin is how long a caller waits for a server. The request to the server continues without it.
const checkWithin = 20 * time.Second

// CheckServer asks an MCP server for its tools now, as a run would, and shows what became of it.
func (a *App) CheckServer(ctx context.Context, who Who, name string) (suggest.Server, error) {
	if err := a.guard.May(who, access.Look); err != nil {
		return suggest.Server{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	s, ok := a.catalogue.CheckServer(ctx, name)
	if !ok {
		return suggest.Server{}, registry.Unknown(definition.KindMCPServer, name, nil)
	}
	if s.Asking {
		return suggest.Server{}, fault.New(fault.Conflict, fmt.Sprintf("the server %s has not answered yet", name),
			"its state is shown as soon as it answers")
	}
	return a.showServer(s), nil
}

func (a *App) showServer(s port.ServerState) suggest.Server {
	s.Why = mask.Credentials(s.Why)
	return suggest.ServerOf(s, a.registry.Current().Documents().MCPServers[s.Name])
}

// SuggestPlan makes a plan for an intent, from tools and agents that the caller can see. Nothing is saved, and nothing
// is called but the agent that the caller names, which costs: only those who may write definitions can name one.
func (a *App) SuggestPlan(ctx context.Context, who Who, in suggest.Intent) (suggest.Suggestion, error) {
	if err := a.guard.May(who, access.Look); err != nil {
		return suggest.Suggestion{}, err
	}
	if in.Agent != "" {
		if err := a.guard.May(who, access.Write); err != nil {
			return suggest.Suggestion{}, err
		}
	}
	return a.plans.Plan(ctx, in)
}
