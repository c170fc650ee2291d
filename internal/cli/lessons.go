package cli

import (
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"

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
	return t.looking(cmd, func(ctx context.Context, s *session, _ []string) error {
		query := url.Values{}
		for name, v := range q {
			if *v != "" {
				query.Set(name, *v)
			}
		}
		if *export != "" {
			return s.exportLessons(ctx, query, *export)
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
