package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/insight"
	"github.com/spf13/cobra"
)

// candidate is a policy in a file.
type candidate struct {
	name string
	yaml []byte
}

// readCandidate reads a policy from a file, a directory or stdin, and reports all its problems without a
// server.
func (t *tool) readCandidate(path, so string) (*candidate, error) {
	set, problems, err := t.loadPolicy(path)
	if err != nil {
		return nil, err
	}
	if set.Policy == nil && len(definition.Errors(problems)) == 0 {
		return nil, fail("a policy begins with: policy: NAME", "no policy found in %s", path)
	}
	if set.Policy != nil {
		alone := definition.NewSet()
		problems = append(append(problems, alone.Add(set.Policy)...), alone.Check(nil)...)
	}
	if len(definition.Errors(problems)) > 0 {
		t.tellProblems(problems, so)
		return nil, quiet(exitFailed)
	}
	if !t.json {
		t.tellLines(problems)
	}
	return &candidate{path, set.Policy.YAMLWithSecrets()}, nil
}

func (t *tool) loadPolicy(path string) (*definition.Set, []definition.Problem, error) {
	if path != "-" {
		if _, err := os.Stat(path); err != nil {
			return nil, nil, &failure{code: exitNotFound, err: err, hint: "name the file of a policy, or - for stdin"}
		}
		set, problems := definition.LoadPath(path)
		return set, problems, nil
	}
	b, err := io.ReadAll(io.LimitReader(t.Stdin, inputMax))
	if err != nil {
		return nil, nil, fmt.Errorf("read stdin: %w", err)
	}
	name := "stdin.yaml"
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		name = "stdin.json"
	}
	set, problems := definition.Parse(name, b)
	return set, problems, nil
}

func (t *tool) policyTestCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "test [FILE|-]", Short: "Evaluate a policy for one case, rule by rule", Args: nArgs(0, 1, "a file"),
		Long: `Evaluate a policy for one case, rule by rule, up to the one that
decides. Without FILE, the policy in force is evaluated; with FILE, no server is needed.

A case may have: workflow, step, agent, tool, operation, risk, confidence, result
(true: a step's result), data (the fields that rules see), context (input, context
and outputs of steps), earlier (the data of earlier actions that
count in sums), key (for rollouts) and at (a time).

Exits with 0 regardless of the verdict, and with 1 if the file is not valid.`,
		Example: `assent policy test new.yaml --subject '{"operation":"refund","risk":"high","data":{"amount":1200}}'` +
			"\nassent policy test --subject @refund.json",
	}
	text := cmd.Flags().String("subject", "", "the case: @FILE, - or JSON")
	var file *candidate
	var subject json.RawMessage
	cmd.PreRunE = func(_ *cobra.Command, args []string) (err error) {
		if len(args) == 1 && args[0] == "-" && *text == "-" {
			return usage("the policy and the subject cannot both come from stdin")
		}
		if subject, err = t.readJSON("--subject", *text); err != nil || len(args) == 0 {
			return err
		}
		file, err = t.readCandidate(args[0], "not evaluated")
		return err
	}
	return t.talking(cmd, needNothing, func(ctx context.Context, s *session, _ []string) error {
		var yaml []byte
		if file != nil {
			yaml = file.yaml
		} else if s.scratch != "" {
			return noStore(s.config.Data)
		}
		v, err := s.TestPolicy(ctx, yaml, subject)
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(v)
		}
		if *text == "" {
			fmt.Fprintln(s.Stderr, "assent: the case is empty; describe it with --subject")
		}
		return s.verdict(v)
	})
}

func (s *session) verdict(v insight.Verdict) error {
	theme := s.screen()
	s.say("%s  %s", theme.Bold(theme.Effect(v.Effect)), show.Line(v.Reason))
	if len(v.Steps) == 0 {
		return nil
	}
	s.say("")
	rows := make([][]string, len(v.Steps))
	for i, step := range v.Steps {
		mark, says := theme.Dim("–"), theme.Dim(show.Line(step.Result))
		if step.Decides {
			mark, says = theme.Good("▸"), show.Line(step.Result)
		}
		rows[i] = []string{mark, show.Priority(step.Priority), show.Line(step.Rule), says}
	}
	return show.Table(s.Stdout, theme, s.width(),
		[]show.Column{{}, {Title: "PRIORITY", Right: true}, {Title: "RULE", Min: 20},
			{Title: "RESULT", Min: 60, Under: true, Whole: true}}, rows)
}

