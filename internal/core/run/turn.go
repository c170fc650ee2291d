package run

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/phrase"
)

// newLoop is an agent that begins to work, with the messages that wait for it.
func newLoop(agent string, at time.Time, inbox []Message) *Loop {
	return &Loop{Agent: agent, StartedAt: at, Inbox: inbox}
}

// clone is a copy that can be written to.
func (l *Loop) clone() *Loop {
	out := *l
	out.Calls = make([]*CallState, len(l.Calls))
	for n, c := range l.Calls {
		copied := *c
		out.Calls[n] = &copied
	}
	return &out
}

// call finds a call of the newest turn by its number.
func (l *Loop) call(no int) *CallState {
	for _, c := range l.Calls {
		if c.No == no {
			return c
		}
	}
	return nil
}

// nextTurn is the turn that can start now, and the number of the try at it;
// false while the model or a call has not answered.
func (l *Loop) nextTurn(now time.Time) (turn, try int, ok bool) {
	switch {
	case l.Thinking:
		return 0, 0, false
	case !l.RetryAt.IsZero():
		return l.Turn, l.Try + 1, !now.Before(l.RetryAt)
	}
	for _, c := range l.Calls {
		if c.Status != CallDone {
			return 0, 0, false
		}
	}
	return l.Turn + 1, l.Tried + 1, true
}

// beginTurn asks the model.
func (l *Loop) beginTurn(f *TurnStarted) {
	l.Thinking, l.Turn, l.Try, l.Deadline, l.RetryAt = true, f.Turn, f.Try, f.Deadline, time.Time{}
	if f.Try == 1 {
		l.Calls = nil
		// Messages are taken by a new turn only: tries of one turn are one piece of work.
		for _, m := range l.Inbox {
			l.Entries = append(l.Entries, m.entry())
		}
		l.Inbox = nil
	}
}

// endTurn takes the model's answer.
func (l *Loop) endTurn(f *TurnCompleted) {
	l.Thinking, l.Deadline, l.Tried, l.Busy, l.BusySince = false, time.Time{}, 0, 0, time.Time{}
	l.Turns++
	l.Usage = l.Usage.Add(f.Turn.Usage)
	said := Entry{Role: "assistant", Name: f.Agent, Text: f.Turn.Text}
	if said.Text == "" {
		said.Output = f.Turn.Output // it must see what it answered when it is asked again
	}
	l.Entries = append(l.Entries, said)
}

// failTurn lets a turn wait to be tried again.
func (l *Loop) failTurn(f *TurnRetrying, at time.Time) {
	l.Thinking, l.Deadline, l.RetryAt = false, time.Time{}, f.RetryAt
	if f.Error.Busy {
		l.Busy++
		if l.BusySince.IsZero() {
			l.BusySince = at
		}
	}
	l.Usage = l.Usage.Add(f.Error.Usage)
}

// note tells the model something at its next turn.
func (l *Loop) note(text string) { l.Entries = append(l.Entries, Entry{Role: "note", Text: text}) }

// handOver lets another agent continue, under the rules of all before it.
func (l *Loop) handOver(f *HandedOff) {
	if !slices.Contains(l.Under, f.From) {
		l.Under = append(slices.Clip(l.Under), f.From)
	}
	l.Agent = f.To
}

// takeBackTurn puts a turn that was started before its start. Numbers of tries
// are not used twice, and patience with a busy model begins anew.
func (l *Loop) takeBackTurn() {
	l.Thinking, l.RetryAt, l.Deadline, l.Tried = false, time.Time{}, time.Time{}, l.Try
	l.Busy, l.BusySince = 0, time.Time{}
	l.Turn--
}

// revive takes up a loop where it stood. A fork is another run: what people
// approved there, and what tools asked, is asked again.
func (l *Loop) revive(forked bool) {
	l.Limit, l.Mends = nil, 0
	if l.Thinking || !l.RetryAt.IsZero() || l.Turn > l.Turns {
		l.takeBackTurn()
	}
	if forked {
		l.Repeatable, l.Tried = nil, 0
	}
	for _, c := range l.Calls {
		if c.Status == CallDone {
			continue
		}
		if forked {
			c.Place, c.Try, c.Repeats = nil, 0, false
			c.Input, c.Round, c.Tried = nil, 0, 0 // it asks anew, for another run
		}
		c.Status, c.Deadline, c.RetryAt = CallAsked, time.Time{}, time.Time{}
		if c.Place != nil {
			c.Status = CallHeld
		}
	}
}

// moving reports whether a turn or a call can go on without people.
func (l *Loop) moving() bool {
	if l.Thinking || !l.RetryAt.IsZero() && l.Limit == nil {
		return true
	}
	return slices.ContainsFunc(l.Calls, func(c *CallState) bool {
		return c.Status == CallRunning || c.Status == CallBackoff && l.Limit == nil
	})
}

// inFlight reports whether a turn or a call was started and has not answered.
func (l *Loop) inFlight() bool {
	return l.Thinking || slices.ContainsFunc(l.Calls, func(c *CallState) bool { return c.Status == CallRunning })
}

// soFar lists what an agent has said and done, newest last.
func (l *Loop) soFar() string {
	var lines []string
	for n := len(l.Entries) - 1; n >= 0 && len(lines) < 20; n-- {
		e := &l.Entries[n]
		switch {
		case e.Role == "assistant" && e.Text != "":
			lines = append(lines, fmt.Sprintf("%s: %s", e.Name, phrase.ClipBytes(e.Text, 160)))
		case e.Role == "tool" && e.Failed:
			lines = append(lines, fmt.Sprintf("%s failed: %s", e.Name, phrase.ClipBytes(e.Text, 120)))
		case e.Role == "tool":
			lines = append(lines, fmt.Sprintf("%s → %s", e.Name, phrase.ClipBytes(string(e.Output), 120)))
		}
	}
	var b strings.Builder
	for n := len(lines) - 1; n >= 0; n-- {
		b.WriteString(lines[n])
		b.WriteByte('\n')
	}
	return strings.TrimSpace(b.String())
}
