package storetest

import (
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
)

func away(name, to string, from, hours int) port.StandIn {
	start := began.Add(time.Duration(from) * time.Hour)
	return port.StandIn{Name: name, To: to, From: start, Until: start.Add(time.Duration(hours) * time.Hour),
		SetBy: "admin", SetAt: began}
}

// standIns: a person has one, the times are half open, and what is on record is
// what happened.
func standIns(t *testing.T, s store.Store) {
	ctx := t.Context()
	entry := func(action string) port.AuditDraft {
		return port.AuditDraft{At: began, Actor: run.Actor{Kind: run.Person, Name: "ann"},
			Action: action, Target: "person/ann"}
	}
	_, err := s.StandIn(ctx, "ann")
	wantCode(t, err, fault.NotFound)
	_, err = s.RemoveStandIn(ctx, "ann", entry("stand_in.cleared"))
	wantCode(t, err, fault.NotFound)
	must(t, s.PutStandIn(ctx, away("ann", "cid", 0, 5), entry("stand_in.set")))
	must(t, s.PutStandIn(ctx, away("ann", "bob", 1, 2), entry("stand_in.set")))
	must(t, s.PutStandIn(ctx, away("größe", "bob", 2, 9)))
	must(t, s.PutStandIn(ctx, away("bob", "dan", 0, 9)))
	wantCode(t, s.PutStandIn(ctx, away("ann", "bob", 1, 0), entry("stand_in.set")), fault.Invalid)
	wantCode(t, s.PutStandIn(ctx, away("ann", "", 1, 2), entry("stand_in.set")), fault.Invalid)

	got, err := s.StandIn(ctx, "ann")
	must(t, err)
	wantEqual(t, "stand-in of ann", got, away("ann", "bob", 1, 2))
	all, err := s.StandIns(ctx)
	must(t, err)
	wantEqual(t, "all", all, []port.StandIn{away("ann", "bob", 1, 2), away("bob", "dan", 0, 9),
		away("größe", "bob", 2, 9)})

	for _, c := range []struct {
		to   string
		at   time.Duration
		want []string
	}{
		{"bob", time.Hour - 1, nil},
		{"bob", time.Hour, []string{"ann"}},
		{"bob", 2 * time.Hour, []string{"ann", "größe"}},
		{"bob", 3*time.Hour - 1, []string{"ann", "größe"}},
		{"bob", 3 * time.Hour, []string{"größe"}},
		{"cid", 2 * time.Hour, nil}, // who was replaced
		{"dan", 2 * time.Hour, []string{"bob"}},
		{"b_b", 2 * time.Hour, nil},
		{"bad\x00", 2 * time.Hour, nil},
	} {
		found, err := s.StandingIn(ctx, c.to, began.Add(c.at))
		must(t, err)
		var names []string
		for _, f := range found {
			names = append(names, f.Name)
			if !f.Counts(began.Add(c.at)) {
				t.Errorf("%+v does not count at %s", f, c.at)
			}
		}
		wantEqual(t, "for whom "+c.to+" stands in after "+c.at.String(), names, c.want)
	}

	removed, err := s.RemoveStandIn(ctx, "ann", entry("stand_in.cleared"))
	must(t, err)
	wantEqual(t, "removed", removed, away("ann", "bob", 1, 2))
	page, err := s.AuditEntries(ctx, port.AuditQuery{Target: "person/ann"})
	must(t, err)
	var actions []string
	for _, row := range page.Items {
		actions = append(actions, row.Action)
	}
	wantEqual(t, "on record", actions, []string{"stand_in.cleared", "stand_in.set", "stand_in.set"})

	// Whoever no longer has an account stands in for nobody, and nobody for them.
	must(t, s.CreateAccount(ctx, account("bob")))
	must(t, s.PutStandIn(ctx, away("cid", "ann", 0, 9)))
	_, err = s.RemoveAccount(ctx, "bob")
	must(t, err)
	all, err = s.StandIns(ctx)
	must(t, err)
	wantEqual(t, "left", all, []port.StandIn{away("cid", "ann", 0, 9)})
}
