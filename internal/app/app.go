package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/automation"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/deliverables"
	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/documents"
	"github.com/assent-run/assent/internal/feed"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/hindsight"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/inventory"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/notice"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/refusal"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/retention"
	"github.com/assent-run/assent/internal/rights"
	"github.com/assent-run/assent/internal/schedule"
	"github.com/assent-run/assent/internal/sight"
	"github.com/assent-run/assent/internal/suggest"
	"github.com/assent-run/assent/internal/supply"
	"github.com/assent-run/assent/internal/trail"
	"github.com/assent-run/assent/internal/trigger"
	"github.com/assent-run/assent/internal/view"
)

// Store is the part of a store that the use cases and their packages use. New splits it at once: each of them gets the
// methods that it calls, and nothing else.
type Store interface {
	trail.Store
	deliverables.Store
	port.Lists
	port.Answers
	port.Payloads
	port.Experiences
	port.Health
	eventLog
	hooks
	sums

	directory.Store
	feed.Store
	insight.Store
	registry.Store
	schedule.Store
	port.WorkingCopies
	port.Amendments
	trigger.Store
	view.Store
}

type (
	eventLog interface {
		Events(ctx context.Context, run string, after int64, limit int) ([]port.Record, error)
	}
	hooks interface {
		ExpireHookDeliveries(ctx context.Context, before time.Time, limit int) (int, error)
	}
	sums interface {
		ForgetCounted(ctx context.Context, before time.Time) (int, error)
	}
)

// Config is the environment of the use cases.
type Config struct {
	Store Store
	// Shared reports that other processes also use the store.
	Shared bool
	// Connect creates the worker for an agent's document.
	Connect func(*definition.Agent) (port.Agent, error)
	// Model creates the language model of an LLM agent, with the prices of models.
	Model func(*definition.Agent, map[string]definition.Price) (port.Model, error)
	// Caller is the model of steps that call a tool.
	Caller port.Model
	// Builtin are tools that need no document.
	Builtin []*definition.Tool
	// Catalogue lists everything that can be called. Listed finds a tool in the list
	// that an MCP server sent last. DocumentsChanged is called after every change of the documents in force.
	Catalogue        port.Catalogue
	Toolbox          func() port.Toolbox // describes tools, to try agents; nil: there are none
	Listed           func(server, tool string) (t plan.Tool, found, known bool)
	DocumentsChanged func()
	// Suggest makes a plan for an intent.
	Suggest func(context.Context, port.Intent) (port.Suggestion, error)
	// ConfidenceThreshold is the confidence below which people review a result, unless
	// the agent or the workflow sets one; nil: the core's own.
	ConfidenceThreshold *float64
	// DefaultRole is asked where no document names a role; empty: approver.
	DefaultRole string
	// GatesIfMissing is the default for gates whose condition names a missing field: ask or ignore; empty: ignore.
	GatesIfMissing string
	// References lists the references that documents saved by Save may contain.
	References definition.Allowed
	// Mask lists the fields that are masked in every workflow.
	Mask *mask.Rules
	// Audit signs and verifies the audit log; nil: it cannot be read.
	Audit port.Audit
	// RemoveWorkspace removes the files that agents left in a run's directory;
	// nil: there are none.
	RemoveWorkspace func(run string) error
	// NewRunID creates the id of a run that begins at a time.
	NewRunID func(time.Time) string
	// RunIDOf is the id of the run that a time of a schedule starts.
	RunIDOf func(schedule string, at time.Time) string
	// RunIDFor is the id of the run that a delivery to a trigger starts.
	RunIDFor func(trigger, delivery string) string
	// Lookup finds the secrets that documents refer to.
	Lookup func(definition.Reference) (string, error)
	Now    func() time.Time
	Log    *slog.Logger
}

// App has a method for every use case. It is safe for concurrent use.
type App struct {
	Access       *guard.Access // what callers may do
	Deliverables *deliverables.Deliverables
	Documents    *documents.Documents
	Hindsight    *hindsight.Hindsight   // what the past teaches
	Audit        *trail.Trail           // the audit log
	Rights       *rights.Rights         // explanations of access, and stand-ins
	Supply       *supply.Supply         // what the engine asks
	Inventory    *inventory.Inventory   // what can be called
	Automation   *automation.Automation // schedules and triggers
	Notices      *notice.Notices        // what is shown outside this program

	guard  *guard.Guard
	engine port.Engine

	// The store, by concern.
	lists   port.Lists
	log     eventLog
	answers port.Answers
	taught  port.Experiences
	hooks   hooks
	sums    sums
	health  port.Health

	// The packages that do not know the caller.
	registry  *registry.Registry
	people    *directory.People
	feed      *feed.Feed
	lessons   *insight.Teacher
	memory    *insight.Memory
	record    *insight.Record
	masking   *view.Sensitive
	schedules *schedule.Host
	copies    port.WorkingCopies
	triggers  *trigger.Host

	catalogue port.Catalogue
	changed   func()
	newRunID  func(time.Time) string
	clock     func() time.Time
	logger    *slog.Logger
	shared    bool

	refusals *refusal.Log
	sight    *sight.Sight
	eraser   *retention.Eraser
	stop     context.CancelFunc
	loops    sync.WaitGroup
}

