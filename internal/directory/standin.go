package directory

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

const (
	standInMax  = 366 * 24 * time.Hour // longest period of a stand-in
	standInEach = 10                   // people that one person stands in for at a time
	awayFor     = time.Second          // how old the list of stand-ins in a notice may be
)

// Change sets who decides for a person who is away.
type Change struct {
	To    string     `json:"to"`
	From  *time.Time `json:"from,omitempty"` // default: now
	Until time.Time  `json:"until"`          // exclusive
}

// StandIn shows who decides for a person who is away.
type StandIn struct {
	Name   string    `json:"name"`   // The person who is away.
	To     string    `json:"to"`     // The stand-in.
	From   time.Time `json:"from"`   // The start.
	Until  time.Time `json:"until"`  // The end, exclusive.
	Counts bool      `json:"counts"` // Whether it is active now.
	SetBy  string    `json:"set_by"` // Who set it.
	SetAt  time.Time `json:"set_at"` // When it was set.
	Notes  []string  `json:"notes"`  // Notes about limits that people often do not expect.
}

func shownStandIn(s port.StandIn) StandIn {
	return StandIn{
		Name: s.Name, To: s.To, From: s.From, Until: s.Until, SetBy: s.SetBy, SetAt: s.SetAt, Notes: []string{},
	}
}

// Absent is a person whom someone else stands in for, with the roles of their account.
type Absent struct {
	Name  string
	Roles []string
}

// StandsInFor lists the people whom a person stands in for now.
func (p *People) StandsInFor(ctx context.Context, name string) (out []Absent, err error) {
	found, err := p.store.StandingIn(ctx, name, p.now())
	if err != nil {
		return nil, err
	}
	for _, s := range found {
		account, err := p.store.Account(ctx, s.Name)
		switch {
		case fault.Is(err, fault.NotFound): // their roles are unknown
		case err != nil:
			return nil, err
		case account.Disabled: // a closed account decides nothing, not even through others
			continue
		}
		out = append(out, Absent{Name: s.Name, Roles: account.Roles})
	}
	return out, nil
}

// SetStandIn sets who decides for a person. There is one at a time: it replaces the
// previous one.
func (p *People) SetStandIn(ctx context.Context, away Person, c Change, by run.Actor) (v StandIn, err error) {
	now := p.now()
	s := port.StandIn{Name: away.Name, From: now, Until: c.Until.UTC(), SetBy: by.Name, SetAt: now}
	if c.From != nil && c.From.After(now) {
		s.From = c.From.UTC()
	}
	problems, err := p.check(ctx, &s, c, now)
	if err != nil {
		return v, err
	}
	if len(problems) > 0 {
		return v, fault.Of("the stand-in is not valid", problems)
	}
	err = p.store.PutStandIn(ctx, s, port.AuditDraft{
		At: now, Actor: by, Action: "stand_in.set", Target: "person/" + s.Name,
		Detail: map[string]any{"name": s.Name, "to": s.To, "from": s.From, "until": s.Until},
	})
	if err != nil {
		return v, err
	}
	p.away.forget()
	return p.show(ctx, s)
}

