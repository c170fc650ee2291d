package loop

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
)

// New returns an agent that starts to work, with its pending messages.
func New(agent string, at time.Time, inbox []run.Message) *State {
	return &State{Agent: agent, StartedAt: at, Inbox: inbox}
}

// Clone returns a writable copy.
func (l *State) Clone() *State {
	out := *l
	out.Calls = make([]*Call, len(l.Calls))
	for n, c := range l.Calls {
		copied := *c
		out.Calls[n] = &copied
	}
	return &out
}

// Call finds a call of the newest turn by its number.
func (l *State) Call(no int) *Call {
	for _, c := range l.Calls {
		if c.No == no {
			return c
		}
	}
	return nil
}

// NextTurn returns the turn that can start now and its attempt number; false while the model or a call has
// not answered.
func (l *State) NextTurn(now time.Time) (turn, try int, ok bool) {
	switch {
	case l.Thinking:
		return 0, 0, false
	case !l.RetryAt.IsZero():
		return l.Turn, l.Try + 1, !now.Before(l.RetryAt)
	}
	for _, c := range l.Calls {
		if c.Status != Done {
			return 0, 0, false
		}
	}
	return l.Turn + 1, l.Tried + 1, true
}

// BeginTurn starts a turn.
func (l *State) BeginTurn(f *run.TurnStarted) {
	l.Thinking, l.Turn, l.Try, l.Deadline, l.RetryAt = true, f.Turn, f.Try, f.Deadline, time.Time{}
	if f.Try == 1 {
		l.Calls = nil
		// Only a new turn takes messages: the attempts at one turn are one piece of work.
		for _, m := range l.Inbox {
			l.Entries = append(l.Entries, m.Entry())
		}
		l.Inbox = nil
	}
}

// EndTurn records the model's answer.
func (l *State) EndTurn(f *run.TurnCompleted) {
	l.Thinking, l.Deadline, l.Tried, l.Busy, l.BusySince = false, time.Time{}, 0, 0, time.Time{}
	l.Turns++
	l.Usage = l.Usage.Add(f.Turn.Usage)
	said := run.Entry{Role: "assistant", Name: f.Agent, Text: f.Turn.Text}
	if said.Text == "" {
		said.Output = f.Turn.Output // it must see its own answer when it is asked again
	}
	l.Entries = append(l.Entries, said)
}

// FailTurn leaves a turn waiting for a retry.
func (l *State) FailTurn(f *run.TurnRetrying, at time.Time) {
	l.Thinking, l.Deadline, l.RetryAt = false, time.Time{}, f.RetryAt
	if f.Error.Busy {
		l.Busy++
		if l.BusySince.IsZero() {
			l.BusySince = at
		}
	}
	l.Usage = l.Usage.Add(f.Error.Usage)
}

// Retry returns when a failed turn is retried, with the failure as it is recorded; false: the turn has
// failed. The key is that of the turn.
func (l *State) Retry(p plan.RetryPolicy, patience time.Duration, key run.Key, f run.Failure, now time.Time) (
	at time.Time, recorded run.Failure, ok bool) {
	f.Try = l.Try
	spared := l.Busy // attempts that do not count towards the step's
	if p.Counted {
		spared = 0
	} else if f.Busy {
		return l.await(p, patience, key, f, now)
	}
	if !f.Transient || l.Try-l.Tried-spared >= p.Max {
		return time.Time{}, f, false
	}
	key.Try -= spared
	return now.Add(key.Backoff(p, f)), f, true
}

// await retries a busy model with growing pauses, for as long as the step's patience lasts. Such attempts do
// not count towards the step's: the model has not failed at anything.
func (l *State) await(p plan.RetryPolicy, patience time.Duration, key run.Key, f run.Failure, now time.Time) (
	time.Time, run.Failure, bool) {
	key.Try = l.Busy + 1
	at := now.Add(key.Backoff(p, f))
	since := l.BusySince
	if since.IsZero() {
		since = now
	}
	if patience > 0 && at.After(since.Add(patience)) {
		f.Message = fmt.Sprintf("%s (busy for %s, after %d tries)", f.Message,
			quantity.Duration(now.Sub(since).Round(time.Second)), f.Try)
		return time.Time{}, f, false
	}
	return at, f, true
}

// Note adds a note for the model's next turn.
func (l *State) Note(text string) { l.Entries = append(l.Entries, run.Entry{Role: "note", Text: text}) }

// HandOver lets another agent continue, under the rules of all before it.
func (l *State) HandOver(f *run.HandedOff) {
	if !slices.Contains(l.Under, f.From) {
		l.Under = append(slices.Clip(l.Under), f.From)
	}
	l.Agent = f.To
}

// TakeBackTurn resets a turn to before its start. Attempt numbers are not reused, and patience with a busy
// model starts again.
func (l *State) TakeBackTurn() {
	l.Thinking, l.RetryAt, l.Deadline, l.Tried = false, time.Time{}, time.Time{}, l.Try
	l.Busy, l.BusySince = 0, time.Time{}
	l.Turn--
}

// Revive resumes a loop where it stopped. A fork is another run: approvals and tools' questions are asked
// again.
func (l *State) Revive(forked bool) {
	l.Limit, l.Mends = nil, 0
	if l.Thinking || !l.RetryAt.IsZero() || l.Turn > l.Turns {
		l.TakeBackTurn()
	}
	if forked {
		l.Repeatable, l.Tried = nil, 0
	}
	for _, c := range l.Calls {
		if c.Status == Done {
			continue
		}
		if forked {
			c.Place, c.Try, c.Repeats = nil, 0, false
			c.Input, c.Round, c.Tried = nil, 0, 0 // it asks again, for another run
		}
		c.Status, c.Deadline, c.RetryAt = Asked, time.Time{}, time.Time{}
		if c.Place != nil {
			c.Status = Held
		}
	}
}

// ReviveCall resumes a step that is one call. A call that was made, and failed, is made again as the same
// work, so that its receiver can recognise it. One that was never made is proposed again, with what is known
// about its tool by then; so is every call of a fork.
func (l *State) ReviveCall(forked bool) {
	for _, c := range l.Calls {
		if forked || c.Try == 0 || c.Denied {
			l.Calls = nil
			return
		}
		if c.Status == Done {
			c.Status, c.Tried = Asked, c.Try
			if c.Place != nil {
				c.Status = Held
			}
		}
	}
}

// Moving reports whether a turn or a call can continue without people.
func (l *State) Moving() bool {
	if l.Thinking || !l.RetryAt.IsZero() && l.Limit == nil {
		return true
	}
	return slices.ContainsFunc(l.Calls, func(c *Call) bool {
		return c.Status == Running || c.Status == Backoff && l.Limit == nil
	})
}

// InFlight reports whether a turn or a call was started and has not answered.
func (l *State) InFlight() bool {
	return l.Thinking || slices.ContainsFunc(l.Calls, func(c *Call) bool { return c.Status == Running })
}

// SoFar lists what an agent has said and done, newest last.
func (l *State) SoFar() string {
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
