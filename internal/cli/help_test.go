package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/cli/show"
	"github.com/spf13/cobra"
)

// Help fits a narrow terminal, apart from lines to copy, and every command and flag says what it is for.
func TestHelpFitsTheTerminal(t *testing.T) {
	program := &tool{Env: &Env{
		OutTerminal: true, Columns: func() int { return 80 }, Getenv: func(string) string { return "" },
	}}
	root := program.root()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		var page bytes.Buffer
		cmd.SetOut(&page)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		copied := map[string]bool{}
		for _, line := range append(strings.Split(cmd.Example, "\n"), useLine(cmd)) {
			copied[strings.Repeat(" ", helpIndent)+line] = true
		}
		for line := range strings.SplitSeq(page.String(), "\n") {
			if show.Width(line) > 80 && !copied[line] && !isCompletion(cmd) {
				t.Errorf("%s --help: %q is %d wide", cmd.CommandPath(), line, show.Width(line))
			}
		}
		if cmd.Short == "" {
			t.Errorf("%s has no description", cmd.CommandPath())
		}
		own, connection := flagsOf(cmd)
		for _, f := range append(own, connection...) {
			if f.use == "" {
				t.Errorf("%s: flag %s has no description", cmd.CommandPath(), f.name)
			}
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(root)
}

// Cobra writes the texts of completion, with lines to copy between them.
func isCompletion(cmd *cobra.Command) bool {
	return strings.Contains(cmd.CommandPath(), " completion ")
}
