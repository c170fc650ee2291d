package show

import (
	"fmt"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/view"
)

// TreeOptions define how to draw a run.
type TreeOptions struct {
	Theme Theme
	Width int
	Now   time.Time
	Frame int // of the spinner; -1: no animation
}

// Tree draws the steps of a run, layer by layer. A bracket joins the steps of one layer, which may run in
// parallel.
func Tree(v view.Run, o TreeOptions) []string {
	names := 0
	for _, s := range v.Steps {
		names = max(names, Width(Line(s.ID)))
	}
	names = min(names, max(8, o.Width/3))
	var out []string
	for i := 0; i < len(v.Steps); {
		layer := []view.Step{v.Steps[i]}
		for i++; i < len(v.Steps) && v.Steps[i].Layer == layer[0].Layer; i++ {
			layer = append(layer, v.Steps[i])
		}
		for k, s := range layer {
			out = append(out, stepLine(v, s, bracket(k, len(layer)), names, o))
		}
	}
	return out
}

// bracket joins the steps of a layer.
func bracket(k, n int) string {
	switch {
	case n == 1:
		return " "
	case k == 0:
		return "┌"
	case k == n-1:
		return "└"
	}
	return "│"
}

func stepLine(v view.Run, s view.Step, edge string, names int, o TreeOptions) string {
	t := o.Theme
	name := Pad(Cut(Line(s.ID), names), names)
	if s.Status == run.PendingStep {
		name = t.Dim(name)
	}
	line := fmt.Sprintf("%s %s %s", t.Dim(edge), t.Mark(s.Status, o.Frame), name)
	if does := Line(doer(s)); does != "" && o.Width >= 60 {
		line += "  " + t.Dim(Pad(Cut(does, 20), 20))
	}
	if about := stepState(v, s, o); about != "" {
		line += "  " + about
	}
	return Cut(strings.TrimRight(line, " "), o.Width)
}

// doer is the performer of a step.
func doer(s view.Step) string {
	switch s.Kind {
	case "workflow":
		return "workflow " + s.Workflow
	case "tool":
		return "tool " + s.Tool
	case "human":
		return "a person"
	}
	return s.Agent
}

// stepState describes a step in addition to its mark.
func stepState(v view.Run, s view.Step, o TreeOptions) string {
	t := o.Theme
	var parts []string
	add := func(paint Paint, format string, args ...any) {
		parts = append(parts, paint(fmt.Sprintf(format, args...)))
	}
	switch s.Status {
	case run.RunningStep:
		if s.StartedAt != nil {
			add(t.Info, "%s", Duration(o.Now.Sub(*s.StartedAt).Truncate(100*time.Millisecond)))
		}
	case run.WaitingStep:
		add(t.Warn, "%s", waitsFor(v))
	case run.DoneStep:
		if s.DurationMS != nil {
			add(t.Dim, "%s", Duration(time.Duration(*s.DurationMS)*time.Millisecond))
		}
	case run.FailedStep:
		if s.Error != nil {
			add(t.Bad, "%s", Line(s.Error.Message))
		}
	case run.SkippedStep:
		add(t.Dim, "%s", skipped[s.Skipped])
	}
	if e := s.Elements; e != nil && s.Status != run.PendingStep {
		add(t.Dim, "%d of %d", e.Done, e.Total)
		if e.Running > 0 {
			add(t.Info, "%d running", e.Running)
		}
	}
	if s.Try > 1 {
		add(t.Warn, "try %d", s.Try)
	}
	if s.Revision > 0 {
		add(t.Warn, "revision %d", s.Revision)
	}
	if s.Injected {
		add(t.Accent, "added")
	}
	if s.Ahead != "" {
		add(t.Dim, "%s", ranAhead[s.Ahead])
	}
	return strings.Join(parts, t.Dim(" · "))
}

func waitsFor(v view.Run) string {
	if v.Status == run.Paused {
		return "paused"
	}
	return "waiting for a decision"
}

var skipped = map[run.SkipReason]string{
	run.SkipIf: "skipped: its condition was not met", run.SkipNeed: "skipped: a step it needs failed",
	run.SkipCommand: "skipped by a person", run.SkipRejected: "skipped: rejected",
}

// ranAhead says what became of a step that ran ahead of an approval, as the page of a run does.
var ranAhead = map[string]string{"running": "running ahead", "returned": "ran ahead", "used": "ran ahead, used",
	"discarded": "ran ahead, discarded"}

// Progress is the line below the tree: a bar, the remaining steps, the cost.
func Progress(v view.Run, o TreeOptions) string {
	t := o.Theme
	width := min(30, max(10, o.Width-30))
	parts := []string{fmt.Sprintf("%s %3d %%", t.Bar(v.Progress.Percent, width, t.ofRun(v.Status)), v.Progress.Percent)}
	if eta := v.Progress.ETAs; eta != nil && v.Status == run.Running {
		parts = append(parts, t.Dim("about "+Duration(time.Duration(*eta*float64(time.Second)))+" left"))
	}
	if used := Usage(v.Usage); used != "" {
		parts = append(parts, t.Dim(used))
	}
	if v.AheadUsage != nil {
		if used := Usage(*v.AheadUsage); used != "" {
			parts = append(parts, t.Dim(used+" for running ahead"))
		}
	}
	return Cut("  "+strings.Join(parts, t.Dim(" · ")), o.Width)
}

// Usage is a run's cost, or empty.
func Usage(u view.Usage) string {
	var parts []string
	if u.LLMCalls > 0 {
		parts = append(parts, Count(u.LLMCalls, "model call"))
	}
	if n := u.TokensIn + u.TokensOut; n > 0 {
		parts = append(parts, Count(n, "token"))
	}
	if strings.Trim(u.CostUSD, "0.") != "" {
		parts = append(parts, "$"+u.CostUSD)
	}
	return strings.Join(parts, ", ")
}

// Heading identifies the run and its status.
func Heading(v view.Run, o TreeOptions) string {
	t := o.Theme
	end := o.Now
	if v.EndedAt != nil {
		end = *v.EndedAt
	}
	name := t.Bold(Line(v.Workflow))
	if o.Width >= 60 {
		name += t.Dim(fmt.Sprintf(" v%d  ", v.Version)) + t.Dim(v.ID)
	}
	if v.TestMode {
		name += t.Accent(" test")
	}
	right := t.RunStatus(v.Status)
	if took := end.Sub(v.StartedAt); took >= 0 {
		right += t.Dim(" " + Duration(took))
	}
	gap := max(2, min(o.Width, 100)-Width(name)-Width(right))
	return Cut(name+strings.Repeat(" ", gap)+right, o.Width)
}
