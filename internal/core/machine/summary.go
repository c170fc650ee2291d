package machine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// Loops lists who is consulted between layers.
func (s *State) Loops() plan.Loops {
	if l := s.plan.Definition.Workflow.Loops; l != nil {
		return *l
	}
	return plan.Loops{}
}

// Adviser is the agent that is being consulted.
func (s *State) Adviser() string {
	if s.Point.Agent == "" && s.Loops().Agent != nil {
		return s.Loops().Agent.Agent
	}
	return s.Point.Agent
}

// summaryMax limits a summary, in bytes: some 1,000 tokens.
const summaryMax = 4_000

// Summary summarises in a few hundred words what was done.
func (s *State) Summary() string { return s.SummaryIn(summaryMax) }

// SummaryIn summarises what was done in at most that many bytes, a few hundred at least. If there is no room for all
// results, the latest of the plan are shown.
func (s *State) SummaryIn(most int) string {
	out := phrase.ClipBytes(fmt.Sprintf("Workflow %s.", s.plan.Definition.Workflow.Name), 200)
	room := most - len(out) - len("\n- and 10000 earlier")
	var lines []string
	for _, i := range slices.Backward(s.plan.Order()) {
		if !s.Steps[i].Status.Settled() {
			continue
		}
		line := s.summaryOf(i)
		if room -= len(line); room < 0 {
			break
		}
		lines = append(lines, line)
	}
	if rest := len(s.Steps) - s.Unsettled - len(lines); rest > 0 {
		lines = append(lines, fmt.Sprintf("\n- and %d earlier", rest))
	}
	slices.Reverse(lines)
	return out + strings.Join(lines, "")
}

// summaryOf is one line about a settled step.
func (s *State) summaryOf(i int) string {
	st := s.Steps[i]
	line := fmt.Sprintf("\n- %s: %s", s.plan.Nodes[i].Step.ID, st.Status)
	switch {
	case st.Error != nil:
		line += fmt.Sprintf(" (%s)", phrase.ClipBytes(st.Error.Message, 200))
	case st.Status == run.DoneStep:
		line += " → " + phrase.ClipBytes(string(st.Output), 200)
	}
	return line
}

// SummaryFor is the summary for people who decide whether to continue with some steps: what was done and found,
// in the words of an agent if one was asked, and what is next, by whom, with which input and risk.
func (s *State) SummaryFor(next []int) string {
	var b strings.Builder
	if s.Point.Summary != "" {
		fmt.Fprintf(&b, "Summary by %s:\n%s", s.Loops().Human.Summary, phrase.ClipBytes(s.Point.Summary, 16<<10))
	} else {
		b.WriteString(s.SummaryIn(summaryMax / 2))
	}
	if len(next) == 0 {
		return b.String()
	}
	b.WriteString("\n\nNext:")
	room := b.Len() + summaryMax/2
	for k, i := range next {
		if b.Len() > room {
			fmt.Fprintf(&b, "\n- and %d more", len(next)-k)
			break
		}
		n := &s.plan.Nodes[i]
		fmt.Fprintf(&b, "\n- %s: %s", n.Step.ID, s.whoPerforms(i))
		if level := s.RiskOf(i); level != "" {
			fmt.Fprintf(&b, ", %s risk", level)
		}
		if in, known := s.NextInput(i); known {
			fmt.Fprintf(&b, ", with %s", phrase.ClipBytes(string(in), 300))
		}
	}
	return b.String()
}

// whoPerforms names who performs a step, for people.
func (s *State) whoPerforms(i int) string {
	n := &s.plan.Nodes[i]
	switch {
	case n.Step.Tool != "":
		return "tool " + n.Step.Tool
	case n.Step.Workflow != "":
		return "workflow " + n.Step.Workflow
	case n.Human >= 0:
		return "people"
	}
	return "agent " + n.Step.Agent
}

// NextInput is the input that a step which has not started would get now; false if that is not known yet.
func (s *State) NextInput(i int) (json.RawMessage, bool) {
	if s.Steps[i].Unmet > 0 || s.Steps[i].Status.Settled() {
		return nil, false
	}
	if s.IsMap(i) {
		return s.mapInputs(i), true
	}
	in, _ := s.InputOf(i, -1)
	return in, len(in) > 0
}

// Doomed lists, by step, which steps that have not started will be skipped because one that they need failed.
func (s *State) Doomed() []bool {
	out := make([]bool, len(s.Steps))
	for _, i := range s.plan.Order() {
		out[i] = s.Steps[i].Status == run.PendingStep && slices.ContainsFunc(s.plan.Nodes[i].Needs, func(need int) bool {
			return (s.Lost(need) || out[need]) && !s.DoesWithout(i, need)
		})
	}
	return out
}

// Limits of what is shown at a decision point.
const (
	pointSteps = 50
	pointValue = 4 << 10
)

