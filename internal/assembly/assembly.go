// Package assembly puts the parts together: it alone chooses adapters. The command line serves the result, the
// Go library returns it.
//
//	s, err := assembly.Open(ctx, assembly.Config{Data: "./.assent"})
//	defer s.Close(ctx)
//	run, err := s.App.Begin(ctx, app.LocalAdmin, app.NewRun{Workflow: "refund"}, nil)
package assembly

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assent-run/assent/internal/agent/caller"
	"github.com/assent-run/assent/internal/agent/httpagent"
	"github.com/assent-run/assent/internal/agent/llm"
	"github.com/assent-run/assent/internal/agent/mcpagent"
	"github.com/assent-run/assent/internal/agent/process"
	"github.com/assent-run/assent/internal/agent/scripted"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/audit"
	"github.com/assent-run/assent/internal/auth"
	"github.com/assent-run/assent/internal/chat"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/learn"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/meter"
	"github.com/assent-run/assent/internal/metrics"
	"github.com/assent-run/assent/internal/notify/push"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/outbox"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/retention"
	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/tool"
	"github.com/assent-run/assent/internal/tool/catalogue"
	"github.com/assent-run/assent/internal/tool/planner"
	"github.com/assent-run/assent/internal/tool/toolgraph"
	"github.com/assent-run/assent/internal/trace"
	"github.com/assent-run/assent/internal/trace/otlp"
)

// Config selects the parts.
type Config struct {
	Data string // directory of the embedded store
	DB   string // postgres://…; empty: the embedded store
	// HeldResults is the directory for results that the store does not accept; empty: one in Data.
	HeldResults string
	// Local lets HTTP agents reach this machine. It is for processes that only this machine can reach.
	Local        bool
	AllowPrivate bool // HTTP agents may reach private networks
	// References are the secrets that documents received over the network may refer to.
	References    definition.Allowed
	AllowCommands bool // agents may be programs
	Workers       map[string]int
	// ConfidenceThreshold is the confidence below which people are asked, unless the agent or the workflow sets
	// its own; nil: 0.7.
	ConfidenceThreshold *float64
	// DefaultRole is asked where no document names a role; empty: approver.
	DefaultRole string
	// GatesIfMissing is what gates do when a field of their condition is missing: ask or ignore; empty: ignore.
	GatesIfMissing string
	// MaskFields are fields masked for people without permission, in every workflow.
	MaskFields []string
	// AuditKey is the key that signs the audit log, in PEM; empty: the one in the data directory, which is
	// created on first use.
	AuditKey string
	// AuditWitnesses store signed heads of the audit log elsewhere; see audit.OpenWitness.
	AuditWitnesses []string
	// AuditKeyPrevious is the key that AuditKey replaces, in PEM.
	AuditKeyPrevious string
	// Keys encrypt stored values, the one for new values first; none: nothing is encrypted.
	Keys []seal.Key
	// SignIn configures sign-in; the zero value is local mode.
	SignIn SignIn
	// PublicURL is the address of the server for browsers; empty: unknown.
	PublicURL string
	// Functions are the agents of kind go, by name.
	Functions map[string]port.Agent
	// Remote lets workers on other machines do the work of agents that name a queue; nil: this process does it.
	Remote Remote
	// Retain sets retention periods; nil: nothing is deleted.
	Retain *Retain
	// Traces is where spans are sent; nil: nowhere.
	Traces *otlp.Settings
	// PushedMetrics is where metrics are sent; nil: nowhere, they are only read.
	PushedMetrics *otlp.MetricSettings
	Log           *slog.Logger
}

// Retain sets how long data is kept after its run ended, or after it was archived; 0 is forever. Bytes without
// a reference are always deleted.
type Retain struct{ Runs, Archived, Workspaces, Payloads time.Duration }

// SignIn configures sign-in.
type SignIn = auth.Config

// IdentityProvider configures sign-in with an identity provider.
type IdentityProvider = auth.OIDC

// Known is what documents may refer to without defining it: the built-in tools.
func Known() *definition.Set {
	set := definition.NewSet()
	for _, t := range tool.Builtin() {
		set.Add(t)
	}
	return set
}

// Server is all parts, ready to use.
type Server struct {
	App    *app.App
	Store  store.Store
	Auth   *auth.Service
	Push   *push.Channel // messages to browsers
	Outbox *outbox.Service
	Chat   *chat.Service // decisions in other programs
	// Metrics are those of this process.
	Metrics *metrics.Set
	// Log is that of Config, with the traces of runs.
	Log       *slog.Logger
	traces    tracing
	pushing   *pushing
	meter     *meter.Meter
	engine    *local.Engine
	publicURL string
	caller    *httpagent.Caller
	tools     *tool.Registry
	listed    *catalogue.Catalogue
	out       *outbound.Client
	audit     *audit.Service
	sweeps    *retention.Sweeper                    // nil: no retention periods
	order     atomic.Pointer[map[[2]string]float64] // how often runs used one tool after another
	remote    Remote                                // nil: this process does everything
	worker    atomic.Pointer[Worker]                // nil: this process is a server
}

