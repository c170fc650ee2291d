package cli

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/insight"
	"github.com/spf13/cobra"
)

func (t *tool) graphCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "graph [TOOL]", Short: "Show what was learned from runs about tools", GroupID: groupWrite,
		Args: nArgs(0, 1, "the name of a tool"),
		Long: `Show which tools were used together, one after the other, and with each other's results.
Each completed run counts once, and older ones count less. Searches for tools use it.`,
		Example: "assent graph\nassent graph mcp:files/list_directory\nassent graph requests",
	}
	limit := cmd.Flags().Int("limit", 30, "maximum number of tools, and of relations")
	t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		q := url.Values{"limit": {itoa(*limit)}}
		if len(args) > 0 {
			q.Set("tool", args[0])
		}
		v, err := s.Graph(ctx, q)
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(v)
		}
		if len(args) > 0 && len(v.Nodes) == 0 {
			s.say("Nothing has been learned about %s. List what was: assent graph", show.Line(args[0]))
			return nil
		}
		return s.graph(v)
	})
	cmd.AddCommand(t.graphRequestsCommand(), t.graphExportCommand(), t.graphForgetCommand(), t.graphRebuildCommand())
	return cmd
}

func (s *session) graph(v insight.Graph) error {
	if len(v.Nodes) == 0 {
		s.say("Nothing has been learned yet.")
		return nil
	}
	theme := s.screen()
	rows := make([][]string, len(v.Nodes))
	for i, n := range v.Nodes {
		rows[i] = []string{show.Line(n.Tool), fmt.Sprintf("%.2f", n.Rank), itoa(n.Runs)}
	}
	err := show.Table(s.Stdout, theme, s.width(), []show.Column{{Title: "TOOL", Min: 20}, {Title: "RANK", Right: true},
		{Title: "RUNS", Right: true}}, rows)
	if err != nil || len(v.Edges) == 0 {
		return err
	}
	rows = make([][]string, len(v.Edges))
	for i, e := range v.Edges {
		rows[i] = []string{show.Line(e.From), string(e.Kind), show.Line(e.To), fmt.Sprintf("%.2f", e.Weight)}
	}
	s.say("")
	err = show.Table(s.Stdout, theme, s.width(), []show.Column{{Title: "TOOL", Min: 20}, {Title: "RELATION"},
		{Title: "TOOL", Min: 20}, {Title: "WEIGHT", Right: true}}, rows)
	if err == nil && v.More {
		s.say("%s", theme.Dim("and more; see --limit"))
	}
	return err
}

func (t *tool) graphRequestsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "requests", Short: "List past requests and the tools that served them", Args: noArgs,
		Long: "List the requests of past runs and the tools that served them, newest first. For administrators.",
	}
	limit := cmd.Flags().Int("limit", 30, "maximum number of requests")
	return t.looking(cmd, func(ctx context.Context, s *session, _ []string) error {
		list, err := s.LearnedRequests(ctx, url.Values{"limit": {itoa(*limit)}})
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(list)
		}
		if len(list.Items) == 0 {
			s.say("Nothing has been learned yet.")
			return nil
		}
		rows := make([][]string, len(list.Items))
		for i, r := range list.Items {
			rows[i] = []string{show.Line(r.Request), show.Line(strings.Join(r.Tools, ", ")),
				show.Line(strings.Join(r.Not, ", ")), itoa(r.Runs)}
		}
		return show.Table(s.Stdout, s.screen(), s.width(), []show.Column{{Title: "REQUEST", Min: 30}, {Title: "SERVED BY",
			Min: 20}, {Title: "NOT BY"}, {Title: "RUNS", Right: true}}, rows)
	})
}

func (t *tool) graphExportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "export [FILE]", Short: "Export what was learned, one JSON object per run", Args: nArgs(0, 1, "a file"),
		Long:    "Export all learned data, newest first, one run per line. For administrators.",
		Example: "assent graph export graph.jsonl",
	}
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) (err error) {
		var out io.Writer = s.Stdout
		if len(args) > 0 && args[0] != "-" {
			file, err := os.Create(args[0])
			if err != nil {
				return err
			}
			defer func() {
				if closed := file.Close(); err == nil {
					err = closed
				}
			}()
			out = file
		}
		q := url.Values{"limit": {"200"}}
		for {
			page, err := s.RunsTaught(ctx, q)
			if err != nil {
				return err
			}
			for _, one := range page.Items {
				if err := writeJSONLine(out, one); err != nil {
					return err
				}
			}
			if page.Next == "" {
				return nil
			}
			q.Set("cursor", page.Next)
		}
	})
}

func (t *tool) graphForgetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "forget", Short: "Forget what was learned",
		Long: `Forget what was learned so far from a run, from a workflow, about a tool, or everything. It stays
forgotten when the graph is rebuilt; later runs are learned from again. For administrators.`,
		Example: "assent graph forget --tool xml_parse --reason \"It was replaced.\"\nassent graph forget --all",
	}
	f, flags := insight.GraphForgetting{}, cmd.Flags()
	flags.StringVar(&f.Run, "run", "", "only what was learned from this run")
	flags.StringVar(&f.Workflow, "workflow", "", "only what was learned from runs of this workflow")
	flags.StringVar(&f.Tool, "tool", "", "only what was learned about this tool")
	flags.BoolVar(&f.All, "all", false, "everything")
	flags.StringVar(&f.Reason, "reason", "", "the reason, kept in the audit log")
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := noArgs(cmd, args); err != nil {
			return err
		}
		if f.Run == "" && f.Workflow == "" && f.Tool == "" && !f.All {
			return usage("set what to forget: --run, --workflow, --tool or --all")
		}
		return nil
	}
	return t.working(cmd, func(ctx context.Context, s *session, _ []string) error {
		v, err := s.ForgetGraph(ctx, f)
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(v)
		}
		if v.Runs == 0 {
			s.say("Nothing to forget: no run has taught this.")
			return nil
		}
		s.say("%s forgotten; it came from %s", s.screen().Good("✓"), counted(v.Runs, "run", "runs"))
		return nil
	})
}

func (t *tool) graphRebuildCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "rebuild", Short: "Rebuild the graph from the logs", Args: noArgs,
		Long: "Learn from the logs of all runs again. What was forgotten stays forgotten. For administrators.",
	}
	return t.working(cmd, func(ctx context.Context, s *session, _ []string) error {
		v, err := s.RebuildGraph(ctx)
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(v)
		}
		s.say("%s %s read; learned from %d", s.screen().Good("✓"), counted(v.Runs, "run", "runs"), v.Taught)
		return nil
	})
}
