package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/cli/host"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/definition"
	"github.com/spf13/cobra"
)

// validation is the output of --json.
type validation struct {
	Valid     bool                 `json:"valid"`
	Files     int                  `json:"files"`
	Documents int                  `json:"documents"`
	Problems  []definition.Problem `json:"problems"`
	Warnings  []definition.Problem `json:"warnings"`
}

func (t *tool) validateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "validate FILE…", Short: "Check documents and list all problems", GroupID: groupWrite,
		Args: nArgs(1, -1, "a file or a folder"),
		Long: `Check documents and list all problems, with file, line and column.
Files given together are checked together. No server is needed. With --data, --db or
--addr, documents whose files have been removed since they were loaded are listed as
well: loading the folder again would withdraw them.`,
		Example: "assent validate ./flows\nassent validate refund.yaml agents.yaml --json\nassent validate " +
			"./flows --data .assent",
	}
	t.accessFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return t.validate(cmd, args) }
	return cmd
}

func (t *tool) validate(cmd *cobra.Command, paths []string) error {
	set, problems := definition.NewSet(), []definition.Problem{}
	var out validation
	for _, path := range paths {
		one, wrong := definition.LoadPath(path)
		problems = append(append(problems, wrong...), set.Merge(one)...)
		out.Files += len(one.Files)
	}
	problems = append(problems, set.Check(assembly.Known())...)
	if flags := cmd.Flags(); flags.Changed("data") || flags.Changed("db") || flags.Changed("addr") {
		gone, err := t.goneFiles(cmd, paths)
		if err != nil {
			return err
		}
		problems = append(problems, gone...)
	}
	out.Documents = len(set.Documents())
	out.Problems = append([]definition.Problem{}, definition.Errors(problems)...)
	out.Warnings = append([]definition.Problem{}, warnings(problems)...)
	out.Valid = len(out.Problems) == 0
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

// goneFiles asks which documents in force are no longer in these paths.
func (t *tool) goneFiles(cmd *cobra.Command, paths []string) (out []definition.Problem, err error) {
	s, err := t.connect(cmd, needLook)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if s.token == "" {
		return nil, &failure{
			code: exitUsage, err: errors.New("a server that is reached by its address does not read files from this machine"),
			hint: "run assent validate on the server's machine with --data instead, or leave out --addr to check only the files",
		}
	}
	answer, err := s.onPaths(cmd.Context(), host.AdminGone, host.Admin{}, paths)
	return answer.Problems, err
}

func (t *tool) tellValidation(v validation) {
	theme := t.screen()
	for _, p := range slices.Concat(v.Problems, worthTelling(v.Warnings)) {
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
	fmt.Fprintf(t.Stderr, "assent: %s\n", show.Count(int64(len(v.Problems)), "problem"))
}

// problemLine formats a problem as compilers do.
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
