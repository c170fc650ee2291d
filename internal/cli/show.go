package cli

import (
	"context"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/definition"
	"github.com/spf13/cobra"
)

func (t *tool) showCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "show ID", Short: "Show a run, an approval, a deliverable or a workflow", GroupID: groupDecide,
		Args: nArgs(1, 1, "an id or the name of a workflow"), ValidArgsFunction: t.complete(ids),
		Example: "assent show apr_…\nassent show run_…\nassent show refund-email",
	}
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		switch id := args[0]; {
		case strings.HasPrefix(id, "run_"):
			return s.showRun(ctx, id)
		case strings.HasPrefix(id, "apr_"):
			return s.showApproval(ctx, id)
		case strings.HasPrefix(id, "dlv_"):
			return s.showDeliverable(ctx, id)
		default:
			return s.showWorkflow(ctx, id)
		}
	})
}

func (s *session) showApproval(ctx context.Context, id string) error {
	v, err := s.Approval(ctx, id)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(v)
	}
	s.lines(show.Card(v, show.CardOptions{Theme: s.screen(), Width: s.pageWidth(), Now: s.Now()}))
	if len(v.Acts) > 0 {
		s.say("")
		for _, act := range v.Acts {
			s.say("  %s", howTo(act, v))
		}
	}
	return nil
}

func (s *session) treeOptions() show.TreeOptions {
	return show.TreeOptions{Theme: s.screen(), Width: s.pageWidth(), Now: s.Now(), Frame: -1}
}

func (s *session) showRun(ctx context.Context, id string) error {
	v, err := s.Run(ctx, id)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(v)
	}
	o := s.treeOptions()
	s.lines(show.Run(v, o))
	if bars := show.Timeline(v, o); len(bars) > 0 {
		s.say("\n%s", o.Theme.Dim("timeline"))
		s.lines(bars)
	}
	if r := v.Removed; r != nil {
		s.say("\nIts payloads were deleted on %s by %s: %s", r.At.Format("2006-01-02"), show.Line(r.By), show.Line(r.Reason))
	}
	if v.Masked {
		s.say("\n%s", o.Theme.Dim("Some values are masked for you and show as •••."))
	}
	s.section("input", show.Value(v.Input))
	for name, other := range map[string]*string{"retry of": v.RetryOf, "forked from": v.ForkedFrom, "part of": v.Parent} {
		if other != nil {
			s.say("\n%s", o.Theme.Dim(name+" ")+*other)
		}
	}
	made, err := s.Deliverables(ctx, url.Values{"run": {id}})
	if err != nil {
		return err
	}
	for _, d := range made.Items {
		s.say("%s %s  %s", o.Theme.Dim("deliverable"), show.Line(d.Name), o.Theme.Dim(d.ID))
	}
	if len(v.PendingApprovals) > 0 {
		s.say("\n  assent show %s", v.PendingApprovals[0])
	}
	return nil
}

// section is a block with a heading.
func (s *session) section(name, text string) {
	if text == "" {
		return
	}
	s.say("\n%s", s.screen().Dim(name))
	for line := range strings.Lines(text) {
		s.say("  %s", strings.TrimRight(line, "\n"))
	}
}

// previewMax is how much of a deliverable is shown.
const previewMax = 64 << 10

func (s *session) showDeliverable(ctx context.Context, id string) error {
	v, err := s.Deliverable(ctx, id)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(v)
	}
	theme := s.screen()
	s.say("%s  %s", theme.Bold(show.Line(v.Name)), theme.Dim(v.ID))
	s.say("%s", theme.Dim(strings.Join([]string{show.Or(v.Type, "deliverable"), show.Or(v.MIME, "?"), show.Size(v.Size),
		v.Status, "version " + itoa(v.Version), "run " + v.Run, "step " + show.Line(v.Step)}, " · ")))
	if v.Description != "" {
		s.say("\n%s", show.Clean(v.Description))
	}
	if v.URL != nil {
		s.say("\n%s", show.Line(*v.URL))
		return nil
	}
	content, err := s.Content(ctx, id)
	if err != nil {
		return err
	}
	if !utf8.Valid(content) || len(content) > previewMax {
		s.say("\nThe content is not shown here; save it with: assent deliverable %s --out FILE", v.ID)
		return nil
	}
	s.say("\n%s", show.Clean(strings.TrimRight(string(content), "\n")))
	return nil
}

func (s *session) showWorkflow(ctx context.Context, name string) error {
	v, err := s.Document(ctx, definition.KindWorkflow, name, 0)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(v)
	}
	theme := s.screen()
	s.say("%s", theme.Dim("# version ")+theme.Dim(itoa(v.Version))+
		theme.Dim(", by "+show.Line(v.By)+", "+show.Moment(v.At)))
	s.say("%s", strings.TrimRight(show.Clean(v.YAML), "\n"))
	return nil
}
