package cli

import (
	"context"
	"fmt"

	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/view"
	"github.com/spf13/cobra"
)

func (t *tool) snapshotsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "snapshots RUN", Short: "List the snapshots of a run, to fork it from", GroupID: groupRuns,
		Args: nArgs(1, 1, "the id of a run"),
		Long: `List the snapshots of a run, oldest first.
A workflow saves them after each step or layer (snapshots: per_step or per_layer), or on demand with --save.
Fork the run from one to continue there without repeating earlier work.`,
		Example:           "assent snapshots run_…\nassent snapshots run_… --save\nassent fork run_… --at 9",
		ValidArgsFunction: t.complete(runIDs),
	}
	save := cmd.Flags().Bool("save", false, "save a snapshot now")
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		if *save {
			if _, err := s.Command(ctx, args[0], map[string]any{"type": "snapshot"}); err != nil {
				return err
			}
		}
		return s.snapshots(ctx, args[0])
	})
}

func (s *session) snapshots(ctx context.Context, id string) error {
	all := []view.Snapshot{}
	for cursor := ""; ; {
		page, err := s.Snapshots(ctx, id, cursor)
		if err != nil {
			return err
		}
		all = append(all, page.Items...)
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if s.json {
		return s.printJSON(view.Whole(all))
	}
	if len(all) == 0 {
		s.say("No snapshots. Save one: assent snapshots %s --save", id)
		return nil
	}
	theme := s.screen()
	rows := make([][]string, len(all))
	for i, one := range all {
		rows[i] = []string{fmt.Sprint(one.Seq), show.Moment(one.At), savedWhy(one), theme.Dim(show.Who(one.By))}
	}
	columns := []show.Column{{Title: "EVENT", Right: true}, {Title: "SAVED"}, {Title: "WHERE", Min: 16},
		{Title: "BY", Min: 6, Optional: true}}
	return show.Table(s.Stdout, theme, s.width(), columns, rows)
}

func savedWhy(one view.Snapshot) string {
	switch {
	case one.Layer != nil:
		return fmt.Sprintf("after layer %d", *one.Layer+1)
	case one.Step != "":
		return "after " + show.Line(one.Step)
	}
	return "by command"
}
