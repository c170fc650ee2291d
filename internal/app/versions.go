package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/view"
	"github.com/rogpeppe/go-internal/diff"
)

// DocumentStatus tells whether a version is in force.
type DocumentStatus string

const (
	Published DocumentStatus = "published" // in force
	Draft     DocumentStatus = "draft"     // saved, not in force
)

// DocumentStatuses lists them all.
var DocumentStatuses = []DocumentStatus{Published, Draft}

// WorkflowList lists the workflows in force and, below each, the newest version
// that was saved after it and has not been published. Only those of one status
// are listed if it is given.
func (a *App) WorkflowList(ctx context.Context, who Who, status DocumentStatus) (view.List[DocumentView], error) {
	all, err := a.inForce(who, definition.KindWorkflow)
	if err != nil || status == Published {
		return all, err
	}
	inForce := map[string]int{}
	for _, v := range all.Items {
		inForce[v.Name] = v.Version
	}
	latest, err := a.Store.Latest(ctx, string(definition.KindWorkflow))
	if err != nil {
		return view.List[DocumentView]{}, err
	}
	for _, v := range latest {
		if v.Published || v.Replaced && inForce[v.Name] > 0 || !a.shows(who, definition.KindWorkflow, v.Name) {
			continue
		}
		doc, err := decodeBody(v)
		if err != nil {
			// Written by another release. The others are still shown.
			a.Log.Error("a draft cannot be read", "name", v.Name, "version", v.Number, "error", err)
			continue
		}
		all.Items = append(all.Items, viewDocument(v, doc))
	}
	if status == Draft {
		all.Items = slices.DeleteFunc(all.Items, func(v DocumentView) bool { return v.Published })
	}
	slices.SortStableFunc(all.Items, func(x, y DocumentView) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), cmp.Compare(x.Version, y.Version))
	})
	return view.Whole(all.Items), nil
}

// WorkflowDiffView is the difference between two versions of a workflow, part
// by part.
type WorkflowDiffView struct {
	From     VersionView    `json:"from"`
	To       VersionView    `json:"to"`
	Steps    []PartDiffView `json:"steps"`
	Gates    []PartDiffView `json:"gates"`
	Settings []value.Change `json:"settings"` // everything but steps and gates
	// GatesRemoved are the gates, those of human steps included, at which
	// people are no longer asked.
	GatesRemoved []string `json:"gates_removed"`
	Text         string   `json:"text"` // a unified diff of both as files; empty if they are the same
}

// PartDiffView is what became of one step or gate.
type PartDiffView struct {
	ID      string         `json:"id"`
	Op      string         `json:"op"` // add, remove or replace
	Changes []value.Change `json:"changes"`
}

// DiffWorkflow compares two versions of a workflow; 0 is the one in force, -1
// the newest.
func (a *App) DiffWorkflow(ctx context.Context, who Who, name string, from, to int) (WorkflowDiffView, error) {
	x, err := a.Document(ctx, who, definition.KindWorkflow, name, from)
	if fault.Is(err, fault.NotFound) && from == 0 {
		if _, err := a.Document(ctx, who, definition.KindWorkflow, name, -1); err == nil {
			return WorkflowDiffView{}, fault.New(fault.NotFound, fmt.Sprintf("no version of %q is published, so there is nothing to compare with", name), "compare two versions: from=1&to=2")
		}
	}
	if err != nil {
		return WorkflowDiffView{}, err
	}
	y, err := a.Document(ctx, who, definition.KindWorkflow, name, to)
	if err != nil {
		return WorkflowDiffView{}, err
	}
	out := WorkflowDiffView{
		From: x.VersionView, To: y.VersionView,
		Steps:        partDiff(parts(x.Definition, "steps"), parts(y.Definition, "steps")),
		Gates:        partDiff(parts(x.Definition, "gates"), parts(y.Definition, "gates")),
		Settings:     view.NotNil(value.Diff(settings(x.Definition), settings(y.Definition))),
		GatesRemoved: view.NotNil(gatesRemoved(x.Definition, y.Definition)),
	}
	if x.YAML != y.YAML {
		text := diff.Diff(versionTitle(x), []byte(x.YAML), versionTitle(y), []byte(y.YAML))
		_, rest, _ := strings.Cut(string(text), "\n") // its first line repeats the two below it
		out.Text = rest
	}
	return out, nil
}

func versionTitle(v DocumentView) string {
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

// parts lists the steps or gates of a workflow. Steps say what they need, also
// where that is the step above them: moving one changes another.
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
	_ = json.Unmarshal(raw, &text) // what is no text is nothing
	return text
}

func withMember(v json.RawMessage, key string, m json.RawMessage) json.RawMessage {
	var out []value.Member
	for k, old := range value.Members(v) {
		out = append(out, value.Member{Key: k, Value: old})
	}
	return value.Object(append(out, value.Member{Key: key, Value: m})...)
}

// partDiff compares parts by their ids: first what was there, in its order,
// then what was added.
func partDiff(from, to []part) []PartDiffView {
	out := []PartDiffView{}
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
			out = append(out, PartDiffView{p.id, "remove", changes})
		case len(changes) > 0:
			out = append(out, PartDiffView{p.id, "replace", changes})
		}
	}
	for _, p := range to {
		if find(from, p.id) == nil {
			out = append(out, PartDiffView{p.id, "add", value.Diff(nil, p.body)})
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
	_ = json.Unmarshal(def, &w) // it was saved, so it is one
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