// Open opens the store and creates everything that works on it. Nothing runs until Start.
func Open(ctx context.Context, c Config) (*Server, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	traces := newTracing(c.Traces)
	c.Log = slog.New(trace.Log(c.Log.Handler(), traces.runs))
	hidden, err := mask.Parse(c.MaskFields...)
	if err != nil {
		return nil, fmt.Errorf("the fields to mask: %w", err)
	}
	store, err := openStore(ctx, c)
	if err != nil {
		return nil, err
	}
	who, err := auth.New(store, c.SignIn)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	loopback := c.Local || c.AllowPrivate
	s := &Server{
		Store: store, Auth: who, Log: c.Log, traces: traces,
		caller: httpagent.NewCaller(httpagent.Options{AllowLoopback: loopback,
			AllowPrivate: c.AllowPrivate, Lookup: secret}),
		out: outbound.New(outbound.Options{AllowLoopback: loopback, AllowPrivate: c.AllowPrivate}),
	}
	s.Metrics = new(metrics.Set)
	s.meter = meter.New(s.Metrics)
	s.meter.Trace = s.traces.id
	s.publicURL = c.PublicURL
	s.Push = push.New(push.Options{Store: store, Transport: s.out.Transport(), Contact: c.PublicURL})
	witnesses, err := c.auditWitnesses(&http.Client{Transport: s.out.Transport()})
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	s.audit = audit.New(audit.Config{Store: store, Key: c.auditKey, Anchor: c.auditAnchor(), Rotation: c.auditRotation(),
		Witnesses: witnesses, Leads: func() bool { return s.engine.Leads() }, Log: c.Log})
	s.listed = catalogue.New(catalogue.Options{Own: s.callables,
		Servers: func() map[string]string { return s.tools.Servers() },
		Ask: func(ctx context.Context, server string) ([]port.Callable, error) {
			return s.tools.AskServer(ctx, server)
		}, Learned: store.ExperienceVersion, Past: s.past, Log: c.Log})
	plans := planner.New(planner.Options{Catalogue: s.listed, Agent: s.agentInForce, Then: s.then})
	s.App = app.New(app.Config{
		Toolbox: func() port.Toolbox { return s.tools },
		Suggest: plans.Suggest, Catalogue: s.listed, Listed: s.listed.Listed, DocumentsChanged: s.listed.Changed,
		Store: store, Audit: s.audit, Shared: c.DB != "", Connect: s.connector(c), Model: s.model, Caller: caller.Model{},
		Builtin:  tool.Builtin(),
		NewRunID: engine.NewRunID, RunIDOf: engine.RunIDOf, RunIDFor: engine.RunIDFor, Lookup: secret, Log: c.Log,
		ConfidenceThreshold: c.ConfidenceThreshold, DefaultRole: c.DefaultRole, References: c.References,
		GatesIfMissing: c.GatesIfMissing, Mask: hidden,
		RemoveWorkspace: func(run string) error { return retention.RemoveWorkspace(c.workspace(), run) },
	})
	supply := s.App.Supply
	s.tools = tool.New(tool.Options{
		Documents: supply.ToolDocuments, Workspace: c.workspace(), Files: supply.AgentFiles, PutBlob: s.putBlob,
		Lookup:        secret,
		AllowLoopback: loopback, AllowPrivate: c.AllowPrivate, AllowCommands: c.AllowCommands,
		ServerChanged: s.listed.ServerChanged, ServerListed: s.listed.ServerListed,
	})
	own := local.Config{
		Store: store, Shared: c.DB != "", Agent: supply.Agent, LLMAgent: supply.LLMAgent,
		Tools: s.tools, Workflow: supply.Definition,
		Judge: supply.Judge, InForce: supply.InForce, Outdated: supply.Outdated, CatchUp: supply.CatchUp,
		Find:   plans.Find,
		Search: s.listed.Search,
		Teach:  supply.Teach, Redact: supply.Redact, Committed: s.committed, Reported: s.reported,
		Trace:   s.traces.span,
		Workers: c.Workers, Log: c.Log,
	}
	if own.Spool, err = c.spool(); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	if own.Now, err = clockOf(ctx, store, c.Log); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	if c.Remote != nil {
		if err := s.connectRemote(ctx, c.Remote); err != nil {
			return nil, errors.Join(err, store.Close())
		}
		own.Dispatch = s.remote
	}
	s.engine = local.New(own)
	s.traces.export(s, c)
	s.pushing = newPushing(c.PushedMetrics, s.Metrics, c.Log)
	meter.Watch(s.Metrics, meter.Sources{Store: store, Running: s.engine.Running,
		Held: s.engine.Held, Now: time.Now, Log: c.Log})
	s.Outbox = outbox.New(outbox.Config{Store: store, App: s.App, Open: s.channel, Epoch: s.engine.Epoch,
		Trace:  s.inTrace,
		SignIn: c.SignIn.Password || c.SignIn.OIDC != nil, URL: c.PublicURL, Secret: s.Push.Derive, Log: c.Log})
	if r := c.Retain; r != nil {
		s.sweeps = retention.New(retention.Config{
			Store: store, Leads: s.engine.Leads, Workspace: c.workspace(), Runs: r.Runs, Archived: r.Archived,
			Workspaces: r.Workspaces,
			Payloads:   r.Payloads, Forget: s.App.ForgetEnded, Log: c.Log,
		})
	}
	s.Chat = s.talk(c)
	if err := s.App.Start(ctx, s.engine); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return s, nil
}

