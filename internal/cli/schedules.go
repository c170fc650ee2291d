package cli

import (
	"context"

	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/schedule"
	"github.com/spf13/cobra"
)

func (t *tool) schedulesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "schedules", Short: "List schedules, start one now, or delete one", GroupID: groupWrite, Args: noArgs,
		Long: `List the schedules in force, with the next time of each and the result of the last one.
A schedule is a document: publish it with assent load.`,
		Example: "assent load nightly.yaml\nassent schedules\nassent schedules run nightly",
	}
	t.looking(cmd, func(ctx context.Context, s *session, _ []string) error { return s.schedules(ctx) })
	cmd.AddCommand(t.schedulesRunCommand(), t.schedulesDeleteCommand())
	return cmd
}

func (t *tool) schedulesRunCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "run NAME", Short: "Start a run of a schedule now", Args: nArgs(1, 1, "the name of a schedule"),
		Long:              "Start a run with a schedule's input now, even if other runs are in progress. You own the run.",
		Example:           "assent schedules run nightly --watch",
		ValidArgsFunction: t.complete(scheduleNames),
	}
	var f watchFlags
	f.add(cmd)
	return t.working(cmd, func(ctx context.Context, s *session, args []string) error {
		v, err := s.RunSchedule(ctx, args[0])
		if err != nil {
			return err
		}
		return s.accompany(ctx, v, f)
	})
}

func (t *tool) schedulesDeleteCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "delete NAME", Short: "Delete a schedule", Args: nArgs(1, 1, "the name of a schedule"),
		Long:              "Delete a schedule. Runs that it has started continue, and its versions are kept.",
		Example:           "assent schedules delete nightly",
		ValidArgsFunction: t.complete(scheduleNames),
	}
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		v, err := s.DeleteSchedule(ctx, args[0])
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(v)
		}
		s.say("Schedule %s was deleted.", show.Line(v.Name))
		return nil
	})
}

func scheduleNames(ctx context.Context, c *client.Client) (out []cobra.Completion) {
	list, _ := c.Schedules(ctx) // completion without a server completes nothing
	for _, v := range list.Items {
		out = append(out, cobra.Completion(v.Name))
	}
	return out
}

func (s *session) schedules(ctx context.Context) error {
	list, err := s.Schedules(ctx)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(list)
	}
	if len(list.Items) == 0 {
		s.say("No schedules. See docs/schedules.md.")
		return nil
	}
	theme := s.screen()
	rows := make([][]string, len(list.Items))
	for i, v := range list.Items {
		next := theme.Dim("disabled")
		if len(v.Next) > 0 {
			next = show.Moment(v.Next[0])
		}
		rows[i] = []string{show.Line(v.Name), show.Line(v.Workflow), next, lastFired(v, theme)}
	}
	return show.Table(s.Stdout, theme, s.width(), []show.Column{{Title: "SCHEDULE", Min: 16}, {Title: "WORKFLOW", Min: 16},
		{Title: "NEXT"}, {Title: "LAST", Min: 20, Optional: true}}, rows)
}

// lastFired is the result of the last time of a schedule.
func lastFired(v schedule.Schedule, theme show.Theme) string {
	if v.Last == nil {
		return theme.Dim("–")
	}
	text := string(v.Last.Outcome) + " " + show.Moment(v.Last.At)
	if why := v.Last.Cause; why != "" {
		text += ": " + show.Line(why)
	}
	return text
}
