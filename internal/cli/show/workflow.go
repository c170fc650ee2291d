package show

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/preview"
	"github.com/assent-run/assent/internal/registry"
)

// WorkflowDiff describes the changes between two versions of a workflow: first removed approvals, then part
// by part, then as text.
func WorkflowDiff(v registry.WorkflowDiff, t Theme, width int) []string {
	out := []string{t.Bold(Line(v.To.Name)) + t.Dim("  "+versionName(v.From)+" → "+versionName(v.To))}
	if v.Text == "" {
		return append(out, "The versions are the same.")
	}
	if n := len(v.GatesRemoved); n > 0 {
		out = append(out, t.Bold(t.Bad("✗ "+Count(int64(n), "gate")+" removed: "))+Line(strings.Join(v.GatesRemoved, ", ")),
			t.Bad("  People are no longer asked there."))
	}
	add := func(title string, parts []registry.PartDiff) {
		for _, p := range parts {
			out = append(out, t.part(title, p)...)
		}
	}
	add("step", v.Steps)
	add("gate", v.Gates)
	if len(v.Settings) > 0 {
		out = append(out, t.Warn("~ settings"))
		out = append(out, cutAll(Changes(v.Settings, "    "), width)...)
	}
	out = append(out, "")
	return append(out, t.Unified(v.Text)...)
}

func versionName(v registry.Revision) string {
	name := fmt.Sprintf("v%d by %s, %s", v.Version, Line(v.By), Moment(v.At))
	if v.Published {
		name += " (in force)"
	}
	return name
}

// part is one step or gate with the symbol of its change.
func (t Theme) part(title string, p registry.PartDiff) []string {
	name := title + " " + Line(p.ID)
	switch p.Op {
	case "add":
		return []string{t.Good("+ " + name)}
	case "remove":
		return []string{t.Bad("- " + name)}
	}
	return append([]string{t.Warn("~ " + name)}, Changes(p.Changes, "    ")...)
}

func cutAll(lines []string, width int) []string {
	for i := range lines {
		lines[i] = Cut(lines[i], width)
	}
	return lines
}

// Unified colours a unified diff.
func (t Theme) Unified(text string) []string {
	var out []string
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		line = Clean(line)
		switch {
		case strings.HasPrefix(line, "diff "):
			continue // it repeats the two names below it
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
			line = t.Bold(line)
		case strings.HasPrefix(line, "@@"):
			line = t.Info(line)
		case strings.HasPrefix(line, "-"):
			line = t.Bad(line)
		case strings.HasPrefix(line, "+"):
			line = t.Good(line)
		}
		out = append(out, line)
	}
	return out
}

// WorkflowPreview shows the steps of a simulated run, their inputs, and where approval is required.
func WorkflowPreview(v preview.Preview, t Theme, width int) []string {
	out := []string{t.Bold(Line(v.Workflow)) + t.Dim(fmt.Sprintf("  v%d, a preview: nothing runs", v.Version)), ""}
	asked := map[string][]preview.Gate{}
	for _, g := range v.Gates {
		asked[g.Step] = append(asked[g.Step], g)
	}
	for _, g := range asked[""] {
		out = append(out, t.question(g))
	}
	for _, s := range v.Steps {
		line := t.Mark(s.Status, -1) + " " + t.Bold(Line(s.ID))
		if s.Status != run.DoneStep {
			line += t.Dim("  " + string(s.Status))
		}
		out = append(out, line)
		out = append(out, t.values("receives", s.Input, width)...)
		for _, g := range asked[s.ID] {
			out = append(out, t.question(g))
		}
	}
	return append(out, t.values("output", v.Output, width)...)
}

func (t Theme) question(g preview.Gate) string {
	return "  " + t.Warn("◆ asks "+Line(askedOf(g))) + ": " + Line(Or(g.Title, g.Gate)) + t.Dim("  "+string(g.Kind))
}

func askedOf(g preview.Gate) string {
	var who []string
	for _, role := range slices.Sorted(maps.Keys(g.Roles)) {
		who = append(who, fmt.Sprintf("%d × %s", g.Roles[role], role))
	}
	for _, name := range g.Assignees {
		who = append(who, strings.TrimPrefix(name, "role:"))
	}
	if g.Role != "" {
		who = append(who, g.Role)
	}
	all := Or(strings.Join(who, ", "), "anyone who may decide")
	if g.Quorum > 1 {
		return fmt.Sprintf("%d of %s", g.Quorum, all)
	}
	return all
}

// values lists the members of an object, one per line.
func (t Theme) values(title string, raw []byte, width int) []string {
	if Empty(raw) {
		return nil
	}
	out := []string{"  " + t.Dim(title)}
	if value.KindOf(raw) != value.KindObject {
		return append(out, Cut("    "+Line(string(raw)), width))
	}
	for name, v := range value.Members(raw) {
		out = append(out, Cut("    "+Line(name)+": "+Line(string(v)), width))
	}
	return out
}
