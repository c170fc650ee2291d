package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition/tree"
	"github.com/charmbracelet/x/ansi"
)

// Clean makes external text safe to show: control characters and those that change the reading order are
// escaped.
func Clean(s string) string {
	if !strings.ContainsFunc(s, dangerous) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if dangerous(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func dangerous(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case unicode.IsControl(r), r == unicode.ReplacementChar:
		return true
	}
	// Overrides and isolates: the text shown would not be the text sent.
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c
}

// Line is a text on one line.
func Line(s string) string { return strings.Join(strings.Fields(Clean(s)), " ") }

// Author is the name of the person or program that saved a document.
func Author(by string) string { return Line(strings.TrimPrefix(by, "service:")) }

// words is a name with spaces.
func words(s string) string { return strings.ReplaceAll(s, "_", " ") }

// Width is the width of a text on the screen.
func Width(s string) int { return ansi.StringWidth(s) }

// Cut truncates a line to a width.
func Cut(s string, width int) string {
	if width < 1 {
		return ""
	}
	return ansi.Truncate(s, width, "…")
}

// Pad pads a text to a width.
func Pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-Width(s)))
}

// Wrap wraps a text to a width and keeps its own line breaks.
func Wrap(s string, width int) []string {
	s = strings.TrimRight(strings.ReplaceAll(Clean(s), "\t", "    "), "\n")
	if s == "" {
		return nil
	}
	return strings.Split(wrap(s, max(width, 10)), "\n")
}

// wrap breaks lines at spaces: a flag, a name or an id that is broken at its hyphen cannot be copied.
func wrap(s string, width int) string {
	const kept = "\u2011" // a hyphen at which no line is broken
	if strings.Contains(s, kept) {
		return ansi.Wrap(s, width, " ")
	}
	return strings.ReplaceAll(ansi.Wrap(strings.ReplaceAll(s, "-", kept), width, " "), kept, "-")
}

// Hang wraps a clean line that is wider than the terminal, with continuation lines indented. Width 0 wraps
// nothing.
func Hang(line string, indent, width int) []string {
	if width <= 0 || Width(line) <= width {
		return []string{line}
	}
	if indent > width/2 {
		indent = len(between)
	}
	head := wrap(line, width)
	first, _, _ := strings.Cut(head, "\n")
	rest := strings.TrimLeft(ansi.TruncateLeft(line, Width(first), ""), " ")
	out := []string{first}
	for part := range strings.SplitSeq(wrap(rest, width-indent), "\n") {
		out = append(out, strings.Repeat(" ", indent)+part)
	}
	return out
}

// Duration formats a duration in the most natural unit.
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "0 s"
	case d < 95*time.Millisecond:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return two(int(d.Minutes()), "min", int(d.Seconds())%60, "s")
	case d < 24*time.Hour:
		return two(int(d.Hours()), "h", int(d.Minutes())%60, "min")
	}
	return two(int(d.Hours())/24, "d", int(d.Hours())%24, "h")
}

func two(n int, unit string, m int, smaller string) string {
	if m == 0 {
		return fmt.Sprintf("%d %s", n, unit)
	}
	return fmt.Sprintf("%d %s %d %s", n, unit, m, smaller)
}

// Clock is the local time of day.
func Clock(t time.Time) string { return t.Local().Format("15:04:05") }

// Moment is a local date and time.
func Moment(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// Size formats a number of bytes.
func Size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

// Count is a number with its noun: 1 run, 2 runs.
func Count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Bar is n of 100 as a bar of a width.
func (t Theme) Bar(percent, width int, paint Paint) string {
	percent = min(max(percent, 0), 100)
	filled := percent * width / 100
	return paint(strings.Repeat("━", filled)) + t.Dim(strings.Repeat("─", width-filled))
}

// Value formats JSON for people: as YAML, with multi-line texts as such.
func Value(raw json.RawMessage) string {
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) == 0 || bytes.Equal(trimmed, []byte("null")) {
		return ""
	}
	return strings.TrimRight(Clean(string(tree.WriteYAML(trimmed))), "\n")
}

// Empty reports whether there is nothing to show.
func Empty(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", "{}", "[]":
		return true
	}
	return false
}

// Who is an actor: a person by name, a program with its kind, so that none passes for a person.
func Who(a run.Actor) string { return Or(Line(a.Key()), string(a.Kind)) }

// Or is the text, or a replacement for an empty one.
func Or(s, none string) string {
	if s == "" {
		return none
	}
	return s
}