func openStore(ctx context.Context, c Config) (store.Store, error) {
	if c.DB != "" {
		return postgres.Open(ctx, c.DB, c.Keys...)
	}
	return sqlite.Open(ctx, c.Data, c.Keys...)
}

// Restore fills an empty PostgreSQL database from a backup; see postgres.Restore.
func Restore(ctx context.Context, db, dir string, tell func(table string, rows int64)) error {
	return postgres.Restore(ctx, db, dir, tell)
}

// Audit returns the operator's view of the audit log.
func (s *Server) Audit() port.AuditOperation { return s.audit }

// Start starts the engine.
func (s *Server) Start() {
	s.engine.Start()
	s.Outbox.Start()
	s.traces.start()
	s.pushing.start()
	s.audit.Start()
	if s.sweeps != nil {
		s.sweeps.Start()
	}
}

// Drain lets agents finish their current work until ctx ends; nothing new starts.
func (s *Server) Drain(ctx context.Context) error {
	if w := s.worker.Load(); w != nil {
		(*w).StopPolling()
	}
	return s.engine.Stop(ctx)
}

// Close drains and closes everything.
func (s *Server) Close(ctx context.Context) error {
	if s.sweeps != nil {
		s.sweeps.Stop()
	}
	s.Outbox.Stop()
	err := s.Drain(ctx)
	s.closeRemote(ctx)
	s.traces.stop()
	s.pushing.stop()
	s.Chat.Close()
	s.audit.Stop()
	s.App.Stop()
	s.listed.Close()
	s.tools.Close()
	s.caller.Close()
	s.out.Close()
	return errors.Join(err, s.Store.Close())
}

// auditKey finds the key that signs the audit log.
func (c Config) auditKey() (*audit.Key, error) {
	switch {
	case c.AuditKey != "":
		k, err := audit.ParseKey(c.AuditKey)
		if err != nil {
			return nil, fault.New(fault.Unsupported, "the key that signs the audit log cannot be used", err.Error())
		}
		return k, nil
	case c.Data == "":
		return nil, fault.New(fault.Unsupported, "no key to sign the audit log",
			"set a data directory or a key")
	}
	return audit.KeyIn(c.Data)()
}

// auditWitnesses opens the witnesses of signed heads.
func (c Config) auditWitnesses(client *http.Client) (out []audit.Witness, err error) {
	for _, text := range c.AuditWitnesses {
		w, err := audit.OpenWitness(text, filepath.Join(c.Data, "audit.timestamps"), client)
		if err != nil {
			return nil, fault.New(fault.Invalid, err.Error(), "see audit_witnesses in the settings")
		}
		out = append(out, w)
	}
	return out, nil
}

// auditRotation replaces that key.
func (c Config) auditRotation() audit.Rotation {
	if c.AuditKey != "" || c.Data == "" {
		return audit.PreviousKey(c.AuditKeyPrevious)
	}
	return audit.RotationIn(c.Data)
}

// auditAnchor is where the server stores the last head it signed. One directory may serve several databases,
// one after the other.
func (c Config) auditAnchor() audit.Anchors {
	if c.Data == "" {
		return nil
	}
	return audit.AnchorFor(c.Data, c.database())
}

// database names the database, without its password; the embedded one has no name.
func (c Config) database() string {
	if c.DB == "" {
		return ""
	}
	return postgres.Name(c.DB)
}

// model creates the language model of an LLM agent.
func (s *Server) model(doc *definition.Agent, prices map[string]definition.Price) (port.Model, error) {
	return llm.Open(*doc.LLM, llm.Options{Lookup: secret, Prices: prices, Transport: s.out.Transport()})
}

