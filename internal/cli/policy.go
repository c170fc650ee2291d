package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/registry"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"
)

func (t *tool) policyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "policy", Short: "Show, test and change the approval policy", GroupID: groupRules, Args: noArgs,
		Long: `Show, test and change the approval policy. Without a
command it shows the policy in force, as assent policy show.`,
		Example: "assent policy\nassent policy test new.yaml --subject @refund.json\nassent policy backtest new.yaml " +
			"--since 30d\nassent policy apply new.yaml\nassent policy stop --reason 'odd refunds'",
	}
	t.looking(cmd, showPolicy)
	cmd.AddCommand(
		t.policyShowCommand(), t.policyTestCommand(), t.policyBacktestCommand(), t.policyApplyCommand(),
		t.policyPublishCommand(),
		t.policyVersionsCommand(), t.policyDiffCommand(), t.policyStopCommand(), t.policyGoCommand(),
		t.policySuggestCommand(), t.policyAdoptCommand(), t.policySamplesCommand(), t.policyReviewCommand(),
	)
	return cmd
}

func (t *tool) policyShowCommand() *cobra.Command {
	return t.looking(&cobra.Command{
		Use: "show", Short: "Show the rules in force, in the order they are evaluated", Args: noArgs,
		Example: "assent policy show --json",
	}, showPolicy)
}

func showPolicy(ctx context.Context, s *session, _ []string) error {
	v, err := s.Policy(ctx)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(v)
	}
	theme := s.screen()
	if v.Version == 0 {
		s.say("No policy is in force: only gates, and agents that are unsure or may not act alone, ask for approval.")
		s.lines(show.Stop(v.Stop, "", theme))
		s.filesDiffer(v)
		s.say("%s", theme.Dim("Put one in force: assent policy apply FILE"))
		return nil
	}
	s.say("%s", theme.Bold(show.Named(v.Definition))+
		theme.Dim(fmt.Sprintf(" v%d  %s  by %s, %s", v.Version, v.Hash, show.Author(v.By), show.Moment(v.At))))
	s.lines(show.Stop(v.Stop, show.Off(v.Definition), theme))
	s.filesDiffer(v)
	if len(v.Rules) == 0 {
		s.say("It has no rules.")
		return nil
	}
	s.say("")
	return s.rulesTable(v)
}

// filesDiffer warns that files were changed and the policy in force was not.
func (s *session) filesDiffer(v registry.Policy) {
	if len(v.Problems) == 0 {
		return
	}
	theme := s.screen()
	s.say("%s", theme.Warn("The loaded files are not all in force: ")+show.Count(int64(len(v.Problems)), "problem"))
	for _, p := range v.Problems {
		s.say("  %s", problemLine(p, theme.Bad("error")))
	}
}

func (s *session) rulesTable(v registry.Policy) error {
	theme := s.screen()
	rows := make([][]string, len(v.Rules))
	for i, r := range v.Rules {
		does := theme.Effect(r.Effect)
		if !r.Enabled {
			does = theme.Dim("is off")
		}
		rows[i] = []string{show.Priority(r.Priority), show.Line(r.Name), does, show.Line(r.When),
			theme.Limits(r, v.Definition, s.Now())}
	}
	columns := []show.Column{
		{Title: "PRIORITY", Right: true}, {Title: "RULE", Min: 24}, {Title: "EFFECT"},
		{Title: "WHEN", Min: 60, Under: true, Whole: true},
		{Title: "LIMITS", Min: 60, Under: true, Whole: true, Optional: true},
	}
	return show.Table(s.Stdout, theme, s.width(), columns, rows)
}

func (t *tool) policyVersionsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "versions", Short: "List all versions of the policy, newest first", Args: noArgs,
		Example: "assent policy versions"}
	limit := cmd.Flags().Int("limit", 20, "maximum number of rows")
	return t.looking(cmd, func(ctx context.Context, s *session, _ []string) error {
		list, err := s.PolicyVersions(ctx, *limit)
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(list)
		}
		if len(list.Items) == 0 {
			s.say("No policy has been saved yet. Put one in force: assent policy apply FILE")
			return nil
		}
		theme := s.screen()
		rows := make([][]string, len(list.Items))
		for i, v := range list.Items {
			state := ""
			if v.Published {
				state = theme.Good("in force")
			}
			rows[i] = []string{itoa(v.Version), state, show.Moment(v.At), show.Author(v.By)}
		}
		if err := show.Table(s.Stdout, theme, s.width(),
			[]show.Column{{Title: "VERSION", Right: true}, {Title: "STATE"}, {Title: "SAVED"}, {Title: "BY", Min: 6}},
			rows); err != nil {
			return err
		}
		tellMore(s, list, "--limit")
		return nil
	})
}

