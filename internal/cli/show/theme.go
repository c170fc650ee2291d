// Package show formats API responses for people at a terminal: lines, tables, the tree of a run, the card of
// an approval. Everything here is a function of its arguments; nothing reads a clock or a terminal.
//
// Texts are untrusted. All output goes through Clean, so that nothing in it moves the cursor, changes colours
// or reverses the reading order.
package show

import (
	"charm.land/lipgloss/v2"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
)

// Paint colours a text.
type Paint func(string) string

// Theme defines how things look. The colours are the sixteen of the terminal, so they suit any background.
type Theme struct {
	Bold, Dim, Good, Bad, Warn, Info, Accent Paint
	Colour                                   bool
}

// Plain has no colours.
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

// spinner is the animation of a step at work.
var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// Mark is the symbol of a step's status; frame counts up while watching.
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

// RunStatus colours a run's status.
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

// ApprovalStatus colours an approval's status.
func (t Theme) ApprovalStatus(s gate.Status) string {
	switch s {
	case gate.Pending:
		return t.Warn(string(s))
	case gate.Rejected, gate.TimedOut, gate.Cancelled:
		return t.Bad(words(string(s)))
	}
	return t.Good(words(string(s)))
}

// Risk colours a level; an unknown one is a dash.
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

// Spinner is one frame of the animation.
func Spinner(frame int) string { return spinner[frame%len(spinner)] }
