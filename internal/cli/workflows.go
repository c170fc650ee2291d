package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/templates"
	"github.com/spf13/cobra"
)

func (t *tool) workflowsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "workflows", Short: "List, compare, publish and restore workflows", GroupID: groupWrite, Args: noArgs,
		Long: `List workflows: the version in force of each, and drafts that were saved after
it. The commands below compare versions, publish a draft and restore an old version.`,
		Example: "assent workflows\nassent workflows diff refund-email\nassent workflows publish refund-email\nassent " +
			"workflows restore refund-email 2\nassent workflows templates",
	}
	status := cmd.Flags().String("status", "", "only with this status: published, draft")
	cmd.Flags().BoolP("quiet", "q", false, "print names only")
	t.looking(cmd, func(ctx context.Context, s *session, _ []string) error {
		quiet, _ := cmd.Flags().GetBool("quiet") // it was just added
		return s.workflows(ctx, *status, quiet)
	})
	cmd.AddCommand(t.workflowsDiffCommand(), t.workflowsPublishCommand(), t.workflowsRestoreCommand(),
		t.workflowsPreviewCommand(), t.templatesCommand())
	return cmd
}

func (s *session) workflows(ctx context.Context, status string, quiet bool) error {
	q := url.Values{"limit": {"200"}}
	if status != "" {
		q.Set("status", status)
	}
	list, err := s.AllWorkflows(ctx, q)
	if err != nil {
		return err
	}
	switch {
	case s.json:
		return s.printJSON(list)
	case len(list.Items) == 0 && status != "":
		s.say("No matches. Without filters: assent workflows")
		return nil
	case len(list.Items) == 0:
		s.say("No workflows yet. Create one: assent new NAME --from TEMPLATE")
		return nil
	}
	theme := s.screen()
	rows := make([][]string, len(list.Items))
	for i, v := range list.Items {
		if quiet {
			s.say("%s", v.Name)
			continue
		}
		state := theme.Good(string(v.Status))
		if v.Status == registry.Draft {
			state = theme.Warn(string(v.Status))
		}
		rows[i] = []string{show.Line(v.Name), itoa(v.Version), state, show.Moment(v.At), show.Author(v.By),
			theme.Dim(show.Line(described(v)))}
	}
	if quiet {
		return nil
	}
	columns := []show.Column{
		{Title: "WORKFLOW", Min: 20}, {Title: "VERSION", Right: true}, {Title: "STATUS"},
		{Title: "SAVED"}, {Title: "BY", Min: 6},
		{Title: "DESCRIPTION", Min: 50, Under: true, Whole: true, Optional: true},
	}
	if err := show.Table(s.Stdout, theme, s.width(), columns, rows); err != nil {
		return err
	}
	tellMore(s, list, "--json")
	return nil
}

// described is a workflow's own description.
func described(v registry.Document) string {
	raw, _ := value.Get(v.Definition, "description") // it is optional
	text, _ := value.Text(raw)
	return text
}

func (t *tool) workflowsDiffCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "diff NAME", Short: "Compare versions of a workflow", Args: nArgs(1, 1, "the name of a workflow"),
		ValidArgsFunction: t.complete(workflowNames),
		Long:              "Show the changes that publishing the newest version would make, or those between two versions.",
		Example:           "assent workflows diff refund-email\nassent workflows diff refund-email --from 1 --to 3",
	}
	from := cmd.Flags().Int("from", 0, "version to compare with (default: the published one)")
	to := cmd.Flags().Int("to", 0, "version to show (default: the newest one)")
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		if *from < 0 || *to < 0 {
			return usage("--from and --to are versions, which count from 1")
		}
		v, err := s.DiffWorkflow(ctx, args[0], *from, *to)
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(v)
		}
		s.lines(show.WorkflowDiff(v, s.screen(), s.pageWidth()))
		return nil
	})
}

func (t *tool) workflowsPublishCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "publish NAME [VERSION]", Short: "Publish a draft", Args: nArgs(1, 2, "the name of a workflow", "a version"),
		ValidArgsFunction: t.complete(workflowNames),
		Long: `Put a version of a workflow in force; without VERSION, the newest draft. Runs that
have started keep the version they started with. A version that removes gates is
refused unless --force is given: people would no longer be asked there.`,
		Example: "assent workflows publish refund-email\nassent workflows publish refund-email 4 --force",
	}
	force := cmd.Flags().Bool("force", false, "publish even if gates are removed")
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		version, err := s.versionToPublish(ctx, args)
		if err != nil {
			return err
		}
		return s.publishWorkflow(ctx, args[0], version, *force, "published")
	})
}

func (t *tool) workflowsRestoreCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "restore NAME VERSION", Short: "Put an old version in force again",
		Args: nArgs(2, 2, "the name of a workflow", "a version"), ValidArgsFunction: t.complete(workflowNames),
		Example: "assent workflows restore refund-email 2",
	}
	force := cmd.Flags().Bool("force", false, "restore even if gates are removed")
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		version, err := workflowVersion(args[1])
		if err != nil {
			return err
		}
		return s.publishWorkflow(ctx, args[0], version, *force, "restored")
	})
}

