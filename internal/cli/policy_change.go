package cli

import (
	"context"
	"fmt"

	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/registry"
	"github.com/spf13/cobra"
)

// riskFlag is the justification for publishing a policy in spite of its backtest.
func riskFlag(cmd *cobra.Command) func() (string, error) {
	why := cmd.Flags().String("accept-risk", "",
		"publish it even though it would have approved actions that people rejected, for this reason (kept in the audit log)")
	return func() (string, error) {
		if cmd.Flags().Changed("accept-risk") && *why == "" {
			return "", usage("--accept-risk needs a reason")
		}
		return *why, nil
	}
}

func (t *tool) policyApplyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "apply FILE|-", Short: "Put a policy in force", Args: nArgs(1, 1, "the file of a policy"),
		Long: `Put a policy in force, or save it as a draft. It is backtested on the last 30 days
first: a policy that would have approved actions that people rejected is refused,
unless you set a reason with --accept-risk.`,
		Example: "assent policy apply new.yaml\nassent policy apply new.yaml --draft\nassent policy apply new.yaml " +
			"--accept-risk 'those customers left'",
	}
	draft := cmd.Flags().Bool("draft", false, "save it as a draft")
	risk := riskFlag(cmd)
	var file *candidate
	var why string
	cmd.PreRunE = func(_ *cobra.Command, args []string) (err error) {
		if why, err = risk(); err != nil {
			return err
		}
		file, err = t.readCandidate(args[0], "nothing was changed")
		return err
	}
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) (err error) {
		var v registry.Document
		err = s.busy("backtesting", func() error {
			v, err = s.SavePolicy(ctx, file.yaml, *draft, why)
			return err
		})
		if err != nil {
			return explainRisk(err, "assent policy backtest "+args[0])
		}
		if *draft {
			return s.tellDraft(v)
		}
		return s.tellInForce(ctx, v)
	})
}

func (t *tool) policyPublishCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "publish N", Short: "Put a version of the policy in force: a draft, or an old one again",
		Args:    nArgs(1, 1, "the number of a version"),
		Example: "assent policy publish 4", ValidArgsFunction: t.complete(policyVersions),
	}
	risk := riskFlag(cmd)
	var numbers []int
	var why string
	cmd.PreRunE = func(_ *cobra.Command, args []string) (err error) {
		if why, err = risk(); err != nil {
			return err
		}
		numbers, err = versionNumbers(args)
		return err
	}
	return t.looking(cmd, func(ctx context.Context, s *session, _ []string) (err error) {
		var v registry.Document
		err = s.busy("backtesting", func() error {
			v, err = s.PublishPolicy(ctx, numbers[0], why)
			return err
		})
		if err != nil {
			return explainRisk(noVersion(err, numbers[0]),
				fmt.Sprintf("assent export default --kind policy --version %d | assent policy backtest -", numbers[0]))
		}
		return s.tellInForce(ctx, v)
	})
}

// tellInForce prints which version is in force now.
func (s *session) tellInForce(ctx context.Context, v registry.Document) error {
	if s.json {
		return s.printJSON(v)
	}
	s.say("%s version %d is in force", s.screen().Good("✓"), v.Version)
	return s.tellStop(ctx, false)
}

// tellDraft prints what can be done with a draft.
func (s *session) tellDraft(v registry.Document) error {
	if s.json {
		return s.printJSON(v)
	}
	if v.Published {
		s.say("%s version %d is in force already", s.screen().Good("✓"), v.Version)
		return nil
	}
	s.say("%s version %d is a draft; the policy in force is unchanged", s.screen().Good("✓"), v.Version)
	s.say("  assent policy diff %d", v.Version)
	s.say("  assent policy publish %d", v.Version)
	return nil
}

func (t *tool) policyStopCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "stop", Short: "Emergency stop: turn off all automatic approvals", Args: noArgs,
		Long: `Emergency stop: from the moment this returns, no rule approves anything, in any
process, even after a restart. Where a rule would approve, people are asked, and a
timeout that would let a run continue pauses it instead. Otherwise runs continue. To end
the stop: assent policy go`,
		Example: "assent policy stop --reason 'odd refunds since this morning'",
	}
	reason := cmd.Flags().String("reason", "", "the reason")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if *reason == "" {
			return usage("give a reason with --reason TEXT; approvers will see it")
		}
		return nil
	}
	return t.looking(cmd, func(ctx context.Context, s *session, _ []string) error { return s.stop(ctx, true, *reason) })
}

func (t *tool) policyGoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "go", Short: "End the emergency stop", Args: noArgs, Example: "assent policy go --reason 'it was a holiday'",
		Long: "End the emergency stop: rules approve again. Approvals requested in the meantime stay pending.",
	}
	reason := cmd.Flags().String("reason", "", "the reason")
	return t.looking(cmd, func(ctx context.Context, s *session, _ []string) error { return s.stop(ctx, false, *reason) })
}

func (s *session) stop(ctx context.Context, on bool, reason string) error {
	v, err := s.EmergencyStop(ctx, on, reason)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(v)
	}
	return s.tellStop(ctx, true)
}

// tellStop prints the status of automatic approvals. A stop is always printed, its absence only on request.
func (s *session) tellStop(ctx context.Context, asked bool) error {
	v, err := s.Policy(ctx)
	if err != nil {
		return err
	}
	theme := s.screen()
	lines := show.Stop(v.Stop, show.Off(v.Definition), theme)
	if len(lines) == 0 && asked {
		lines = []string{theme.Good("✓") + " No emergency stop: rules may approve. See them: assent policy"}
	}
	s.lines(lines)
	return nil
}
