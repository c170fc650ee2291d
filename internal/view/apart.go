package view

import (
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/mask"
)

// A run gives its own approvals different titles, but knows nothing of other runs. In a list, values that the reader
// may see are added until the titles differ.

const (
	apartFields = 2 // of the proposal, in a title
	runIDTail   = 8 // characters of a run's id
)

// TellApart gives pending approvals of different runs of a workflow different titles: by the subjects of the runs,
// else by fields that differ, else by the ids of the runs.
func TellApart(views []Approval) {
	for _, by := range []func([]*Approval) func(*Approval) string{bySubject, byFields, byRun} {
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

// alikeIn groups the pending approvals of different runs that have the same title.
func alikeIn(views []Approval) (out [][]*Approval) {
	type reading struct{ workflow, title string }
	groups := map[reading][]*Approval{}
	for i := range views {
		if v := &views[i]; v.Status == gate.Pending {
			at := reading{v.Workflow, v.Title}
			groups[at] = append(groups[at], v)
		}
	}
	for _, group := range groups {
		if differ(group, func(v *Approval) string { return v.Run }) {
			out = append(out, group)
		}
	}
	return out
}

func differ(group []*Approval, in func(*Approval) string) bool {
	return slices.ContainsFunc(group, func(v *Approval) bool { return in(v) != in(group[0]) })
}

func bySubject(group []*Approval) func(*Approval) string {
	subject := func(v *Approval) string {
		if strings.Contains(v.Title, v.Subject) {
			return ""
		}
		return v.Subject
	}
	if !differ(group, subject) {
		return func(*Approval) string { return "" }
	}
	return subject
}

func byFields(group []*Approval) func(*Approval) string {
	var telling []string
	for key := range value.Members(group[0].Proposed) {
		if len(telling) < apartFields && differ(group, func(v *Approval) string { return fieldText(v, key) }) {
			telling = append(telling, key)
		}
	}
	return func(v *Approval) string {
		var words []string
		for _, key := range telling {
			if text := fieldText(v, key); text != "" {
				words = append(words, key+" "+text)
			}
		}
		return strings.Join(words, ", ")
	}
}

// fieldText is a field of the proposal if it is a text or a number and not masked, else "".
func fieldText(v *Approval, key string) string {
	field, _ := value.Get(v.Proposed, key)
	if k := value.KindOf(field); k != value.String && k != value.Number {
		return ""
	}
	if text := phrase.Text(field); !strings.Contains(text, mask.Marker) {
		return text
	}
	return ""
}

func byRun(group []*Approval) func(*Approval) string {
	tails := map[string]string{} // → run
	short := true
	for _, v := range group {
		tail := v.Run[max(len(v.Run)-runIDTail, 0):]
		if other, ok := tails[tail]; ok && other != v.Run {
			short = false
		}
		tails[tail] = v.Run
	}
	return func(v *Approval) string {
		if short {
			return "run …" + v.Run[max(len(v.Run)-runIDTail, 0):]
		}
		return "run " + v.Run
	}
}
