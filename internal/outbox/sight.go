package outbox

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/view"
)

// peopleFor is how old the list of people may be.
const peopleFor = time.Second

// sight shows approvals and runs as app shows them to people.
type sight struct {
	app    *app.App
	people *directory.People
	store  Store
	signIn bool // people have accounts; otherwise there is one, who may do everything
	now    func() time.Time

	mu    sync.Mutex
	known map[string]known
	at    time.Time
}

// known is a person with the roles that they have now, and those of the people they stand in for.
type known struct {
	roles []string
	away  []string // names
	of    []string // roles of those
}

// everyone lists the people who can be told.
func (s *sight) everyone(ctx context.Context) (map[string]known, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known != nil && s.now().Sub(s.at) < peopleFor {
		return s.known, nil
	}
	out := map[string]known{}
	if !s.signIn {
		out[app.LocalAdmin.Name] = known{roles: app.LocalAdmin.Roles}
		s.known, s.at = out, s.now()
		return out, nil
	}
	all, err := s.people.Everyone(ctx)
	if err != nil {
		return nil, err
	}
	for name, p := range all.People {
		if p.Disabled {
			continue
		}
		k := known{roles: slices.Concat(p.Roles, p.Reported)}
		absent, err := s.people.StandsInFor(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, a := range absent {
			k.away, k.of = append(k.away, a.Name), append(k.of, a.Roles...)
		}
		out[name] = k
	}
	s.known, s.at = out, s.now()
	return out, nil
}

// who is a person as they are now. A person who is not known has no rights.
func (s *sight) who(ctx context.Context, person string) (app.Who, error) {
	all, err := s.everyone(ctx)
	if err != nil || person == "" {
		return app.Who{}, err
	}
	w := app.Who{Name: person, Kind: run.Person, Roles: all[person].roles, SignedIn: s.signIn}
	return s.app.Rights.WithStandIns(ctx, w)
}

// Approval implements notify.Sight.
func (s *sight) Approval(ctx context.Context, person, id string) (view.Approval, error) {
	w, err := s.who(ctx, person)
	if err != nil {
		return view.Approval{}, err
	}
	return s.app.Notices.Approval(ctx, w, id)
}

// Run implements notify.Sight.
func (s *sight) Run(ctx context.Context, person, id string, seq int64) (notify.News, error) {
	w, err := s.who(ctx, person)
	if err != nil {
		return notify.News{}, err
	}
	v, e, err := s.app.Notices.Run(ctx, w, id, seq)
	if err != nil {
		return notify.News{}, err
	}
	return notify.News{Fact: e.Fact, By: e.Actor, Subject: v.Subject, Status: v.Status, Done: v.Progress.Done,
		All: v.Progress.Total, StartedAt: v.StartedAt, CostUSD: v.CostUSD}, nil
}

// Known implements notify.Sight. A name that is bound belongs to a person, even if they are no longer here.
func (s *sight) Known(ctx context.Context, word string) (known, gone bool, err error) {
	all, err := s.everyone(ctx)
	if _, ok := all[word]; ok || err != nil || !s.signIn {
		return ok, false, err
	}
	name, err := s.people.Name(ctx, word)
	if _, ok := all[name]; ok || fault.Is(err, fault.Conflict) {
		return false, false, nil
	}
	if err == nil {
		_, err = s.store.SubjectNamed(ctx, name)
	}
	if fault.Is(err, fault.NotFound) {
		return false, false, nil
	}
	return false, err == nil, err
}

// Holders implements notify.Sight.
func (s *sight) Holders(ctx context.Context, role string) (out []string, err error) {
	all, err := s.everyone(ctx)
	for name, k := range all {
		if slices.Contains(k.roles, role) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, err
}

// Asked implements notify.Sight: the people whom an approval names, the holders of roles that it asks, and those who
// stand in for them. Whether each of them may decide it is checked when they are told.
func (s *sight) Asked(ctx context.Context, ap *gate.Approval) (out []string, err error) {
	all, err := s.everyone(ctx)
	if err != nil {
		return nil, err
	}
	words := asked(ap)
	for name, k := range all {
		asks := func(names, roles []string) bool {
			return slices.ContainsFunc(words, func(word string) bool {
				role, isRole := strings.CutPrefix(word, "role:")
				return isRole && slices.Contains(roles, role) || !isRole && slices.Contains(names, word)
			})
		}
		handed := slices.ContainsFunc(ap.Delegations, func(d gate.Delegation) bool { return d.From == name })
		excluded := ap.Terms.ExcludeRequester && name == ap.Terms.Requester
		if !handed && !excluded && (len(words) == 0 || asks([]string{name}, k.roles) || asks(k.away, k.of)) {
			out = append(out, name)
		}
	}
	if !s.signIn && len(out) == 0 { // the one person who is there
		out = append(out, app.LocalAdmin.Name)
	}
	slices.Sort(out)
	return out, nil
}

// asked are the names and roles that an approval asks; none: anyone.
func asked(ap *gate.Approval) (out []string) {
	t := &ap.Terms
	if t.OnlyOwner != "" {
		return []string{t.OnlyOwner}
	}
	out = append(out, t.Assignees...)
	if t.Role != "" {
		out = append(out, "role:"+t.Role)
	}
	for role := range t.Roles {
		out = append(out, "role:"+role)
	}
	out = append(out, ap.Also...)
	for _, d := range ap.Delegations {
		out = append(out, d.To)
	}
	return out
}
