package registry

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/view"
	"github.com/rogpeppe/go-internal/diff"
)

// Diff is the difference between two versions of a document.
type Diff struct {
	From Revision       `json:"from"` // The one version.
	To   Revision       `json:"to"`
	Diff []value.Change `json:"diff"` // Every difference, with its path.
}

// DiffOf compares two versions of a document.
func DiffOf(x, y Document) Diff {
	return Diff{x.Revision, y.Revision, view.NotNil(value.Diff(x.Definition, y.Definition))}
}

// WorkflowDiff is the difference between two versions of a workflow, part
// by part.
type WorkflowDiff struct {
	// The one version.
	From Revision `json:"from"`
	// The other version.
	To Revision `json:"to"`
	// The steps that differ.
	Steps []PartDiff `json:"steps"`
	// The gates that differ.
	Gates []PartDiff `json:"gates"`
	// Everything else that differs.
	Settings []value.Change `json:"settings"`
	// Gates, including those of human steps, where people are no longer asked.
	GatesRemoved []string `json:"gates_removed"`
	// A unified diff of both versions as files; empty if they are the same.
	Text string `json:"text"`
}

// PartDiff is the change of one step or gate.
type PartDiff struct {
	// The id of the step or gate.
	ID string `json:"id"`
	// add, remove or replace.
	Op string `json:"op"`
	// Every difference, with its path inside the step or gate. Steps without `needs` are compared as if they named
	// the previous step.
	Changes []value.Change `json:"changes"`
}

// DiffWorkflow compares two versions of a workflow.
func DiffWorkflow(x, y Document) WorkflowDiff {
	out := WorkflowDiff{
		From: x.Revision, To: y.Revision,
		Steps:        partDiff(parts(x.Definition, "steps"), parts(y.Definition, "steps")),
		Gates:        partDiff(parts(x.Definition, "gates"), parts(y.Definition, "gates")),
		Settings:     view.NotNil(value.Diff(settings(x.Definition), settings(y.Definition))),
		GatesRemoved: view.NotNil(gatesRemoved(x.Definition, y.Definition)),
	}
	if was, now := Texts(x, y); was != now {
		text := diff.Diff(versionTitle(x), []byte(was), versionTitle(y), []byte(now))
		_, rest, _ := strings.Cut(string(text), "\n") // its first line repeats the two below it
		out.Text = rest
	}
	return out
}

func versionTitle(v Document) string {
	title := fmt.Sprintf("%s version %d by %s", v.Name, v.Version, v.By)
	if v.Published {
		title += " (published)"
	}
	return title
}

// settings are all of a workflow but its steps and gates.
func settings(def json.RawMessage) json.RawMessage {
	var out []value.Member
	for key, v := range value.Members(def) {
		if key != "steps" && key != "gates" {
			out = append(out, value.Member{Key: key, Value: v})
		}
	}
	return value.Object(out...)
}

// part is one step or gate.
type part struct {
	id   string
	body json.RawMessage
}

// parts lists the steps or gates of a workflow. Steps include their needs, even where that is just the step above:
// moving one changes another.
func parts(def json.RawMessage, key string) []part {
	raw, _ := value.Get(def, key)
	var out []part
	before := "[]"
	for _, item := range value.Elements(raw) {
		id := textAt(item, "id")
		if key == "steps" {
			if _, given := value.Get(item, "needs"); !given {
				item = withMember(item, "needs", json.RawMessage(before))
			}
			quoted, _ := json.Marshal([]string{id}) // of texts: never fails
			before = string(quoted)
		}
		out = append(out, part{id, item})
	}
	return out
}

func textAt(v json.RawMessage, key string) string {
	raw, _ := value.Get(v, key)
	var text string
	_ = json.Unmarshal(raw, &text) // non-text becomes empty
	return text
}

func withMember(v json.RawMessage, key string, m json.RawMessage) json.RawMessage {
	var out []value.Member
	for k, old := range value.Members(v) {
		out = append(out, value.Member{Key: k, Value: old})
	}
	return value.Object(append(out, value.Member{Key: key, Value: m})...)
}

// partDiff compares parts by their ids: first the existing ones, in their order, then the added ones.
func partDiff(from, to []part) []PartDiff {
	out := []PartDiff{}
	find := func(in []part, id string) json.RawMessage {
		if i := slices.IndexFunc(in, func(p part) bool { return p.id == id }); i >= 0 {
			return in[i].body
		}
		return nil
	}
	for _, p := range from {
		now := find(to, p.id)
		changes := value.Diff(p.body, now)
		switch {
		case now == nil:
			out = append(out, PartDiff{p.id, "remove", changes})
		case len(changes) > 0:
			out = append(out, PartDiff{p.id, "replace", changes})
		}
	}
	for _, p := range to {
		if find(from, p.id) == nil {
			out = append(out, PartDiff{p.id, "add", value.Diff(nil, p.body)})
		}
	}
	return out
}

// gatesRemoved lists the gates of one workflow that another does not have.
func gatesRemoved(from, to json.RawMessage) []string {
	kept := gateIDs(to)
	return slices.DeleteFunc(gateIDs(from), func(id string) bool { return slices.Contains(kept, id) })
}

// gateIDs lists the gates of a workflow and of its human steps.
func gateIDs(def json.RawMessage) (out []string) {
	var w plan.Workflow
	_ = json.Unmarshal(def, &w) // it was saved, so it is valid
	for i := range w.Gates {
		out = append(out, w.Gates[i].ID)
	}
	for i := range w.Steps {
		if human := w.Steps[i].Human; human != nil {
			out = append(out, cmp.Or(human.ID, w.Steps[i].ID))
		}
	}
	return out
}
