package insight

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

const (
	lessonsGiven  = 5                // to an agent at a time
	lessonsSize   = 32 << 10         // bytes of them together
	lessonsKnown  = 200              // newest ones of an agent, from which the most similar are chosen
	lessonsForget = 30 * time.Second // lessons from other processes are noticed after this
)

// Teacher remembers the newest lessons of each agent.
type Teacher struct {
	store   LessonStore
	now     func() time.Time
	inForce func() *definition.Set
	agents  sync.Map // name → *learned
}

// LessonStore is the part of a store that finds lessons.
type LessonStore interface {
	Approvals(ctx context.Context, q port.ApprovalQuery) (port.Page[port.ApprovalRow], error)
	Latest(ctx context.Context, kind string) ([]port.Version, error)
}

// NewTeacher finds lessons in a store, for the agents and workflows in force.
func NewTeacher(from LessonStore, now func() time.Time, inForce func() *definition.Set) *Teacher {
	return &Teacher{store: from, now: now, inForce: inForce}
}

type learned struct {
	mu      sync.Mutex
	lessons []taught
	until   time.Time
}

// taught is a lesson as one agent gets it.
type taught struct {
	port.Lesson
	operation string          // the agent's operation at the time
	tokens    map[string]bool // of the whole proposal
}

// Teach returns the lessons most similar to an agent's task.
func (l *Teacher) Teach(ctx context.Context, agent, operation string, input json.RawMessage) []port.Lesson {
	if doc := l.inForce().Agents[agent]; doc == nil || doc.Lessons != nil && !*doc.Lessons {
		return nil
	}
	known := l.of(ctx, agent)
	if len(known) == 0 {
		return nil
	}
	return choose(known, operation, input)
}

// Learned adds the lessons of a commit.
func (l *Teacher) Learned(r port.Receipt) {
	for _, row := range r.Approvals {
		if !slices.Contains(Instructive, row.Status) {
			continue
		}
		l.agents.Delete(row.Agent)
		if lesson, err := LessonOf(row); err == nil {
			for _, p := range lesson.ProposedBy {
				l.agents.Delete(p.Agent)
			}
		}
	}
}

func (l *Teacher) of(ctx context.Context, agent string) []taught {
	found, _ := l.agents.LoadOrStore(agent, &learned{})
	k := found.(*learned)
	k.mu.Lock()
	defer k.mu.Unlock()
	if now := l.now(); now.After(k.until) {
		all, err := l.about(ctx, agent)
		if err != nil {
			return nil // lessons are optional
		}
		k.lessons = nil
		for _, lesson := range all {
			k.lessons = append(k.lessons, lesson.taughtTo(agent)...)
		}
		k.until = now.Add(lessonsForget)
	}
	return k.lessons
}

// Forget drops all cached lessons: their payloads may have been deleted.
func (l *Teacher) Forget() { l.agents.Clear() }