func (t *tool) policyDiffCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "diff N [M]", Short: "Compare versions of the policy", Args: nArgs(1, 2, "the number of a version"),
		ValidArgsFunction: t.complete(policyVersions),
		Long:              "Show the changes that publishing version N would make, or those between versions N and M.",
		Example:           "assent policy diff 4\nassent policy diff 2 3",
	}
	var numbers []int
	cmd.PreRunE = func(_ *cobra.Command, args []string) (err error) {
		numbers, err = versionNumbers(args)
		return err
	}
	return t.looking(cmd, func(ctx context.Context, s *session, _ []string) error {
		from, to := 0, numbers[0]
		if len(numbers) == 2 {
			from, to = numbers[0], numbers[1]
		}
		return s.diffPolicy(ctx, from, to)
	})
}

// versionNumbers parses version numbers; v4 is valid as well.
func versionNumbers(args []string) ([]int, error) {
	out := make([]int, len(args))
	for i, arg := range args {
		n, err := strconv.Atoi(strings.TrimPrefix(arg, "v"))
		if err != nil || n < 1 {
			return nil, usage("%q is not a version: use a number from 1; see: assent policy versions", arg)
		}
		out[i] = n
	}
	return out, nil
}

// diffPolicy shows the changes from one version, or the one in force, to another.
func (s *session) diffPolicy(ctx context.Context, from, to int) error {
	if from == 0 {
		now, err := s.Policy(ctx)
		if err != nil {
			return err
		}
		if from = now.Version; from == 0 {
			return &failure{code: exitNotFound, err: errors.New("no policy is in force to compare with"),
				hint: "compare two versions: assent policy diff N M"}
		}
	}
	old, err := s.PolicyVersion(ctx, from)
	if err != nil {
		return noVersion(err, from)
	}
	now, err := s.PolicyVersion(ctx, to)
	if err != nil {
		return noVersion(err, to)
	}
	if s.json {
		v, err := s.DiffPolicy(ctx, from, to)
		if err != nil {
			return err
		}
		return s.printJSON(v)
	}
	before, after := registry.Texts(old, now)
	if before == after {
		s.say("Versions %d and %d are the same.", from, to)
		return nil
	}
	s.lines(s.screen().Unified(string(diff.Diff(policyName(old), []byte(before), policyName(now), []byte(after)))))
	return nil
}

// policyName names a version.
func policyName(v registry.Document) string {
	name := fmt.Sprintf("v%d by %s, %s", v.Version, show.Author(v.By), show.Moment(v.At))
	if v.Published {
		name += ", in force"
	}
	return name
}

func policyVersions(ctx context.Context, c *client.Client) (out []cobra.Completion) {
	list, _ := c.PolicyVersions(ctx, 50) // no answer, no suggestions
	for _, v := range list.Items {
		out = append(out, cobra.CompletionWithDesc(itoa(v.Version), "by "+show.Author(v.By)+", "+show.Moment(v.At)))
	}
	return out
}

// noVersion reports which version does not exist.
func noVersion(err error, n int) error {
	if p, missing := isStatus(err, http.StatusNotFound); missing {
		p.Detail, p.Hint = fmt.Sprintf("version %d of the policy not found", n), "see: assent policy versions"
	}
	return err
}

// isStatus reports whether a server answered with a status.
func isStatus(err error, status int) (*client.Problem, bool) {
	var p *client.Problem
	return p, errors.As(err, &p) && p.Status == status
}

// explainRisk explains how to accept a risk on the command line.
func explainRisk(err error, look string) error {
	p, conflict := isStatus(err, http.StatusConflict)
	if !conflict || len(p.WouldPass) == 0 {
		return err
	}
	for _, id := range p.WouldPass {
		p.Errors = append(p.Errors, client.Mistake{Path: id, Message: "people rejected this"})
	}
	p.Hint = "review them with: " + look + "; to publish it anyway, give a reason with --accept-risk COMMENT"
	return p
}
