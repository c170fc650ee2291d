package app

import (
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/view"
)

// Titles in a list: a run sees to it that its own questions read differently, and
// knows nothing of other runs. What is added here is what the reader may see.

const (
	apartFields = 2 // of what is proposed, in a title
	runIDTail   = 8 // signs of a run's id
)

// tellApart makes the open questions of a workflow in a list read differently if
// they belong to different runs: by what the runs are about, else by the fields
// that differ, else by the run.
func tellApart(views []view.Approval) {
	for _, by := range []func([]*view.Approval) func(*view.Approval) string{bySubject, byFields, byRun} {
		for _, group := range alikeIn(views) {
			say := by(group)
			for _, v := range group {
				if text := phrase.Plain(say(v)); text != "" {
					v.Title += " · " + text
				}
			}
		}
	}
}

// alikeIn groups the open questions of different runs that have the same title.
func alikeIn(views []view.Approval) (out [][]*view.Approval) {
	type reading struct{ workflow, title string }
	groups := map[reading][]*view.Approval{}
	for i := range views {
		if v := &views[i]; v.Status == gate.Pending {
			at := reading{v.Workflow, v.Title}
			groups[at] = append(groups[at], v)
		}
	}
	for _, group := range groups {
		if differ(group, func(v *view.Approval) string { return v.Run }) {
			out = append(out, group)
		}
	}
	return out
}

func differ(group []*view.Approval, in func(*view.Approval) string) bool {
	return slices.ContainsFunc(group, func(v *view.Approval) bool { return in(v) != in(group[0]) })
}

func bySubject(group []*view.Approval) func(*view.Approval) string {
	subject := func(v *view.Approval) string {
		if strings.Contains(v.Title, v.Subject) {
			return ""
		}
		return v.Subject
	}
	if !differ(group, subject) {
		return func(*view.Approval) string { return "" }
	}
	return subject
}

func byFields(group []*view.Approval) func(*view.Approval) string {
	var telling []string
	for key := range value.Members(group[0].Proposed) {
		if len(telling) < apartFields && differ(group, func(v *view.Approval) string { return fieldText(v, key) }) {
			telling = append(telling, key)
		}
	}
	return func(v *view.Approval) string {
		var words []string
		for _, key := range telling {
			if text := fieldText(v, key); text != "" {
				words = append(words, key+" "+text)
			}
		}
		return strings.Join(words, ", ")
	}
}

// fieldText is a text or number that is proposed, "" where it is neither or hidden.
func fieldText(v *view.Approval, key string) string {
	field, _ := value.Get(v.Proposed, key)
	if k := value.KindOf(field); k != value.String && k != value.Number {
		return ""
	}
	if text := phrase.Text(field); !strings.Contains(text, mask.Marker) {
		return text
	}
	return ""
}

func byRun(group []*view.Approval) func(*view.Approval) string {
	tails := map[string]string{} // → run
	short := true
	for _, v := range group {
		tail := v.Run[max(len(v.Run)-runIDTail, 0):]
		if other, ok := tails[tail]; ok && other != v.Run {
			short = false
		}
		tails[tail] = v.Run
	}
	return func(v *view.Approval) string {
		if short {
			return "run …" + v.Run[max(len(v.Run)-runIDTail, 0):]
		}
		return "run " + v.Run
	}
}
