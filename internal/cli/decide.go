package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/view"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func itoa(n int) string { return strconv.Itoa(n) }

// deciding is one of the commands that decide approvals.
type deciding struct {
	act     gate.Act
	word    string // the command
	short   string
	example string
	done    string // the past tense, for the confirmation
}

var decidings = []deciding{
	{gate.Approve, "approve", "Approve a request", "assent approve apr_… --comment 'compared with the order'", "approved"},
	{gate.Reject, "reject", "Reject a request with a reason", "assent reject apr_… --comment 'wrong customer'",
		"rejected"},
	{gate.Modify, "modify", "Change the proposal and approve it", "assent modify apr_… --set amount=45",
		"changed and approved"},
	{gate.Choose, "choose", "Choose one of the options", "assent choose apr_… --option false_positive",
		"chose an option for"},
	{gate.Submit, "submit", "Submit the requested data",
		"assent submit apr_… --body @claim.json\nassent submit apr_… --set incident_date=2026-01-08", "submitted data for"},
	{gate.RequestRevision, "revise", "Request a revision", "assent revise apr_… --comment 'shorter, please'", "sent back"},
	{gate.Escalate, "escalate", "Escalate to a person or a role", "assent escalate apr_… --to role:manager", "escalated"},
	{gate.Delegate, "delegate", "Delegate your vote to someone else", "assent delegate apr_… --to bob", "delegated"},
}

// decideFlags are the flags of a decision.
type decideFlags struct {
	comment, option, to, data, role string
	sets                            []string
	version                         int
	yes                             bool
}

func (t *tool) decideCommands() []*cobra.Command {
	out := make([]*cobra.Command, len(decidings))
	for i, d := range decidings {
		out[i] = t.decideCommand(d)
	}
	return out
}

func (t *tool) decideCommand(d deciding) *cobra.Command {
	cmd := &cobra.Command{
		Use: d.word + " ID…", Short: d.short, Example: d.example, GroupID: groupDecide,
		Args: nArgs(1, -1, "the id of an approval"), ValidArgsFunction: t.complete(approvalIDs),
	}
	var f decideFlags
	flags := cmd.Flags()
	flags.StringVarP(&f.comment, "comment", "c", "", "the reason")
	flags.IntVar(&f.version, "version", 0, "the version you saw (default: the current one)")
	flags.BoolVarP(&f.yes, "yes", "y", false, "do not ask for confirmation, even if the risk is critical")
	switch d.act {
	case gate.Modify:
		flags.StringArrayVar(&f.sets, "set", nil,
			"change a field: PATH=VALUE, as JSON if it is valid JSON, otherwise as text; null removes it")
		flags.StringVar(&f.data, "body", "", "changes as a JSON merge patch: @FILE, - or JSON (also as --data)")
	case gate.Submit:
		flags.StringArrayVar(&f.sets, "set", nil,
			"set a field: PATH=VALUE, as JSON if it is valid JSON, otherwise as text")
		flags.StringVar(&f.data, "body", "", "the data: @FILE, - or JSON (also as --data)")
	case gate.Choose:
		flags.StringVarP(&f.option, "option", "o", "", "the option")
	case gate.Escalate, gate.Delegate:
		flags.StringVar(&f.to, "to", "", "a person, or role:NAME")
	}
	if slices.Contains([]gate.Act{gate.Approve, gate.Modify, gate.Choose, gate.Submit}, d.act) {
		flags.StringVar(&f.role, "as-role", "", "the role to vote with, if votes are counted by role")
	}
	if flags.Lookup("body") != nil {
		cmd.PreRunE = func(*cobra.Command, []string) error { return bodyInData(flags) }
	}
	return t.working(cmd, func(ctx context.Context, s *session,
		args []string) error {
		return s.decideAll(ctx, d, f, args)
	})
}

// bodyInData allows --data @f.json when submitting data. No directory name starts with @.
func bodyInData(flags *pflag.FlagSet) error {
	dir := flags.Lookup("data")
	if !dir.Changed || !strings.ContainsAny(dir.Value.String()[:min(1, len(dir.Value.String()))], "@{[-") {
		return nil
	}
	if err := flags.Set("body", dir.Value.String()); err != nil {
		return err
	}
	dir.Changed = false
	return dir.Value.Set(dir.DefValue)
}

// decision is the decision described by the flags.
func (s *session) decision(d deciding, f decideFlags) (app.Decision, error) {
	out := app.Decision{Act: d.act, Comment: f.comment, Option: f.option, To: f.to, Role: f.role}
	if f.data == "" && len(f.sets) == 0 {
		if d.act == gate.Modify {
			return out, usage("set the changes with --set PATH=VALUE or --body")
		}
		if d.act != gate.Submit {
			return out, nil
		}
	}
	data, err := s.readJSON("--body", f.data)
	if err != nil {
		return out, err
	}
	if data, err = setPaths(data, f.sets); err != nil {
		return out, err
	}
	if d.act == gate.Modify {
		out.Changes = data
	} else {
		out.Data = data
	}
	return out, nil
}

// decided is the result for one approval.
type decided struct {
	ID       string         `json:"id"`
	OK       bool           `json:"ok"`
	Status   gate.Status    `json:"status,omitempty"`
	Approval *view.Approval `json:"approval,omitempty"`
	Error    *trouble       `json:"error,omitempty"`
	err      error
}

