package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"

	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/cli/config"
	"github.com/assent-run/assent/internal/cli/host"
	"github.com/assent-run/assent/internal/heap"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/trace/otlp"
	"github.com/spf13/cobra"
)

// demo defines whether to load examples.
type demo int

const (
	demoNone   demo = iota
	demoIfNew       // for an unused store
	demoAlways      // keep one run waiting
)

func (t *tool) serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Start the server",
		Long: `Start the server. It listens on this machine only unless sign-in is required,
keeps everything in the data directory, and runs until it is stopped (SIGTERM, Ctrl-C).`,
		Example: "assent serve --load ./flows\nassent serve --addr 127.0.0.1:0 --data /var/lib/assent",
		GroupID: groupServer,
		Args:    noArgs,
	}
	config.AddFlags(cmd.Flags())
	wanted := cmd.Flags().Bool("demo", false, "load the examples, and keep one run waiting for a decision")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *wanted {
			return t.serve(cmd, demoAlways)
		}
		return t.serve(cmd, demoNone)
	}
	return cmd
}

// serving is a server from start to end.
type serving struct {
	*tool
	config *config.Config
	log    *slog.Logger
	host   *host.Host
	demo   demo
	loops  sync.WaitGroup
	// reread reads the settings again, for the current keys.
	reread func() ([]seal.Key, error)
}

func (t *tool) serve(cmd *cobra.Command, d demo) error {
	c, err := config.FromFlags(cmd.Flags(), t.Getenv)
	if err != nil {
		return &failure{code: exitUsage, err: err}
	}
	if err := t.engineAvailable(c); err != nil {
		return err
	}
	if err := serveable(c); err != nil {
		return err
	}
	s := &serving{tool: t, config: c, log: logger(t.Stderr, c), demo: d}
	s.reread = func() ([]seal.Key, error) {
		again, err := config.FromFlags(cmd.Flags(), t.Getenv)
		if err != nil {
			return nil, err
		}
		return t.encryptionKeys(again)
	}
	return s.run(cmd.Context())
}

// serveable rejects settings that this release cannot serve with.
func serveable(c *config.Config) error {
	name, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return usage("%s: %q is not an address; write HOST:PORT, such as %s", c.From("addr"), c.Addr, config.DefaultAddr)
	}
	if err := c.SignIn.Check(); err != nil {
		return &failure{code: exitUsage, err: err, hint: "see docs/access.md"}
	}
	if !loopback(name) {
		return reachable(c)
	}
	return nil
}

// loopback reports whether only this machine can reach an address.
func loopback(name string) bool {
	if name == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Unmap().IsLoopback()
}

func logger(w io.Writer, c *config.Config) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // config validated the words
	o := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// run opens everything, serves until ctx ends, and shuts down gracefully.
func (s *serving) run(ctx context.Context) (err error) {
	heap.Tune()
	token := rand.Text()
	if s.host, err = s.open(ctx, token); err != nil {
		return err
	}
	watching, stop := context.WithCancel(ctx)
	defer func() {
		stop() // also after an error
		err = errors.Join(err, s.close())
	}()
	if err := s.load(watching); err != nil {
		return err
	}
	l, err := s.listen()
	if err != nil {
		return err
	}
	s.host.Start()
	if err := s.tellFirstAccount(ctx); err != nil {
		return errors.Join(err, l.Close())
	}
	hello, err := s.welcome(ctx)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	served := make(chan error, 1)
	go func() { served <- s.host.Serve(l) }()
	address := "http://" + l.Addr().String()
	mark := host.Mark{Address: address, PID: os.Getpid(), Version: s.Build.Version, StartedAt: s.Now().UTC(), Token: token}
	if err := host.WriteMark(s.config.Data, mark); err != nil {
		return err
	}
	fmt.Fprintf(s.Stdout, "assent: ready on %s\n%s", address, hello)
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		return nil
	}
}