// about collects the lessons about an agent's work, newest first: about the actions it was to carry out, and about the
// actions that others were to base on its results.
func (l *Teacher) about(ctx context.Context, agent string) ([]Lesson, error) {
	queries := []port.ApprovalQuery{{Agent: agent}}
	for _, workflow := range workflowsOf(l.inForce(), agent) {
		queries = append(queries, port.ApprovalQuery{Workflow: workflow})
	}
	corrected, err := corrections(ctx, l.store)
	if err != nil {
		return nil, err
	}
	all := map[string]Lesson{}
	for _, q := range queries {
		q.Status, q.Sort, q.Limit, q.NoTotal = Instructive, port.ByNewest, lessonsKnown, true
		page, err := l.store.Approvals(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, row := range page.Items {
			lesson, err := LessonOf(row)
			lesson.Correct(corrected[lesson.ID])
			if err == nil && !lesson.Void && !lesson.removed() {
				all[lesson.ID] = lesson
			}
		}
	}
	return slices.SortedFunc(maps.Values(all),
		func(x, y Lesson) int { return cmp.Or(y.At.Compare(x.At), cmp.Compare(y.ID, x.ID)) }), nil
}

// workflowsOf lists the workflows that an agent may take part in, by its name or because others may hand over to it.
func workflowsOf(set *definition.Set, agent string) (out []string) {
	for name, w := range set.Workflows {
		part := slices.Clone(w.HandOff)
		for i := range w.Steps {
			part = append(part, w.Steps[i].Agent)
		}
		for i := 0; i < len(part); i++ { // it grows by the agents that they hand over to
			if a := set.Agents[part[i]]; a != nil {
				for _, next := range a.HandOff {
					if !slices.Contains(part, next) {
						part = append(part, next)
					}
				}
			}
		}
		if slices.Contains(part, agent) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// proposersOf lists the agents whose results people changed or, if nothing was changed, rejected.
func proposersOf(ap *gate.Approval, diff []value.Change) (out []gate.Proposer) {
	for _, p := range ap.ProposedBy {
		touched := func(c value.Change) bool {
			field := fieldOf(ap, c.Path)
			return field == "" || len(p.Fields) == 0 || slices.Contains(p.Fields, field)
		}
		if ap.Status != gate.Modified || slices.ContainsFunc(diff, touched) {
			out = append(out, p)
		}
	}
	return out
}

// fieldOf is the field of the proposal that a change is in; "": all of it.
func fieldOf(ap *gate.Approval, path string) string {
	field := strings.TrimPrefix(path, "/")
	if value.KindOf(ap.Proposed) == value.KindArray { // the inputs of a map
		_, field, _ = strings.Cut(field, "/")
	}
	field, _, _ = strings.Cut(field, "/")
	return strings.ReplaceAll(strings.ReplaceAll(field, "~1", "/"), "~0", "~")
}

// taughtTo returns the lessons for one agent. Of the actions that others were to base on its results, it sees the
// parts that came from it.
func (v *Lesson) taughtTo(agent string) (out []taught) {
	tokens := tokensOf(v.Proposed)
	lesson := func(operation string, fields []string) {
		if slices.ContainsFunc(out, func(t taught) bool { return t.operation == operation }) {
			return
		}
		t := taught{port.Lesson{Operation: v.Operation, Proposed: only(v.Proposed, fields), Comment: v.explanation()},
			operation, tokens}
		if string(v.Changed) != "null" {
			t.Changed = only(v.Changed, fields)
		}
		out = append(out, t)
	}
	if v.Agent == agent {
		lesson(v.Operation, nil)
	}
	for _, p := range v.ProposedBy {
		if p.Agent == agent {
			lesson(p.Operation, p.Fields)
		}
	}
	return out
}

// only is a value with some fields of it, or of each of its elements; no fields
// means all.
func only(v json.RawMessage, fields []string) json.RawMessage {
	switch value.KindOf(v) {
	case value.KindArray:
		all := value.Elements(v)
		out := make([]json.RawMessage, len(all))
		for i, e := range all {
			out[i] = only(e, fields)
		}
		return value.Array(out...)
	case value.KindObject:
		if len(fields) == 0 {
			return v
		}
		var members []value.Member
		for key, m := range value.Members(v) {
			if slices.Contains(fields, key) {
				members = append(members, value.Member{Key: key, Value: m})
			}
		}
		return value.Object(members...)
	}
	return v
}

// choose picks lessons about the same operation, the most similar first, and of equal ones the newest.
func choose(known []taught, operation string, input json.RawMessage) []port.Lesson {
	mine := tokensOf(input)
	type scored struct {
		*taught
		score float64
	}
	var fit []scored
	for i := range known {
		if known[i].operation == operation {
			fit = append(fit, scored{&known[i], similarity(mine, known[i].tokens)})
		}
	}
	slices.SortStableFunc(fit, func(x, y scored) int { return cmp.Compare(y.score, x.score) })
	var out []port.Lesson
	size := 0
	for _, f := range fit {
		if size += len(f.Proposed) + len(f.Changed) + len(f.Comment); len(out) == lessonsGiven || size > lessonsSize {
			break
		}
		out = append(out, f.Lesson)
	}
	return out
}

const tokensMax = 2000 // of one value; the rest does not count

// tokensOf are the words and fields of a value.
func tokensOf(v json.RawMessage) map[string]bool {
	out := map[string]bool{}
	var walk func(prefix string, v json.RawMessage)
	walk = func(prefix string, v json.RawMessage) {
		if len(out) >= tokensMax {
			return
		}
		switch value.KindOf(v) {
		case value.KindObject:
			for key, m := range value.Members(v) {
				walk(key, m)
			}
		case value.KindArray:
			for _, e := range value.Elements(v) {
				walk(prefix, e)
			}
		default:
			text, ok := value.Text(v)
			if !ok {
				text = string(v)
			}
			for _, word := range strings.Fields(strings.ToLower(text)) {
				out[prefix+"="+word] = true
			}
		}
	}
	walk("", v)
	return out
}

// similarity is the share of words that two values have in common.
func similarity(a, b map[string]bool) float64 {
	common := 0
	for t := range a {
		if b[t] {
			common++
		}
	}
	if all := len(a) + len(b) - common; all > 0 {
		return float64(common) / float64(all)
	}
	return 0
}
