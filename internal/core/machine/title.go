package machine

import (
	"encoding/json"
	"fmt"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/run"
)

// Titles distinguish one question from another: "Refund 120.00 EUR to Ann Lee".

// Titled derives an action's title from the template of a rule or step, or from its operation and
// distinguishing fields; "" if there are none.
func (s *State) Titled(spot run.Spot, template, operation string, proposal json.RawMessage) string {
	i, ok := s.plan.Step(spot.Step)
	if template == "" && ok && spot.At != run.AtCall {
		template = s.plan.Nodes[i].Step.Title
	}
	if template != "" {
		if p, err := phrase.Parse(template); err == nil {
			if !ok {
				i = -1
			}
			sc := s.ScopeAt(i, spot.Element(), proposal)
			return phrase.Plain(p.Fill(sc.Path))
		}
	}
	if spot.At != run.AtBefore && spot.At != run.AtCall || operation == "" {
		return ""
	}
	if words := phrase.Telling(proposal); words != "" {
		return phrase.Plain(phrase.Sentence("%s", operation) + " " + words)
	}
	return ""
}

// Filled is a gate's title with its fields filled in. Titles from before fields were supported are kept as
// written.
func Filled(title string, sc *Scope) string {
	p, err := phrase.Parse(title)
	if err != nil || len(p.Fields()) == 0 {
		return title
	}
	return phrase.Plain(p.Fill(sc.Path))
}

// Distinct makes a title unique among the open approvals of the run.
func (s *State) Distinct(q *gate.Request) {
	taken := func(title string) bool {
		for _, n := range s.OpenApproval {
			a := s.Approvals[n]
			if a.Status == gate.Pending && a.Title == title &&
				(a.Step != q.Step || a.Call != q.Call || !sameElement(a.Index, q.Index)) {
				return true
			}
		}
		return false
	}
	if !taken(q.Title) {
		return
	}
	title := q.Title
	where := q.Step
	if q.Index != nil {
		where = fmt.Sprintf("%s, element %d", where, *q.Index+1)
	}
	if q.Call != "" {
		where = "call " + q.Call
	}
	q.Title = fmt.Sprintf("%s (%s)", title, where)
	for n := 2; taken(q.Title); n++ {
		q.Title = fmt.Sprintf("%s (%s, %d)", title, where, n)
	}
}

func sameElement(a, b *int) bool { return a == b || a != nil && b != nil && *a == *b }
