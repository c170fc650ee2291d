// Package assembly puts the parts together: it alone chooses adapters. The
// command line serves what it opens, the Go library hands it out.
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
	"strings"
	"time"

	"github.com/assent-run/assent/internal/agent/httpagent"
	"github.com/assent-run/assent/internal/agent/llm"
	"github.com/assent-run/assent/internal/agent/mcpagent"
	"github.com/assent-run/assent/internal/agent/process"
	"github.com/assent-run/assent/internal/agent/scripted"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/audit"
	"github.com/assent-run/assent/internal/auth"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/retention"
	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/tool"
)

// Config says what to put together.
type Config struct {
	Data string // directory of the embedded store
	DB   string // postgres://…; empty: the embedded store
	// Local lets HTTP agents reach this very machine. It is for processes
	// that only this machine can reach.
	Local        bool
	AllowPrivate bool // HTTP agents may reach private networks
	// References are those that documents which come over the network may hold.
	References    definition.Allowed
	AllowCommands bool // agents may be programs
	Workers       map[string]int
	// ConfidenceThreshold is how sure agents have to be for people not to be
	// asked, where neither the agent nor the workflow says; nil: 0.7.
	ConfidenceThreshold *float64
	// DefaultRole is asked where no document says who is; empty: approver.
	DefaultRole string
	// GatesIfMissing is what gates do when a field of their condition is missing:
	// ask or ignore; empty: ignore.
	GatesIfMissing string
	// MaskFields are fields whose values not everybody may see, in every workflow.
	MaskFields []string
	// AuditKey is the key that signs the audit log, in PEM; empty: the one in
	// the data directory, which is made when it is first needed.
	AuditKey string
	// AuditWitnesses keep the signed heads of the audit log outside; see audit.OpenWitness.
	AuditWitnesses []string
	// AuditKeyPrevious is the key that AuditKey replaces, in PEM.
	AuditKeyPrevious string
	// Keys seal what is stored, the one for new values first; none: nothing is.
	Keys []seal.Key
	// SignIn says how people may sign in; the zero value is local mode.
	SignIn SignIn
	// Functions are the agents of kind go, by name.
	Functions map[string]port.Agent
	// Retain says what is not kept for ever; nil: nothing is looked at.
	Retain *Retain
	Log    *slog.Logger
}

// Retain says how long things are kept after the end of their run, or after they
// were archived; 0 is for ever. Bytes that nothing refers to are never kept.
type Retain struct{ Runs, Archived, Workspaces, Payloads time.Duration }

// SignIn says how people may sign in.
type SignIn = auth.Config

// IdentityProvider is where people may sign in.
type IdentityProvider = auth.OIDC

// Known is what documents may refer to although nobody wrote it down: the
// tools that are built in.
func Known() *definition.Set {
	set := definition.NewSet()
	for _, t := range tool.Builtin() {
		set.Add(t)
	}
	return set
}

// Server is everything, ready to use.
type Server struct {
	App    *app.App
	Store  store.Store
	Auth   *auth.Service
	engine port.Engine
	caller *httpagent.Caller
	tools  *tool.Registry
	out    *outbound.Client
	audit  *audit.Service
	sweeps *retention.Sweeper // nil: nobody wants it
}

