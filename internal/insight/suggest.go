package insight

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Suggestion is a rule supported by past decisions.
type Suggestion struct {
	ID string `json:"id"`
	// The rule as it would appear in the policy.
	Rule json.RawMessage `json:"rule"`
	// The document as a YAML file.
	YAML string `json:"yaml"`
	// Cases that people approved unchanged; at most 20 are listed.
	Covers []Case `json:"covers"`
	// The number of cases it covers.
	Covered int `json:"covered"`
	// Cases that people rejected or changed, none of which it approves; at most 20 are listed.
	Leaves []Case `json:"leaves"`
	// The number of those cases.
	Left int `json:"left"`
	// Working time it would have saved.
	Minutes float64 `json:"minutes_saved"`
	// The evidence for it.
	Why string `json:"why"`
}

// Case is a decision by people.
type Case struct {
	Approval string          `json:"approval" holds:"id"`
	Title    string          `json:"title" holds:"line"`
	Status   gate.Status     `json:"status" holds:"id"`
	By       string          `json:"decided_by" holds:"id"` // Who decided.
	Comment  string          `json:"comment,omitempty" holds:"text"`
	Proposed json.RawMessage `json:"proposed" holds:"payload"`
	At       time.Time       `json:"requested_at"` // When it was requested.
	view.Masking
	Run string `json:"-"`
}

const (
	suggestLeast = 10                  // cases needed to support a rule
	suggestFor   = 30 * 24 * time.Hour // a suggested rule expires after this
	suggestUses  = 200
	suggestCases = 20 // shown of each kind
	fieldsMax    = 50 // examined for a limit
)

// Suggest examines the past within a scope. It reveals no field that is masked in a workflow; the rules get priorities
// from first downwards.
func (h *Record) Suggest(
	ctx context.Context, scope *port.Scope, since, now time.Time, hidden func(workflow string) *mask.Rules, first int,
) ([]Suggestion, error) {
	groups := map[string]*alike{}
	work := &handling{}
	err := h.history(ctx, scope, since, now, func(r recorded) {
		ap := r.approval
		if ap.Subject.Firm || ap.Subject.Result || ap.Status == gate.AutoApproved || ap.Status == gate.TimedOut {
			return
		}
		work.note(ap)
		key := fmt.Sprintf("%q", []string{r.Workflow, ap.Step, ap.Action.Tool, ap.Action.Operation, string(ap.Risk.Level)})
		if groups[key] == nil {
			groups[key] = &alike{hidden: hidden(r.Workflow)}
		}
		groups[key].add(r)
	})
	if err != nil {
		return nil, err
	}
	work.measure()
	var out []Suggestion
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		groups[key].priority = first - len(out)
		if s, ok := groups[key].suggest(now, work); ok {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(x, y Suggestion) int { return y.Covered - x.Covered })
	return out, nil
}

// alike are cases with the same workflow, step, tool, operation and risk.
type alike struct {
	good, bad []recorded
	priority  int         // of the rule: ahead of every rule that asks now
	hidden    *mask.Rules // fields that suggestions must not reveal
}

func (g *alike) add(r recorded) {
	if r.approval.Status == gate.Approved && !changedByPeople(r.approval) {
		g.good = append(g.good, r)
	} else {
		g.bad = append(g.bad, r)
	}
}

// suggest creates a rule for the group, with a limit on a number if that separates good cases from bad ones.
func (g *alike) suggest(now time.Time, work *handling) (Suggestion, bool) {
	if len(g.good) < suggestLeast {
		return Suggestion{}, false
	}
	limits := []*policy.Field{nil}
	if len(g.bad) > 0 {
		limits = g.limits()
	}
	best := Suggestion{}
	for _, limit := range limits {
		if s, ok := g.try(now, limit, work); ok && s.Covered > best.Covered {
			best = s
		}
	}
	return best, best.Covered >= suggestLeast
}

// limits are the bounds on numbers beyond which bad cases occurred.
func (g *alike) limits() []*policy.Field {
	var out []*policy.Field
	for _, field := range g.numbers() {
		lowest, highest := 0.0, 0.0
		for i, r := range g.bad {
			n, ok := number(r, field)
			if !ok { // it may be masked anywhere
				lowest, highest = -1, 1
				break
			}
			if i == 0 {
				lowest, highest = n, n
			}
			lowest, highest = min(lowest, n), max(highest, n)
		}
		out = append(out, bound(field, "<", lowest, g.good), bound(field, ">", highest, g.good))
	}
	return slices.DeleteFunc(out, func(f *policy.Field) bool { return f == nil })
}

