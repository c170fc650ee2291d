package cli

import (
	"context"
	"fmt"

	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/view"
	"github.com/spf13/cobra"
)

// sinceFlag is how far back a command looks.
func sinceFlag(cmd *cobra.Command) *string {
	since := cmd.Flags().String("since", "30d", "how far back: a duration such as 30d, or a time")
	cmd.PreRunE = func(*cobra.Command, []string) (err error) {
		*since, err = pastFlag("--since", *since)
		return err
	}
	return since
}

func (t *tool) policySuggestCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "suggest", Short: "Suggest rules from past decisions", Args: noArgs,
		Long: `List rules supported by past decisions: people approved at least ten such requests
unchanged. No suggested rule would have approved anything that people rejected or
changed, and each rule expires on its own.`,
		Example: "assent policy suggest --since 60d",
	}
	since := sinceFlag(cmd)
	return t.looking(cmd, func(ctx context.Context, s *session, _ []string) (err error) {
		var list view.List[insight.Suggestion]
		err = s.busy("reading past decisions", func() error {
			list, err = s.Suggestions(ctx, *since)
			return err
		})
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(list)
		}
		if len(list.Items) == 0 {
			s.say("No suggestions: a rule needs ten similar requests that were approved unchanged.")
			return nil
		}
		again := ""
		if cmd.Flags().Changed("since") {
			again = " --since " + *since
		}
		for i, one := range list.Items {
			if i > 0 {
				s.say("")
			}
			s.lines(show.Suggestion(one, s.screen(), s.pageWidth()))
			s.say("  assent policy adopt %s%s", one.ID, again)
		}
		return nil
	})
}

func (t *tool) policyAdoptCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "adopt ID", Short: "Add a suggested rule to a draft of the policy", Args: nArgs(1, 1, "the id of a suggestion"),
		ValidArgsFunction: t.complete(suggestionIDs),
		Long:              "Add a suggested rule to the policy in force, as a draft: it takes effect once published.",
		Example:           "assent policy adopt sug_…",
	}
	since := sinceFlag(cmd)
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		v, err := s.Adopt(ctx, args[0], *since)
		if err != nil {
			return err
		}
		return s.tellDraft(v)
	})
}

func (t *tool) policySamplesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "samples", Short: "List sampled automatic approvals to review", Args: noArgs,
		Long: "List sampled automatic approvals to review (sample_percentage), newest first, and how often reviewers " +
			"agreed with each rule.",
		Example: "assent policy samples\nassent policy samples --open",
	}
	since := sinceFlag(cmd)
	open := cmd.Flags().Bool("open", false, "only those not yet reviewed")
	quiet := cmd.Flags().BoolP("quiet", "q", false, "print ids only")
	return t.looking(cmd, func(ctx context.Context, s *session, _ []string) error {
		v, err := s.Samples(ctx, *since)
		if err != nil {
			return err
		}
		if *open {
			var left []insight.Sample
			for _, one := range v.Items {
				if one.Review == nil {
					left = append(left, one)
				}
			}
			v.Items, v.Total = append([]insight.Sample{}, left...), int64(len(left))
		}
		switch {
		case s.json:
			return s.printJSON(v)
		case *quiet:
			for _, one := range v.Items {
				s.say("%s", one.Approval)
			}
			return nil
		}
		return s.samples(v)
	})
}

func (s *session) samples(v insight.Samples) error {
	theme := s.screen()
	if len(v.Items) == 0 {
		s.say("No samples to review. Rules with sample_percentage create them.")
	} else {
		rows := make([][]string, len(v.Items))
		for i, one := range v.Items {
			review := theme.Warn("open")
			if r := one.Review; r != nil {
				review = theme.Good("agreed")
				if !r.Agree {
					review = theme.Bad("disagreed")
				}
				review += theme.Dim(" " + show.Line(r.By))
			}
			rows[i] = []string{show.Moment(one.At), review, show.Line(one.Title), show.Line(one.Rule), theme.Dim(one.Approval)}
		}
		columns := []show.Column{{Title: "APPROVED"}, {Title: "REVIEW", Min: 10}, {Title: "TITLE", Min: 30},
			{Title: "RULE", Min: 16, Under: true}, {Title: "ID", Under: true}}
		if err := show.Table(s.Stdout, theme, s.width(), columns, rows); err != nil {
			return err
		}
	}
	if len(v.Accuracy) == 0 {
		return nil
	}
	s.say("")
	rows := make([][]string, len(v.Accuracy))
	for i, a := range v.Accuracy {
		right := theme.Dim("–")
		if a.Reviewed > 0 {
			right = fmt.Sprintf("%.0f %%", 100*a.Share)
		}
		rows[i] = []string{show.Line(a.Rule), itoa(a.Samples), itoa(a.Reviewed), itoa(a.Agreed), right}
	}
	columns := []show.Column{{Title: "RULE", Min: 10}, {Title: "SAMPLES", Right: true}, {Title: "REVIEWED", Right: true},
		{Title: "AGREED", Right: true}, {Title: "RIGHT", Right: true}}
	return show.Table(s.Stdout, theme, s.width(), columns, rows)
}

func (t *tool) policyReviewCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "review ID", Short: "Review a sampled automatic approval", Args: nArgs(1, 1, "the id of a sample"),
		ValidArgsFunction: t.complete(sampleIDs),
		Example: "assent policy review apr_… --agree\nassent policy review apr_… --disagree " +
			"--comment 'the address is new'",
	}
	agree := cmd.Flags().Bool("agree", false, "the rule was right")
	disagree := cmd.Flags().Bool("disagree", false, "a person would have rejected it")
	comment := cmd.Flags().StringP("comment", "c", "", "the reason")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		switch {
		case *agree == *disagree:
			return usage("use either --agree or --disagree")
		case *disagree && *comment == "":
			return usage("explain with --comment")
		}
		return nil
	}
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		v, err := s.Review(ctx, args[0], *agree, *comment)
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(v)
		}
		if v.Agree {
			s.say("%s recorded: the rule was right", s.screen().Good("✓"))
			return nil
		}
		s.say("%s recorded: the rule was wrong. Past approvals remain; change it in the policy, or stop all rules: assent "+
			"policy stop --reason …", s.screen().Good("✓"))
		return nil
	})
}

func suggestionIDs(ctx context.Context, c *client.Client) (out []cobra.Completion) {
	list, _ := c.Suggestions(ctx, "30d") // no answer, no suggestions
	for _, one := range list.Items {
		out = append(out, cobra.CompletionWithDesc(one.ID, show.Line(one.Why)))
	}
	return out
}

func sampleIDs(ctx context.Context, c *client.Client) (out []cobra.Completion) {
	v, _ := c.Samples(ctx, "30d") // see above
	for _, one := range v.Items {
		if one.Review == nil {
			out = append(out, cobra.CompletionWithDesc(one.Approval, show.Line(one.Title)))
		}
	}
	return out
}
