package loop

import (
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// RequestCall adds a call that the model requested.
func (l *State) RequestCall(f *run.CallRequested) {
	l.CallNo = f.No
	l.Calls = append(slices.Clip(l.Calls),
		&Call{No: f.No, Agent: l.Agent, Under: l.Under, Call: f.Call, Status: Asked})
	last := l.Entries[len(l.Entries)-1]
	last.Calls = append(slices.Clip(last.Calls), run.CallRef{ID: f.Call.ID, Tool: f.Call.Tool, Args: f.Call.Args})
	l.Entries = append(l.Entries[:len(l.Entries)-1:len(l.Entries)-1], last)
}

// StartCall starts an attempt; content is the digest of the proposed call.
func (l *State) StartCall(f *run.CallStarted, content func() string) {
	c := l.Call(f.No)
	if c == nil {
		return
	}
	if c.Try == 0 && len(l.Repeatable) > 0 { // one approval, one call at a time
		digest := content()
		c.Repeats = slices.Contains(l.Repeatable, digest)
		l.useUp(digest)
	}
	c.Status, c.Try, c.Deadline, c.RetryAt = Running, f.Try, f.Deadline, time.Time{}
}

// RebindCall resets a call to before it was judged.
func (l *State) RebindCall(f *run.CallRebound, content func() string) {
	c := l.Call(f.No)
	if c == nil {
		return
	}
	c.Call.Spec, c.Status, c.Tried, c.Deadline, c.RetryAt, c.Repeats = f.Spec, Asked, c.Try,
		time.Time{}, time.Time{}, false
	c.Input = nil // its question belonged to another version of the tool
	c.Rebound++
	if c.Place != nil && !mutant.Is(mutant.OldVersionCounts) {
		next := *c.Place
		next.Changed = f.Changed
		next.Content = content()
		c.Place = &next
	}
}

// NeedInput records a tool's question: the call runs again with the answer.
func (l *State) NeedInput(f *run.CallInputNeeded) {
	l.Usage = l.Usage.Add(f.Usage)
	if c := l.Call(f.No); c != nil {
		c.Status, c.Deadline, c.RetryAt, c.Tried = Asked, time.Time{}, time.Time{}, c.Try
		c.Input, c.Round = &f.Input, f.Round
	}
}

// CompleteCall records the answer of a call; the model sees it at its next turn.
func (l *State) CompleteCall(c *Call, f *run.CallCompleted, content func() string) {
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
	c.Status, c.Deadline, c.RetryAt, c.Denied = Done, time.Time{}, time.Time{}, f.Denied
	l.Entries = append(l.Entries, run.Entry{
		Role: "tool", Name: c.Call.Tool, CallID: f.ID, Text: f.Result.Error, Output: f.Result.Output,
		Failed: f.Result.Error != "",
	})
}

// AnswerTo is the answer to a call, as the model sees it.
func (l *State) AnswerTo(c *Call) run.Entry {
	for _, e := range slices.Backward(l.Entries) {
		if e.Role == "tool" && e.CallID == c.Call.ID {
			return e
		}
	}
	return run.Entry{Failed: true, Text: "the call has no answer"}
}

// useUp consumes an approval: it was valid for one call.
func (l *State) useUp(content string) {
	if !mutant.Is(mutant.ChangedArgsPass) {
		l.Repeatable = slices.DeleteFunc(slices.Clone(l.Repeatable), func(r string) bool { return r == content })
	}
}

// Changed notifies the model that people changed the arguments of a call.
func (l *State) Changed(c *Call) string {
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
