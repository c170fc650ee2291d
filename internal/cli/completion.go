package cli

import (
	"context"
	"net/url"
	"time"

	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/config"
	"github.com/assent-run/assent/internal/cli/host"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/spf13/cobra"
)

// completeMax is how long Tab completion may take.
const completeMax = 800 * time.Millisecond

// proposals lists completions, each with a short description.
type proposals func(context.Context, *client.Client) []cobra.Completion

// complete asks a running server; it never opens a store.
func (t *tool) complete(what ...proposals) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		c, err := config.FromFlags(cmd.Flags(), t.Getenv)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		address := c.Addr
		if !c.Given("addr") {
			m, ok := host.ReadMark(c.Data)
			if !ok {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			address = m.Address
		}
		ctx, cancel := context.WithTimeout(context.Background(), completeMax)
		defer cancel()
		server := client.New(address, t.who(cmd), nil)
		defer server.Close()
		var out []cobra.Completion
		for _, s := range what {
			out = append(out, s(ctx, server)...)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

func approvalIDs(ctx context.Context, c *client.Client) (out []cobra.Completion) {
	list, _ := c.Approvals(ctx, url.Values{"status": {"pending"}, "limit": {"50"}}) // no answer, no suggestions
	for _, a := range list.Items {
		out = append(out, cobra.CompletionWithDesc(a.ID, show.Line(a.Title)))
	}
	return out
}

func runIDs(ctx context.Context, c *client.Client) (out []cobra.Completion) {
	list, _ := c.Runs(ctx, url.Values{"limit": {"50"}}) // see above
	for _, r := range list.Items {
		out = append(out, cobra.CompletionWithDesc(r.ID, show.Line(r.Workflow)+", "+string(r.Status)))
	}
	return out
}

func workflowNames(ctx context.Context, c *client.Client) (out []cobra.Completion) {
	list, _ := c.Workflows(ctx) // see above
	for _, w := range list.Items {
		out = append(out, cobra.Completion(w.Name))
	}
	return out
}

// ids completes the ids of everything that can be shown.
func ids(ctx context.Context, c *client.Client) []cobra.Completion {
	return append(append(approvalIDs(ctx, c), runIDs(ctx, c)...), workflowNames(ctx, c)...)
}
