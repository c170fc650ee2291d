package cli

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/suggest"
	"github.com/spf13/cobra"
)

func (t *tool) toolsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "tools", Short: "List or search tools and agents", GroupID: groupWrite, Args: noArgs,
		Long: `List everything that a step can use: built-in, HTTP and command tools, the tools of MCP
servers, and agents. A search takes a request in plain words and lists the best matches first.`,
		Example: "assent tools\nassent tools search parse the XML files",
	}
	limit := cmd.Flags().Int("limit", 50, "maximum number of tools")
	t.looking(cmd, func(ctx context.Context, s *session, _ []string) error { return s.tools(ctx, "", *limit) })
	cmd.AddCommand(t.toolsSearchCommand())
	return cmd
}

func (t *tool) toolsSearchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "search TEXT", Short: "Find tools by purpose",
		Args:    nArgs(1, 1_000, "the purpose of the tool"),
		Long:    "Find the tools and agents that match a request in plain words, best match first, with the reasons.",
		Example: "assent tools search parse the XML files\nassent tools search send an e-mail --json",
	}
	limit := cmd.Flags().Int("limit", 5, "maximum number of tools")
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		return s.tools(ctx, strings.Join(args, " "), *limit)
	})
}

func (s *session) tools(ctx context.Context, request string, limit int) error {
	q := url.Values{"limit": {itoa(limit)}}
	if request != "" {
		q.Set("q", request)
	}
	list, err := s.Tools(ctx, q)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(list)
	}
	theme := s.screen()
	if len(list.Items) == 0 {
		s.say("No matches.")
	} else if err := s.toolTable(list.Items, request != ""); err != nil {
		return err
	}
	if more := list.Total - int64(len(list.Items)); more > 0 {
		s.say("%s", theme.Dim(fmt.Sprintf("and %d more; see --limit", more)))
	}
	for _, note := range list.Notes {
		s.say("%s", theme.Warn(show.Line(note)))
	}
	return nil
}

func (s *session) toolTable(items []suggest.Tool, searched bool) error {
	theme := s.screen()
	columns := []show.Column{{Title: "TOOL", Min: 20}, {Title: "FROM"}, {Title: "RISK"}, {Title: "OPERATION"}}
	if searched {
		columns = append(columns, show.Column{Title: "SCORE", Right: true}, show.Column{Title: "WHY", Min: 20})
	}
	columns = append(columns, show.Column{Title: "DESCRIPTION", Min: 40, Under: true, Optional: true})
	rows := make([][]string, len(items))
	for i, t := range items {
		rows[i] = []string{show.Line(t.Name), string(t.Source), show.Or(string(t.Risk), theme.Dim("–")),
			show.Or(show.Line(t.Operation), theme.Dim("–"))}
		if searched {
			score := ""
			if t.Score != nil {
				score = fmt.Sprintf("%.2f", *t.Score)
			}
			rows[i] = append(rows[i], score, show.Line(strings.Join(t.Why, "; ")))
		}
		rows[i] = append(rows[i], theme.Dim(show.Line(t.Description)))
	}
	return show.Table(s.Stdout, theme, s.width(), columns, rows)
}
