package insight

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Backtest reports what a policy would have decided in past cases.
type Backtest struct {
	// Hash of the tested policy.
	Policy string `json:"policy"`
	// The start.
	Since time.Time `json:"since"`
	// Until when.
	Until time.Time `json:"until"`
	// The number of cases.
	Subjects int `json:"subjects"`
	// Decisions of people that would have been automatic.
	AskedToAuto int `json:"asked_to_auto"`
	// Cases that continued automatically and would have required a decision.
	AutoToAsked int `json:"auto_to_asked"`
	// Cases that would have been refused.
	Denied int `json:"denied"`
	// Cases that people rejected and the policy would have approved.
	WouldPassRejected []Passed `json:"would_pass_rejected"`
	// Cases that people changed and the policy would have approved unchanged.
	WouldPassModified []Passed `json:"would_pass_modified"`
	// Saved working time, estimated from the time between decisions; negative if it adds work.
	MinutesSaved float64 `json:"minutes_saved"`
	// The same, by rule of the tested policy.
	ByRule []RuleOutcome `json:"by_rule"`
}

// Passed is a case that a policy would have approved.
type Passed struct {
	Approval string `json:"approval" holds:"id"`
	Run      string `json:"run" holds:"id"`
	Workflow string `json:"workflow" holds:"id"`
	Step     string `json:"step" holds:"id"`
	Tool     string `json:"tool,omitempty" holds:"id"`
	// The operation, as policies see it.
	Operation string `json:"operation,omitempty" holds:"id"`
	Title     string `json:"title" holds:"line"`
	// The rule that would have approved it; empty if no rule would have required approval.
	Rule string `json:"rule" holds:"id"`
	// Who decided.
	By      string `json:"decided_by" holds:"id"`
	Comment string `json:"comment,omitempty" holds:"text"`
	// When it was requested.
	At       time.Time       `json:"requested_at"`
	Proposed json.RawMessage `json:"proposed" holds:"payload"`
	// The changes that people made.
	Diff []value.Change `json:"diff,omitempty"`
	view.Masking
}

// RuleOutcome is the effect of one rule of the new policy.
type RuleOutcome struct {
	// The rule; empty: no rule.
	Rule string `json:"rule"`
	// The effect of the rule.
	Effect policy.Effect `json:"effect"`
	// The number of cases it decides.
	Subjects int `json:"subjects"`
	// Decisions of people that would have been automatic.
	AskedToAuto int `json:"asked_to_auto"`
	// Cases that continued automatically and would have required a decision.
	AutoToAsked int `json:"auto_to_asked"`
	// Cases that people rejected.
	WouldPassRejected int `json:"would_pass_rejected"`
	// Cases that people changed.
	WouldPassModified int `json:"would_pass_modified"`
	// Saved working time.
	MinutesSaved float64 `json:"minutes_saved"`
}

// Backtest evaluates a policy on the past within a scope.
func (h *Record) Backtest(ctx context.Context, scope *port.Scope, candidate *policy.Set,
	since, until time.Time) (Backtest, error) {
	candidate = candidate.AtTarget() // the most that it will ever approve
	t := &backtest{
		candidate: candidate, uses: map[string]int{}, rules: map[string]*RuleOutcome{},
		view: Backtest{Policy: candidate.Hash(), Since: since, Until: until, WouldPassRejected: []Passed{},
			WouldPassModified: []Passed{}},
	}
	err := h.history(ctx, scope, since, until, func(r recorded) { t.take(r) })
	return t.finish(), err
}

// backtest is one policy going through history.
type backtest struct {
	candidate *policy.Set
	uses      map[string]int // how often a rule has approved so far
	done      counted        // acts that count in sums
	rules     map[string]*RuleOutcome
	work      handling
	saved     []saving
	view      Backtest
}

// saving is people's work that a rule saves; without an approval it is work that it adds.
type saving struct {
	rule     *RuleOutcome
	approval string
	people   []string
}

// fate is the outcome for a case.
type fate string

const (
	goesOn fate = "auto"
	asked  fate = "asked"
	denied fate = "denied"
)

