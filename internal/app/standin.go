package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

const (
	standInMost = 366 * 24 * time.Hour // how long one may be set for
	standInEach = 10                   // people that one person stands in for at a time
	standInStay = time.Second          // how long a notice of one may be out of date
	nameMost    = 128                  // bytes of somebody's name
)

// StandInChange says who decides for somebody who is away.
type StandInChange struct {
	To    string     `json:"to"`
	From  *time.Time `json:"from,omitempty"` // left out: now
	Until time.Time  `json:"until"`          // not part of it
}

// StandInView is who decides for somebody who is away.
type StandInView struct {
	Name   string    `json:"name"`
	To     string    `json:"to"`
	From   time.Time `json:"from"`
	Until  time.Time `json:"until"`
	Counts bool      `json:"counts"` // now
	SetBy  string    `json:"set_by"`
	SetAt  time.Time `json:"set_at"`
	Notes  []string  `json:"notes"` // what people should know about it
}

// Standing is w with those whom they stand in for now. Who asked for something
// is looked at once per request, so that taking it back counts from the next on.
func (a *App) Standing(ctx context.Context, w Who) (Who, error) {
	if w.Kind != run.Person || w.Name == "" {
		return w, nil
	}
	found, err := a.Store.StandingIn(ctx, w.Name, a.now())
	if err != nil {
		return w, err
	}
	w.For = nil
	for _, s := range found {
		account, err := a.Store.Account(ctx, s.Name)
		switch {
		case fault.Is(err, fault.NotFound): // then nobody knows their roles
		case err != nil:
			return w, err
		case account.Disabled: // a closed account decides nothing, through nobody
			continue
		}
		w.For = append(w.For, access.Substitute{Name: s.Name, Roles: account.Roles})
	}
	return w, nil
}

// mayStandIn refuses whoever may not say, or know, who stands in for somebody.
func (a *App) mayStandIn(w Who, name string) error {
	if w.Kind != run.Person {
		// A program that happens to have somebody's name is not that person.
		name = ""
	}
	return a.rules().Decide(a.subject(w), access.StandIn, access.Object{Person: name}).Refusal()
}

// SetStandIn says who decides for somebody from now or later on. There is one at
// a time: it replaces what was said before.
func (a *App) SetStandIn(ctx context.Context, who Who, name string, c StandInChange) (v StandInView, err error) {
	defer a.refusing(ctx, who, "stand_in.set", personTarget(name), &err)
	away, err := a.person(ctx, name)
	if err != nil {
		return v, err
	}
	if err := a.mayStandIn(who, away.Name); err != nil {
		return v, err
	}
	now := a.now()
	s := port.StandIn{Name: away.Name, From: now, Until: c.Until.UTC(), SetBy: who.Name, SetAt: now}
	if c.From != nil && c.From.After(now) {
		s.From = c.From.UTC()
	}
	problems, err := a.checkStandIn(ctx, &s, c, now)
	if err != nil {
		return v, err
	}
	if len(problems) > 0 {
		return v, fault.Of("the stand-in is not valid", problems)
	}
	err = a.Store.PutStandIn(ctx, s, port.AuditDraft{
		At: now, Actor: who.Actor(), Action: "stand_in.set", Target: personTarget(s.Name),
		Detail: map[string]any{"name": s.Name, "to": s.To, "from": s.From, "until": s.Until},
	})
	if err != nil {
		return v, err
	}
	a.away.forget()
	return a.viewStandIn(ctx, s)
}

// checkStandIn says what is wrong with one, and finds the name it is for.
func (a *App) checkStandIn(ctx context.Context, s *port.StandIn, c StandInChange, now time.Time) (problems []fault.Problem, err error) {
	bad := func(path, format string, args ...any) {
		problems = append(problems, fault.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
	}
	switch {
	case c.Until.IsZero():
		bad("until", "say when %s is back, such as 2027-01-31T00:00:00Z", s.Name)
	case !c.Until.After(now):
		bad("until", "that is over already: name a time to come")
	case c.From != nil && !c.Until.After(*c.From):
		bad("until", "it has to be after from")
	case s.Until.Sub(s.From) > standInMost:
		bad("until", "a stand-in is set for a year at most; set it again later")
	}
	to, err := a.person(ctx, c.To)
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
	if to.closed {
		bad("to", "the account of %s is closed, so they cannot decide anything", s.To)
	}
	if !to.known {
		kind, err := a.programCalled(ctx, s.To)
		if err != nil {
			return nil, err
		}
		if kind != "" {
			bad("to", "%s is the token of %s %s: only people stand in for people", s.To, article(kind), kind)
		}
	}
	all, err := a.Store.StandIns(ctx)
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
		bad("to", "%s stands in for %d others in that time already, which are as many as can be", s.To, n)
	}
	return problems, nil
}

