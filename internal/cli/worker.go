package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/cli/config"
	"github.com/assent-run/assent/internal/definition"
	"github.com/spf13/cobra"
)

// RemoteFunc connects to Temporal.
type RemoteFunc func(ctx context.Context, o assembly.RemoteOptions, c *assembly.Config) (assembly.Remote, error)

// temporalEngine is the engine that has workers on other machines.
const temporalEngine = "temporal"

// workerMost is how much work of a queue a worker does at once.
const workerMost = 64

func (t *tool) workerCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Run agents that are assigned to a queue (Temporal engine)",
		Long: `Run the agents that are assigned to a queue, for a server with --engine temporal.
A worker has no API. It needs the database and Temporal, and the same settings and secrets as the server.
It runs until it is stopped (SIGTERM, Ctrl-C), and hands over work that it cannot finish.`,
		Example: "assent-temporal worker --queues gpu,default --db postgres://… --temporal temporal:7233",
		GroupID: groupServer,
		Args:    noArgs,
	}
	config.AddFlags(cmd.Flags())
	queues := cmd.Flags().StringSlice("queues", []string{"default"}, "queues to work on, separated by commas")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return t.worker(cmd, *queues) }
	return cmd
}

func (t *tool) worker(cmd *cobra.Command, queues []string) error {
	c, err := config.FromFlags(cmd.Flags(), t.Getenv)
	if err != nil {
		return &failure{code: exitUsage, err: err}
	}
	c.Engine = temporalEngine
	if err := t.engineAvailable(c); err != nil {
		return err
	}
	for i, q := range queues {
		queues[i] = strings.TrimSpace(q)
		if err := definition.CheckQueue(queues[i]); err != nil {
			return usage("--queues: %v; write names separated by commas, such as gpu,default", err)
		}
	}
	if len(queues) == 0 {
		return usage("--queues: name at least one queue, such as default")
	}
	return t.work(cmd.Context(), c, queues)
}

// work works until ctx ends.
func (t *tool) work(ctx context.Context, c *config.Config, queues []string) (err error) {
	db, err := c.DatabaseURL()
	if err != nil {
		return err
	}
	what := parts(c, db, logger(t.Stderr, c))
	what.Data = "" // a worker signs nothing and keeps no files
	if what.Keys, err = t.encryptionKeys(c); err != nil {
		return err
	}
	if what.Traces, what.PushedMetrics, err = t.telemetry(); err != nil {
		return err
	}
	if what.Remote, err = t.remote(ctx, c, &what); err != nil {
		return err
	}
	s, err := assembly.Open(ctx, what)
	if err != nil {
		what.Remote.Close()
		return err
	}
	defer func() {
		last, cancel := context.WithTimeout(context.Background(), c.Drain)
		defer cancel()
		if failed := s.Close(last); !errors.Is(failed, context.DeadlineExceeded) {
			err = errors.Join(err, failed)
		}
	}()
	most := c.Workers[""]
	if most == 0 {
		most = workerMost
	}
	if err := s.Work(queues, most); err != nil {
		return err
	}
	fmt.Fprintf(t.Stdout, "assent: working for %s\n", strings.Join(queues, ", "))
	<-ctx.Done()
	return nil
}

// engineAvailable rejects an engine that this program does not have, or that lacks its database.
func (t *tool) engineAvailable(c *config.Config) error {
	switch {
	case c.Engine != temporalEngine:
		return nil
	case t.Remote == nil:
		return &failure{code: exitUsage, err: errors.New("this program does not include the Temporal engine"),
			hint: "use assent-temporal, which has the same commands and is built by make assent-temporal; " +
				"see docs/temporal.md"}
	case c.DB.IsZero():
		return &failure{code: exitUsage, err: errors.New("the Temporal engine needs PostgreSQL: workers share its database"),
			hint: "set --db postgres://…"}
	}
	return nil
}

// remote connects to Temporal, if that engine is chosen.
func (t *tool) remote(ctx context.Context, c *config.Config, what *assembly.Config) (assembly.Remote, error) {
	if c.Engine != temporalEngine {
		return nil, nil
	}
	r, err := t.Remote(ctx, assembly.RemoteOptions{Address: c.Temporal, Namespace: c.TemporalNamespace,
		Silent: len(what.Keys) > 0}, what)
	if err != nil {
		return nil, fail("check --temporal and that Temporal runs there", "%w", err)
	}
	return r, nil
}