// fateUnder is the outcome of a verdict for a past case.
func fateUnder(v policy.Verdict, ap *gate.Approval) fate {
	switch {
	case v.Effect == policy.Denies:
		return denied
	case ap.Subject.Firm || v.Effect == policy.Asks:
		return asked
	case v.Effect == policy.Approves:
		return goesOn
	case ap.Reason == gate.ReasonRule:
		return goesOn // only a rule asked, and none does now
	case ap.Status == gate.AutoApproved && ap.Gate == "":
		return goesOn // a rule recorded its approval; without one, the case passes unrecorded
	}
	return asked // by a gate, or by the agent's autonomy
}

func (t *backtest) take(r recorded) {
	sub := r.subject()
	sub.Uses = func(rule string) int { return t.uses[rule] }
	sub.Total = t.done.total(r)
	v := t.candidate.Judge(r.RequestedAt, sub)
	if v.Effect == policy.Approves {
		t.uses[v.Rule]++
	}
	then, now := asked, fateUnder(v, r.approval)
	if now == goesOn || now == asked && !refusedByPeople(r.approval) {
		t.done.add(r, sub, t.candidate.Counts(sub))
	}
	if r.approval.Status == gate.AutoApproved {
		then = goesOn
	}
	rule := t.rule(v)
	t.work.note(r.approval)
	t.view.Subjects++
	rule.Subjects++
	switch {
	case now == denied:
		t.view.Denied++
	case then == asked && now == goesOn:
		t.view.AskedToAuto++
		rule.AskedToAuto++
		one := saving{rule: rule, approval: r.ID}
		for _, d := range r.approval.Decisions {
			one.people = append(one.people, d.By)
		}
		t.saved = append(t.saved, one)
		t.passed(r, v, rule)
	case then == goesOn && now == asked:
		t.view.AutoToAsked++
		rule.AutoToAsked++
		t.saved = append(t.saved, saving{rule: rule})
	}
}

// passed adds a case that people would have stopped.
func (t *backtest) passed(r recorded, v policy.Verdict, rule *RuleOutcome) {
	ap := r.approval
	p := Passed{
		Approval: ap.ID, Run: r.Run, Workflow: r.Workflow, Step: ap.Step, Tool: ap.Action.Tool,
		Operation: ap.Action.Operation, Title: ap.Title,
		Rule: v.Rule, At: r.RequestedAt, Proposed: view.Shortener(false)(view.OrNull(ap.Proposed)),
	}
	if ap.Outcome != nil {
		p.By, p.Comment = ap.Outcome.By, ap.Outcome.Comment
	}
	switch {
	case refusedByPeople(ap):
		t.view.WouldPassRejected = append(t.view.WouldPassRejected, p)
		rule.WouldPassRejected++
	case changedByPeople(ap):
		p.Diff = value.Diff(view.OrNull(ap.Proposed), view.OrNull(ap.Current))
		t.view.WouldPassModified = append(t.view.WouldPassModified, p)
		rule.WouldPassModified++
	}
}

func refusedByPeople(ap *gate.Approval) bool {
	return ap.Status == gate.Rejected || ap.Status == gate.RevisionRequested
}

func changedByPeople(ap *gate.Approval) bool {
	return !value.Equal(view.OrNull(ap.Proposed), view.OrNull(ap.Current))
}

func (t *backtest) rule(v policy.Verdict) *RuleOutcome {
	if t.rules[v.Rule] == nil {
		t.rules[v.Rule] = &RuleOutcome{Rule: v.Rule, Effect: cmp.Or(v.Effect, policy.Nothing)}
	}
	return t.rules[v.Rule]
}

func (t *backtest) finish() Backtest {
	t.work.measure()
	for _, s := range t.saved {
		minutes := -t.work.usual
		if s.approval != "" {
			minutes = t.work.minutes(s.approval, s.people)
		}
		t.view.MinutesSaved += minutes
		s.rule.MinutesSaved += minutes
	}
	t.view.MinutesSaved = round(t.view.MinutesSaved)
	t.view.ByRule = []RuleOutcome{}
	for _, r := range t.rules {
		r.MinutesSaved = round(r.MinutesSaved)
		t.view.ByRule = append(t.view.ByRule, *r)
	}
	slices.SortFunc(t.view.ByRule, func(x, y RuleOutcome) int {
		return cmp.Or(y.Subjects-x.Subjects, cmp.Compare(x.Rule, y.Rule))
	})
	return t.view
}

// round keeps a tenth of a minute: more would be false precision.
func round(minutes float64) float64 { return math.Round(minutes*10) / 10 }
