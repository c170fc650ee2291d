package cli

import (
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/definition"
	"github.com/spf13/cobra"
)

// validation is what --json says.
type validation struct {
	Valid     bool                 `json:"valid"`
	Files     int                  `json:"files"`
	Documents int                  `json:"documents"`
	Problems  []definition.Problem `json:"problems"`
}

func (t *tool) validateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "validate FILE…", Short: "Check documents and list everything that is wrong", GroupID: groupWrite, Args: nArgs(1, -1, "a file or a folder"),
		Long: `Check documents and list everything that is wrong, with file, line and column.
Files given together are checked together. No server is asked.`,
		Example: "assent validate ./flows\nassent validate refund.yaml agents.yaml --json",
	}
	cmd.Flags().Bool("json", false, "answer in JSON")
	cmd.Flags().Bool("plain", false, "no colours")
	cmd.RunE = func(_ *cobra.Command, args []string) error { return t.validate(args) }
	return cmd
}

func (t *tool) validate(paths []string) error {
	set, out := definition.NewSet(), validation{Problems: []definition.Problem{}}
	for _, path := range paths {
		one, problems := definition.LoadPath(path)
		out.Problems = append(append(out.Problems, problems...), set.Merge(one)...)
		out.Files += len(one.Files)
	}
	out.Problems = append(out.Problems, set.Check(assembly.Known())...)
	out.Documents = len(set.Documents())
	out.Valid = len(definition.Errors(out.Problems)) == 0
	if t.json {
		if err := t.printJSON(out); err != nil {
			return err
		}
	} else {
		t.tellValidation(out)
	}
	if !out.Valid {
		return quiet(exitFailed)
	}
	return nil
}

func (t *tool) tellValidation(v validation) {
	theme := t.screen()
	for _, p := range slices.Concat(definition.Errors(v.Problems), worthTelling(warnings(v.Problems))) {
		word := theme.Bad("error")
		if p.Warning {
			word = theme.Warn("warning")
		}
		t.say("%s", problemLine(p, word))
		if p.Excerpt != "" {
			t.say("%s", theme.Dim(show.Clean(p.Excerpt)))
		}
	}
	if v.Valid {
		t.say("%s %s in %s", theme.Good("✓"), show.Count(int64(v.Documents), "document"), show.Count(int64(v.Files), "file"))
		return
	}
	fmt.Fprintf(t.Stderr, "assent: %s\n", show.Count(int64(len(definition.Errors(v.Problems))), "problem"))
}

// problemLine is a problem as compilers write it.
func problemLine(p definition.Problem, word string) string {
	place := p.File
	if p.Line > 0 {
		place += fmt.Sprintf(":%d:%d", p.Line, p.Column)
	}
	if place != "" {
		place += ": "
	}
	return show.Clean(place) + word + ": " + show.Clean(p.Problem.String())
}

func warnings(problems []definition.Problem) []definition.Problem {
	var out []definition.Problem
	for _, p := range problems {
		if p.Warning {
			out = append(out, p)
		}
	}
	return out
}