// PointView is what people see at a decision point: what was done, what is next, what comes later, and what
// the agent in the loop said. Long values are cut, which they say.
func (s *State) PointView(next []int) json.RawMessage {
	var done, ahead, later, doomed []json.RawMessage
	settled, left, skips := 0, 0, s.Doomed()
	for _, i := range s.plan.Order() {
		switch st := s.Steps[i]; {
		case st.Status.Settled():
			settled++
			done = append(done, value.Object(s.doneMembers(i, pointValue)...))
		case slices.Contains(next, i):
		case skips[i] && len(doomed) >= pointSteps:
			left++
		case skips[i]:
			doomed = append(doomed, value.Quote(s.plan.Nodes[i].Step.ID))
		default:
			later = append(later, value.Quote(s.plan.Nodes[i].Step.ID))
		}
	}
	if len(done) > pointSteps {
		done = done[len(done)-pointSteps:]
	}
	for k, i := range next {
		if k < pointSteps {
			ahead = append(ahead, value.Object(s.nextMembers(i, pointValue)...))
		}
	}
	members := []value.Member{{Key: "done", Value: value.Array(done...)}, {Key: "next", Value: value.Array(ahead...)}}
	if len(later) > pointSteps {
		members = append(members, value.Member{Key: "later_left_out", Value: number(len(later) - pointSteps)})
		later = later[:pointSteps]
	}
	members = append(members, value.Member{Key: "later", Value: value.Array(later...)})
	if len(doomed) > 0 {
		members = append(members, value.Member{Key: "would_skip", Value: value.Array(doomed...)})
	}
	for _, m := range []struct {
		key  string
		rest int
	}{{"would_skip_left_out", left}, {"done_left_out", settled - len(done)}, {"next_left_out", len(next) - len(ahead)}} {
		if m.rest > 0 {
			members = append(members, value.Member{Key: m.key, Value: number(m.rest)})
		}
	}
	if s.Point.Summary != "" {
		by := s.Loops().Human
		members = append(members, value.Member{Key: "summary", Value: value.Quote(s.Point.Summary)},
			value.Member{Key: "summary_by", Value: value.Quote(by.Summary)})
	}
	if len(s.Advice) > 0 {
		last, _ := value.Marshal(s.Advice[len(s.Advice)-1])
		members = append(members, value.Member{Key: "advice", Value: last})
	}
	return value.Object(members...)
}

// stepMembers are the members that describe a step of the plan.
func (s *State) stepMembers(i int) []value.Member {
	n := &s.plan.Nodes[i]
	out := []value.Member{{Key: "step", Value: value.Quote(n.Step.ID)}, {Key: "by", Value: value.Quote(s.whoPerforms(i))}}
	for _, m := range []struct{ key, text string }{{"title", n.Step.Title}, {"risk", string(s.RiskOf(i))},
		{"operation", n.Step.Operation}, {"reversible_by", n.Step.ReversibleBy}, {"replaces", n.Step.Replaces}} {
		if m.text != "" {
			out = append(out, value.Member{Key: m.key, Value: value.Quote(m.text)})
		}
	}
	if n.Injected {
		out = append(out, value.Member{Key: "added", Value: json.RawMessage("true")})
	}
	return out
}

// doneMembers describe a settled step; most limits its values, 0: not at all.
func (s *State) doneMembers(i, most int) []value.Member {
	st := s.Steps[i]
	out := append(s.stepMembers(i), value.Member{Key: "status", Value: value.Quote(string(st.Status))})
	of := "steps." + s.plan.Nodes[i].Step.ID
	switch {
	case st.Error != nil:
		out = append(out, value.Member{Key: "error", Value: cut(value.Quote(st.Error.Message), of+".error", most)})
	case st.Status == run.DoneStep:
		out = append(out, value.Member{Key: "output", Value: cut(st.Output, of+".output", most)})
	case st.Skipped != "":
		out = append(out, value.Member{Key: "skipped", Value: value.Quote(string(st.Skipped))})
	}
	return out
}

// nextMembers describe a step that is about to start.
func (s *State) nextMembers(i, most int) []value.Member {
	n, out := &s.plan.Nodes[i], s.stepMembers(i)
	if in, known := s.NextInput(i); known {
		out = append(out, value.Member{Key: "input", Value: cut(in, "steps."+n.Step.ID+".input", most)})
	}
	var gates []json.RawMessage
	for _, g := range n.Before {
		gate := s.plan.Gates[g].Gate
		gates = append(gates, value.Quote(cmp.Or(gate.Title, gate.ID)))
	}
	if len(gates) > 0 {
		out = append(out, value.Member{Key: "gates", Value: value.Array(gates...)})
	}
	return out
}

// cut replaces a long value by its beginning, its size and its name.
func cut(v json.RawMessage, of string, most int) json.RawMessage {
	if len(v) == 0 {
		return json.RawMessage("null")
	}
	if most <= 0 || len(v) <= most {
		return v
	}
	return value.Object(value.Member{Key: "$cut", Value: value.Quote(of)},
		value.Member{Key: "size", Value: number(len(v))},
		value.Member{Key: "preview", Value: value.Quote(phrase.ClipBytes(string(v), max(most/2, 200)))})
}

func number(n int) json.RawMessage { return json.RawMessage(strconv.Itoa(n)) }