// New creates an app. Its engine needs its Supply, so it is passed to Start.
func New(c Config) *App {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := c.Store
	a := &App{
		lists: s, log: s, answers: s, taught: s, hooks: s, sums: s,
		health:    s,
		catalogue: c.Catalogue, changed: c.DocumentsChanged, newRunID: c.NewRunID, clock: c.Now,
		logger: c.Log, shared: c.Shared,
	}
	a.registry = registry.New(registry.Config{
		Store: s, Connect: c.Connect, Model: c.Model, Caller: c.Caller, Builtin: c.Builtin, References: c.References,
		ConfidenceThreshold: c.ConfidenceThreshold, DefaultRole: c.DefaultRole, GatesIfMissing: c.GatesIfMissing,
		Listed: c.Listed, Rejected: a.rejected, Changed: a.announce, NewRunID: c.NewRunID, Now: a.Now, Log: c.Log,
	})
	a.lessons = insight.NewTeacher(s, a.Now, func() *definition.Set { return a.registry.Current().Documents() })
	a.record = insight.NewRecord(s, a.StateAt)
	a.masking = view.NewSensitive(s, c.Mask, func() view.Documents { return a.registry.Current() })
	a.memory = &insight.Memory{Store: s, Masking: a.masking, Now: a.Now, Log: c.Log, At: a.StateAt,
		InForce: func() *definition.Set { return a.registry.Current().Documents() }}
	a.feed = feed.New(s, a.Now)
	a.people = directory.New(s, a.Now)
	a.Supply = supply.New(a.registry, a.lessons, a.memory, a.feed)
	a.sight = sight.New(s, a.masking, a.people.Away)
	a.refusals = &refusal.Log{Store: s, Now: a.Now, Logger: c.Log}
	a.guard = guard.New(s, a.registry, a.sight, a.refusals)
	a.Access = a.guard.Access
	a.Rights = rights.New(a.guard, a.sight, a.registry, a.people)
	a.Documents = documents.New(documents.Config{Guard: a.guard, Registry: a.registry, People: a.people, Store: s,
		NewRunID: c.NewRunID, Now: a.Now, Log: c.Log})
	a.Audit = trail.New(a.guard, a.sight, s, c.Audit, a.Now)
	a.Inventory = inventory.New(inventory.Config{Guard: a.guard, Registry: a.registry, Catalogue: c.Catalogue,
		Plans: suggest.New(a.registry, c.Suggest, c.Log), Toolbox: c.Toolbox, Teach: a.lessons.Teach, Audit: a.Audit,
		NewRunID: c.NewRunID, Now: a.Now})
	a.Hindsight = hindsight.New(hindsight.Config{Guard: a.guard, Sight: a.sight, Registry: a.registry,
		Documents: a.Documents, Store: s, Record: a.record, Memory: a.memory, Lessons: a.lessons, Masking: a.masking,
		NewRunID: c.NewRunID, Now: a.Now})
	a.eraser = &retention.Eraser{Store: s, Workspace: c.RemoveWorkspace, Now: a.Now, Erased: func(run string) {
		a.masking.Forget(run)
		a.lessons.Forget()
	}}
	a.copies = s
	a.schedules = &schedule.Host{Store: s, Registry: a.registry, RunIDOf: c.RunIDOf, Now: a.Now}
	a.triggers = &trigger.Host{Store: s, Registry: a.registry, RunIDFor: c.RunIDFor, Lookup: c.Lookup, Now: a.Now,
		Log: c.Log, Stored: func() {
			a.feed.Announce(feed.News{Subject: triggerDelivered, Event: a.notice(triggerDelivered, map[string]any{})})
		}}
	a.Notices = notice.New(a.guard, a.sight, a.masking, s)
	a.Deliverables = deliverables.New(a.guard, a.sight, s, steering{a})
	a.Automation = automation.New(automation.Config{Guard: a.guard, Sight: a.sight, Documents: a.Documents,
		Masking: a.masking, Schedules: a.schedules, Triggers: a.triggers, Runs: steering{a}, NewRunID: c.NewRunID,
		Now: a.Now})
	return a
}

// rejected lists approvals that people rejected in a period and a policy would approve.
func (a *App) rejected(ctx context.Context, p *policy.Set, since, until time.Time) ([]string, error) {
	tried, err := a.record.Backtest(ctx, nil, p, since, until)
	var ids []string
	for _, passed := range tried.WouldPassRejected {
		ids = append(ids, passed.Approval)
	}
	return ids, err
}