// Open opens the store and makes everything that works on it. Nothing moves
// until Start.
func Open(ctx context.Context, c Config) (*Server, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
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
		Store: store, Auth: who, caller: httpagent.NewCaller(httpagent.Options{AllowLoopback: loopback,
			AllowPrivate: c.AllowPrivate, Lookup: secret}),
		out: outbound.New(outbound.Options{AllowLoopback: loopback, AllowPrivate: c.AllowPrivate}),
	}
	witnesses, err := c.auditWitnesses(&http.Client{Transport: s.out.Transport()})
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	s.audit = audit.New(audit.Config{Store: store, Key: c.auditKey, Anchor: c.auditAnchor(), Rotation: c.auditRotation(),
		Witnesses: witnesses, Leads: func() bool { return s.engine.Leads() }, Log: c.Log})
	s.App = app.New(app.Config{
		Store: store, Audit: s.audit, Shared: c.DB != "", Connect: s.connector(c), Model: s.model, Builtin: tool.Builtin(),
		NewRunID: engine.NewRunID, Log: c.Log,
		ConfidenceThreshold: c.ConfidenceThreshold, DefaultRole: c.DefaultRole, References: c.References,
		GatesIfMissing: c.GatesIfMissing, Mask: hidden,
		RemoveWorkspace: func(run string) error { return retention.RemoveWorkspace(c.workspace(), run) },
	})
	s.tools = tool.New(tool.Options{
		Documents: s.App.Documents, Workspace: c.workspace(), Files: s.App.AgentFiles, PutBlob: s.putBlob, Lookup: secret,
		AllowLoopback: loopback, AllowPrivate: c.AllowPrivate, AllowCommands: c.AllowCommands,
	})
	s.engine = local.New(local.Config{
		Store: store, Shared: c.DB != "", Agent: s.App.Agent, Mind: s.App.Mind, Tools: s.tools, Workflow: s.App.Definition,
		Judge: s.App.Judge, InForce: s.App.InForce, Outdated: s.App.Outdated,
		Teach: s.App.Teach, Committed: s.App.Learned, Reported: s.App.Reported,
		Workers: c.Workers, Log: c.Log,
	})
	if r := c.Retain; r != nil {
		s.sweeps = retention.New(retention.Config{
			Store: store, Leads: s.engine.Leads, Workspace: c.workspace(), Runs: r.Runs, Archived: r.Archived,
			Workspaces: r.Workspaces,
			Payloads:   r.Payloads, Forget: s.App.ForgetEnded, Log: c.Log,
		})
	}
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

// Audit is what the operator does with the audit log.
func (s *Server) Audit() port.AuditOperation { return s.audit }

// Start sets the engine going.
func (s *Server) Start() {
	s.engine.Start()
	s.audit.Start()
	if s.sweeps != nil {
		s.sweeps.Start()
	}
}

// Drain lets agents finish what they are at until ctx ends; nothing new starts.
func (s *Server) Drain(ctx context.Context) error { return s.engine.Stop(ctx) }

// Close drains and closes everything.
func (s *Server) Close(ctx context.Context) error {
	if s.sweeps != nil {
		s.sweeps.Stop()
	}
	err := s.engine.Stop(ctx)
	s.audit.Stop()
	s.App.Stop()
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
		return nil, fault.New(fault.Unsupported, "there is no key to sign the audit log with",
			"name a data directory, or a key")
	}
	return audit.KeyIn(c.Data)()
}

// auditWitnesses opens what keeps signed heads outside.
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

// auditAnchor is where the server keeps what it signed last. One directory may
// serve several databases, one after the other.
func (c Config) auditAnchor() audit.Anchors {
	switch {
	case c.Data == "":
		return nil
	case c.DB != "":
		return audit.AnchorFor(c.Data, postgres.Name(c.DB))
	}
	return audit.AnchorFor(c.Data, "")
}

// model makes what an LLM agent thinks with.
func (s *Server) model(doc *definition.Agent, prices map[string]definition.Price) (port.Model, error) {
	return llm.Open(*doc.LLM, llm.Options{Lookup: secret, Prices: prices, Transport: s.out.Transport()})
}

// blobMax bounds what a tool may leave behind.
const blobMax = 64 << 20

func (s *Server) putBlob(ctx context.Context, r io.Reader) (string, int64, error) {
	return s.Store.PutBlob(ctx, r, blobMax)
}

// workspace is where runs have their files. Without a directory of our own there
// is none: files of one machine would be missing on another.
func (c Config) workspace() string {
	if c.Data == "" || c.DB != "" {
		return ""
	}
	return filepath.Join(c.Data, "workspace")
}

// connector makes the worker behind an agent's document.
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
				"agent %q is a Go function, and this program has none of that name", doc.Name)
		}
		return nil, fault.Newf(fault.Unsupported, "agents of kind %s cannot be used here", doc.Kind)
	}
}

// servers are the MCP servers that tools have, too. They are made after those who
// may call them.
type servers struct{ of *Server }

func (s servers) CallStep(ctx context.Context, server string, w port.ToolWork,
	tell func(port.Progress)) (run.CallResult, error) {
	return s.of.tools.CallStep(ctx, server, w, tell)
}

// secretMax bounds a secret that is kept in a file.
const secretMax = 64 << 10

// secret looks a secret up where its reference says. No error repeats it.
func secret(r definition.Reference) (string, error) {
	switch r.Scheme {
	case "env":
		if v, ok := os.LookupEnv(r.Name); ok {
			return v, nil
		}
		return "", fmt.Errorf("the environment has no %s", r.Name)
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
	return "", fmt.Errorf("secrets are not kept in %q", r.Scheme)
}
