package decide

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// Messages between the agents of a run. Each is an event that names its sender; the reader sees it as another
// agent's words, never as instructions. It answers no approval, changes no rule, and is limited in number and
// size.

// sendMessage executes a call that sends another agent a message.
func (d *draft) sendMessage(i, k int, c *loop.Call) {
	to := textArg(c.Call.Args, "to")
	text := strings.TrimSpace(cmp.Or(textArg(c.Call.Args, "text"), textArg(c.Call.Args, "content")))
	if why := d.undeliverable(c.Agent, to, text); why != "" {
		d.answerCall(i, k, c, run.CallResult{Error: why}, false)
		return
	}
	d.emit(run.Actor{Kind: run.Agent, Name: c.Agent},
		&run.AgentMessage{Step: d.id(i), Index: d.IndexFor(i, k), ID: c.Call.ID, From: c.Agent, To: to, Text: text})
	d.answerCall(i, k, c, run.CallResult{Output: json.RawMessage(`{"sent":true}`)}, false)
}

// undeliverable returns why a message is not sent, or "".
func (d *draft) undeliverable(from, to, text string) string {
	_, known := d.Plan().Definition.Agents[to]
	switch {
	case text == "":
		return "the message is empty: write it into text"
	case len(text) > run.MessageMax:
		return fmt.Sprintf("the message has %d bytes; the limit is %d: shorten it", len(text), run.MessageMax)
	case to == from:
		return "an agent can't message itself"
	case !known:
		return fmt.Sprintf("%q is not an agent of this run%s", phrase.ClipBytes(to, plan.NameMax), d.readers(from))
	case !d.reads(to):
		return fmt.Sprintf("%s has no more work in this run and would not read it%s", to, d.readers(from))
	case d.Messages >= run.MessagesMax:
		return fmt.Sprintf("the agents of this run have reached the limit of %d messages: continue without it", d.Messages)
	}
	return ""
}

// tellOthers sends the messages that came with a result. If people or the policy require approval of
// messages, they are not sent: no agent is there to wait for it.
func (d *draft) tellOthers(i, index int, r *run.Result) {
	by := d.Acting(i, index)
	for _, m := range r.Messages {
		text := strings.TrimSpace(m.Text)
		why := d.undeliverable(by.Name, m.To, text)
		if why == "" && d.asking().MessageAsked(i, index, by.Name, m.To, text) {
			why = "messages need approval here, and one sent with a result cannot wait for it"
		}
		if why != "" {
			d.warn("message_not_sent", "steps."+d.id(i), fmt.Sprintf("a message from %s was not sent: %s", by.Name, why))
			continue
		}
		d.emit(by, &run.AgentMessage{Step: d.id(i), Index: run.Index(index), From: by.Name, To: m.To, Text: text})
	}
}

// reads reports whether an agent still has work at which it sees messages: a conversation, or a step that has
// not begun.
func (d *draft) reads(agent string) bool {
	for i, st := range d.Steps {
		if st.Status.Settled() {
			continue
		}
		n := &d.Plan().Nodes[i]
		waits := st.Status == run.PendingStep || st.Status == run.WaitingStep && len(st.Tasks) == 0
		if n.Step.Agent == agent && waits {
			return true
		}
		for _, t := range st.Tasks {
			switch {
			case t.Loop != nil && t.Loop.Agent == agent && t.Status != machine.TaskDone && t.Status != machine.TaskReview,
				t.Loop == nil && n.Step.Agent == agent && t.Try == 0 && t.Status != machine.TaskDone:
				return true
			}
		}
	}
	return false
}

// readers lists the agents that a model can write to.
func (d *draft) readers(but string) string {
	var names []string
	for name := range d.Plan().Definition.Agents {
		if name != but && d.reads(name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "; no other agent can receive messages now"
	}
	slices.Sort(names)
	return "; it can go to " + strings.Join(names[:min(len(names), 20)], ", ")
}