// committed passes on what this process has stored.
func (s *Server) committed(after *machine.State, r port.Receipt) {
	s.App.Supply.Learned(r)
	s.meter.Committed(after, r)
	s.traces.note(after)
	if len(r.Approvals) > 0 {
		s.Chat.Changed()
	}
	if slices.ContainsFunc(r.Events, func(e run.Event) bool { return engine.Teaches(e.Fact) }) {
		s.listed.Taught()
	}
}

// past are the requests of past runs and how these used tools, for searches. It also notes the order in which runs
// used tools.
func (s *Server) past(ctx context.Context) ([]toolgraph.Past, []toolgraph.Used, error) {
	lessons, err := s.Store.Experiences(ctx)
	if err != nil {
		return nil, nil, err
	}
	learned, order := learn.Fold(lessons, time.Now()), map[[2]string]float64{}
	for _, e := range learned.Edges {
		if e.Kind == learn.Then {
			order[[2]string{e.From, e.To}] = e.Weight
		}
	}
	s.order.Store(&order)
	var out []toolgraph.Past
	var used []toolgraph.Used
	for _, r := range learned.Requests {
		out = append(out, toolgraph.Past{Request: r.Text, Tools: r.Tools, Not: r.Not, Weight: float32(r.Weight)})
	}
	for _, u := range learned.Uses {
		used = append(used, toolgraph.Used{Tools: u.Tools, Then: u.Then, Fits: u.Fits, Past: u.Requests,
			Weight: float32(u.Weight)})
	}
	return out, used, nil
}

// then is how much speaks for using one tool after another, by the runs that completed.
func (s *Server) then(first, second string) float64 {
	if order := s.order.Load(); order != nil {
		return (*order)[[2]string{first, second}]
	}
	return 0
}

// callables are everything that can be called, but for the tools of MCP servers.
func (s *Server) callables() []port.Callable {
	return append(s.tools.Callables(), catalogue.Agents(s.App.Supply.AgentDocuments())...)
}

// agentInForce finds an agent for steps that are added to a plan.
func (s *Server) agentInForce(name string) (plan.Agent, bool) {
	doc, ok := s.App.Supply.AgentDocuments()[name]
	if !ok {
		return plan.Agent{}, false
	}
	return doc.Agent, true
}

// blobMax limits the output that a tool may store.
const blobMax = 64 << 20

func (s *Server) putBlob(ctx context.Context, r io.Reader) (string, int64, error) {
	content, err := io.ReadAll(io.LimitReader(r, blobMax+1))
	if err != nil {
		return "", 0, err
	}
	return s.engine.PutBlob(ctx, content, blobMax)
}

// workspace is where runs have their files. Without a data directory there is none: files on one machine would
// be missing on another.
func (c Config) workspace() string {
	if c.Data == "" || c.DB != "" {
		return ""
	}
	return filepath.Join(c.Data, "workspace")
}

// connector creates the worker for an agent's document.
func (s *Server) connector(c Config) func(*definition.Agent) (port.Agent, error) {
	return func(doc *definition.Agent) (port.Agent, error) {
		switch doc.Kind {
		case plan.AgentScripted:
			return scripted.New(*doc.Scripted)
		case plan.AgentHTTP:
			return s.caller.Agent(*doc.HTTP)
		case plan.AgentCommand:
			return process.New(*doc.Command, process.Options{Enabled: c.AllowCommands, Lookup: secret})
		case plan.AgentMCP:
			return mcpagent.New(doc.Name, *doc.MCP, servers{s}), nil
		case plan.AgentGo:
			if f, ok := c.Functions[doc.Name]; ok {
				return f, nil
			}
			return nil, fault.Newf(fault.Unsupported,
				"agent %q is a Go function, but this program has no function of that name", doc.Name)
		}
		return nil, fault.Newf(fault.Unsupported, "agents of kind %s are not available here", doc.Kind)
	}
}

// servers are the MCP servers of tools. They are created after their callers.
type servers struct{ of *Server }

func (s servers) CallStep(ctx context.Context, server string, w port.ToolWork,
	tell func(port.Progress)) (run.CallResult, error) {
	return s.of.tools.CallStep(ctx, server, w, tell)
}

// secretMax limits a secret stored in a file.
const secretMax = 64 << 10

// secret resolves a reference to a secret. Errors never contain the value.
func secret(r definition.Reference) (string, error) {
	switch r.Scheme {
	case "env":
		if v, ok := os.LookupEnv(r.Name); ok {
			return v, nil
		}
		return "", fmt.Errorf("environment variable %s is not set", r.Name)
	case "file":
		info, err := os.Stat(r.Name)
		if err == nil && info.Size() > secretMax {
			err = fmt.Errorf("%s is not a secret: it has %d bytes", r.Name, info.Size())
		}
		if err != nil {
			return "", err
		}
		b, err := os.ReadFile(r.Name)
		return strings.TrimRight(string(b), "\r\n"), err
	}
	return "", fmt.Errorf("unknown source of secrets %q; use env or file", r.Scheme)
}
