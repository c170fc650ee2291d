package cli

import (
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/view"
	"github.com/spf13/cobra"
)

func (t *tool) lessonsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "lessons", Short: "List the rejections and changes that agents learn from", GroupID: groupRules, Args: noArgs,
		Long: `List proposals that people rejected, changed or sent back, newest first. Agents
receive those most similar to their task.`,
		Example: "assent lessons --agent refund_writer\nassent lessons --export lessons.jsonl",
	}
	f := cmd.Flags()
	q := map[string]*string{
		"agent":    f.String("agent", "", "only about this agent"),
		"workflow": f.String("workflow", "", "only from this workflow"),
		"tool":     f.String("tool", "", "only about calls of this tool"),
	}
	limit := f.Int("limit", 20, "maximum number of rows")
	export := f.String("export", "", "write all of them to this file (- for stdout), one JSON object per line")
	removed := f.Bool("removed", false, "those that agents no longer receive, instead of the others")
	cmd.AddCommand(t.lessonsCorrectCommand(), t.lessonsRemoveCommand(), t.lessonsRestoreCommand())
	return t.looking(cmd, func(ctx context.Context, s *session, _ []string) error {
		query := url.Values{}
		for name, v := range q {
			if *v != "" {
				query.Set(name, *v)
			}
		}
		if *export != "" && *removed {
			return usage("--export writes the lessons that agents receive; remove --removed")
		}
		if *export != "" {
			return s.exportLessons(ctx, query, *export)
		}
		if *removed {
			query.Set("removed", "true")
		}
		filtered := len(query) > 0
		query.Set("limit", itoa(*limit))
		list, err := s.Lessons(ctx, query)
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(list)
		}
		return s.lessons(list, filtered)
	})
}

func (t *tool) lessonsCorrectCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "correct ID TEXT", Short: "Set the explanation that agents receive",
		Args: nArgs(2, 2, "the id of a lesson", "a text"),
		Long: `Set the explanation that agents receive instead of the comment. The decision that the
lesson comes from is not changed. A lesson that was removed stays removed.`,
		Example: "assent lessons correct apr_… 'Amounts over 100 need a receipt.'",
	}
	reason := cmd.Flags().String("reason", "", "the reason, kept in the audit log")
	return t.correcting(cmd, "has a new explanation", func(b *contract.LessonCorrection, args []string) error {
		if strings.TrimSpace(args[1]) == "" {
			return usage("the explanation is empty; to use the comment again: assent lessons restore --comment %s", args[0])
		}
		b.Text = args[1]
		if *reason != "" {
			b.Reason = *reason
		}
		return nil
	})
}

func (t *tool) lessonsRemoveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "remove ID", Short: "Stop giving a lesson to agents", Args: nArgs(1, 1, "the id of a lesson"),
		Example: "assent lessons remove apr_… --reason 'The limit is gone.'",
	}
	reason := cmd.Flags().String("reason", "", "the reason (required)")
	return t.correcting(cmd, "is no longer given to agents", func(b *contract.LessonCorrection, _ []string) error {
		if *reason == "" {
			return usage("explain why with --reason")
		}
		b.Removed, b.Reason = true, *reason
		return nil
	})
}

func (t *tool) lessonsRestoreCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "restore ID", Short: "Give a removed lesson to agents again", Args: nArgs(1, 1, "the id of a lesson"),
		Long:    "Give a removed lesson to agents again, with its corrected explanation unless you set --comment.",
		Example: "assent lessons restore apr_…",
	}
	comment := cmd.Flags().Bool("comment", false, "use the comment instead of the corrected explanation")
	return t.correcting(cmd, "is given to agents", func(b *contract.LessonCorrection, _ []string) error {
		b.Removed, b.Reason = false, ""
		if *comment {
			b.Text = ""
		}
		return nil
	})
}

// correcting is a command that changes the correction of a lesson.
func (t *tool) correcting(cmd *cobra.Command, told string,
	change func(b *contract.LessonCorrection, args []string) error) *cobra.Command {
	seen := cmd.Flags().Int("version", 0, "only if this is the lesson's version; see: assent lessons --json")
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		if err := change(&contract.LessonCorrection{}, args); err != nil {
			return err // before anything is asked
		}
		if cmd.Flags().Changed("version") && *seen < 1 {
			return usage("--version: versions count from 1")
		}
		now, err := s.Lesson(ctx, args[0])
		if err != nil {
			return err
		}
		var b contract.LessonCorrection
		if c := now.Correction; c != nil {
			b = contract.LessonCorrection{Text: c.Text, Removed: c.Removed, Reason: c.Reason}
		}
		if err := change(&b, args); err != nil {
			return err
		}
		if b.Version = &now.Version; *seen > 0 {
			b.Version = seen
		}
		v, err := s.CorrectLesson(ctx, args[0], b)
		switch {
		case err != nil:
			return err
		case s.json:
			return s.printJSON(v)
		}
		s.say("%s %s %s", s.screen().Good("✓"), args[0], told)
		return nil
	})
}

// taught are the words for people's actions.
var taught = map[gate.Act]string{gate.Modify: "changed", gate.Reject: "rejected", gate.RequestRevision: "sent back"}

func (s *session) lessons(list view.List[insight.Lesson], filtered bool) error {
	if len(list.Items) == 0 {
		if filtered {
			s.say("No matches.")
		} else {
			s.say("No lessons yet: nothing has been rejected or changed.")
		}
		return nil
	}
	theme := s.screen()
	columns := []show.Column{
		{Title: "AT"}, {Title: "AGENT", Min: 8}, {Title: "WHAT", Min: 30}, {Title: "OUTCOME"}, {Title: "BY", Min: 6},
		{Title: "CHANGES", Right: true}, {Title: "COMMENT", Min: 24, Under: true}, {Title: "ID", Under: true},
	}
	rows := make([][]string, len(list.Items))
	for i, l := range list.Items {
		changes := ""
		if len(l.Diff) > 0 {
			changes = itoa(len(l.Diff))
		}
		rows[i] = []string{
			show.Moment(l.At), show.Or(show.Line(l.Agent), theme.Dim("–")), show.Line(l.Scenario),
			show.Or(taught[l.Act], string(l.Act)), show.Line(l.By), changes,
			show.Line(l.Comment), theme.Dim(l.ID),
		}
	}
	if err := show.Table(s.Stdout, theme, s.width(), columns, rows); err != nil {
		return err
	}
	if list.Next != "" {
		s.say("%s", theme.Dim("and more; see --limit and --export"))
	}
	return nil
}

func (s *session) exportLessons(ctx context.Context, q url.Values, path string) error {
	if path == "-" {
		return s.ExportLessons(ctx, q, s.Stdout)
	}
	var n lineCounter
	err := writeWhole(path, func(w io.Writer) error { return s.ExportLessons(ctx, q, io.MultiWriter(w, &n)) })
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(map[string]any{"file": path, "lessons": int64(n)})
	}
	s.say("%s %s in %s", s.screen().Good("✓"), show.Count(int64(n), "lesson"), path)
	return nil
}

// lineCounter counts the lines written to it.
type lineCounter int64

func (c *lineCounter) Write(b []byte) (int, error) {
	for _, x := range b {
		if x == '\n' {
			*c++
		}
	}
	return len(b), nil
}

// writeWhole writes a file atomically with owner-only permissions.
func writeWhole(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".")
	if err != nil {
		return err
	}
	err = write(f)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
