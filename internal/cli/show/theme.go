// Package show writes what the API tells for people at a terminal: lines,
// tables, the tree of a run, the card of an approval. Everything here is a
// function of its arguments; nothing asks a clock or a terminal.
//
// Texts come from agents and strangers. Whatever is shown goes through Clean,
// so that nothing in it moves the cursor, changes colours or reverses the
// reading order.
package show

import (
	"charm.land/lipgloss/v2"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
)

// Paint colours a text.
type Paint func(string) string

// Theme is how things look. The colours are the sixteen of the terminal, so
// they fit whatever its background is.
type Theme struct {
	Bold, Dim, Good, Bad, Warn, Info, Accent Paint
	Colour                                   bool
}

// Plain is without any colour.
func Plain() Theme {
	same := func(s string) string { return s }
	return Theme{Bold: same, Dim: same, Good: same, Bad: same, Warn: same, Info: same, Accent: same}
}

// Coloured is for terminals.
func Coloured() Theme {
	in := func(s lipgloss.Style) Paint { return func(text string) string { return s.Render(text) } }
	colour := func(c string) Paint { return in(lipgloss.NewStyle().Foreground(lipgloss.Color(c))) }
	return Theme{
		Bold: in(lipgloss.NewStyle().Bold(true)), Dim: in(lipgloss.NewStyle().Faint(true)),
		Good: colour("2"), Bad: colour("1"), Warn: colour("3"), Info: colour("6"), Accent: colour("5"), Colour: true,
	}
}

// spinner is what goes round while a step works.
var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// Mark is the sign of a step's status; frame counts up while somebody watches.
func (t Theme) Mark(s run.StepStatus, frame int) string {
	switch s {
	case run.RunningStep:
		if frame < 0 {
			return t.Info("▸")
		}
		return t.Info(spinner[frame%len(spinner)])
	case run.WaitingStep:
		return t.Warn("◆")
	case run.DoneStep:
		return t.Good("✓")
	case run.FailedStep:
		return t.Bad("✗")
	case run.SkippedStep:
		return t.Dim("–")
	case run.CancelledStep:
		return t.Dim("⊘")
	}
	return t.Dim("○")
}

// RunStatus paints the word for where a run stands.
func (t Theme) RunStatus(s run.Status) string {
	return t.ofRun(s)(string(s))
}

func (t Theme) ofRun(s run.Status) Paint {
	switch s {
	case run.Running:
		return t.Info
	case run.Waiting, run.Paused:
		return t.Warn
	case run.Completed:
		return t.Good
	}
	return t.Bad
}

// ApprovalStatus paints the word for where an approval stands.
func (t Theme) ApprovalStatus(s gate.Status) string {
	switch s {
	case gate.Pending:
		return t.Warn(string(s))
	case gate.Rejected, gate.TimedOut, gate.Cancelled:
		return t.Bad(words(string(s)))
	}
	return t.Good(words(string(s)))
}

// Risk paints a level; an unknown one is a dash.
func (t Theme) Risk(l risk.Level) string {
	switch l {
	case risk.Low:
		return t.Good("low")
	case risk.Medium:
		return t.Warn("medium")
	case risk.High:
		return t.Bad("high")
	case risk.Critical:
		return t.Bad(t.Bold("CRITICAL"))
	}
	return t.Dim("–")
}

// Spinner is one picture of something that goes round.
func Spinner(frame int) string { return spinner[frame%len(spinner)] }