// pastFlag is a time in the past: a duration, a date or a time.
func pastFlag(flag, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if d, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return d.UTC().Format(time.RFC3339), nil
	}
	if _, err := time.Parse(time.RFC3339, text); err == nil {
		return text, nil
	}
	if d, err := quantity.ParseDuration(text); err != nil || d < 0 {
		return "", usage("%s %s: write a duration such as 30d, or a time such as 2026-01-31 or 2026-01-31T09:00:00Z",
			flag, text)
	}
	return text, nil
}

func (t *tool) policyBacktestCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "backtest FILE|-", Short: "Backtest a policy against past decisions", Args: nArgs(1, 1, "the file of a policy"),
		Long: `Evaluate a policy against past decisions by people and rules. Nothing changes.

It lists everything that people rejected or changed and the policy would have
approved. Exits with 1 if that includes a rejected action, so it can be a check in a
pipeline.`,
		Example: "assent policy backtest new.yaml --since 30d\nassent export default --kind policy --version 4 | " +
			"assent policy backtest -",
	}
	since := cmd.Flags().String("since", "30d", "how far back: a duration such as 30d, or a time")
	until := cmd.Flags().String("until", "", "until when, in the same format (default: now)")
	var file *candidate
	cmd.PreRunE = func(_ *cobra.Command, args []string) (err error) {
		if *since, err = pastFlag("--since", *since); err != nil {
			return err
		}
		if *until, err = pastFlag("--until", *until); err != nil {
			return err
		}
		file, err = t.readCandidate(args[0], "the backtest was not run")
		return err
	}
	return t.looking(cmd, func(ctx context.Context, s *session, _ []string) (err error) {
		var v insight.Backtest
		err = s.busy("reading past decisions", func() error {
			v, err = s.Backtest(ctx, file.yaml, *since, *until)
			return err
		})
		if err != nil {
			return err
		}
		return s.tellBacktest(v, file.name)
	})
}

func (s *session) tellBacktest(v insight.Backtest, file string) error {
	if s.json {
		if err := s.printJSON(v); err != nil {
			return err
		}
	} else {
		theme := s.screen()
		s.lines(show.Backtest(v, theme))
		if err := s.outcomeTable(v.ByRule); err != nil {
			return err
		}
		s.lines(show.Passed(v, theme))
	}
	n := len(v.WouldPassRejected)
	if n == 0 {
		return nil
	}
	if s.json {
		return quiet(exitFailed)
	}
	return fail("change the rules, or put it in force anyway: assent policy apply "+file+" --accept-risk COMMENT",
		"it would approve %s that people rejected", show.Count(int64(n), "action"))
}

func (s *session) outcomeTable(rules []insight.RuleOutcome) error {
	if len(rules) == 0 {
		return nil
	}
	s.say("")
	theme := s.screen()
	columns := []show.Column{
		{Title: "RULE", Min: 12}, {Title: "EFFECT"}, {Title: "DECISIONS", Right: true}, {Title: "ASKED→AUTO", Right: true},
		{Title: "AUTO→ASKED", Right: true},
		{Title: "REJECTED→AUTO", Right: true}, {Title: "CHANGED→AUTO", Right: true}, {Title: "MINUTES SAVED", Right: true},
	}
	rows := make([][]string, len(rules))
	for i, r := range rules {
		rejected := itoa(r.WouldPassRejected)
		if r.WouldPassRejected > 0 {
			rejected = theme.Bad(rejected)
		}
		rows[i] = []string{
			show.Or(show.Line(r.Rule), theme.Dim("(no rule)")), theme.Effect(r.Effect), itoa(r.Subjects), itoa(r.AskedToAuto),
			itoa(r.AutoToAsked), rejected, itoa(r.WouldPassModified),
			fmt.Sprintf("%.1f", r.MinutesSaved),
		}
	}
	return show.Table(s.Stdout, theme, s.width(), columns, rows)
}