func (s *serving) open(ctx context.Context, token string) (*host.Host, error) {
	db, err := s.config.DatabaseURL()
	if err != nil {
		return nil, err
	}
	what := parts(s.config, db, s.log)
	if what.AuditKey, what.AuditKeyPrevious, err = s.config.AuditKeys(); err != nil {
		return nil, err
	}
	if what.Keys, err = s.encryptionKeys(s.config); err != nil {
		return nil, err
	}
	if what.Traces, what.PushedMetrics, err = s.telemetry(); err != nil {
		return nil, err
	}
	if what.Remote, err = s.remote(ctx, s.config, &what); err != nil {
		return nil, err
	}
	what.Retain = &assembly.Retain{Runs: s.config.RetainRuns, Archived: s.config.RetainArchived,
		Workspaces: s.config.RetainWorkspaces, Payloads: s.config.RetainPayloads}
	o := host.Options{Config: what, Version: s.Build.Version, Token: token,
		RateLimit: s.config.RateLimit, Reread: s.reread, Settings: shownSettings(s.config), SettingsFile: s.config.File}
	if err := withSignIn(&o, &s.config.SignIn); err != nil {
		return nil, err
	}
	h, err := host.Open(ctx, o)
	if m, ok := host.ReadMark(s.config.Data); ok && errors.Is(err, port.ErrUnavailable) && db == "" {
		return nil, &failure{
			code: exitConflict, err: fmt.Errorf("a server already runs on %s with the data in %s (process %d)",
				m.Address, s.config.Data, m.PID),
			hint: "use it, stop it, or choose another directory with --data",
		}
	}
	return h, err
}

// telemetry is the settings of OpenTelemetry: for traces and for metrics.
func (t *tool) telemetry() (*otlp.Settings, *otlp.MetricSettings, error) {
	traces, err := otlp.Environment(t.Getenv, t.Build.Version)
	if err != nil {
		return nil, nil, &failure{code: exitUsage, err: err, hint: "see docs/operations.md#traces"}
	}
	metrics, err := otlp.MetricEnvironment(t.Getenv, t.Build.Version)
	if err != nil {
		return nil, nil, &failure{code: exitUsage, err: err, hint: "see docs/operations.md#metrics-to-a-collector"}
	}
	return traces, metrics, nil
}

// parts assembles the configuration.
func parts(c *config.Config, db string, log *slog.Logger) assembly.Config {
	return assembly.Config{
		Data: c.Data, DB: db, HeldResults: c.HeldResults,
		AllowPrivate: c.AllowPrivate, AllowCommands: c.AllowCommands, Workers: c.Workers,
		ConfidenceThreshold: &c.ConfidenceThreshold, DefaultRole: c.DefaultRole, GatesIfMissing: c.GatesIfMissing,
		MaskFields: c.MaskFields, AuditWitnesses: c.AuditWitnesses, References: c.References, Log: log,
	}
}

// listen opens the port. If the default port is taken, it uses any other.
func (s *serving) listen() (net.Listener, error) {
	l, err := net.Listen("tcp", s.config.Addr)
	if err == nil {
		return l, nil
	}
	if errors.Is(err, syscall.EADDRINUSE) && s.config.From("addr") == config.Default {
		if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
			fmt.Fprintf(s.Stderr, "assent: %s is in use, using %s\n", s.config.Addr, l.Addr())
			return l, nil
		}
	}
	return nil, fail("choose another with --addr, or 127.0.0.1:0 for any free port",
		"listen on %s: %w", s.config.Addr, err)
}

// close drains and warns if agents had to be interrupted.
func (s *serving) close() error {
	err := host.RemoveMark(s.config.Data)
	ctx, cancel := context.WithTimeout(context.Background(), s.config.Drain)
	defer cancel()
	s.loops.Wait()
	cut, failed := s.host.Close(ctx)
	if cut {
		fmt.Fprintf(s.Stderr, "assent: some work did not finish within %s; it resumes at the next start\n", s.config.Drain)
	}
	return errors.Join(err, failed)
}
