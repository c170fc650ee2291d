package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/suggest"
	"github.com/spf13/cobra"
)

// suggestFlags are the flags of assent suggest.
type suggestFlags struct {
	input, name, agent, out, save string
	limit                         int
	run                           bool
	watchFlags
}

func (t *tool) suggestCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "suggest INTENT", Short: "Suggest a plan for an intent in plain words", GroupID: groupWrite,
		Args: nArgs(1, 1_000, "the goal of the plan, in plain words"),
		Long: `Suggest a workflow: tools and agents for each part of an intent, in the order in which
they fit, with the reason and a confidence for every step. People are asked wherever the
risk of a tool requires it, and missing values become the input of the workflow.

By default nothing is saved: --out writes the file, --save saves a draft on the
server, and --run starts a run of that draft. A draft is not published.`,
		Example: "assent suggest fetch the web page, then write a report\nassent suggest \"parse the XML files\" --out " +
			"flows/parse.yaml\nassent suggest \"parse the XML files\" --save parse-files --run --input @files.json",
	}
	var f suggestFlags
	flags := cmd.Flags()
	flags.StringVarP(&f.input, "input", "i", "",
		"an example of the input, or with --run the input: @FILE, - for stdin, or JSON")
	flags.StringVar(&f.name, "name", "", "name of the workflow (default: derived from the intent)")
	flags.StringVar(&f.agent, "agent", "", "an LLM agent that arranges the candidates")
	flags.IntVar(&f.limit, "limit", 5, "number of candidates to list")
	flags.StringVarP(&f.out, "out", "o", "", "write the workflow to this file")
	flags.StringVar(&f.save, "save", "", "save the workflow as a draft with this name")
	flags.BoolVar(&f.run, "run", false, "start a run of the draft; requires --save")
	f.add(cmd)
	t.accessFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if f.run && f.save == "" {
			return usage("--run starts a run of a saved workflow: add --save NAME")
		}
		if f.save != "" {
			f.name = f.save
		}
		n := needLook
		if f.run {
			n = needWork
		}
		s, err := t.connect(cmd, n)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.close()) }()
		return s.suggest(cmd.Context(), strings.Join(args, " "), f)
	}
	return cmd
}

func (s *session) suggest(ctx context.Context, intent string, f suggestFlags) error {
	in := suggest.Intent{Intent: intent, Name: f.name, Agent: f.agent, Limit: &f.limit}
	input, err := s.readJSON("--input", f.input)
	if err != nil {
		return err
	}
	in.Input = input
	v, err := s.SuggestPlan(ctx, in)
	if err != nil {
		return err
	}
	if v.Found {
		if err := s.writePlan(v, f.out); err != nil {
			return err
		}
	}
	if err := s.tellPlan(v, f); err != nil {
		return err
	}
	if !v.Found {
		return quiet(exitFailed)
	}
	if f.save == "" {
		return nil
	}
	draft, err := s.SaveWorkflow(ctx, f.save, []byte(v.YAML))
	if err != nil {
		return err
	}
	if !f.run {
		s.tellSaved(draft)
		return nil
	}
	begun, err := s.Begin(ctx, app.NewRun{Workflow: draft.Name, Version: draft.Version, Input: input})
	if err != nil {
		return err
	}
	return s.accompany(ctx, begun, f.watchFlags)
}

// writePlan writes the workflow to a file, which must not exist.
func (s *session) writePlan(v suggest.Suggestion, path string) error {
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return &failure{code: exitConflict, err: fmt.Errorf("%s already exists; nothing was written", path),
			hint: "write to another file with --out"}
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString(v.YAML)
	return errors.Join(err, file.Close())
}

// tellPlan shows a suggestion: the steps with their reasons, then the file.
func (s *session) tellPlan(v suggest.Suggestion, f suggestFlags) error {
	if s.json {
		return s.printJSON(v)
	}
	theme := s.screen()
	if !v.Found {
		s.say("No plan found: no tool or agent fits well enough.")
		if len(v.Candidates) > 0 {
			s.say("%s", theme.Dim("The nearest tools and agents:"))
			if err := s.toolTable(v.Candidates, true); err != nil {
				return err
			}
		}
		s.tellNotes(v)
		return nil
	}
	columns := []show.Column{{Title: "STEP", Min: 12}, {Title: "USES", Min: 16}, {Title: "NEEDS", Min: 10},
		{Title: "CONFIDENCE", Right: true}, {Title: "ASKS"}, {Title: "WHY", Min: 30, Under: true, Whole: true}}
	rows := make([][]string, len(v.Why))
	for i, w := range v.Why {
		needs := ""
		if n := v.Steps[i].Needs; n != nil {
			needs = strings.Join(*n, ", ")
		}
		asks := theme.Dim("–")
		if w.Asks {
			asks = theme.Warn("people")
		}
		rows[i] = []string{show.Line(w.Step), show.Line(usedBy(w.Tool)), show.Or(show.Line(needs), theme.Dim("–")),
			fmt.Sprintf("%.0f %%", w.Confidence*100), asks, theme.Dim(show.Line(w.Because))}
	}
	if err := show.Table(s.Stdout, theme, s.width(), columns, rows); err != nil {
		return err
	}
	s.say("\nConfidence %.0f %%", v.Confidence*100)
	s.tellNotes(v)
	if f.out != "" {
		s.say("%s written to %s", theme.Good("✓"), show.Clean(f.out))
		return nil
	}
	s.say("\n%s", show.Clean(strings.TrimRight(v.YAML, "\n")))
	return nil
}

// usedBy is a tool as it is shown: an agent by its name, a tool of an MCP server with the server.
func usedBy(tool string) string {
	if name, ok := strings.CutPrefix(tool, run.AgentPrefix); ok {
		return "agent " + name
	}
	if rest, ok := strings.CutPrefix(tool, "mcp:"); ok {
		if server, name, ok := strings.Cut(rest, "/"); ok {
			return name + " of " + server
		}
	}
	return tool
}

func (s *session) tellNotes(v suggest.Suggestion) {
	theme := s.screen()
	for _, part := range v.Missing {
		if !v.Found && len(v.Missing) == 1 {
			break // that is all of it
		}
		s.say("%s", theme.Warn("No tool or agent fits: "+show.Line(part)))
	}
	for _, w := range v.Why {
		if len(w.Unset) > 0 {
			s.say("%s", theme.Warn(fmt.Sprintf("Each run asks for %s, for the step %s.",
				show.Line(strings.Join(w.Unset, ", ")), show.Line(w.Step))))
		}
	}
	if v.ArrangedBy != "" {
		s.say("Arranged by %s", show.Line(v.ArrangedBy))
	}
	for _, note := range v.Notes {
		s.say("%s", theme.Warn(show.Line(note)))
	}
}

// tellSaved reports a saved draft.
func (s *session) tellSaved(v registry.Document) {
	if !s.json {
		s.say("%s saved as a draft: %s, version %d. Publish it: assent workflows publish %s", s.screen().Good("✓"), v.Name,
			v.Version, v.Name)
	}
}
