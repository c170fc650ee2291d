package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/cli/show"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Connection flags are the same for most commands, so help lists them after a command's own.
const connectionFlag = "connection"

// helpIndent is the indentation of everything below a heading, nameWidth the widest name that a description
// still shares a line with.
const (
	helpIndent = 2
	nameWidth  = 26
)

// entry is a line of help: a command or a flag, and what it is for.
type entry struct{ name, use string }

// help writes the help page of a command, wrapped to the terminal.
func (t *tool) help(cmd *cobra.Command, _ []string) {
	page := helpPage{to: cmd.OutOrStdout(), theme: t.screen(), width: min(t.pageWidth(), 100)}
	page.text(show.Or(cmd.Long, cmd.Short))
	page.verbatim("Usage", useLine(cmd))
	if cmd.Example != "" {
		page.verbatim("Examples", strings.Split(cmd.Example, "\n")...)
	}
	page.commands(cmd)
	if !cmd.HasParent() {
		page.text("Without a command, assent accepts the flags of assent serve.\n\n" +
			"Help for a command: assent COMMAND --help")
		return
	}
	own, connection := flagsOf(cmd)
	page.section("Flags", own, columnOf(own))
	page.section("Server and output", connection, columnOf(connection))
}

func useLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() {
		return cmd.CommandPath() + " [COMMAND] [flags]"
	}
	return cmd.UseLine()
}

// flagsOf returns the flags of a command: its own, and those for the connection and the output.
func flagsOf(cmd *cobra.Command) (own, connection []entry) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden, f.Name == "help":
		case f.Annotations[connectionFlag] != nil:
			connection = append(connection, flagEntry(f))
		default:
			own = append(own, flagEntry(f))
		}
	})
	return own, connection
}

func flagEntry(f *pflag.Flag) entry {
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	value, use := pflag.UnquoteUsage(f)
	switch value {
	case "":
	case "int":
		name += " N"
	case "duration":
		name += " DURATION"
	default:
		name += " VALUE"
	}
	if none := f.DefValue; none != "" && none != "false" && none != "[]" && none != "0" {
		if before, ok := strings.CutSuffix(use, ")"); ok {
			use = before + ", default " + none + ")"
		} else {
			use += " (default " + none + ")"
		}
	}
	first, size := utf8.DecodeRuneInString(use)
	return entry{name, string(unicode.ToUpper(first)) + use[size:]}
}

// helpPage writes sections, separated by empty lines.
type helpPage struct {
	to    io.Writer
	theme show.Theme
	width int
	begun bool
}

func (p *helpPage) heading(title string) {
	p.gap()
	if title != "" {
		fmt.Fprintln(p.to, p.theme.Bold(title))
	}
}

func (p *helpPage) gap() {
	if p.begun {
		fmt.Fprintln(p.to)
	}
	p.begun = true
}

// text writes paragraphs. Indented lines keep their breaks.
func (p *helpPage) text(s string) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(s), "\n\n") {
		p.gap()
		if strings.HasPrefix(paragraph, " ") {
			fmt.Fprintln(p.to, paragraph)
			continue
		}
		for _, line := range show.Wrap(strings.Join(strings.Fields(paragraph), " "), p.width) {
			fmt.Fprintln(p.to, line)
		}
	}
}

// verbatim writes lines that can be copied into a shell.
func (p *helpPage) verbatim(title string, lines ...string) {
	p.heading(title)
	for _, line := range lines {
		fmt.Fprintln(p.to, strings.Repeat(" ", helpIndent)+line)
	}
}

// commands writes the commands below this one, by group, all in one column.
func (p *helpPage) commands(cmd *cobra.Command) {
	in, column := map[string][]entry{}, 0
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			_, args, _ := strings.Cut(c.Use, " ")
			e := entry{strings.TrimSpace(c.Name() + " " + args), c.Short}
			in[c.GroupID], column = append(in[c.GroupID], e), max(column, columnOf([]entry{e}))
		}
	}
	for _, g := range cmd.Groups() {
		p.section(g.Title, in[g.ID], column)
	}
	p.section("Commands", in[""], column)
}

// columnOf returns the width of the names, except those that get a line of their own.
func columnOf(entries []entry) int {
	column := 0
	for _, e := range entries {
		if w := show.Width(e.name); w <= nameWidth {
			column = max(column, w)
		}
	}
	return column
}

func (p *helpPage) section(title string, entries []entry, column int) {
	if len(entries) == 0 {
		return
	}
	p.heading(title)
	indent := helpIndent + column + 2
	for _, e := range entries {
		lines := show.Wrap(e.use, p.width-indent)
		name := strings.Repeat(" ", helpIndent) + p.theme.Info(e.name)
		if show.Width(e.name) > column || len(lines) == 0 {
			fmt.Fprintln(p.to, name)
		} else {
			fmt.Fprintln(p.to, strings.TrimRight(show.Pad(name, indent)+lines[0], " "))
			lines = lines[1:]
		}
		for _, line := range lines {
			fmt.Fprintln(p.to, strings.Repeat(" ", indent)+strings.TrimRight(line, " "))
		}
	}
}