func article(kind run.ActorKind) string {
	if kind == run.Agent {
		return "an"
	}
	return "a"
}

func overlap(a, b port.StandIn) bool { return a.From.Before(b.Until) && b.From.Before(a.Until) }

// programCalled finds a token of a program with a name.
func (a *App) programCalled(ctx context.Context, name string) (run.ActorKind, error) {
	tokens, err := a.Store.Tokens(ctx)
	if err != nil {
		return "", err
	}
	for _, t := range tokens {
		if t.Name == name && t.Kind != run.Person {
			return t.Kind, nil
		}
	}
	return "", nil
}

// onlyAProgram is the kind of the programs called by a name that no person has,
// as far as is known: people of an identity provider have no account here.
func (a *App) onlyAProgram(ctx context.Context, name string) (run.ActorKind, error) {
	someone, err := a.person(ctx, name)
	if fault.Is(err, fault.Invalid) || err == nil && someone.known {
		return "", nil // role:NAME and the like
	}
	if err != nil {
		return "", err
	}
	tokens, err := a.Store.Tokens(ctx)
	if err != nil || slices.ContainsFunc(tokens, func(t port.Token) bool { return t.Name == name && t.Kind == run.Person }) {
		return "", err
	}
	return a.programCalled(ctx, name)
}

// StandIn shows who decides for somebody, now or later.
func (a *App) StandIn(ctx context.Context, who Who, name string) (StandInView, error) {
	away, err := a.person(ctx, name)
	if err != nil {
		return StandInView{}, err
	}
	if err := a.mayStandIn(who, away.Name); err != nil {
		return StandInView{}, err
	}
	s, err := a.Store.StandIn(ctx, away.Name)
	if fault.Is(err, fault.NotFound) || err == nil && !a.now().Before(s.Until) {
		return StandInView{}, noStandIn(away.Name)
	}
	if err != nil {
		return StandInView{}, err
	}
	return a.viewStandIn(ctx, s)
}

func noStandIn(name string) error {
	return fault.New(fault.NotFound, "there is no stand-in for "+name, "set one: assent auth stand-in "+name+" NAME --until …")
}

// ClearStandIn takes back that somebody decides for somebody.
func (a *App) ClearStandIn(ctx context.Context, who Who, name string) (v StandInView, err error) {
	defer a.refusing(ctx, who, "stand_in.cleared", personTarget(name), &err)
	away, err := a.person(ctx, name)
	if err != nil {
		return v, err
	}
	if err := a.mayStandIn(who, away.Name); err != nil {
		return v, err
	}
	now := a.now()
	s, err := a.Store.RemoveStandIn(ctx, away.Name, port.AuditDraft{
		At: now, Actor: who.Actor(), Action: "stand_in.cleared", Target: personTarget(away.Name), Detail: map[string]any{"name": away.Name},
	})
	if fault.Is(err, fault.NotFound) {
		return v, noStandIn(away.Name)
	}
	if err != nil {
		return v, err
	}
	a.away.forget()
	return StandInView{Name: s.Name, To: s.To, From: s.From, Until: s.Until, SetBy: s.SetBy, SetAt: s.SetAt, Notes: []string{}}, nil
}

// StandIns lists who decides for whom, now or later: to administrators all, to
// others what concerns them.
func (a *App) StandIns(ctx context.Context, who Who) (view.List[StandInView], error) {
	all, err := a.Store.StandIns(ctx)
	if err != nil {
		return view.List[StandInView]{}, err
	}
	now, everything := a.now(), a.mayStandIn(who, "") == nil
	out := []StandInView{}
	for _, s := range all {
		own := who.Kind == run.Person && (s.Name == who.Name || s.To == who.Name)
		if !now.Before(s.Until) || !everything && !own {
			continue
		}
		v, err := a.viewStandIn(ctx, s)
		if err != nil {
			return view.List[StandInView]{}, err
		}
		out = append(out, v)
	}
	return view.Whole(out), nil
}