// check lists what is wrong with a stand-in, and completes its To.
func (p *People) check(
	ctx context.Context, s *port.StandIn, c Change, now time.Time,
) (problems []fault.Problem, err error) {
	bad := func(path, format string, args ...any) {
		problems = append(problems, fault.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
	}
	switch {
	case c.Until.IsZero():
		bad("until", "the end is required, such as 2027-01-31T00:00:00Z")
	case !c.Until.After(now):
		bad("until", "must be in the future")
	case c.From != nil && !c.Until.After(*c.From):
		bad("until", "must be after from")
	case s.Until.Sub(s.From) > standInMax:
		bad("until", "a stand-in can be set for at most a year; set it again later")
	}
	to, err := p.Person(ctx, c.To)
	if fault.Is(err, fault.Invalid) {
		bad("to", "%s", wrongName)
		return problems, nil
	}
	if err != nil {
		return nil, err
	}
	if s.To = to.Name; s.To == s.Name {
		bad("to", "%s can't stand in for themselves: name another person", s.To)
		return problems, nil
	}
	if to.Disabled {
		bad("to", "the account of %s is disabled", s.To)
	}
	if !to.Known {
		kind, err := p.programCalled(ctx, s.To)
		if err != nil {
			return nil, err
		}
		if kind != "" {
			bad("to", "%s is the token of %s %s: a stand-in must be a person", s.To, Article(kind), kind)
		}
	}
	all, err := p.store.StandIns(ctx)
	if err != nil {
		return nil, err
	}
	n := 0
	for _, o := range all {
		if o.To == s.To && o.Name != s.Name && overlap(o, *s) {
			n++
		}
	}
	if n >= standInEach {
		bad("to", "%s already stands in for %d people in that period, which is the limit", s.To, n)
	}
	return problems, nil
}

func overlap(a, b port.StandIn) bool { return a.From.Before(b.Until) && b.From.Before(a.Until) }

// StandInOf shows who decides for a person, now or later; fault.NotFound.
func (p *People) StandInOf(ctx context.Context, away Person) (StandIn, error) {
	s, err := p.store.StandIn(ctx, away.Name)
	if fault.Is(err, fault.NotFound) || err == nil && !p.now().Before(s.Until) {
		return StandIn{}, noStandIn(away.Name)
	}
	if err != nil {
		return StandIn{}, err
	}
	return p.show(ctx, s)
}

func noStandIn(name string) error {
	return fault.New(fault.NotFound, "no stand-in is set for "+name,
		"set one: assent auth stand-in "+name+" NAME --until …")
}

// ClearStandIn ends the stand-in of a person; fault.NotFound.
func (p *People) ClearStandIn(ctx context.Context, away Person, by run.Actor) (StandIn, error) {
	s, err := p.store.RemoveStandIn(ctx, away.Name, port.AuditDraft{
		At: p.now(), Actor: by, Action: "stand_in.cleared", Target: "person/" + away.Name,
		Detail: map[string]any{"name": away.Name},
	})
	if fault.Is(err, fault.NotFound) {
		return StandIn{}, noStandIn(away.Name)
	}
	if err != nil {
		return StandIn{}, err
	}
	p.away.forget()
	return shownStandIn(s), nil
}

// StandIns lists who decides for whom, now or later, as far as seen allows.
func (p *People) StandIns(ctx context.Context, seen func(name, to string) bool) ([]StandIn, error) {
	all, err := p.store.StandIns(ctx)
	if err != nil {
		return nil, err
	}
	now, out := p.now(), []StandIn{}
	for _, s := range all {
		if !now.Before(s.Until) || !seen(s.Name, s.To) {
			continue
		}
		v, err := p.show(ctx, s)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// show shows a stand-in, with consequences that are easily overlooked.
func (p *People) show(ctx context.Context, s port.StandIn) (StandIn, error) {
	v := shownStandIn(s)
	v.Counts = s.Counts(p.now())
	away, err := p.Person(ctx, s.Name)
	if err != nil {
		return v, err
	}
	note := func(format string, args ...any) { v.Notes = append(v.Notes, fmt.Sprintf(format, args...)) }
	switch {
	case away.Disabled:
		v.Counts = false
		note("the account of %s is disabled: the stand-in has no effect until it is enabled again", s.Name)
	case !away.Known:
		note("%s has no account here, so %s decides approvals that ask %s by name, not those that ask a role",
			s.Name, s.To, s.Name)
	}
	next, err := p.store.StandIn(ctx, s.To)
	if err == nil && overlap(next, s) {
		note("%s is also away at that time: %s decides for %s, but not for %s", s.To, next.To, s.To, s.Name)
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return v, err
	}
	return v, nil
}

// Away lists the stand-ins that count now for some people. It may be out of date by a
// second: it is for notices, and permissions do not depend on it.
func (p *People) Away(ctx context.Context, names []string) (out []port.StandIn, err error) {
	now := p.now()
	all, err := p.away.list(ctx, p.store, now)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if s.Counts(now) && slices.Contains(names, s.Name) {
			out = append(out, s)
		}
	}
	return out, nil
}

// aways keeps the list of stand-ins for a moment: an inbox needs it for many approvals.
type aways struct {
	mu    sync.Mutex
	at    time.Time
	known []port.StandIn
}

func (w *aways) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at, w.known = time.Time{}, nil
}

func (w *aways) list(ctx context.Context, store Store, now time.Time) ([]port.StandIn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if old := now.Sub(w.at); !w.at.IsZero() && old >= 0 && old < awayFor {
		return w.known, nil
	}
	all, err := store.StandIns(ctx)
	if err != nil {
		return nil, err
	}
	w.at, w.known = now, all
	return all, nil
}