// Start reads the published documents and follows the store until Stop. It does not start the engine.
func (a *App) Start(ctx context.Context, engine port.Engine) error {
	a.engine, a.schedules.Engine, a.triggers.Engine, a.eraser.Engine = engine, engine, engine, engine
	if err := a.registry.Reload(ctx); err != nil {
		return err
	}
	if err := a.registry.WarnOfPrograms(ctx); err != nil {
		return err
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	a.stop = stop
	a.loops.Go(func() { a.feed.Run(background) })
	a.loops.Go(func() { a.forget(background) })
	a.loops.Go(func() { a.refusals.Follow(background) })
	a.loops.Go(func() { schedule.New(a.schedules, engine.Leads, a.logger).Run(background) })
	if a.shared {
		a.loops.Go(func() { a.registry.Follow(background) })
	}
	return nil
}

// Stop ends the work that Start began.
func (a *App) Stop() {
	if a.stop != nil {
		a.stop()
	}
	a.loops.Wait()
}

// Ready returns the reason why the app cannot serve, or nil.
func (a *App) Ready(ctx context.Context) error {
	return port.WithHeld(a.health.Ready(ctx), a.engine)
}

// Leads reports whether this process starts agents.
func (a *App) Leads() bool { return a.engine.Leads() }

// UnsoundRuns counts the runs that this process does not continue because their state breaks an invariant.
func (a *App) UnsoundRuns() int {
	if e, ok := a.engine.(interface{ UnsoundRuns() int }); ok {
		return e.UnsoundRuns()
	}
	return 0
}

// FeedHead is the number of the newest event; 0 if it cannot be read now.
func (a *App) FeedHead(ctx context.Context) int64 {
	head, err := a.feed.Head(ctx)
	if err != nil {
		return 0
	}
	return head
}

// Now is the time in UTC.
func (a *App) Now() time.Time { return a.clock().UTC() }

// Idempotency creates the answer to store under an idempotency key, in the transaction of the write, from the response
// to the caller. It may be nil.
type Idempotency func(shown any) (*port.Answer, error)

// keep returns the answer to store with the write, or nil if the caller does not want one.
func (k Idempotency) keep(shown any) (*port.Answer, error) {
	if k == nil {
		return nil, nil
	}
	return k(shown)
}

// Answered is the earlier answer to an idempotency key. The same key with another request is a conflict.
func (a *App) Answered(ctx context.Context, key, digest string) (port.Answer, bool, error) {
	said, ok, err := a.answers.Answer(ctx, key)
	if err == nil && ok && said.Body != digest {
		err = reused()
	}
	return said, ok, err
}

// Remember stores the answer to a key; the first one stored wins.
func (a *App) Remember(ctx context.Context, said port.Answer) (port.Answer, error) {
	said.At = a.Now()
	kept, err := a.answers.SaveAnswer(ctx, said)
	if err == nil && kept.Body != said.Body {
		err = reused()
	}
	return kept, err
}

func reused() error {
	return fault.New(fault.Conflict, "this Idempotency-Key was used for another request",
		"use a new key for each request that differs")
}

const (
	answersKept  = 7 * 24 * time.Hour // idempotency keys
	countedKept  = policy.SumSpanMax + 24*time.Hour
	forgetEvery  = time.Hour
	forgetPauses = 100 * time.Millisecond // between batches, so that requests need not wait
)

// forget drops answers that have expired, acts that no longer count in any sum, and experience that no longer counts.
func (a *App) forget(ctx context.Context) {
	undeclared := true // there may be words that an earlier release kept
	for {
		n, err := a.answers.ForgetAnswers(ctx, a.Now().Add(-answersKept))
		counted, other := a.sums.ForgetCounted(ctx, a.Now().Add(-countedKept))
		_, third := a.taught.PruneExperiences(ctx)
		if undeclared {
			runs, err := a.taught.ForgetUndeclared(ctx)
			if third = errors.Join(third, err); err == nil {
				undeclared = false
			}
			if runs > 0 {
				a.logger.Info("forgot what was asked for in runs whose workflows do not declare loops.learn: requests",
					"runs", runs)
			}
		}
		if err = errors.Join(err, other, third); err != nil && ctx.Err() == nil && !errors.Is(err, port.ErrUnavailable) {
			a.logger.Error("delete expired idempotency responses, counted actions and learned data", "error", err)
		}
		wait := forgetEvery
		if n+counted > 0 && err == nil {
			wait = forgetPauses
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

// strictly reads a JSON object into v and refuses unknown members by name.
func strictly(raw json.RawMessage, v any) error { return plan.Decode(raw, v) }
