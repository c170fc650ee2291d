package show

import (
	"fmt"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/view"
)

// Run shows a run: heading, tree, outcome.
func Run(v view.Run, o TreeOptions) []string {
	lines := append([]string{Heading(v, o), ""}, Tree(v, o)...)
	lines = append(lines, "", Progress(v, o))
	return append(lines, Ending(v, o)...)
}

// Ending describes the outcome of a run, or what it waits for.
func Ending(v view.Run, o TreeOptions) []string {
	t := o.Theme
	var lines []string
	for _, w := range v.Warnings {
		lines = append(lines, t.Warn("warning ")+Line(w.Message))
	}
	switch {
	case v.Error != nil:
		lines = append(lines, failure(v, t)...)
	case v.Pause != nil && v.Status == run.Paused:
		lines = append(lines, t.Warn("paused")+prefixed(": ", Line(v.Pause.Reason)))
	}
	for _, s := range v.Steps {
		if s.Busy != nil && s.RetryAt != nil {
			lines = append(lines, t.Warn("waiting for the model")+fmt.Sprintf(" of step %s until %s (busy for %s, %d tries)",
				Line(s.ID), s.RetryAt.Local().Format(time.TimeOnly), Duration(o.Now.Sub(s.Busy.Since)), s.Busy.Tries))
		}
	}
	for _, id := range v.PendingApprovals {
		lines = append(lines, t.Warn("waiting for ")+id)
	}
	if !Empty(v.Output) {
		lines = append(lines, t.Dim("output"))
		for _, line := range strings.Split(Value(v.Output), "\n") {
			lines = append(lines, "  "+line)
		}
	}
	if len(lines) > 0 {
		lines = append([]string{""}, lines...)
	}
	return lines
}

func failure(v view.Run, t Theme) []string {
	e := v.Error
	line := t.Bad("failed: ") + Line(e.Message)
	lines := []string{line}
	if e.Step != "" {
		where := fmt.Sprintf("at step %s (%d of %d)", Line(e.Step), e.StepIndex, e.StepCount)
		if e.Agent != "" {
			where += ", agent " + Line(e.Agent)
		}
		if e.Try > 1 {
			where += fmt.Sprintf(", after %d tries", e.Try)
		}
		lines = append(lines, t.Dim("  "+where))
	}
	if e.Child != nil {
		lines = append(lines, t.Dim("  its sub-run is "+e.Child.Run))
	}
	if e.Body != "" {
		for _, body := range Wrap(e.Body, 100) {
			lines = append(lines, "  "+body)
		}
	}
	return lines
}

// Timeline draws when each step worked, as a bar over the duration of the run.
func Timeline(v view.Run, o TreeOptions) []string {
	end := o.Now
	if v.EndedAt != nil {
		end = *v.EndedAt
	}
	whole := end.Sub(v.StartedAt)
	names := 0
	for _, s := range v.Steps {
		names = max(names, Width(Line(s.ID)))
	}
	names = min(names, max(8, o.Width/3))
	width := min(60, o.Width-names-16)
	if whole <= 0 || width < 10 {
		return nil
	}
	var lines []string
	for _, s := range v.Steps {
		if s.StartedAt == nil {
			continue
		}
		until := end
		if s.EndedAt != nil {
			until = *s.EndedAt
		}
		from := min(int(s.StartedAt.Sub(v.StartedAt)*time.Duration(width)/whole), width-1)
		to := min(max(int(until.Sub(v.StartedAt)*time.Duration(width)/whole), from+1), width)
		bar := strings.Repeat(" ", from) + o.Theme.Info(strings.Repeat("▬", to-from)) + strings.Repeat(" ", width-to)
		lines = append(lines, fmt.Sprintf("  %s %s %s", Pad(Cut(Line(s.ID), names), names), bar,
			o.Theme.Dim(Duration(until.Sub(*s.StartedAt)))))
	}
	return lines
}
