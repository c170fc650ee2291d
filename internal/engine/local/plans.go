package local

import (
	"container/list"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// plans caches compiled definitions.
type plans struct {
	store port.Bundles
	given sync.Map // *plan.Definition → *plan.Plan: hashing a definition for every run is expensive
	n     atomic.Int64

	mu     sync.Mutex
	known  map[string]*list.Element // by digest
	recent list.List                // of compiled, the last used first
}

type compiled struct {
	digest string
	plan   *plan.Plan
}

// givenMax limits how many definitions are cached by their address. A caller that creates a new one for every
// run gains nothing from it, and must not fill the memory.
const givenMax = 256

// plansMax limits how many plans are cached by their digest: agents that adapt plans and people who test drafts
// create new ones without end. Runs keep their own.
const plansMax = 512

func (ps *plans) cached(digest string) (*plan.Plan, bool) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	e, ok := ps.known[digest]
	if !ok {
		return nil, false
	}
	ps.recent.MoveToFront(e)
	return e.Value.(compiled).plan, true
}

func (ps *plans) cache(digest string, p *plan.Plan) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.known == nil {
		ps.known = map[string]*list.Element{}
	}
	if e, ok := ps.known[digest]; ok {
		ps.recent.Remove(e)
	}
	ps.known[digest] = ps.recent.PushFront(compiled{digest, p})
	for ps.recent.Len() > plansMax {
		delete(ps.known, ps.recent.Remove(ps.recent.Back()).(compiled).digest)
	}
}

func (ps *plans) remember(def *plan.Definition, p *plan.Plan) {
	if ps.n.Add(1) > givenMax {
		ps.n.Store(0)
		ps.given.Clear()
	}
	ps.given.Store(def, p)
}

// keep compiles a definition and stores it for runs to be bound to.
func (ps *plans) keep(ctx context.Context, def *plan.Definition) (*plan.Plan, error) {
	if p, ok := ps.given.Load(def); ok {
		return p.(*plan.Plan), nil
	}
	digest := plan.Digest(def)
	if p, ok := ps.cached(digest); ok {
		ps.remember(def, p)
		return p, nil
	}
	p, problems := plan.Compile(def)
	if p == nil {
		return nil, fault.Of(fmt.Sprintf("workflow %s cannot run", def.Workflow.Name), fault.Errors(problems))
	}
	bundle, err := value.Marshal(def)
	if err != nil {
		return nil, fmt.Errorf("store the definition of %s: %w", def.Workflow.Name, err)
	}
	if err := ps.store.PutBundle(ctx, digest, bundle); err != nil {
		return nil, fmt.Errorf("store the definition of %s: %w", def.Workflow.Name, err)
	}
	ps.cache(digest, p)
	ps.remember(def, p)
	return p, nil
}

// get returns the plan that a run is bound to.
func (ps *plans) get(ctx context.Context, digest string) (*plan.Plan, error) {
	if p, ok := ps.cached(digest); ok {
		return p, nil
	}
	bundle, err := ps.store.Bundle(ctx, digest)
	if err != nil {
		return nil, fmt.Errorf("read the definition %s: %w", digest, err)
	}
	var def plan.Definition
	if err := json.Unmarshal(bundle, &def); err != nil {
		return nil, fmt.Errorf("read the definition %s: %w", digest, err)
	}
	p, problems := plan.Compile(&def)
	if p == nil {
		return nil, fault.Of("a stored definition no longer compiles", fault.Errors(problems))
	}
	ps.cache(digest, p)
	return p, nil
}
