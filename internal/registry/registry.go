package registry

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// Store is the part of a store that a registry uses.
type Store interface {
	port.Definitions
	port.Sources
	port.Usage
}

// Config is the environment of a registry.
type Config struct {
	Store Store
	// Connect creates the worker for an agent's document.
	Connect func(*definition.Agent) (port.Agent, error)
	// Model creates the language model of an LLM agent; nil: there are none.
	Model func(*definition.Agent, map[string]definition.Price) (port.Model, error)
	// Caller is the model of steps that call a tool: it proposes that call; nil: steps cannot call tools.
	Caller port.Model
	// Builtin are tools that need no document.
	Builtin []*definition.Tool
	// Listed finds a tool in the list that an MCP server sent last; nil: nothing is known about them.
	Listed func(server, tool string) (t plan.Tool, found, known bool)
	// ConfidenceThreshold, DefaultRole and GatesIfMissing are the defaults of workflows;
	// empty: the core's own.
	ConfidenceThreshold *float64
	DefaultRole         string
	GatesIfMissing      string
	// References are those that a document read from a request may contain.
	References definition.Allowed
	// Rejected lists approvals that people rejected in a period and that a policy would have approved. A policy from a
	// file that has any is not published.
	Rejected func(ctx context.Context, p *policy.Set, since, until time.Time) ([]string, error)
	// Changed is called after every change of the documents in force.
	Changed  func(before, after *Snapshot)
	NewRunID func(time.Time) string
	Now      func() time.Time
	Log      *slog.Logger
}

// Registry stores the published documents. It is safe for concurrent use.
type Registry struct {
	Config
	current  atomic.Pointer[Snapshot]
	write    sync.Mutex // held while a document is saved and published
	agents   agents
	seen     sync.Map     // paths → fingerprint of their files when they were last loaded
	problems atomic.Value // the problems of those files, as []definition.Problem
	compiled atomic.Pointer[compiled]
}

// New creates a registry. Nothing is in force before Reload.
func New(c Config) *Registry {
	r := &Registry{Config: c, agents: agents{known: map[string]*worker{}}}
	r.current.Store(emptySnapshot())
	return r
}

// kinds are the kinds of documents, each after those that it may refer to.
var kinds = []definition.Kind{
	definition.KindRole, definition.KindPrices, definition.KindMCPServer, definition.KindTool,
	definition.KindChannel, definition.KindAgent, definition.KindPolicy, definition.KindWorkflow,
	definition.KindSchedule, definition.KindTrigger, definition.KindNotifications,
}

func ident(k definition.Kind, name string) string { return string(k) + "/" + name }

// Slot is the kind and name under which the versions of a document are kept. There is
// one policy and one price list, whatever their names.
func Slot(doc definition.Document) (definition.Kind, string) {
	kind, name := doc.Ident()
	if kind == definition.KindPolicy || kind == definition.KindPrices {
		name = string(kind)
	}
	return kind, name
}

// Current is everything in force now.
func (r *Registry) Current() *Snapshot { return r.current.Load() }

// Reload reads the documents in force from the store.
func (r *Registry) Reload(ctx context.Context) error {
	r.write.Lock()
	defer r.write.Unlock()
	return r.reload(ctx)
}

func (r *Registry) reload(ctx context.Context) error {
	// The generation is read first: a publication during the reads below makes it outdated.
	generation, err := r.Store.Generation(ctx)
	if err != nil {
		return fmt.Errorf("read the definitions in force: %w", err)
	}
	set, versions := definition.NewSet(), map[string]port.Version{}
	for _, kind := range kinds {
		found, err := r.Store.InForce(ctx, string(kind))
		if err != nil {
			return fmt.Errorf("read the definitions in force: %w", err)
		}
		for _, v := range found {
			doc, problems := definition.ParseDocument(definition.JSON, v.Body)
			if doc == nil {
				// Written by another release. The others are still used.
				r.Log.Error("a definition cannot be read",
					"kind", v.Kind, "name", v.Name, "version", v.Number, "problems", fmt.Sprint(problems))
				continue
			}
			set.Add(doc)
			v.Body, v.Source = nil, r.Current().sourceOf(doc, v)
			versions[ident(kind, v.Name)] = v
		}
	}
	withdrawn, err := r.withdrawn(ctx, set)
	if err != nil {
		return fmt.Errorf("read the withdrawn roles: %w", err)
	}
	stop, err := r.readStop(ctx)
	if err != nil {
		return fmt.Errorf("read the emergency stop: %w", err)
	}
	uses, err := r.Store.Uses(ctx)
	if err != nil {
		return err
	}
	next := &Snapshot{
		set: set, versions: versions, generation: generation, stop: stop, uses: uses, plans: &sync.Map{},
		withdrawn: withdrawn,
	}
	if next.began, err = r.rampsBegan(ctx, next); err != nil {
		return fmt.Errorf("read when rules were published: %w", err)
	}
	return r.use(next)
}

// use puts documents in force in this process.
func (r *Registry) use(next *Snapshot) error {
	next.rules = access.New(next.set.Roles, next.withdrawn...)
	if next.set.Policy != nil {
		compiled, problems := r.Compile(next.set.Policy)
		if compiled == nil {
			return fault.Of("the policy is not valid", fault.Errors(problems))
		}
		if next.policy = compiled.Since(next.began); next.stop.On {
			next.policy = next.policy.Stopped()
		}
	}
	r.agents.keep(next.agentKeys())
	if before := r.current.Swap(next); before.generation != unread && r.Changed != nil {
		r.Changed(before, next)
	}
	return nil
}

type compiled struct {
	digest string
	set    *policy.Set
}

// Compile makes a policy ready to use. The last result is kept: the same policy is
// checked, tried on past decisions and published, one after the other.
func (r *Registry) Compile(doc *definition.Policy) (*policy.Set, []fault.Problem) {
	digest := value.Digest(doc.JSONWithSecrets())
	if last := r.compiled.Load(); last != nil && last.digest == digest {
		return last.set, nil
	}
	set, problems := policy.Compile(doc.Document, time.LoadLocation)
	if set != nil {
		r.compiled.Store(&compiled{digest, set})
	}
	return set, problems
}

// followEvery is how soon a process notices the publications of another.
const followEvery = 2 * time.Second

// Follow notices publications by other processes, until ctx ends.
func (r *Registry) Follow(ctx context.Context) {
	for {
		select {
		case <-time.After(followEvery):
		case <-ctx.Done():
			return
		}
		if err := r.CatchUp(ctx); err != nil && ctx.Err() == nil {
			r.Log.Error("check for new definitions", "error", err)
		}
	}
}

// CatchUp reads the documents again if something was published since.
func (r *Registry) CatchUp(ctx context.Context) error {
	if behind, err := r.behind(ctx); !behind {
		return err
	}
	return r.Reload(ctx)
}

// renew is CatchUp for callers that hold the lock.
func (r *Registry) renew(ctx context.Context) error {
	if behind, err := r.behind(ctx); !behind {
		return err
	}
	return r.reload(ctx)
}

// behind reports whether another process published something that this one has not read.
func (r *Registry) behind(ctx context.Context) (bool, error) {
	generation, err := r.Store.Generation(ctx)
	return err == nil && generation != r.Current().generation, err
}
