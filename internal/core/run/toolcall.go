package run

import (
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
)

// requestCall adds a call that the model asked for.
func (l *Loop) requestCall(f *CallRequested) {
	l.CallNo = f.No
	l.Calls = append(slices.Clip(l.Calls),
		&CallState{No: f.No, Agent: l.Agent, Under: l.Under, Call: f.Call, Status: CallAsked})
	last := l.Entries[len(l.Entries)-1]
	last.Calls = append(slices.Clip(last.Calls), CallRef{f.Call.ID, f.Call.Tool, f.Call.Args})
	l.Entries = append(l.Entries[:len(l.Entries)-1:len(l.Entries)-1], last)
}

// startCall begins a try; content is the digest of what the call proposes.
func (l *Loop) startCall(f *CallStarted, content func() string) {
	c := l.call(f.No)
	if c == nil {
		return
	}
	if c.Try == 0 && len(l.Repeatable) > 0 { // one yes, one call at a time
		digest := content()
		c.Repeats = slices.Contains(l.Repeatable, digest)
		l.useUp(digest)
	}
	c.Status, c.Try, c.Deadline, c.RetryAt = CallRunning, f.Try, f.Deadline, time.Time{}
}

// rebindCall takes a call back to before it was judged.
func (l *Loop) rebindCall(f *CallRebound, content func() string) {
	c := l.call(f.No)
	if c == nil {
		return
	}
	c.Call.Spec, c.Status, c.Tried, c.Deadline, c.RetryAt, c.Repeats = f.Spec, CallAsked, c.Try,
		time.Time{}, time.Time{}, false
	c.Input = nil // its question was another tool's
	c.Rebound++
	if c.Place != nil {
		next := *c.Place
		next.Changed = f.Changed
		next.Content = content()
		c.Place = &next
	}
}

// needInput takes the question of a tool: the call runs again with the answer.
func (l *Loop) needInput(f *CallInputNeeded) {
	l.Usage = l.Usage.Add(f.Usage)
	if c := l.call(f.No); c != nil {
		c.Status, c.Deadline, c.RetryAt, c.Tried = CallAsked, time.Time{}, time.Time{}, c.Try
		c.Input, c.Round = &f.Input, f.Round
	}
}

// completeCall takes the answer of a call; the model sees it at its next turn.
func (l *Loop) completeCall(c *CallState, f *CallCompleted, content func() string) {
	l.Usage = l.Usage.Add(f.Result.Usage)
	approved := c.approved()
	if c.Try > 0 && !f.Denied && (approved || c.Repeats || len(l.Repeatable) > 0) {
		digest := content()
		switch {
		case f.Result.Error == "":
			l.useUp(digest)
		case (approved || c.Repeats) && !slices.Contains(l.Repeatable, digest):
			l.Repeatable = append(slices.Clip(l.Repeatable), digest)
		}
	}
	c.Status, c.Deadline, c.RetryAt = CallDone, time.Time{}, time.Time{}
	l.Entries = append(l.Entries, Entry{
		Role: "tool", Name: c.Call.Tool, CallID: f.ID, Text: f.Result.Error, Output: f.Result.Output,
		Failed: f.Result.Error != "",
	})
}

// useUp takes a yes back: it was good for one call.
func (l *Loop) useUp(content string) {
	if !mutant.Is(mutant.ChangedArgsPass) {
		l.Repeatable = slices.DeleteFunc(slices.Clone(l.Repeatable), func(r string) bool { return r == content })
	}
}

// changed tells the model when people changed the arguments of a call.
func (l *Loop) changed(c *CallState) string {
	for n := len(l.Entries) - 1; n >= 0; n-- {
		for _, ref := range l.Entries[n].Calls {
			if ref.ID == c.Call.ID {
				if value.Equal(ref.Args, c.Call.Args) {
					return ""
				}
				return "The arguments of call " + c.Call.ID + " were changed by people before it ran: " +
					phrase.ClipBytes(string(c.Call.Args), 2_000)
			}
		}
	}
	return ""
}