func (s *session) decideAll(ctx context.Context, d deciding, f decideFlags, ids []string) error {
	what, err := s.decision(d, f)
	if err != nil {
		return err
	}
	results := make([]decided, len(ids))
	for i, id := range ids {
		results[i] = s.decideOne(ctx, what, f, id)
	}
	if len(ids) == 1 {
		r := results[0]
		if r.err != nil {
			return r.err
		}
		return s.tellDecided(ctx, d, *r.Approval)
	}
	return s.summary(ctx, d, results)
}

// decideOne decides one approval in its current version, or in the version that was reviewed.
func (s *session) decideOne(ctx context.Context, what app.Decision, f decideFlags, id string) decided {
	v, err := s.Approval(ctx, id)
	if err == nil {
		what.Version = v.Version
		if f.version > 0 {
			what.Version = f.version
		}
		err = s.confirm(v, what.Act, f.yes)
	}
	if err == nil {
		v, err = s.Decide(ctx, id, what)
	}
	if err != nil {
		why := troubleOf(err)
		return decided{ID: id, Error: &why, err: err}
	}
	return decided{ID: id, OK: true, Status: v.Status, Approval: &v}
}

var agreeing = []gate.Act{gate.Approve, gate.Modify, gate.Choose, gate.Submit}

// confirm prevents approving something critical by accident.
func (s *session) confirm(v view.Approval, act gate.Act, yes bool) error {
	if yes || v.Risk.Level != risk.Critical || !slices.Contains(agreeing, act) || v.Status != gate.Pending {
		return nil
	}
	if !s.interactive() {
		return &failure{code: exitUsage, err: fmt.Errorf("the risk of %s is critical", v.ID),
			hint: "look at it with: assent show " + v.ID + "; then add --yes"}
	}
	theme := s.screen()
	s.lines(show.Card(v, show.CardOptions{Theme: theme, Width: s.pageWidth(), Now: s.Now()}))
	fmt.Fprintf(s.Stdout, "\nThe risk is %s. Type %s to continue: ", theme.Risk(risk.Critical), theme.Bold(string(act)))
	answer, err := bufio.NewReader(s.Stdin).ReadString('\n')
	if err != nil || strings.TrimSpace(answer) != string(act) {
		return fail("", "no decision was sent")
	}
	return nil
}

// tellDecided prints the approval's status after a decision, and the run's.
func (s *session) tellDecided(ctx context.Context, d deciding, v view.Approval) error {
	if err := s.busy("agents working", func() error { return s.settle(ctx, v.Run) }); err != nil {
		return err
	}
	if s.json {
		return s.printJSON(v)
	}
	theme := s.screen()
	line := theme.Good("✓") + " " + d.done + ": " + show.Line(v.Title)
	if v.Status == gate.Pending && v.Quorum.Needed > 1 {
		line += theme.Warn(fmt.Sprintf("  %d of %d, still waiting for %s", v.Quorum.Given, v.Quorum.Needed, show.Asked(v)))
	}
	s.say("%s", line)
	run, err := s.RunBriefly(ctx, v.Run)
	if err != nil {
		return err
	}
	s.say("  run %s is %s", run.ID, theme.RunStatus(run.Status))
	for _, id := range run.PendingApprovals {
		if id != v.ID {
			s.say("  next: assent show %s", id)
		}
	}
	return nil
}

// summary prints the results for several approvals, and fails if one of them did.
func (s *session) summary(ctx context.Context, d deciding, results []decided) error {
	theme, code, failed := s.screen(), exitOK, 0
	for _, r := range results {
		if r.err == nil {
			if err := s.settle(ctx, r.Approval.Run); err != nil {
				return err
			}
			continue
		}
		failed++
		if c := exitCode(r.err); code == exitOK || code == c {
			code = c
		} else {
			code = exitFailed
		}
	}
	if s.json {
		if err := s.printJSON(map[string]any{"results": results}); err != nil {
			return err
		}
	} else {
		for _, r := range results {
			if r.err != nil {
				s.say("%s %s  %s", theme.Bad("✗"), r.ID, show.Line(r.Error.Message))
			} else {
				s.say("%s %s  %s", theme.Good("✓"), r.ID, show.Line(r.Approval.Title))
			}
		}
		s.say("%d of %d %s", len(results)-failed, len(results), strings.TrimSuffix(d.done, " for"))
	}
	if failed > 0 {
		return quiet(code)
	}
	return nil
}

// howTo is the command for an act on an approval.
func howTo(act gate.Act, v view.Approval) string {
	for _, d := range decidings {
		if d.act != act {
			continue
		}
		line := "assent " + d.word + " " + v.ID
		switch act {
		case gate.Reject, gate.RequestRevision:
			line += " --comment '…'"
		case gate.Modify:
			line += " --set " + show.Or(firstKey(v.Proposed), "path") + "=…"
		case gate.Choose:
			line += " --option …"
		case gate.Submit:
			line += " --set " + show.Or(firstKey(property(v.InputSchema, "properties")), "path") + "=…"
		case gate.Escalate, gate.Delegate:
			line += " --to …"
		}
		return line
	}
	return ""
}

func property(raw json.RawMessage, name string) json.RawMessage {
	v, _ := value.Get(raw, name) // empty is fine
	return v
}

func firstKey(raw json.RawMessage) string {
	if value.KindOf(raw) != value.KindObject {
		return ""
	}
	for key := range value.Members(raw) {
		return key
	}
	return ""
}
