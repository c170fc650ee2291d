package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/plan"
)

// Messages between the agents of a run. Each is an event that names who sent it;
// its reader sees it as another agent's words, never as instructions. It answers
// no approval, changes no rule, and its sender is bounded in number and size.

// reaches reports whether a message is for an agent at work on a step. What an
// agent says on its own is for people.
func (m Message) reaches(step, agent string) bool {
	if m.From.Kind == Agent {
		return m.To == agent
	}
	return m.To == "" || m.To == step || m.To == agent
}

// entry is a message as the model sees it.
func (m Message) entry() Entry {
	role := "user"
	if m.From.Kind == Agent {
		role = "agent"
	}
	return Entry{Role: role, Name: m.From.Name, Text: m.Text}
}

// sentTo are the newest messages that agents sent to an agent, oldest first.
func (s *State) sentTo(agent string) (out []Message) {
	for _, m := range slices.Backward(s.Thread) {
		if m.From.Kind == Agent && m.To != "" && m.To == agent && len(out) < UnreadMax {
			out = append(out, m)
		}
	}
	slices.Reverse(out)
	return out
}

// sendMessage carries out a call that tells another agent something.
func (d *draft) sendMessage(i, k int, c *CallState) {
	to := textArg(c.Call.Args, "to")
	text := strings.TrimSpace(cmp.Or(textArg(c.Call.Args, "text"), textArg(c.Call.Args, "content")))
	why := ""
	_, known := d.plan.Definition.Agents[to]
	switch {
	case text == "":
		why = "the message is empty: write it into text"
	case len(text) > MessageMax:
		why = fmt.Sprintf("the message has %d bytes; at most %d are taken: shorten it", len(text), MessageMax)
	case to == c.Agent:
		why = "an agent does not write to itself"
	case !known:
		why = fmt.Sprintf("%q is not an agent of this run%s", clip(to, plan.NameMax), d.readers(c.Agent))
	case !d.reads(to):
		why = fmt.Sprintf("%s has no more work in this run and would not read it%s", to, d.readers(c.Agent))
	case d.Messages >= MessagesMax:
		why = fmt.Sprintf("the agents of this run have sent %d messages and may send no more: go on without", d.Messages)
	}
	if why != "" {
		d.answerCall(i, k, c, CallResult{Error: why}, false)
		return
	}
	d.emit(Actor{Kind: Agent, Name: c.Agent}, &AgentMessage{Step: d.id(i), Index: d.indexFor(i, k), ID: c.Call.ID, From: c.Agent, To: to, Text: text})
	d.answerCall(i, k, c, CallResult{Output: json.RawMessage(`{"sent":true}`)}, false)
}

// reads reports whether an agent has work ahead of it at which it sees messages: a
// conversation, or something that has not begun.
func (d *draft) reads(agent string) bool {
	for i, st := range d.Steps {
		if st.Status.settled() {
			continue
		}
		n := &d.plan.Nodes[i]
		waits := st.Status == PendingStep || st.Status == WaitingStep && len(st.Tasks) == 0
		if n.Step.Agent == agent && waits {
			return true
		}
		for _, t := range st.Tasks {
			switch {
			case t.Loop != nil && t.Loop.Agent == agent && t.Status != TaskDone && t.Status != TaskReview,
				t.Loop == nil && n.Step.Agent == agent && t.Try == 0 && t.Status != TaskDone:
				return true
			}
		}
	}
	return false
}

// readers tells a model whom it can write to.
func (d *draft) readers(but string) string {
	var names []string
	for name := range d.plan.Definition.Agents {
		if name != but && d.reads(name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "; there is no other agent to write to now"
	}
	slices.Sort(names)
	return "; it can go to " + strings.Join(names[:min(len(names), 20)], ", ")
}