// viewStandIn shows one, with what people tend not to expect.
func (a *App) viewStandIn(ctx context.Context, s port.StandIn) (StandInView, error) {
	v := StandInView{Name: s.Name, To: s.To, From: s.From, Until: s.Until, Counts: s.Counts(a.now()), SetBy: s.SetBy, SetAt: s.SetAt, Notes: []string{}}
	away, err := a.person(ctx, s.Name)
	if err != nil {
		return v, err
	}
	switch {
	case away.closed:
		v.Counts = false
		v.Notes = append(v.Notes, fmt.Sprintf("the account of %s is closed: there is no stand-in until it is open again", s.Name))
	case !away.known:
		v.Notes = append(v.Notes, fmt.Sprintf("%s has no account here, so %s decides approvals that ask %s by name, not those that ask a role", s.Name, s.To, s.Name))
	}
	next, err := a.Store.StandIn(ctx, s.To)
	if err == nil && overlap(next, s) {
		v.Notes = append(v.Notes, fmt.Sprintf("%s is also away at that time: %s decides for %s, but not for %s", s.To, next.To, s.To, s.Name))
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return v, err
	}
	return v, nil
}

// someone is a person by the name they are known under.
type someone struct {
	Name          string
	known, closed bool // whether there is an account, and whether it is closed
}

const wrongName = "expected a person's name of 1 to 128 printable characters without commas"

// person finds the form of a name that is used everywhere: Ann and ann have one
// account, and labels are not names.
func (a *App) person(ctx context.Context, name string) (someone, error) {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > nameMost || !utf8.ValidString(name) || strings.HasPrefix(name, "role:") ||
		strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == ',' }) >= 0 {
		return someone{}, fault.Of("not a person's name", []fault.Problem{{Path: "name", Message: wrongName}})
	}
	name, err := directory.Name(ctx, a.Store, name)
	if err != nil {
		return someone{}, err
	}
	account, err := a.Store.Account(ctx, name)
	if fault.Is(err, fault.NotFound) {
		return someone{Name: name}, nil
	}
	return someone{account.Name, true, account.Disabled}, err
}

func personTarget(name string) string { return "person/" + strings.TrimSpace(name) }

// aways remembers for a moment who is away: an inbox asks about many approvals
// at once. What somebody may do does not depend on it.
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

func (w *aways) list(ctx context.Context, store port.Store, now time.Time) ([]port.StandIn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if old := now.Sub(w.at); !w.at.IsZero() && old >= 0 && old < standInStay {
		return w.known, nil
	}
	all, err := store.StandIns(ctx)
	if err != nil {
		return nil, err
	}
	w.at, w.known = now, all
	return all, nil
}

// awayFrom tells which of those whom an open approval asks by name are away.
func (a *App) awayFrom(ctx context.Context, row port.ApprovalRow) ([]view.Away, error) {
	named := func(who string) bool { return who != port.Anybody && !strings.HasPrefix(who, "role:") }
	if row.Status != string(gate.Pending) || !slices.ContainsFunc(row.Asked, named) {
		return nil, nil
	}
	now := a.now()
	all, err := a.away.list(ctx, a.Store, now)
	if err != nil {
		return nil, err
	}
	var out []view.Away
	for _, s := range all {
		if s.Counts(now) && slices.Contains(row.Asked, s.Name) {
			out = append(out, view.Away{Name: s.Name, To: s.To, Until: s.Until})
		}
	}
	return out, nil
}

// actingFor names whom somebody would decide an approval for; nobody: themselves.
func (a *App) actingFor(w Who, workflow string, ap *gate.Approval, acts []gate.Act) string {
	if len(w.For) == 0 {
		return ""
	}
	name := ""
	for _, act := range acts {
		_, person := a.rules().Act(a.subject(w), act, access.Object{Workflow: workflow, Approval: ap})
		name = cmp.Or(name, person.For)
	}
	return name
}
