// Command assent-temporal is assent with the Temporal engine: the same commands, and workers on other machines.
package main

import (
	"context"

	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/cli"
	"github.com/assent-run/assent/temporal"
)

// Set when a release is built; see the Makefile.
var version, commit, date string

func main() { cli.MainWith(cli.Build{Version: version, Commit: commit, Date: date}, dial) }

func dial(ctx context.Context, o assembly.RemoteOptions, c *assembly.Config) (assembly.Remote, error) {
	t, err := temporal.Dial(ctx, temporal.Config{Address: o.Address, Namespace: o.Namespace, Silent: o.Silent, Log: c.Log})
	if err != nil {
		return nil, err
	}
	return remote{t}, nil
}

// remote is a client as assembly sees it.
type remote struct{ *temporal.Client }

func (r remote) Work(e assembly.Performer, queues []string, most int) (assembly.Worker, error) {
	return r.Client.Work(e, queues, most)
}
