package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/deliverables"
	"github.com/assent-run/assent/internal/view"
	"github.com/spf13/cobra"
)

func (t *tool) deliverablesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "deliverables [RUN]", Short: "List deliverables, newest first", GroupID: groupRuns,
		Args: nArgs(0, 1), ValidArgsFunction: t.complete(runIDs),
		Example: "assent deliverables\nassent deliverables run_…\nassent deliverables --type code --status final",
	}
	flags := cmd.Flags()
	filter := map[string]*string{
		"agent":  flags.String("agent", "", "only deliverables of this agent"),
		"type":   flags.String("type", "", "only of this type: document, code, data, media, other"),
		"status": flags.String("status", "", "only with this status: draft, final, archived"),
		"since":  flags.String("since", "", "only created since then: a duration such as 7d, or a time"),
		"until":  flags.String("until", "", "only created until then: a duration such as 1d, or a time"),
	}
	limit := flags.Int("limit", 20, "maximum number of rows")
	quiet := flags.BoolP("quiet", "q", false, "print ids only")
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		q := url.Values{"limit": {itoa(*limit)}}
		for name, v := range filter {
			if *v != "" {
				q.Set(name, *v)
			}
		}
		if len(args) > 0 {
			q.Set("run", args[0])
		}
		list, err := s.Deliverables(ctx, q)
		if err != nil {
			return err
		}
		return s.deliverables(list, *quiet)
	})
}

// deliverables prints a list of deliverables.
func (s *session) deliverables(list view.List[view.Deliverable], quiet bool) error {
	switch {
	case s.json:
		return s.printJSON(list)
	case quiet:
		for _, d := range list.Items {
			s.say("%s", d.ID)
		}
		return nil
	case len(list.Items) == 0:
		s.say("No deliverables found.")
		return nil
	}
	theme := s.screen()
	columns := []show.Column{
		{Title: "CREATED"}, {Title: "STATUS"}, {Title: "TYPE"}, {Title: "NAME", Min: 24}, {Title: "VERSION", Right: true},
		{Title: "SIZE", Right: true},
		{Title: "AGENT", Min: 8, Under: true}, {Title: "ID", Under: true},
	}
	rows := make([][]string, len(list.Items))
	for i, d := range list.Items {
		size := show.Size(d.Size)
		if d.URL != nil {
			size = "link"
		}
		rows[i] = []string{
			show.Moment(d.CreatedAt), d.Status, show.Or(d.Type, "?"), show.Line(d.Name), itoa(d.Version), size,
			show.Line(d.Agent), theme.Dim(d.ID),
		}
	}
	if err := show.Table(s.Stdout, theme, s.width(), columns, rows); err != nil {
		return err
	}
	tellMore(s, list, "--limit")
	return nil
}

func (t *tool) deliverableCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "deliverable ID", Short: "Show a deliverable, save it to a file, or set its status", GroupID: groupRuns,
		Args: nArgs(1, 1, "the id of a deliverable"),
		Example: "assent deliverable dlv_…\nassent deliverable dlv_… --out report.md\nassent deliverable dlv_… " +
			"--versions\nassent deliverable dlv_… --mark final",
	}
	flags := cmd.Flags()
	out := flags.StringP("out", "o", "", "save its content to this file or directory; - for stdout")
	force := flags.Bool("force", false, "overwrite an existing file")
	versions := flags.Bool("versions", false, "list all its versions")
	mark := flags.String("mark", "", "set its status: draft, final or archived")
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		switch {
		case *out != "" && (*versions || *mark != "") || *versions && *mark != "":
			return usage("--out, --versions and --mark cannot be combined")
		case *out != "":
			return s.storeDeliverable(ctx, args[0], *out, *force)
		case *versions:
			list, err := s.DeliverableVersions(ctx, args[0])
			if err != nil {
				return err
			}
			return s.deliverables(list, false)
		case *mark != "":
			return s.markDeliverable(ctx, args[0], *mark)
		}
		return s.showDeliverable(ctx, args[0])
	})
}

func (s *session) markDeliverable(ctx context.Context, id, status string) error {
	seen, err := s.Deliverable(ctx, id)
	if err != nil {
		return err
	}
	v, err := s.Mark(ctx, id, deliverables.Mark{Status: status, Version: seen.Version, Was: seen.Status})
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(v)
	}
	s.say("%s %s is %s", s.screen().Good("✓"), show.Line(v.Name), v.Status)
	return nil
}

// storeDeliverable writes the bytes to a file atomically.
func (s *session) storeDeliverable(ctx context.Context, id, out string, force bool) (err error) {
	if out == "-" {
		return s.Download(ctx, id, s.Stdout)
	}
	if info, err := os.Stat(out); err == nil && info.IsDir() {
		v, err := s.Deliverable(ctx, id)
		if err != nil {
			return err
		}
		out = filepath.Join(out, view.FileName(v))
	}
	if _, err := os.Lstat(out); err == nil && !force {
		return &failure{code: exitConflict, err: fmt.Errorf("%s already exists", out),
			hint: "choose another file, or overwrite it with --force"}
	}
	f, err := os.CreateTemp(filepath.Dir(out), ".assent-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	n := &counter{w: f}
	if err := errors.Join(s.Download(ctx, id, n), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), out); err != nil {
		return err
	}
	s.say("%s %s (%s)", s.screen().Good("✓"), out, show.Size(n.n))
	return nil
}

// counter counts bytes written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