func workflowVersion(text string) (int, error) {
	n, err := versionNumbers([]string{text})
	if err != nil {
		return 0, usage("%q is not a valid version: use a number from 1", text)
	}
	return n[0], nil
}

// versionToPublish is the one given, or the newest draft.
func (s *session) versionToPublish(ctx context.Context, args []string) (int, error) {
	if len(args) == 2 {
		return workflowVersion(args[1])
	}
	drafts, err := s.AllWorkflows(ctx, url.Values{"status": {string(registry.Draft)}, "limit": {"200"}})
	if err != nil {
		return 0, err
	}
	for _, v := range drafts.Items {
		if v.Name == args[0] {
			return v.Version, nil
		}
	}
	return 0, &failure{
		code: exitNotFound, err: fmt.Errorf("no draft of %q", args[0]),
		hint: "name a version: assent workflows publish " + args[0] + " VERSION; see: assent workflows",
	}
}

// publishWorkflow publishes a version, after a check of the gates it removes.
func (s *session) publishWorkflow(ctx context.Context, name string, version int, force bool, done string) error {
	change, err := s.DiffWorkflow(ctx, name, 0, version)
	if err != nil {
		if _, missing := isStatus(err, 404); !missing {
			return err
		}
		change = registry.WorkflowDiff{} // nothing is in force yet; publishing reports a missing version
	}
	if len(change.GatesRemoved) > 0 && !force {
		return &failure{
			code: exitConflict,
			err: fmt.Errorf("version %d of %s removes %s: %s", version, name,
				show.Count(int64(len(change.GatesRemoved)), "gate"), strings.Join(change.GatesRemoved, ", ")),
			hint: fmt.Sprintf("review it with: assent workflows diff %s --to %d; then add --force", name, version),
		}
	}
	if change.From.Version == version && version > 0 {
		return &failure{code: exitConflict, err: fmt.Errorf("version %d of %s is already in force", version, name)}
	}
	v, err := s.PublishWorkflow(ctx, name, version)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(v)
	}
	theme := s.screen()
	s.say("%s %s version %d of %s", theme.Good("✓"), done, v.Version, v.Name)
	for _, gate := range change.GatesRemoved {
		s.say("%s", theme.Warn("  gate removed: ")+show.Line(gate))
	}
	for _, p := range worthTelling(v.Warnings) {
		s.say("%s", problemLine(p, theme.Warn("  warning")))
	}
	return nil
}

func (t *tool) workflowsPreviewCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "preview NAME", Short: "Show the steps, data and questions of a run without running it",
		Args: nArgs(1, 1, "the name of a workflow"), ValidArgsFunction: t.complete(workflowNames),
		Long: "Show what each step would receive and where people would be asked. Agents answer with their samples; " +
			"nothing runs and nothing is stored.",
		Example: "assent workflows preview refund-email --input @order.json\nassent workflows preview refund-email " +
			"--version 3 --set order_id=A-5501",
	}
	input := cmd.Flags().String("input", "", "the run's input: @FILE, - or JSON")
	sets := cmd.Flags().StringArray("set", nil,
		"set a field of the input: PATH=VALUE, as JSON if it is valid JSON, otherwise as text")
	version := cmd.Flags().Int("version", 0, "this version instead of the one in force")
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		data, err := s.readJSON("--input", *input)
		if err != nil {
			return err
		}
		if data, err = setPaths(data, *sets); err != nil {
			return err
		}
		v, err := s.PreviewWorkflow(ctx, args[0], *version, data)
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(v)
		}
		s.lines(show.WorkflowPreview(v, s.screen(), s.pageWidth()))
		if v.Error != nil {
			return fail("", "the run would fail: %w", errors.New(show.Line(v.Error.Message)))
		}
		return nil
	})
}

func (t *tool) templatesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "templates", Short: "List templates for new workflows", Args: noArgs,
		Long: "List workflows to start from. Each runs without an API key. Create one of your own with: assent " +
			"new NAME --from TEMPLATE.",
		Example: "assent workflows templates\nassent new refunds --from refund-approval",
	}
	cmd.Flags().Bool("json", false, "print JSON")
	cmd.Flags().Bool("plain", false, "disable colours")
	cmd.RunE = func(*cobra.Command, []string) error {
		all := templates.All()
		if t.json {
			return t.printJSON(map[string]any{"items": all})
		}
		theme := t.screen()
		rows := make([][]string, len(all))
		for i, one := range all {
			rows[i] = []string{one.Name, one.Summary}
		}
		columns := []show.Column{{Title: "TEMPLATE"}, {Title: "DESCRIPTION", Min: 60, Under: true, Whole: true}}
		if err := show.Table(t.Stdout, theme, t.width(), columns, rows); err != nil {
			return err
		}
		t.say("%s", theme.Dim("\nCreate a workflow: assent new NAME --from TEMPLATE"))
		return nil
	}
	return cmd
}