// bound is the tightest limit that includes every good case: values never seen before are not approved.
func bound(field, operator string, bad float64, good []recorded) *policy.Field {
	var edge float64
	found := false
	for _, r := range good {
		n, ok := number(r, field)
		if !ok || operator == "<" && n >= bad || operator == ">" && n <= bad {
			continue
		}
		if !found || operator == "<" && n > edge || operator == ">" && n < edge {
			edge, found = n, true
		}
	}
	if !found {
		return nil
	}
	return &policy.Field{Field: field, Operator: operator + "=",
		Value: json.RawMessage(strconv.FormatFloat(edge, 'f', -1, 64))}
}

// numbers are the numeric fields of the first good case.
func (g *alike) numbers() []string {
	var out []string
	for name, v := range value.Members(g.good[0].approval.Proposed) {
		if value.KindOf(v) == value.Number && len(out) < fieldsMax && !g.hidden.HidesField(name) {
			out = append(out, name)
		}
	}
	return out
}

func number(r recorded, field string) (float64, bool) {
	v, ok := value.Get(r.approval.Proposed, field)
	if !ok || value.KindOf(v) != value.Number {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(v), 64)
	return n, err == nil
}

// try evaluates the rule itself on every case: a suggestion is shown only if it approves nothing bad.
func (g *alike) try(now time.Time, limit *policy.Field, work *handling) (Suggestion, bool) {
	rule := g.rule(now, limit)
	doc := policy.Document{Name: "suggested", Rules: []policy.Rule{rule}}
	set, _ := policy.Compile(doc, time.LoadLocation)
	if set == nil {
		return Suggestion{}, false
	}
	raw, err := value.Marshal(rule)
	if err != nil {
		return Suggestion{}, false
	}
	s := Suggestion{Rule: raw, Covers: []Case{}, Leaves: []Case{}, Why: g.why(limit)}
	passes := func(r recorded) bool { return set.Judge(now, r.subject()).Effect == policy.Approves }
	for _, r := range g.bad {
		if passes(r) {
			return s, false
		}
		s.Left++
		s.Leaves = showCase(s.Leaves, r)
	}
	for _, r := range g.good {
		if !passes(r) {
			continue
		}
		s.Covered++
		s.Covers = showCase(s.Covers, r)
		for _, d := range r.approval.Decisions {
			s.Minutes += work.minutes(r.ID, []string{d.By})
		}
	}
	s.Minutes = round(s.Minutes)
	trigger, err := value.Marshal(rule.Trigger)
	if err != nil {
		return s, false
	}
	s.ID = "sug_" + value.Digest(trigger)[len("sha256:"):][:16]
	s.YAML = string((&definition.Policy{Document: doc}).YAML())
	return s, true
}

func showCase(cases []Case, r recorded) []Case {
	if len(cases) == suggestCases {
		return cases
	}
	c := Case{Run: r.Run, Approval: r.ID, Title: r.Title, Status: r.approval.Status,
		Proposed: view.Shortener(false)(view.OrNull(r.approval.Proposed)), At: r.RequestedAt}
	if o := r.approval.Outcome; o != nil {
		c.By, c.Comment = o.By, o.Comment
	}
	return append(cases, c)
}

func (g *alike) rule(now time.Time, limit *policy.Field) policy.Rule {
	first := g.good[0]
	ap := first.approval
	uses := suggestUses
	t := policy.Trigger{Workflow: policy.List[string]{first.Workflow}}
	what := cmp.Or(ap.Action.Operation, ap.Action.Tool, ap.Step)
	if ap.Action.Operation != "" {
		t.OperationType = policy.List[string]{ap.Action.Operation}
	}
	if ap.Action.Tool != "" {
		t.Tool = policy.List[string]{ap.Action.Tool}
	}
	if ap.Risk.Level != "" {
		t.RiskLevel = append(t.RiskLevel, ap.Risk.Level)
	}
	name := fmt.Sprintf("Suggested: %s in %s", what, first.Workflow)
	if limit != nil {
		t.DataThreshold = policy.Fields{*limit}
		name += fmt.Sprintf(", %s %s %s", limit.Field, limit.Operator, limit.Value)
	}
	return policy.Rule{
		Name: name, Priority: g.priority, Trigger: t,
		Action: policy.Action{AutoApprove: true, ExpiresAt: now.Add(suggestFor).UTC().Format(time.RFC3339), MaxUses: &uses},
	}
}

func (g *alike) why(limit *policy.Field) string {
	text := fmt.Sprintf("People approved %d of %d such requests unchanged.", len(g.good), len(g.good)+len(g.bad))
	if limit != nil {
		text += fmt.Sprintf(" Every rejected or changed request had %s beyond %s.", limit.Field, limit.Value)
	}
	return text
}
