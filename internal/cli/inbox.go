package cli

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/view"
	"github.com/spf13/cobra"
)

// inboxFlags filter the inbox.
type inboxFlags struct {
	workflow, agent, risk, kind, sort, status, review, search string

	roles              []string
	mine, watch, quiet bool
	limit              int
}

func (t *tool) inboxCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "inbox", Short: "List pending approvals", GroupID: groupDecide, Args: noArgs,
		Example: "assent inbox\nassent inbox --role finance --sort deadline\nassent inbox --watch",
	}
	var f inboxFlags
	flags := cmd.Flags()
	flags.StringVar(&f.workflow, "workflow", "", "only of this workflow")
	flags.StringVar(&f.agent, "agent", "", "only proposals of this agent")
	flags.StringVar(&f.risk, "risk", "", "only of this risk: low, medium, high, critical")
	flags.StringVar(&f.kind, "kind", "", "only of this kind: approval, choice, input, escalation")
	flags.StringVar(&f.status, "status", "pending", "only with this status, or all")
	flags.StringVar(&f.review, "review", "",
		"with the value suggested, list results worth a second look instead; with -q, the ids of their runs")
	flags.StringVar(&f.search, "search", "",
		"only with these words, or words that begin with them, in title, subject, workflow, step, agent, tool, people or id")
	flags.StringVar(&f.sort, "sort", "priority", "sort by priority, age or deadline")
	// It takes the place of the flag that every command has.
	flags.StringSliceVar(&f.roles, "role", nil, "only approvals for these roles; with --user: act with them")
	flags.BoolVar(&f.mine, "mine", false, "only approvals that I can decide")
	flags.BoolVar(&f.watch, "watch", false, "keep running and show changes")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print ids only")
	flags.IntVar(&f.limit, "limit", 50, "maximum number of rows")
	t.looking(cmd, func(ctx context.Context, s *session, _ []string) error {
		if f.review != "" { // no approval was requested, so there is no status and one order
			if !flags.Changed("status") {
				f.status = "all"
			}
			if !flags.Changed("sort") {
				f.sort = ""
			}
		}
		return s.inbox(ctx, f)
	})
	return cmd
}

func (f inboxFlags) query() url.Values {
	q := url.Values{"limit": {fmt.Sprint(f.limit)}}
	for name, v := range map[string]string{
		"workflow": f.workflow, "agent": f.agent, "risk": f.risk, "kind": f.kind, "sort": f.sort,
		"review": f.review, "q": f.search,
	} {
		if v != "" {
			q.Set(name, v)
		}
	}
	if f.mine { // with all my roles
		q.Set("mine", "true")
	} else if f.review == "" {
		for _, role := range f.roles {
			q.Add("role", role)
		}
	}
	if f.status != "all" {
		q.Set("status", f.status)
	}
	return q
}

func (s *session) inbox(ctx context.Context, f inboxFlags) error {
	if err := s.inboxOnce(ctx, f); err != nil || !f.watch {
		return err
	}
	return s.Follow(ctx, client.Follow{After: -1, Event: func(e view.Event) error {
		if f.review == "" && !strings.HasPrefix(e.Type, "approval.") || f.review != "" && e.Type != "review.suggested" {
			return nil
		}
		if !s.json && s.OutTerminal {
			fmt.Fprint(s.Stdout, "\x1b[H\x1b[2J") // redraw the list
		}
		return s.inboxOnce(ctx, f)
	}})
}

func (s *session) inboxOnce(ctx context.Context, f inboxFlags) error {
	list, err := s.Approvals(ctx, f.query())
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(list)
	}
	if f.quiet {
		for _, a := range list.Items {
			if f.review != "" { // there is no approval to show
				a.ID = a.Run
			}
			s.say("%s", a.ID)
		}
		return nil
	}
	if len(list.Items) == 0 {
		s.say("%s", emptyInbox(f))
		return nil
	}
	if f.review != "" {
		return s.suggestedTable(list)
	}
	return s.inboxTable(list)
}

// suggestedTable lists results that deserve a second look.
func (s *session) suggestedTable(list view.List[view.Approval]) error {
	theme, now := s.screen(), s.Now()
	columns := []show.Column{
		{Title: "AGE", Right: true}, {Title: "CONFIDENCE", Right: true}, {Title: "TITLE", Min: 30},
		{Title: "WORKFLOW", Min: 12, Under: true}, {Title: "AGENT", Min: 12, Under: true}, {Title: "RUN", Under: true},
	}
	rows := make([][]string, len(list.Items))
	for i, a := range list.Items {
		confidence := ""
		if a.Confidence != nil {
			confidence = fmt.Sprintf("%.2g", *a.Confidence)
		}
		rows[i] = []string{
			show.Duration(now.Sub(a.RequestedAt)), confidence, show.Line(a.Title),
			show.Line(a.Workflow), show.Line(a.Agent), theme.Dim(a.Run),
		}
	}
	return s.inboxRows(list, columns, rows)
}

// inboxRows prints a list as a table, and how many more there are.
func (s *session) inboxRows(list view.List[view.Approval], columns []show.Column, rows [][]string) error {
	theme := s.screen()
	if err := show.Table(s.Stdout, theme, s.width(), columns, rows); err != nil {
		return err
	}
	tellMore(s, list, "--limit")
	return nil
}

func emptyInbox(f inboxFlags) string {
	if f.review != "" {
		return "No results to review. They are listed when an agent's confidence is from the threshold to under 0.9."
	}
	if f.status != "pending" || f.workflow+f.agent+f.risk+f.kind+f.search != "" || len(f.roles) > 0 || f.mine {
		return "No matches. Without filters: assent inbox"
	}
	return "No pending approvals. See what is running: assent runs"
}

func (s *session) inboxTable(list view.List[view.Approval]) error {
	theme, now := s.screen(), s.Now()
	columns := []show.Column{
		{Title: "WAITING", Right: true}, {Title: "RISK"}, {Title: "TITLE", Min: 40}, {Title: "WHERE", Min: 20, Under: true},
		{Title: "APPROVERS", Min: 12, Under: true}, {Title: "DEADLINE", Min: 12, Under: true, Optional: true},
		{Title: "ID", Under: true},
	}
	rows := make([][]string, len(list.Items))
	for i, a := range list.Items {
		where := a.Workflow
		if a.Step != "" {
			where += " › " + a.Step
		}
		asked := show.Asked(a)
		if a.Quorum.Needed > 1 {
			asked += fmt.Sprintf(" %d/%d", a.Quorum.Given, a.Quorum.Needed)
		}
		first := show.Duration(now.Sub(a.RequestedAt))
		if a.Outcome != nil {
			first = theme.ApprovalStatus(a.Status)
		}
		title := show.Line(a.Title)
		if a.TestMode {
			title = "[test] " + title
		}
		rows[i] = []string{
			first, theme.Risk(a.Risk.Level), title, show.Line(where), asked, deadlineCell(theme, a, s),
			theme.Dim(a.ID),
		}
	}
	return s.inboxRows(list, columns, rows)
}

func deadlineCell(t show.Theme, a view.Approval, s *session) string {
	if a.Outcome != nil || a.DeadlineAt == nil {
		return ""
	}
	return show.Deadline(t, a, s.Now())
}
