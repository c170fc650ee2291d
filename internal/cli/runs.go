package cli

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/view"
	"github.com/spf13/cobra"
)

func (t *tool) runsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "runs", Short: "List runs, newest first", GroupID: groupRuns, Args: noArgs,
		Example: "assent runs --status waiting,running\nassent runs --workflow refund-email --label team=support\nassent " +
			"runs --search \"A-5501 headphones\"",
	}
	flags := cmd.Flags()
	status := flags.StringSlice("status", nil,
		"only with this status: running, waiting, paused, completed, failed, cancelled, limit_reached")
	workflow := flags.String("workflow", "", "only of this workflow")
	owner := flags.String("owner", "", "only those that this person started")
	labels := flags.StringArray("label", nil, "only with this label: KEY=VALUE")
	search := flags.String("search", "", "only with these words, or words that begin with them, in subject, workflow, "+
		"owner, labels, error or id")
	limit := flags.Int("limit", 20, "maximum number of rows")
	quiet := flags.BoolP("quiet", "q", false, "print ids only")
	cmd.AddCommand(t.forgetCommand())
	return t.looking(cmd, func(ctx context.Context, s *session, _ []string) error {
		q := url.Values{"limit": {itoa(*limit)}}
		if len(*status) > 0 {
			q.Set("status", strings.Join(*status, ","))
		}
		for name, v := range map[string]string{"workflow": *workflow, "owner": *owner, "q": *search} {
			if v != "" {
				q.Set(name, v)
			}
		}
		for _, l := range *labels {
			k, v, ok := strings.Cut(l, "=")
			if !ok {
				return usage("--label %s: write it as KEY=VALUE", l)
			}
			q.Add("label", k+":"+v)
		}
		return s.runs(ctx, q, *quiet)
	})
}

func (s *session) runs(ctx context.Context, q url.Values, quiet bool) error {
	list, err := s.Runs(ctx, q)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(list)
	}
	if quiet {
		for _, r := range list.Items {
			s.say("%s", r.ID)
		}
		return nil
	}
	if len(list.Items) == 0 {
		if len(q) > 1 {
			s.say("No matches. Without filters: assent runs")
		} else {
			s.say("No runs yet. Start one: assent run FILE --watch")
		}
		return nil
	}
	theme := s.screen()
	columns := []show.Column{
		{Title: "STARTED"}, {Title: "STATUS"}, {Title: "WORKFLOW", Min: 16}, {Title: "STEPS", Right: true},
		{Title: "TOOK", Right: true},
		{Title: "SUBJECT", Min: 24, Under: true, Optional: true}, {Title: "BY", Min: 6, Under: true},
		{Title: "NOTE", Min: 24, Under: true, Optional: true}, {Title: "ID", Under: true},
	}
	rows := make([][]string, len(list.Items))
	for i, r := range list.Items {
		end := s.Now()
		if r.EndedAt != nil {
			end = *r.EndedAt
		}
		rows[i] = []string{
			show.Moment(r.StartedAt), theme.RunStatus(r.Status), show.Line(fmt.Sprintf("%s v%d", r.Workflow, r.Version)),
			fmt.Sprintf("%d/%d", r.Progress.Done, r.Progress.Total), show.Duration(end.Sub(r.StartedAt)),
			show.Line(r.Subject), show.Line(r.Owner), theme.Dim(note(r)), theme.Dim(r.ID),
		}
	}
	if err := show.Table(s.Stdout, theme, s.width(), columns, rows); err != nil {
		return err
	}
	tellMore(s, list, "--limit")
	return nil
}

// note is the one most useful fact about a run in a list.
func note(r view.RunSummary) string {
	if !r.TestMode {
		return standing(r)
	}
	if more := standing(r); more != "" {
		return "test run: " + more
	}
	return "test run"
}

// standing is what a run failed at or waits for.
func standing(r view.RunSummary) string {
	switch {
	case r.Error != nil:
		return show.Line(*r.Error)
	case r.Pending > 0:
		return show.Count(int64(r.Pending), "approval") + " open"
	}
	return ""
}
