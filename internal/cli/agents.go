package cli

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/insight"
	"github.com/spf13/cobra"
)

func (t *tool) agentsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "agents", Short: "Show the usage and cost of agents", GroupID: groupWrite, Args: noArgs,
		Long: `List agents with their usage and cost in the last 30 days, the most expensive first, and
those in force that were not used. Test runs, and runs that you may not see, are not counted.`,
		Example: "assent agents\nassent agents --since 7d --workflow refund-email\nassent agents show refund_writer",
	}
	q := periodFlags(cmd)
	t.looking(cmd, func(ctx context.Context, s *session, _ []string) error { return s.agents(ctx, q()) })
	cmd.AddCommand(t.agentsShowCommand())
	return cmd
}

func (t *tool) agentsShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "show NAME", Short: "Show an agent's usage and cost by day", Args: nArgs(1, 1, "the name of an agent"),
		Long:              "Show an agent's usage and cost: the total, and each day on which it was used, in UTC.",
		Example:           "assent agents show refund_writer --since 90d",
		ValidArgsFunction: t.complete(agentNames),
	}
	q := periodFlags(cmd)
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		v, err := s.UsageOfAgent(ctx, args[0], q())
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(v)
		}
		return s.agentDays(v)
	})
}

// periodFlags adds the flags that select a period.
func periodFlags(cmd *cobra.Command) func() url.Values {
	f := cmd.Flags()
	given := map[string]*string{
		"since":    f.String("since", "", "how far back: a duration such as 7d, or a time (default 30d)"),
		"until":    f.String("until", "", "the end: a duration back from now, or a time (default now)"),
		"workflow": f.String("workflow", "", "only this workflow"),
	}
	return func() url.Values {
		q := url.Values{}
		for name, v := range given {
			if *v != "" {
				q.Set(name, *v)
			}
		}
		return q
	}
}

func agentNames(ctx context.Context, c *client.Client) (out []cobra.Completion) {
	list, _ := c.Agents(ctx) // completion without a server completes nothing
	for _, v := range list.Items {
		out = append(out, cobra.Completion(v.Name))
	}
	return out
}

func (s *session) agents(ctx context.Context, q url.Values) error {
	v, err := s.AgentUsage(ctx, q)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(v)
	}
	inForce, err := s.Agents(ctx)
	if err != nil {
		return err
	}
	used := map[string]bool{}
	for _, u := range v.Items {
		used[u.Agent] = true
	}
	for _, d := range inForce.Items {
		if !used[d.Name] {
			v.Items = append(v.Items, insight.AgentUsage{Agent: d.Name, UsageFigures: insight.UsageFigures{CostUSD: "0"}})
		}
	}
	if len(v.Items) == 0 {
		s.say("No agents. See docs/agents.md.")
		return nil
	}
	theme := s.screen()
	rows := make([][]string, len(v.Items))
	for i, u := range v.Items {
		last := theme.Dim("not used")
		if u.LastUsedAt != nil {
			last = show.Moment(*u.LastUsedAt)
		}
		rows[i] = append(append([]string{show.Line(u.Agent)}, usageCells(u.UsageFigures)...), last)
	}
	err = show.Table(s.Stdout, theme, s.width(), append(append([]show.Column{{Title: "AGENT", Min: 16}}, usageColumns...),
		show.Column{Title: "LAST USED"}), rows)
	s.countedSince(v.CountedSince)
	return err
}

func (s *session) agentDays(v insight.AgentUsageDays) error {
	theme := s.screen()
	var rows [][]string
	for _, d := range v.Days {
		if d.Runs > 0 {
			rows = append(rows, append([]string{d.Day}, usageCells(d.UsageFigures)...))
		}
	}
	if len(rows) == 0 {
		s.say("%s was not used since %s.", show.Line(v.Agent), show.Moment(v.Since))
		s.countedSince(v.CountedSince)
		return nil
	}
	rows = append(rows, append([]string{theme.Bold("total")}, usageCells(v.UsageFigures)...))
	err := show.Table(s.Stdout, theme, s.width(), append([]show.Column{{Title: "DAY"}}, usageColumns...), rows)
	s.countedSince(v.CountedSince)
	return err
}

var usageColumns = []show.Column{{Title: "RUNS", Right: true}, {Title: "STEPS", Right: true},
	{Title: "FAILED", Right: true}, {Title: "CALLS", Right: true}, {Title: "TOKENS IN", Right: true},
	{Title: "TOKENS OUT", Right: true}, {Title: "COST USD", Right: true}}

func usageCells(u insight.UsageFigures) (cells []string) {
	for _, n := range []int64{u.Runs, u.Steps, u.FailedSteps, u.LLMCalls, u.TokensIn, u.TokensOut} {
		cells = append(cells, strconv.FormatInt(n, 10))
	}
	return append(cells, u.CostUSD)
}

// countedSince reports that earlier work was not counted.
func (s *session) countedSince(at *time.Time) {
	if at != nil {
		s.say("%s", s.screen().Dim("Counted since "+show.Moment(*at)+", when this release was installed."))
	}
}
