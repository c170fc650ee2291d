package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestCommandsAreDocumented: the first table of docs/cli.md lists every command, and nothing else.
func TestCommandsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| command | purpose |")
	table, _, found := strings.Cut(table, "\n\n")
	if !found {
		t.Fatal("the table was not found")
	}
	var listed []string
	for line := range strings.Lines(table) {
		name, _, _ := strings.Cut(strings.ReplaceAll(line, `\|`, "/"), " | ")
		for _, m := range regexp.MustCompile("`(?:assent )?([a-z]+)[^`]*`").FindAllStringSubmatch(name, -1) {
			listed = append(listed, m[1])
		}
	}
	root := (&tool{Env: &Env{}}).root()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	known := []string{"assent"}
	for _, cmd := range root.Commands() {
		if known = append(known, cmd.Name()); !cmd.Hidden && !slices.Contains(listed, cmd.Name()) {
			t.Errorf("docs/cli.md does not list %s", cmd.Name())
		}
	}
	for _, name := range listed {
		if !slices.Contains(known, name) {
			t.Errorf("docs/cli.md lists %s, which is not a command", name)
		}
	}
}
