package app

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// LessonView is the difference between what an agent proposed and what a
// person made of it.
type LessonView struct {
	ID        string          `json:"id"` // of the approval
	Agent     string          `json:"agent"`
	Workflow  string          `json:"workflow"`
	Run       string          `json:"run"`
	Step      string          `json:"step"`
	Tool      string          `json:"tool,omitempty"`
	Operation string          `json:"operation"`
	Scenario  string          `json:"scenario"` // what was asked
	Act       gate.Act        `json:"act"`      // modify, reject or request_revision
	Proposed  json.RawMessage `json:"proposed"`
	Changed   json.RawMessage `json:"changed"` // null where it was refused
	Diff      []value.Change  `json:"diff"`
	Comment   string          `json:"comment"`
	By        string          `json:"by"`
	At        time.Time       `json:"at"`
	Masking

	test bool // of a test run: it teaches nothing
}

// instructive are the answers that teach something.
var instructive = []string{string(gate.Modified), string(gate.Rejected), string(gate.RevisionRequested)}

func lessonOf(row port.ApprovalRow) (LessonView, error) {
	ap, err := approvalOf(row)
	if err != nil {
		return LessonView{}, err
	}
	v := LessonView{
		ID: ap.ID, Agent: ap.Agent, Workflow: row.Workflow, Run: row.Run, Step: ap.Step, Tool: ap.Action.Tool, Operation: ap.Action.Operation,
		Scenario: ap.Title, Proposed: orNull(ap.Proposed), Changed: json.RawMessage("null"), Diff: []value.Change{}, At: ap.SettledAt,
		test: ap.TestMode,
	}
	if o := ap.Outcome; o != nil {
		v.Act, v.By, v.Comment = o.Act, o.By, o.Comment
	}
	if changedByPeople(ap) {
		v.Changed = orNull(ap.Current)
		v.Diff = list(value.Diff(v.Proposed, v.Changed))
	}
	for _, d := range slices.Backward(ap.Decisions) { // the newest reason that somebody gave
		if v.Comment == "" {
			v.Comment = d.Comment
		}
	}
	return v, nil
}

// LessonQuery selects lessons, newest first.
type LessonQuery struct {
	Agent, Workflow, Tool, Cursor string
	Limit                         int
}

// Lessons lists what people made of agents' work.
func (a *App) Lessons(ctx context.Context, who Who, q LessonQuery) (ListView[LessonView], error) {
	page, err := a.Store.Approvals(ctx, port.ApprovalQuery{
		Status: instructive, Agent: q.Agent, Workflow: q.Workflow, Tool: q.Tool, Sort: port.ByNewest, Cursor: q.Cursor, Limit: q.Limit, Scope: a.scope(who),
	})
	if err != nil {
		return ListView[LessonView]{}, err
	}
	view, err := viewPage(page, func(row port.ApprovalRow) (LessonView, error) {
		v, err := lessonOf(row)
		if err != nil || v.test {
			return v, err
		}
		return showIn(ctx, a, who, row.Run, v, func(v *LessonView) *Masking { return &v.Masking })
	})
	all := len(view.Items)
	view.Items = slices.DeleteFunc(view.Items, func(v LessonView) bool { return v.test })
	view.Total -= int64(all - len(view.Items))
	return view, err
}

// ExportLessons writes lessons as JSON lines.
func (a *App) ExportLessons(ctx context.Context, who Who, q LessonQuery, w io.Writer) error {
	out := bufio.NewWriter(w)
	for q.Limit = historyPage; ; {
		page, err := a.Lessons(ctx, who, q)
		if err != nil {
			return err
		}
		for _, l := range page.Items {
			line, err := value.Marshal(l)
			if err != nil {
				return err
			}
			if _, err := out.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		if page.Next == "" {
			return out.Flush()
		}
		q.Cursor = page.Next
	}
}

const (
	lessonsGiven  = 5                // to an agent at a time
	lessonsSize   = 32 << 10         // bytes of them together
	lessonsKnown  = 200              // newest ones of an agent, from which the most similar are taken
	lessonsForget = 30 * time.Second // what other processes learned is noticed after this
)

// lessons remembers the newest lessons of each agent.
type lessons struct {
	app    *App
	agents sync.Map // name → *learned
}

type learned struct {
	mu      sync.Mutex
	lessons []LessonView
	tokens  []map[string]bool
	until   time.Time
}

// Teach hands an agent the lessons that are most like what it is asked to do,
// for the engine.
func (a *App) Teach(ctx context.Context, agent, operation string, input json.RawMessage) []port.Lesson {
	if doc := a.registry.now().set.Agents[agent]; doc == nil || doc.Lessons != nil && !*doc.Lessons {
		return nil
	}
	known, tokens := a.lessons.of(ctx, agent)
	if len(known) == 0 {
		return nil
	}
	return choose(known, tokens, operation, input)
}

// Learned notes what a commit taught, for the engine.
func (a *App) Learned(r port.Receipt) {
	for _, row := range r.Approvals {
		if slices.Contains(instructive, row.Status) {
			a.lessons.agents.Delete(row.Agent)
		}
	}
}

func (l *lessons) of(ctx context.Context, agent string) ([]LessonView, []map[string]bool) {
	found, _ := l.agents.LoadOrStore(agent, &learned{})
	k := found.(*learned)
	k.mu.Lock()
	defer k.mu.Unlock()
	if now := l.app.now(); now.After(k.until) {
		page, err := l.app.Store.Approvals(ctx, port.ApprovalQuery{Status: instructive, Agent: agent, Sort: port.ByNewest, Limit: lessonsKnown})
		if err != nil {
			return nil, nil // an agent can do without
		}
		k.lessons, k.tokens = k.lessons[:0:0], k.tokens[:0:0]
		for _, row := range page.Items {
			if lesson, err := lessonOf(row); err == nil && !lesson.test {
				k.lessons = append(k.lessons, lesson)
				k.tokens = append(k.tokens, tokensOf(lesson.Proposed))
			}
		}
		k.until = now.Add(lessonsForget)
	}
	return k.lessons, k.tokens
}

// choose takes lessons about the same operation, the most similar first, and
// of equal ones the newest.
func choose(known []LessonView, tokens []map[string]bool, operation string, input json.RawMessage) []port.Lesson {
	mine := tokensOf(input)
	type scored struct {
		i     int
		score float64
	}
	var fit []scored
	for i := range known {
		if known[i].Operation == operation {
			fit = append(fit, scored{i, similarity(mine, tokens[i])})
		}
	}
	slices.SortStableFunc(fit, func(x, y scored) int {
		switch {
		case x.score > y.score:
			return -1
		case x.score < y.score:
			return 1
		}
		return 0
	})
	var out []port.Lesson
	size := 0
	for _, f := range fit {
		l := &known[f.i]
		changed := l.Changed
		if string(changed) == "null" {
			changed = nil
		}
		if size += len(l.Proposed) + len(changed) + len(l.Comment); len(out) == lessonsGiven || size > lessonsSize {
			break
		}
		out = append(out, port.Lesson{Operation: l.Operation, Proposed: l.Proposed, Changed: changed, Comment: l.Comment})
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
